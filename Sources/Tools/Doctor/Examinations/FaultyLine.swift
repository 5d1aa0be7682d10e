import MFAAdminOutput
import MFAPAMStack
import MFAStackEffect
import MFASystem

/// Finds lines, also of other modules, that make libpam deny a sign-in by mistake: a jump past the end
/// of the stack, and a module that does not exist.
enum FaultyLine: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.flatMap { service in
      let machine = StackMachine(service.stack)
      return service.stack.entries.indices.compactMap { index in
        jump(machine, index, service) ?? missing(service.stack.entries[index], service, snapshot)
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

  private static func missing(
    _ entry: StackEntry, _ service: ServiceWithModule, _ snapshot: HostSnapshot
  ) -> Finding? {
    // `UnloadableModule` reports this module.
    guard case .module(let name, _, let control) = entry.kind, ModuleKind(entry) != .code,
      isFatal(control.action(for: .moduleUnknown)), !snapshot.host.hasModule(name),
      !isSilent(entry, snapshot.host)
    else { return nil }
    return Finding(
      severity: .error, code: "other-module-missing", services: [service.name],
      place: VisibleText.escaping(entry.position.text),
      message:
        "the module \(VisibleText.escaping(name)) does not exist, so libpam denies every sign-in "
        + "that reaches this line",
      hint: "install the package that has the module, or remove the line")
  }

  private static func isFatal(_ action: StackControl.Action) -> Bool {
    switch action {
    case .bad, .die: true
    case .ignore, .ok, .done, .reset, .jump: false
    }
  }

  /// Returns whether a line begins with a hyphen: libpam ignores it if the module does not exist
  /// (pam.conf(5)).
  private static func isSilent(_ entry: StackEntry, _ host: any ExaminedHost) -> Bool {
    do throws(SystemError) {
      let path = String(decoding: entry.position.file, as: UTF8.self)
      let lines = try host.text(of: path)?.split(
        separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      guard let lines, entry.position.line >= 1, entry.position.line <= lines.count else {
        return false
      }
      return lines[entry.position.line - 1].first { $0 != 0x20 && $0 != 0x09 } == UInt8(ascii: "-")
    } catch {
      return false
    }
  }
}
