import MFABase

/// The assertion that the user has a second factor, for one attempt: `TOTPMultiFactorGenerator` and
/// `PhoneMultiFactorGenerator` create assertions for `MultiFactor.enroll` and for `MultiFactorResolver.resolveSignIn`.
public struct MultiFactorAssertion: ~Copyable, Sendable {
  /// What is asserted.
  enum Claim: Sendable {
    /// The user's authenticator contains the secret.
    case newAuthenticator(TOTPSecret)
    /// The user has an enrolled factor: the one with this uid, or any if it is nil.
    case enrolledFactor(uid: String?)
    /// The user has the phone to which a code was sent.
    case phone(verificationID: String)
  }

  let claim: Claim
  let oneTimePassword: SecretBytes

  init(_ claim: Claim, oneTimePassword: consuming SecretBytes) {
    self.claim = claim
    self.oneTimePassword = oneTimePassword
  }

  /// Returns the code and consumes the assertion.
  consuming func take() -> SecretBytes { oneTimePassword }
}
