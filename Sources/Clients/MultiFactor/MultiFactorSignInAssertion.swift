import MFASecrets

/// The assertion that the user has one of the enrolled factors: a code and, optionally, the factor.
public struct MultiFactorSignInAssertion: ~Copyable, Sendable {
  let enrollmentID: String?
  let oneTimePassword: SecretBytes

  init(enrollmentID: String?, oneTimePassword: consuming SecretBytes) {
    self.enrollmentID = enrollmentID
    self.oneTimePassword = oneTimePassword
  }

  /// Returns the code and consumes the assertion.
  consuming func take() -> SecretBytes { oneTimePassword }
}
