import PAMStack
import Policy

/// Looks for what keeps people out who have done nothing wrong.
struct Doctor<Source: StackSource> {
  /// What is in force.
  let configuration: Configuration
  /// The services that have a file.
  let services: [[UInt8]]
  /// Where their files are.
  let source: Source

  /// Files that others include, and that no program asks for: Debian's.
  private static var fragmentPrefix: [UInt8] { Array("common-".utf8) }

  /// What is wrong with the services at which people may have to enrol, at most one finding each.
  var findings: [StackFinding] {
    services.filter {
      !$0.starts(with: Self.fragmentPrefix) && configuration.mayRequireEnrollment(at: $0)
    }.compactMap { finding($0) }
  }

  private func finding(_ service: [UInt8]) -> StackFinding? {
    do throws(StackRefusal) {
      let stack = try ServiceStack(.auth, of: service, from: source)
      for entry in stack.entries where entry.asks(module: "pam_mfa.so") {
        guard case .module(_, let arguments, _) = entry.kind else { continue }
        let line = AccountLine(
          of: "pam_mfa.so", service: service, authArguments: arguments,
          isCalledByRoot: CallingUser.isRoot(at: service), from: source)
        if case .certain = line { continue }
        let files = arguments.filter { $0.starts(with: Array("config=".utf8)) }
        return StackFinding(
          service: service,
          fault: .accountLine(line, auth: entry.position, configuration: files))
      }
      return nil
    } catch {
      return StackFinding(service: service, fault: .unreadable(error))
    }
  }
}
