/// What is left of a sign-in that needs a second factor: the choice of one, and a code from it.
///
/// `MultiFactor.signInResolver()` hands one out. A program that shows something sensitive asks for
/// one before it does, lets the person choose among the `hints`, makes an assertion with
/// `TOTPMultiFactorGenerator.assertionForSignIn`, and goes on when `resolveSignIn` has returned.
public struct MultiFactorResolver: Sendable {
  private let multiFactor: MultiFactor

  /// The factors to choose from, oldest first.
  public let hints: [MultiFactorInfo]

  init(multiFactor: MultiFactor, hints: [MultiFactorInfo]) {
    self.multiFactor = multiFactor
    self.hints = hints
  }

  /// Has the code judged as at a sign-in: it counts as an attempt, and a right one is used up.
  ///
  /// - Throws: `factorNotFound` when the assertion names a factor that is none of the hints;
  ///   `invalidVerificationCode`, `codeAlreadyUsed` or `notACode` when the code was wrong;
  ///   `tooManyAttempts` or `factorsDisabled` after too many; and whatever else the helper says.
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
