import MFABase
import MFAAdmin

/// Finds services whose systemd sandbox blocks access to the store or its key. With the resident
/// service, applications need no access.
enum SandboxedService: Examination {
  private static let harm = "sign-ins that require a code are denied"

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    guard snapshot.host.residentStatus() != .answers else { return [] }
    return snapshot.servicesWithModule.flatMap { service in
      UnitFiles.units(of: service).compactMap { finding($0, service, snapshot.host) }
    }
  }

  private static func finding(
    _ unit: String, _ service: ServiceWithModule, _ host: any ExaminedHost
  ) -> Finding? {
    var sandbox = UnitSandbox()
    do throws(UnitFiles.Failure) {
      for path in try UnitFiles.paths(of: unit, on: host) {
        sandbox.add(try UnitFiles.text(of: path, host), from: path)
      }
    } catch {
      return .unchecked("whether \(unit) can access the store", at: error.place, error.reason)
    }
    if let place = sandbox.otherRoot {
      return .unchecked(
        "whether \(unit) can access the store", at: place,
        "the unit sets a different root directory")
    }
    if let rule = sandbox.rule(for: "\(InstalledPath.store)"), rule.access != .written {
      return finding(rule, of: unit, service, path: "\(InstalledPath.store)")
    }
    guard let rule = sandbox.rule(for: "\(InstalledPath.configurationFolder)"),
      rule.access == .hidden
    else { return nil }
    return finding(rule, of: unit, service, path: "\(InstalledPath.configurationFolder)")
  }

  /// Returns the finding about a rule that blocks access to `path`.
  private static func finding(
    _ rule: UnitSandbox.Rule, of unit: String, _ service: ServiceWithModule, path: String
  ) -> Finding {
    let setting = VisibleText.escaping(rule.setting)
    let isHidden = rule.access == .hidden
    let what = isHidden ? "cannot see" : "cannot write to"
    return Finding(
      severity: .error, code: "service-sandboxed", services: [service.name], place: rule.place,
      message: "\(unit) \(what) \(path) because of \(setting): \(harm)",
      hint: isHidden
        ? "remove the path from that line, then run systemctl daemon-reload and restart \(unit)"
        : "run systemctl edit \(unit), add \"ReadWritePaths=\(path)\" under [Service], then restart the unit"
    )
  }
}
