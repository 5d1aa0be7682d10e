import MFABytes
import MFASystem

/// Finds services whose systemd sandbox blocks access to the store or its key.
enum SandboxedService: Examination {
  private static let harm = "sign-ins that require a code are denied"

  static func findings(on chart: HostSnapshot) -> [Finding] {
    chart.asked.flatMap { service in
      UnitFiles.units(of: service).compactMap { finding($0, service, chart.host) }
    }
  }

  private static func finding(
    _ unit: String, _ service: ServiceWithModule, _ host: any ExaminedHost
  ) -> Finding? {
    var sandbox = UnitSandbox()
    do throws(UnitFiles.Failure) {
      for path in try UnitFiles.paths(of: unit, on: host) {
        sandbox.add(try text(of: path, host), from: path)
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
      let what = rule.access == .hidden ? "cannot see" : "cannot write to"
      return found(
        rule, service, "\(unit) \(what) \(InstalledPath.store)", unit,
        "ReadWritePaths=\(InstalledPath.store)")
    }
    guard let rule = sandbox.rule(for: "\(InstalledPath.configurationFolder)"),
      rule.access == .hidden
    else { return nil }
    return found(rule, service, "\(unit) cannot see \(InstalledPath.configurationFolder)", unit, "")
  }

  private static func found(
    _ rule: UnitSandbox.Rule, _ service: ServiceWithModule, _ what: String, _ unit: String,
    _ remedy: String
  ) -> Finding {
    let setting = VisibleText.escaping(rule.setting)
    let isHidden = rule.access == .hidden
    return Finding(
      severity: .error, code: "service-sandboxed", services: [service.name], place: rule.place,
      message: "\(what) because of \(setting): \(harm)",
      hint: isHidden
        ? "remove the path from that line, then run systemctl daemon-reload and restart \(unit)"
        : "run systemctl edit \(unit), add \"\(remedy)\" under [Service], then restart the unit")
  }

  private static func text(
    of path: String, _ host: any ExaminedHost
  ) throws(UnitFiles.Failure) -> [UInt8] {
    do throws(SystemError) {
      guard let text = try host.text(of: path) else {
        throw SystemError.notFound(.open)
      }
      return text
    } catch {
      throw UnitFiles.Failure(place: path, reason: error.text)
    }
  }
}
