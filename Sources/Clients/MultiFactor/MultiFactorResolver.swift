/// The rest of a sign-in that needs a second factor: the choice of a factor, and a code from it.
///
/// `MultiFactor.signIn()` throws `secondFactorRequired`, which contains a resolver. The program lets
/// the user choose among the `hints`, creates an assertion with
/// `TOTPMultiFactorGenerator.assertionForSignIn` or `PhoneMultiFactorGenerator.assertion`, and continues after `resolveSignIn` returns.
public struct MultiFactorResolver: Equatable, Sendable {
  /// The session of this sign-in. It allows no changes.
  public let session: MultiFactorSession

  /// The factors to choose from, oldest first. Never empty.
  public let hints: [MultiFactorInfo]

  init(session: MultiFactorSession, hints: [MultiFactorInfo]) {
    self.session = session
    self.hints = hints
  }

  /// Returns whether two resolvers are of the same value of `MultiFactor` and have the same hints.
  public static func == (left: MultiFactorResolver, right: MultiFactorResolver) -> Bool {
    left.session.multiFactor === right.session.multiFactor && left.hints == right.hints
  }

  /// Verifies the code as at sign-in: it counts as an attempt, and an accepted code is used up.
  ///
  /// - Parameter assertion: an assertion from `TOTPMultiFactorGenerator.assertionForSignIn` or
  ///   `PhoneMultiFactorGenerator.assertion`.
  /// - Returns: the factor that was used, which the program can show or log.
  /// - Throws: `factorNotFound` if the assertion names a factor that is not among the hints;
  ///   `invalidVerificationCode`, `codeAlreadyUsed` or `notACode` if the code was wrong;
  ///   `tooManyAttempts` or `factorsLocked` after too many failed attempts; `invalidArgument` for an
  ///   assertion for an enrolment; `invalidVerificationID` and `sessionExpired` for a code of a phone
  ///   that does not belong to the last request; or any other failure that the helper reports. After a wrong code,
  ///   the same resolver can be used again.
  @discardableResult
  public func resolveSignIn(
    with assertion: consuming MultiFactorAssertion
  ) async throws(MultiFactorError) -> MultiFactorSignInResult {
    switch assertion.claim {
    case .newAuthenticator: throw .invalidArgument
    case .phone(let id):
      return try await session.multiFactor.signIn(
        verificationID: id, verificationCode: assertion.take(), hints: hints)
    case .enrolledFactor(let uid):
      guard uid == nil || hints.contains(where: { $0.uid == uid }) else { throw .factorNotFound }
      return try await session.multiFactor.signIn(
        factor: uid, oneTimePassword: assertion.take(), hints: hints)
    }
  }
}
