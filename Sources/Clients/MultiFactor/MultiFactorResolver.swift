/// The rest of a sign-in that needs a second factor: the choice of a factor, and a code from it.
///
/// `MultiFactor.signInResolver()` returns a resolver. A program requests one before it shows
/// sensitive data, lets the user choose among the `hints`, creates an assertion with
/// `TOTPMultiFactorGenerator.assertionForSignIn`, and continues after `resolveSignIn` returns.
public struct MultiFactorResolver: Sendable {
  private let multiFactor: MultiFactor

  /// The factors to choose from, oldest first.
  public let hints: [MultiFactorInfo]

  init(multiFactor: MultiFactor, hints: [MultiFactorInfo]) {
    self.multiFactor = multiFactor
    self.hints = hints
  }

  /// Verifies the code as at sign-in: it counts as an attempt, and an accepted code is used up.
  ///
  /// - Throws: `factorNotFound` if the assertion names a factor that is not among the hints;
  ///   `invalidVerificationCode`, `codeAlreadyUsed` or `notACode` if the code was wrong;
  ///   `tooManyAttempts` or `factorsLocked` after too many failed attempts; or any other failure
  ///   that the helper reports.
  public func resolveSignIn(
    with assertion: consuming MultiFactorSignInAssertion
  ) async throws(MultiFactorError) {
    let enrollmentID = assertion.enrollmentID
    guard enrollmentID == nil || hints.contains(where: { $0.uid == enrollmentID }) else {
      throw .factorNotFound
    }
    try await multiFactor.signIn(
      factor: enrollmentID, oneTimePassword: assertion.take())
  }
}
