import Secrets

/// The assertion that a person's authenticator has a secret.
public struct MultiFactorAssertion: ~Copyable, Sendable {
  let secret: TOTPSecret
  let oneTimePassword: SecretBytes

  init(secret: TOTPSecret, oneTimePassword: consuming SecretBytes) {
    self.secret = secret
    self.oneTimePassword = oneTimePassword
  }

  /// Both parts, one after the other.
  consuming func take() -> SecretBytes { oneTimePassword }
}
