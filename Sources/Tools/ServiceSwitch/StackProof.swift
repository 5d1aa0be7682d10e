import MFAAdminCore
import MFAAdminOutput
import MFADoctor
import MFAPAMStack

/// Verifies that a service's stack asks for the password first and then calls the module, and that
/// no sign-in can bypass it.
///
/// The proof uses the stack as PAMStack reads it, which is what libpam reads.
///
/// MUST 1: a line that can be bypassed, or that is reached without the password, never passes the
/// proof. (`StackPlanTests`)
package struct StackProof {
  /// A problem with a stack.
  package enum Obstacle: Error, Equatable {
    /// The stack does not ask for a password.
    case noPassword
    /// No `auth` line calls the module.
    case missing
    /// The module's `auth` line can fail without denying the sign-in.
    case denialIgnored(at: StackPosition)
    /// This line can end the stack before the module's line, or jump over that line.
    case skippable(by: StackPosition)
    /// After a wrong password at this line, the stack continues and asks for a code.
    case wrongPasswordGoesOn(StackPosition)
    /// The module's `account` line is missing or unreliable.
    case account(AccountLine)
    /// The stack cannot be read.
    case unknown(StackRefusal)

    /// The problem in words.
    package var sentence: String {
      switch self {
      case .noPassword: "the stack does not ask for a password"
      case .missing: "the stack has no auth line for pam_mfa.so"
      case .denialIgnored(let position):
        "\(Self.text(position)) can fail without denying the sign-in"
      case .skippable(let position):
        "\(Self.text(position)) can end the stack before pam_mfa.so or jump over it"
      case .wrongPasswordGoesOn(let position):
        "after a wrong password at \(Self.text(position)), the stack continues and asks for a code"
      case .account(let line):
        StackFinding.reason(line)
          + (line.obstacle.map { " (\(VisibleText.escaping($0)))" } ?? "")
      case .unknown(let refusal):
        "\(VisibleText.escaping(refusal.place)): \(StackFinding.reason(refusal))"
      }
    }

    private static func text(_ position: StackPosition) -> String {
      VisibleText.escaping(position.text)
    }
  }

  /// The file name of the module.
  package static var module: StaticString { "pam_mfa.so" }

  /// Returns the first line of a service's `auth` stack that calls the module, or nil.
  package static func line<Source: StackSource>(
    of service: [UInt8], in source: Source
  ) throws(StackRefusal) -> StackPosition? {
    let stack = try ServiceStack(.auth, of: service, from: source)
    return stack.entries.first { $0.asks(module: module) }?.position
  }

  /// Returns the first problem with a service's stack, or nil.
  package static func obstacle<Source: StackSource>(
    of service: [UInt8], in source: Source
  ) -> Obstacle? {
    do throws(StackRefusal) {
      let stack = try ServiceStack(.auth, of: service, from: source)
      if let obstacle = authObstacle(stack, of: service) { return obstacle }
    } catch {
      return .unknown(error)
    }
    let account = AccountLine(
      of: module, service: service, authArguments: [],
      isCalledByRoot: PAMCaller.isRoot(at: service), from: source)
    if case .certain = account { return nil }
    return .account(account)
  }

  private static func authObstacle(_ stack: ServiceStack, of service: [UInt8]) -> Obstacle? {
    let entries = stack.entries
    guard let index = entries.firstIndex(where: { $0.asks(module: module) }) else {
      return .missing
    }
    let own = entries[index]
    guard own.level == 0, own.control?.deniesEveryFailure == true else {
      return .denialIgnored(at: own.position)
    }
    for (other, entry) in entries[..<index].enumerated() {
      // pam_rootok.so fails for other users, and root is not asked at this service.
      if !PAMCaller.isRoot(at: service), entry.asks(module: "pam_rootok.so"),
        entry.control?.jumps.isEmpty == true
      {
        continue
      }
      if stack.maySkip(index, at: other) { return .skippable(by: entry.position) }
    }
    guard let password = entries[..<index].firstIndex(where: \.asksForPassword) else {
      return .noPassword
    }
    for entry in entries[password..<index] where entry.level == 0 {
      guard entry.asks(module: "pam_deny.so") || entry.asksForPassword || isFaillock(entry) else {
        continue
      }
      if entry.control?.endsAtEveryFailure == true { return nil }
    }
    return .wrongPasswordGoesOn(entries[password].position)
  }

  private static func isFaillock(_ entry: StackEntry) -> Bool {
    guard case .module(_, let arguments, _) = entry.kind else { return false }
    return entry.asks(module: "pam_faillock.so") && arguments.contains(Array("authfail".utf8))
  }
}

extension StackEntry {
  /// The entry's control, or nil for a substack.
  var control: StackControl? {
    switch kind {
    case .substack: nil
    case .module(_, _, let control): control
    }
  }
}
