import MFAAdmin
import MFAPAMStack

/// Finds modules that services name and that libpam cannot load, because the file is missing, damaged
/// or another program's.
enum UnloadableModule: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.flatMap { service in
      let stacks = snapshot.stacks(of: service.name)
      return [stacks.auth, stacks.account].flatMap { stack -> [Finding] in
        guard case .success(let stack) = stack else { return [] }
        return stack.entries.filter { ModuleKind($0) == .code }.compactMap { entry in
          snapshot.modules.problem(entry).map { finding(service, entry, $0, stacks) }
        }
      }
    }
  }

  private static func finding(
    _ service: ServiceWithModule, _ entry: StackEntry, _ reason: String, _ stacks: ServiceStacks
  ) -> Finding {
    let effect =
      letsUsersIn(service, stacks)
      ? "users sign in without a code" : "every sign-in is denied"
    return Finding(
      severity: .error, code: "module-not-loaded", services: [service.name],
      place: VisibleText.escaping(entry.position.text),
      message: "libpam cannot load this module, so \(effect): \(reason)",
      hint: "install it again (packaging/install), or correct the path")
  }

  /// Returns whether users sign in without a code at a service whose module cannot be loaded.
  private static func letsUsersIn(_ service: ServiceWithModule, _ stacks: ServiceStacks) -> Bool {
    Claimant.withoutCode(for: service.stack).contains { stacks.denial(of: $0) == nil }
  }

  /// Returns whether users sign in without a code because of a finding of this examination.
  static func letsUsersIn(_ finding: Finding, on snapshot: HostSnapshot) -> Bool {
    snapshot.servicesWithModule.contains { service in
      finding.services.contains(service.name)
        && letsUsersIn(service, snapshot.stacks(of: service.name))
    }
  }
}
