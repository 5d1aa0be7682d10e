import Secrets

/// The assertion that a person has one of the enrolled factors at hand.
public struct MultiFactorSignInAssertion: ~Copyable, Sendable {
  let enrollmentID: String?
  let oneTimePassword: SecretBytes

  init(enrollmentID: String?, oneTimePassword: consuming SecretBytes) {
    self.enrollmentID = enrollmentID
    self.oneTimePassword = oneTimePassword
  }

  /// The code, which leaves nothing behind.
  consuming func take() -> SecretBytes { oneTimePassword }
}
