/// A sign-in in which no module authenticates the user, except that pam_mfa.so returns what it is told
/// to: each module that could authenticate the user fails, and each condition that would skip lines
/// does not hold.
///
/// MUST 1: a stack in which a line that could authenticate the user can deny is never reported as one
/// that admits such a sign-in. (`UnprovenSignInTests`)
package struct UnprovenSignIn {
  /// The name of the service.
  private let service: [UInt8]
  /// What the lines of pam_mfa.so return: `ignore` for a user who has not enrolled, `success` for one
  /// who typed a valid code.
  private let code: PAMReturnCode
  /// Whether pam_rootok.so succeeds.
  private let isCalledByRoot: Bool

  /// Creates the sign-in.
  package init(at service: [UInt8], moduleReturns code: PAMReturnCode, isCalledByRoot: Bool) {
    self.service = service
    self.code = code
    self.isCalledByRoot = isCalledByRoot
  }

  /// Returns whether a service's `auth` stack calls pam_mfa.so, and admits the user.
  package func isAdmitted(by stack: ServiceStack) -> Bool {
    guard stack.entries.contains(where: { $0.asks(module: "pam_mfa.so") }) else { return false }
    let machine = StackMachine(stack)
    var open = [machine.start]
    var seen = open
    while let state = open.popLast() {
      guard !machine.isAtEnd(state) else {
        if state.outcome == .positive(.success) { return true }
        continue
      }
      for code in codes(stack.entries[state.index]) {
        let next = machine.next(state, code)
        guard !seen.contains(next) else { continue }
        seen.append(next)
        open.append(next)
      }
    }
    return false
  }

  /// Returns what the module of a line can return.
  private func codes(_ entry: StackEntry) -> [PAMReturnCode] {
    guard case .module(_, let arguments, let control) = entry.kind else { return [] }
    if let code = certainCode(entry, arguments) { return [code] }
    let all: [PAMReturnCode] = [.success, .ignore, .authenticationError]
    let others = all.filter { !control.action(for: $0).skipsLines }
    return others.isEmpty ? all : others
  }

  /// Returns the only code that the module of a line can return, or nil if there are several.
  private func certainCode(_ entry: StackEntry, _ arguments: [[UInt8]]) -> PAMReturnCode? {
    if entry.asks(module: "pam_mfa.so") {
      // These lines leave a sign-in without a key, or without a program password, to others.
      let isLeft =
        arguments.contains(Word.bytes("after_key"))
        || arguments.contains(Word.bytes("program_password"))
      return isLeft ? .ignore : code
    }
    if entry.asks(module: "pam_permit.so") { return .success }
    if entry.asks(module: "pam_rootok.so"), isCalledByRoot { return .success }
    guard isBystander(entry, arguments) else { return .authenticationError }
    return entry.holds(for: service).map { $0 ? .success : .authenticationError }
  }

  private func isBystander(_ entry: StackEntry, _ arguments: [[UInt8]]) -> Bool {
    // These check a password, or always fail.
    guard
      !(entry.asks(module: "pam_ccreds.so") && arguments.contains(Word.bytes("action=validate"))),
      !(entry.asks(module: "pam_faillock.so") && arguments.contains(Word.bytes("authfail")))
    else { return false }
    return (BystanderModule.conditions + BystanderModule.preparations).contains {
      entry.asks(module: $0)
    }
  }
}
