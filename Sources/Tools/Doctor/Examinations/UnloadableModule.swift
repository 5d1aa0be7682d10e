import MFAAdminOutput
import MFAPAMStack
import MFAStackEffect

/// Finds modules that services name and that libpam cannot load, because the file is missing, damaged
/// or another program's.
enum UnloadableModule: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    var reasons: [[UInt8]: String?] = [:]
    return snapshot.servicesWithModule.flatMap { service in
      service.stack.entries.compactMap { entry in
        guard case .module(let name, _, _) = entry.kind, ModuleKind(entry) == .code else {
          return nil
        }
        let reason = reasons[name] ?? snapshot.host.loadProblem(name)
        reasons[name] = reason
        return reason.map { finding(service, entry, $0) }
      }
    }
  }

  private static func finding(
    _ service: ServiceWithModule, _ entry: StackEntry, _ reason: String
  ) -> Finding {
    let effect =
      letsUsersIn(service)
      ? "users sign in without a code" : "every sign-in is denied"
    return Finding(
      severity: .error, code: "module-not-loaded", services: [service.name],
      place: VisibleText.escaping(entry.position.text),
      message: "libpam cannot load this module, so \(effect): \(reason)",
      hint: "install it again (packaging/install), or correct the path")
  }

  /// Returns whether users sign in without a code at a service whose module cannot be loaded.
  private static func letsUsersIn(_ service: ServiceWithModule) -> Bool {
    Claimant.withoutCode(for: service.stack).contains { claimant in
      var claimant = claimant
      claimant.moduleLoads = false
      return service.effect(for: claimant).canSucceed
    }
  }

  /// Returns whether users sign in without a code because of a finding of this examination.
  static func letsUsersIn(_ finding: Finding, on snapshot: HostSnapshot) -> Bool {
    snapshot.servicesWithModule.contains { service in
      finding.services.contains(service.name) && letsUsersIn(service)
    }
  }
}
