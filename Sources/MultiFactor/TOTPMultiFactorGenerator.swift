public import Secrets

/// Makes secrets for authenticators, and the assertions that a person's authenticator has them.
public enum TOTPMultiFactorGenerator {
  /// Has the helper make a secret.
  ///
  /// - Parameters:
  ///   - session: a fresh session.
  ///   - hashingAlgorithm: the hash function. Some authenticators know SHA-1 only.
  ///   - codeLength: the number of digits of a code: 6 to 8.
  ///   - codeIntervalSeconds: how long each code is shown: 15 to 120.
  /// - Returns: the secret, which is not enrolled yet.
  /// - Throws: `invalidArgument` for parameters out of range, `sessionExpired`, or whatever the
  ///   helper says.
  public static func generateSecret(
    with session: MultiFactorSession, hashingAlgorithm: HashAlgorithm = .sha1,
    codeLength: Int = 6, codeIntervalSeconds: Int = 30
  ) async throws(MultiFactorError) -> TOTPSecret {
    try await session.multiFactor.generateSecret(
      with: session, hashingAlgorithm: hashingAlgorithm, codeLength: codeLength,
      codeIntervalSeconds: codeIntervalSeconds)
  }

  /// Puts together what `MultiFactor.enroll` needs: the secret and the code as it was typed.
  public static func assertionForEnrollment(
    with secret: TOTPSecret, oneTimePassword: consuming SecretBytes
  ) -> MultiFactorAssertion {
    MultiFactorAssertion(secret: secret, oneTimePassword: oneTimePassword)
  }

  /// Puts together what `MultiFactorResolver.resolveSignIn` needs: the factor that was chosen and
  /// the code as it was typed.
  ///
  /// - Parameters:
  ///   - enrollmentID: the `uid` of one of the resolver's hints. With nil a code from any of them is
  ///     right, and so is a recovery code.
  ///   - oneTimePassword: the code.
  /// - Returns: the assertion, for one try.
  public static func assertionForSignIn(
    withEnrollmentID enrollmentID: String?, oneTimePassword: consuming SecretBytes
  ) -> MultiFactorSignInAssertion {
    MultiFactorSignInAssertion(enrollmentID: enrollmentID, oneTimePassword: oneTimePassword)
  }
}
