import MFAAdmin
import MFAPAMStack

/// Finds lines that look as if they asked for a code and do not: libpam finds no module of that name,
/// or only an `account` or `session` line calls the module.
enum StrayModuleLines: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.services.flatMap { service in
      let lines = StackType.allCases.flatMap { type in
        entries(service, type, snapshot.host.stacks).map { (type: type, entry: $0) }
      }
      return lines.filter { isLookalike($0.entry) }.map { misnamed($0.entry, $0.type, service) }
        + [withoutAuth(service, lines, snapshot)].compactMap { $0 }
    }
  }

  /// Returns the findings about lines of one stack whose module's name only looks like ours.
  static func lookalikes(
    _ stack: ServiceStack, _ type: StackType, of service: [UInt8]
  ) -> [Finding] {
    stack.entries.filter { isLookalike($0) }.map { misnamed($0, type, service) }
  }

  /// Returns the lines of a stack. A stack that cannot be read is another finding.
  private static func entries(
    _ service: [UInt8], _ type: StackType, _ source: some StackSource
  ) -> [StackEntry] {
    do throws(StackRefusal) {
      return try ServiceStack(type, of: service, from: source).entries
    } catch {
      return []
    }
  }

  /// Returns whether the line's module is not ours, and its name looks like ours.
  static func isLookalike(_ entry: StackEntry) -> Bool {
    guard ModuleKind(entry) != .code else { return false }
    let name = String(decoding: entry.moduleName, as: UTF8.self).lowercased()
    return ["pam_mfa", "pam-mfa", "pammfa"].contains { name.contains($0) }
      || ["mfa", "mfa.so"].contains(name)
  }

  private static func misnamed(
    _ entry: StackEntry, _ type: StackType, _ service: [UInt8]
  ) -> Finding {
    let name = VisibleText.escaping(entry.moduleName)
    let denies: Bool =
      switch entry.kind {
      case .substack: false
      case .module(_, _, let control): control.action(for: .moduleUnknown).isDenial
      }
    return Finding(
      severity: .error, code: "module-misnamed", services: [service],
      place: VisibleText.escaping(entry.position.text),
      message: denies
        ? "libpam loads no pam_mfa.so for the name \(name), so this \(type.name) line fails at "
          + "every sign-in"
        : "libpam loads no pam_mfa.so for the name \(name), so this \(type.name) line does nothing",
      hint: "write pam_mfa.so")
  }

  private static func withoutAuth(
    _ service: [UInt8], _ lines: [(type: StackType, entry: StackEntry)], _ snapshot: HostSnapshot
  ) -> Finding? {
    let ours = lines.filter { ModuleKind($0.entry) == .code }
    guard let first = ours.first, !ours.contains(where: { $0.type == .auth }) else { return nil }
    return Finding(
      severity: .error, code: "no-auth-line", services: [service],
      place: VisibleText.escaping(first.entry.position.text),
      message: "users are never asked for a code: only \(first.type.name) lines call pam_mfa.so",
      hint: "run mfa-admin enable \(VisibleText.escaping(service)), or add \"auth requisite "
        + "pam_mfa.so\" below the lines that ask for the password, or remove this line")
  }
}
