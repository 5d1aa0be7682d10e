// MFATrial: sign-ins of two test accounts through service files that are not in place yet.
//
// `TrialNamespace` is a private mount namespace with the test accounts, an empty store and the new
// files. `TrialTransaction` is one sign-in through libpam. `Trial` decides which sign-ins must succeed
// and which must fail, and compares.
//
// MUST 1: nothing outside the process's mount namespace changes: no account, no record, no lock and
// no line of the system log. Only the kernel's audit trail has the sign-ins. (`EndToEnd.Enable`)
// MUST 2: a service counts as proven only if a right code was accepted and a wrong code, a missing
// code and a wrong password were refused, or if policy requires no code of users like the test account.
// MUST 3: a key and a wrong password never count as proof of users who have not enrolled.
// (`TrialTests.keyRequired`, `TrialTests.afterKey`)

import MFAAdmin

/// The result of trying one service.
package enum TrialResult: Equatable {
  /// The sign-ins ended as they must. The value is a remark on what was not tried, or nil.
  case proven(remark: String?)
  /// The sign-ins could not be tried. The value is the reason.
  case untried(String)
  /// A sign-in ended as it must not. The value says which, and what the system log would say.
  case failed(String)
}

extension TrialResult {
  /// The result as one line for the process that started the trial.
  package func line(of service: String) -> String {
    switch self {
    case .proven(let remark): "proven\t\(service)\t\(remark ?? "")\n"
    case .untried(let reason): "untried\t\(service)\t\(reason)\n"
    case .failed(let reason): "failed\t\(service)\t\(reason)\n"
    }
  }

  /// Reads a line. Returns nil for any other text.
  package init?(_ line: some StringProtocol, of service: String) {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0) }
    guard fields.count == 3, fields[1] == service else { return nil }
    switch fields[0] {
    case "proven": self = .proven(remark: fields[2].isEmpty ? nil : fields[2])
    case "untried": self = .untried(fields[2])
    case "failed": self = .failed(fields[2])
    case _: return nil
    }
  }
}

/// A trial of services with new files.
package struct Trial {
  /// A service, and the files that would change for it.
  package struct Plan {
    /// The name of the service.
    package let service: [UInt8]
    /// The paths of existing service files, and their new contents.
    package let files: [(path: String, contents: [UInt8])]
    /// Whether users who have enrolled are asked for their password too. Otherwise a key is required.
    package let needsPassword: Bool
    /// Whether enrolled users can use a key that sshd has verified in place of their password.
    package let acceptsKey: Bool

    /// Whether the program verifies passwords itself, and calls the `account` lines alone.
    package let verifiesPasswords: Bool

    /// Creates a plan.
    package init(
      service: [UInt8], files: [(path: String, contents: [UInt8])], needsPassword: Bool = true,
      acceptsKey: Bool = false, verifiesPasswords: Bool = false
    ) {
      self.service = service
      self.files = files
      self.needsPassword = needsPassword
      self.acceptsKey = acceptsKey
      self.verifiesPasswords = verifiesPasswords
    }
  }

  /// How a sign-in would be decided before the user types anything.
  package enum Expectation: Equatable {
    /// A code is asked for.
    case asked
    /// A code is asked for, and every answer is accepted.
    case observed
    /// No code is asked for. The value is the reason.
    case allowed(String)
    /// The sign-in is denied, or the user has to enrol. The value is the reason.
    case denied(String)
  }

  /// Performs sign-ins.
  package let namespace: any TrialHost
  /// Predicts a sign-in of a test account with the new files.
  package let expectation: (_ user: [UInt8], _ service: [UInt8]) -> Expectation

  /// Creates a trial.
  package init(
    in namespace: any TrialHost,
    expecting expectation: @escaping (_ user: [UInt8], _ service: [UInt8]) -> Expectation
  ) {
    self.namespace = namespace
    self.expectation = expectation
  }

  /// Tries a service. Later services see its new files too.
  package func result(of plan: Plan) -> TrialResult {
    let host = namespace
    if let obstacle = host.begin() { return obstacle }
    guard !plan.verifiesPasswords else { return resultOfAccountLines(plan) }
    let without = host.signIn(host.enrolled, plan.service, password: .right, code: .noCode)
    guard without.isSuccess else {
      return .untried(
        "the present file already denies a test account with its password\(without.explanation)")
    }
    let isWrongPasswordDenied =
      plan.needsPassword
      && !host.signIn(
        host.enrolled, plan.service, password: .wrong, code: .noCode
      ).isSuccess
    if let failure = host.put(plan.files) { return .untried(failure) }
    if let problem = enrolled(plan.service, isWrongPasswordDenied) { return problem }
    if let failure = notEnrolled(plan) { return .failed(failure) }
    if plan.acceptsKey {
      if let obstacle = host.begin() { return obstacle }
      if let problem = afterKey(plan.service) { return problem }
    }
    switch expectation(host.enrolled, plan.service) {
    case .allowed(let reason):
      return .proven(remark: "no code was tried, because the test account was \(reason)")
    case .observed: return .proven(remark: "wrong codes are accepted, because policy only observes")
    case .asked, .denied: return .proven(remark: nil)
    }
  }

  /// Tries a service whose program verifies passwords itself.
  private func resultOfAccountLines(_ plan: Plan) -> TrialResult {
    let host = namespace
    func signIn(_ user: [UInt8]) -> TrialSignIn {
      host.signIn(user, plan.service, password: .verifiedByProgram, code: .noCode)
    }
    let before = signIn(host.enrolled)
    guard before.isSuccess else {
      return .untried("the present file already denies a test account\(before.explanation)")
    }
    if let failure = host.put(plan.files) { return .untried(failure) }
    for (user, kind) in [(host.enrolled, "has"), (host.notEnrolled, "has not")] {
      let after = signIn(user)
      switch (expectation(user, plan.service), after.isSuccess) {
      case (.allowed, false), (.observed, false):
        return .failed(
          "a user who \(kind) enrolled is denied, although no code is needed\(after.explanation)")
      case (.asked, true), (.denied, true):
        return .failed("a user who \(kind) enrolled is let in, although a code is required")
      case (.asked, false), (.denied, false), (.allowed, true), (.observed, true): break
      }
    }
    return .proven(remark: nil)
  }

  /// Tries sign-ins of the account with a factor. Returns the result if something is wrong, or nil.
  private func enrolled(_ service: [UInt8], _ isWrongPasswordDenied: Bool) -> TrialResult? {
    let host = namespace
    func signIn(_ password: TrialPassword, _ code: TrialCode) -> TrialSignIn {
      host.signIn(host.enrolled, service, password: password, code: code)
    }
    switch expectation(host.enrolled, service) {
    case .denied(let reason): return .failed("a user who has enrolled would be \(reason)")
    case .allowed:
      let plain = signIn(.right, .noCode)
      return plain.isSuccess
        ? nil
        : .failed(
          "a user with the right password is denied, although no code is needed\(plain.explanation)"
        )
    case .observed:
      let wrong = signIn(.right, .wrong)
      return wrong.isSuccess
        ? nil
        : .failed("a wrong code is refused, although policy only observes\(wrong.explanation)")
    case .asked: break
    }
    let right = signIn(.right, .right)
    guard right.isSuccess else {
      return .failed("a user with the right password and code is denied\(right.explanation)")
    }
    guard right.askedForCode else {
      return .failed("a user who has enrolled is not asked for a code")
    }
    // Before the wrong codes, after which a right one may have to wait.
    guard !isWrongPasswordDenied || !signIn(.wrong, .next).isSuccess else {
      return .failed("a wrong password is accepted with the right code")
    }
    // Policy may want the accepted code to be remembered, and a new store has no memory of it.
    if let obstacle = host.begin() { return obstacle }
    guard !signIn(.right, .wrong).isSuccess else { return .failed("a wrong code is accepted") }
    return signIn(.right, .noCode).isSuccess ? .failed("a sign-in without a code succeeds") : nil
  }

  /// Tries sign-ins after a key, with a wrong password. Returns the result if something is wrong, or
  /// nil.
  private func afterKey(_ service: [UInt8]) -> TrialResult? {
    let host = namespace
    func signIn(_ user: [UInt8], _ code: TrialCode) -> TrialSignIn {
      host.signIn(user, service, password: .wrongAfterKey, code: code)
    }
    guard !signIn(host.notEnrolled, .noCode).isSuccess else {
      return .failed("a user who has not enrolled signs in with a key alone")
    }
    guard case .asked = expectation(host.enrolled, service) else { return nil }
    guard !signIn(host.enrolled, .noCode).isSuccess else {
      return .failed("a key is accepted without a code")
    }
    let right = signIn(host.enrolled, .right)
    guard right.isSuccess else {
      return .failed("a user with a key and the right code is denied\(right.explanation)")
    }
    if let obstacle = host.begin() { return obstacle }
    return signIn(host.enrolled, .wrong).isSuccess
      ? .failed("a wrong code is accepted after a key") : nil
  }

  /// Tries sign-ins of the account without a factor: with its password and, where a key is required,
  /// with a key and a wrong password. Returns what is wrong, or nil.
  private func notEnrolled(_ plan: Plan) -> String? {
    let host = namespace
    func signIn(_ password: TrialPassword) -> TrialSignIn {
      host.signIn(host.notEnrolled, plan.service, password: password, code: .noCode)
    }
    let plain = signIn(.right)
    guard plan.needsPassword || !signIn(.wrongAfterKey).isSuccess else {
      return "a user who has not enrolled signs in with a key and a wrong password"
    }
    switch (expectation(host.notEnrolled, plan.service), plain.isSuccess) {
    case (.allowed, false), (.observed, false):
      return "a user who has not enrolled is denied, although no code is needed\(plain.explanation)"
    case (.asked, true), (.denied, true):
      return
        "a user who has not enrolled signs in with the password alone, although policy denies it"
    case _: return nil
    }
  }
}

/// What the test user types as password, whether sshd has verified a key before, and whether the program verifies the
/// password itself and runs no `auth` line.
package enum TrialPassword { case right, wrong, wrongAfterKey, verifiedByProgram }

/// What the test user types as code: nothing, the code of the present time step, one that is not
/// valid, or that of the next time step, which is valid and unused.
package enum TrialCode { case noCode, right, wrong, next }

/// How a sign-in of a test account ended.
package struct TrialSignIn: Equatable {
  /// Whether PAM accepted the user and the account.
  package let isSuccess: Bool
  /// Whether a code was asked for.
  package let askedForCode: Bool
  /// The last lines that the modules wrote to the system log.
  package var log: [String] = []

  /// What the modules wrote, as the end of a sentence.
  var explanation: String { log.isEmpty ? "" : ": \(log.suffix(3).joined(separator: "; "))" }
}

/// A host on which test accounts can sign in.
package protocol TrialHost {
  /// The name of the test account with a factor.
  var enrolled: [UInt8] { get }
  /// The name of the test account without a factor.
  var notEnrolled: [UInt8] { get }

  /// Begins the trial of a service: the first account has a new factor, and no account has a failed
  /// attempt. Returns the result if that is not possible, or nil.
  func begin() -> TrialResult?

  /// Puts new files in place for later sign-ins. Returns the reason for a failure, or nil.
  func put(_ files: [(path: String, contents: [UInt8])]) -> String?

  /// Signs in.
  func signIn(
    _ user: [UInt8], _ service: [UInt8], password: TrialPassword, code: TrialCode
  ) -> TrialSignIn
}
