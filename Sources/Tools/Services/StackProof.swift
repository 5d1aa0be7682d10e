import MFAAdmin
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
    /// After a key, users who have not enrolled need no password, because of this line.
    case passwordNotNeeded(because: StackPosition)
    /// No user could sign in.
    case closed
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
      case .passwordNotNeeded(let position):
        "a key and a wrong password would sign in users who have not enrolled, because of "
          + Self.text(position)
      case .closed: "the stack fails whatever its modules return"
      case .account(let line):
        line.sentence
          + (line.obstacle.map { " (\(VisibleText.escaping($0)))" } ?? "")
      case .unknown(let refusal):
        "\(VisibleText.escaping(refusal.place)): \(refusal.sentence)"
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
    return stack.entries.first(where: \.callsModule)?.position
  }

  /// Returns the first problem with a service's stack, or nil. After a key that sshd has verified,
  /// enrolled users need no password, and all others do.
  package static func obstacle<Source: StackSource>(
    of service: [UInt8], in source: Source, _ first: SecureShellFactors.First = .password
  ) -> Obstacle? {
    do throws(StackRefusal) {
      let stack = try ServiceStack(.auth, of: service, from: source)
      for afterKey in [false, true] where first != (afterKey ? .password : .key) {
        if let obstacle = authObstacle(stack, of: service, afterKey: afterKey) { return obstacle }
      }
    } catch {
      return .unknown(error)
    }
    let account = AccountLine(
      of: module, service: service, authArguments: [],
      isCalledByRoot: PAMCaller.isRoot(at: service), from: source)
    if case .certain = account { return nil }
    return .account(account)
  }

  /// Returns the first problem with an `auth` stack, after a key that sshd has verified or without one.
  private static func authObstacle(
    _ stack: ServiceStack, of service: [UInt8], afterKey: Bool
  ) -> Obstacle? {
    let entries = stack.entries
    func effect(
      _ authenticators: Claimant.Authenticators,
      _ enrollment: Claimant.Enrollment = .enrolled
    ) -> StackEffect {
      let others: Claimant.Authenticators = afterKey ? [.other, .key] : [.other]
      return StackEffect(
        ofAuthStack: stack, of: service,
        for: Claimant(authenticators.union(others), enrollment))
    }
    guard
      let index = afterKey ? entries.firstIndex(where: \.callsModule) : stack.moduleIndex
    else { return .missing }
    let withoutCode = effect([.password])
    guard entries[index].level == 0, withoutCode.ignoring.isEmpty else {
      return .denialIgnored(at: entries[withoutCode.ignoring.first?.index ?? index].position)
    }
    if let step = withoutCode.skipping.first {
      return .skippable(by: entries[step.index].position)
    }
    if afterKey {
      let notEnrolled = effect([], .notRequired)
      guard !notEnrolled.canSucceed else {
        let lines = notEnrolled.way.map { entries[$0.index] }
        let cause = lines.first(where: \.asksForPassword) ?? lines.last ?? entries[index]
        return .passwordNotNeeded(because: cause.position)
      }
    } else {
      guard let password = entries[..<index].first(where: \.asksForPassword) else {
        return .noPassword
      }
      guard !effect([.code]).callsModule else { return .wrongPasswordGoesOn(password.position) }
    }
    let withCode = effect(afterKey ? [.code] : [.password, .code])
    return withCode.canSucceed && withCode.calls == 1 ? nil : .closed
  }
}
