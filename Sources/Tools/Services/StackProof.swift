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
  /// The file name of the module.
  package static var module: StaticString { "pam_mfa.so" }

  /// Returns the first line of a service's `auth` stack that calls the module, or nil.
  package static func line<Source: StackSource>(
    of service: [UInt8], in source: Source
  ) throws(StackRefusal) -> StackPosition? {
    let stack = try ServiceStack(.auth, of: service, from: source)
    return stack.entries.first(where: \.callsModule)?.position
  }

  /// The problem that no line asks for a password.
  static let noPassword = "the stack does not ask for a password"
  /// The problem that no `auth` line calls the module.
  static let missing = "the stack has no auth line for pam_mfa.so"

  /// Returns the first problem with a service's stack in words, or nil. After a key that sshd has
  /// verified, enrolled users need no password, and all others do.
  package static func obstacle<Source: StackSource>(
    of service: [UInt8], in source: Source, _ first: SecureShellFactors.First = .password
  ) -> String? {
    do throws(StackRefusal) {
      let stack = try ServiceStack(.auth, of: service, from: source)
      for afterKey in [false, true] where first != (afterKey ? .password : .key) {
        if let obstacle = authObstacle(stack, of: service, afterKey: afterKey) { return obstacle }
      }
    } catch {
      return error.located
    }
    let account = AccountLine(
      of: module, service: service, authArguments: [],
      isCalledByRoot: PAMCaller.isRoot(at: service), from: source)
    if case .certain = account { return nil }
    return account.sentence
      + (account.obstacle.map { " (\(VisibleText.escaping($0)))" } ?? "")
  }

  /// Returns the first problem with an `auth` stack, after a key that sshd has verified or without one.
  private static func authObstacle(
    _ stack: ServiceStack, of service: [UInt8], afterKey: Bool
  ) -> String? {
    let entries = stack.entries
    func place(_ entry: StackEntry) -> String { VisibleText.escaping(entry.position.text) }
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
    else { return missing }
    let withoutCode = effect([.password])
    guard entries[index].level == 0, withoutCode.ignoring.isEmpty else {
      // The module's line, or the line that discards its result.
      let line = entries[withoutCode.ignoring.first?.index ?? index]
      return "\(place(line)) can fail without denying the sign-in"
    }
    if let step = withoutCode.skipping.first {
      return "\(place(entries[step.index])) can end the stack before pam_mfa.so or jump over it"
    }
    if afterKey {
      let notEnrolled = effect([], .notRequired)
      guard !notEnrolled.canSucceed else {
        let lines = notEnrolled.way.map { entries[$0.index] }
        let cause = lines.first(where: \.asksForPassword) ?? lines.last ?? entries[index]
        return "a key and a wrong password would sign in users who have not enrolled, because of "
          + place(cause)
      }
    } else {
      guard let password = entries[..<index].first(where: \.asksForPassword) else {
        return noPassword
      }
      guard !effect([.code]).callsModule else {
        return
          "after a wrong password at \(place(password)), the stack continues and asks for a code"
      }
    }
    let withCode = effect(afterKey ? [.code] : [.password, .code])
    return withCode.canSucceed && withCode.calls == 1
      ? nil : "the stack fails whatever its modules return"
  }
}
