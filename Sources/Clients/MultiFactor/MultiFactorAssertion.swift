import MFASecrets

/// The assertion that the user's authenticator contains a secret: the secret and a code.
public struct MultiFactorAssertion: ~Copyable, Sendable {
  let secret: TOTPSecret
  let oneTimePassword: SecretBytes

  init(secret: TOTPSecret, oneTimePassword: consuming SecretBytes) {
    self.secret = secret
    self.oneTimePassword = oneTimePassword
  }

  /// Returns the code and consumes the assertion.
  consuming func take() -> SecretBytes { oneTimePassword }
}
