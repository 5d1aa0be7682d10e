import MFABase

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
