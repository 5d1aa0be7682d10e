public import MFASecrets

/// Functions that create secrets for authenticator apps, and the assertions that enrolment and
/// sign-in need.
public enum TOTPMultiFactorGenerator {
  /// Requests a new secret from the helper.
  ///
  /// - Parameters:
  ///   - session: a fresh session.
  ///   - hashingAlgorithm: the hash function. Some authenticators support only SHA-1.
  ///   - codeLength: the number of digits of a code: 6 to 8.
  ///   - codeIntervalSeconds: how long each code is shown: 15 to 120.
  /// - Returns: the secret, which is not enrolled yet.
  /// - Throws: `invalidArgument` for parameters out of range, `sessionExpired`, or any other
  ///   failure that the helper reports.
  public static func generateSecret(
    with session: MultiFactorSession, hashingAlgorithm: HashAlgorithm = .sha1,
    codeLength: Int = 6, codeIntervalSeconds: Int = 30
  ) async throws(MultiFactorError) -> TOTPSecret {
    try await session.multiFactor.generateSecret(
      with: session, hashingAlgorithm: hashingAlgorithm, codeLength: codeLength,
      codeIntervalSeconds: codeIntervalSeconds)
  }

  /// Returns the assertion that `MultiFactor.enroll` needs: the secret and the code as typed.
  public static func assertionForEnrollment(
    with secret: TOTPSecret, oneTimePassword: consuming SecretBytes
  ) -> MultiFactorAssertion {
    MultiFactorAssertion(secret: secret, oneTimePassword: oneTimePassword)
  }

  /// Returns the assertion that `MultiFactorResolver.resolveSignIn` needs: the chosen factor and
  /// the code as typed.
  ///
  /// - Parameters:
  ///   - enrollmentID: the `uid` of one of the resolver's hints. With nil, a code of any of these
  ///     factors or a recovery code is accepted.
  ///   - oneTimePassword: the code.
  /// - Returns: the assertion, for one attempt.
  public static func assertionForSignIn(
    withEnrollmentID enrollmentID: String?, oneTimePassword: consuming SecretBytes
  ) -> MultiFactorSignInAssertion {
    MultiFactorSignInAssertion(enrollmentID: enrollmentID, oneTimePassword: oneTimePassword)
  }
}
