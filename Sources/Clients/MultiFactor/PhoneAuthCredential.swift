import MFASecrets

/// A code that was sent to a phone, as the user typed it, and the request that it belongs to.
public struct PhoneAuthCredential: ~Copyable, Sendable {
  let verificationID: String
  let code: SecretBytes

  init(verificationID: String, code: consuming SecretBytes) {
    self.verificationID = verificationID
    self.code = code
  }

  /// Returns the code and consumes the credential.
  consuming func take() -> SecretBytes { code }
}

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
