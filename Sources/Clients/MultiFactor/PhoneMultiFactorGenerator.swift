/// Functions that create the assertions for phones.
public enum PhoneMultiFactorGenerator {
  /// Returns the assertion that `MultiFactor.enroll` or `MultiFactorResolver.resolveSignIn` needs.
  ///
  /// - Parameter credential: a credential from `PhoneAuthProvider`.
  /// - Returns: the assertion, for one attempt.
  public static func assertion(
    with credential: consuming PhoneAuthCredential
  ) -> MultiFactorAssertion {
    let id = credential.verificationID
    return MultiFactorAssertion(.phone(verificationID: id), oneTimePassword: credential.take())
  }
}
