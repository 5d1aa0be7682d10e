import MFAAdmin
import MFAPAMStack

/// Finds lines, also of other modules, that make libpam deny a sign-in by mistake: a jump past the end
/// of the stack, and a module that does not exist.
enum FaultyLine: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.flatMap { service in
      let stacks = snapshot.stacks(of: service.name)
      return [stacks.auth, stacks.account].flatMap { stack -> [Finding] in
        // `ClosedStack` and `UnreadableStack` report a stack that cannot be read.
        guard case .success(let stack) = stack else { return [] }
        let machine = StackMachine(stack)
        return stack.entries.indices.compactMap { index in
          jump(machine, index, service) ?? missing(stack.entries[index], service, stacks, snapshot)
        }
      }
    }
  }

  private static func jump(
    _ machine: StackMachine, _ index: Int, _ service: ServiceWithModule
  ) -> Finding? {
    guard let code = machine.codeThatJumpsPastEnd(at: index) else { return nil }
    return Finding(
      severity: .error, code: "jump-past-end", services: [service.name],
      place: VisibleText.escaping(machine.entries[index].position.text),
      message:
        "jumps past the end of the stack if its module returns \(code.name), and libpam then "
        + "denies the sign-in",
      hint: "add a line to jump to, such as \"auth required pam_permit.so\", or correct the number")
  }

  /// A hyphen at the start of a line only prevents libpam from logging that the module is missing.
  private static func missing(
    _ entry: StackEntry, _ service: ServiceWithModule, _ stacks: ServiceStacks,
    _ snapshot: HostSnapshot
  ) -> Finding? {
    // `UnloadableModule` and `StrayModuleLines` report these modules.
    guard case .module(let name, _, let control) = entry.kind, ModuleKind(entry) != .code,
      !StrayModuleLines.isLookalike(entry),
      snapshot.modules.problem(entry) != nil,
      control.action(for: .moduleUnknown).isDenial
        || stacks.denial(of: Claimant([.password, .code, .other]))?.position == entry.position
    else { return nil }
    return Finding(
      severity: .error, code: "other-module-missing", services: [service.name],
      place: VisibleText.escaping(entry.position.text),
      message:
        "the module \(VisibleText.escaping(name)) does not exist, so libpam denies every sign-in "
        + "that reaches this line",
      hint: "install the package that has the module, or remove the line")
  }
}
