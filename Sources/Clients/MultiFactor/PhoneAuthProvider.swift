public import MFABase

/// Functions that send codes to phones.
///
/// A code is sent to a number that is to be enrolled, or to an enrolled phone at a sign-in:
///
/// ```swift
/// let verificationID = try await PhoneAuthProvider.provider().verifyPhoneNumber(
///   "+15105551234", multiFactorSession: session)
/// ```
///
/// The host sends the code through the gateway that its administrator configured, within the limits
/// of mfa.conf(5).
public struct PhoneAuthProvider: Sendable {
  private init() {}

  /// Returns the provider, as programs written for Identity Platform call it.
  public static func provider() -> PhoneAuthProvider { PhoneAuthProvider() }

  /// Sends a code to a phone number that the user wants to enrol.
  ///
  /// Before the code is sent, the closure that shows texts of the host gets a text that says why codes
  /// by text message are a restricted method (NIST SP 800-63B-4, section 3.1.3.3).
  ///
  /// - Parameters:
  ///   - phoneNumber: the number in international form, such as `+15105551234`. Spaces and hyphens may
  ///     separate the digits.
  ///   - uiDelegate: nil. No check in a browser is necessary.
  ///   - multiFactorSession: a fresh session.
  /// - Returns: the verification ID, for `credential(withVerificationID:verificationCode:)`. It is valid
  ///   for 10 minutes, until another code is sent, and for three wrong codes.
  /// - Throws: `invalidPhoneNumber`, `phonesNotSupported`, `phoneRegionNotAllowed`,
  ///   `phoneNumberAlreadyEnrolled`, `quotaExceeded`, `messageNotSent`, or any other failure that the
  ///   helper reports.
  public func verifyPhoneNumber(
    _ phoneNumber: consuming SecretBytes, uiDelegate: AuthUIDelegate? = nil,
    multiFactorSession: MultiFactorSession
  ) async throws(MultiFactorError) -> String {
    try await multiFactorSession.multiFactor.verifyPhoneNumber(
      phoneNumber, with: multiFactorSession)
  }

  /// Sends a code to a phone number that the user wants to enrol, as the other function does. See
  /// `SecretBytes.init(_:)` for what a string leaves in memory.
  public func verifyPhoneNumber(
    _ phoneNumber: String, uiDelegate: AuthUIDelegate? = nil,
    multiFactorSession: MultiFactorSession
  ) async throws(MultiFactorError) -> String {
    try await verifyPhoneNumber(
      SecretBytes(phoneNumber), multiFactorSession: multiFactorSession)
  }

  /// Sends a code to an enrolled phone.
  ///
  /// - Parameters:
  ///   - hint: one of the resolver's hints.
  ///   - uiDelegate: nil. No check in a browser is necessary.
  ///   - multiFactorSession: the resolver's session.
  /// - Returns: the verification ID, for `credential(withVerificationID:verificationCode:)`. It is valid
  ///   for 10 minutes, and until another code is sent.
  /// - Throws: `quotaExceeded`, `phoneNotUsableYet`, `messageNotSent`, `phonesNotSupported`,
  ///   `factorNotFound`, `invalidArgument` for a session that is not a resolver's, or any other failure
  ///   that the helper reports.
  public func verifyPhoneNumber(
    with hint: PhoneMultiFactorInfo, uiDelegate: AuthUIDelegate? = nil,
    multiFactorSession: MultiFactorSession
  ) async throws(MultiFactorError) -> String {
    try await multiFactorSession.multiFactor.sendCode(to: hint, with: multiFactorSession)
  }

  /// Returns the credential for an assertion.
  ///
  /// - Parameters:
  ///   - verificationID: the result of `verifyPhoneNumber`.
  ///   - verificationCode: the code from the message, as typed.
  /// - Returns: the credential, for one attempt.
  public func credential(
    withVerificationID verificationID: String, verificationCode: consuming SecretBytes
  ) -> PhoneAuthCredential {
    PhoneAuthCredential(verificationID: verificationID, code: verificationCode)
  }

  /// Returns the credential for an assertion. See `SecretBytes.init(_:)` for what a string leaves in
  /// memory.
  ///
  /// - Parameters:
  ///   - verificationID: the result of `verifyPhoneNumber`.
  ///   - verificationCode: the code from the message, as typed.
  /// - Returns: the credential, for one attempt.
  public func credential(
    withVerificationID verificationID: String, verificationCode: String
  ) -> PhoneAuthCredential {
    credential(
      withVerificationID: verificationID, verificationCode: SecretBytes(verificationCode))
  }
}

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

/// The type of a parameter that programs written for Identity Platform pass as nil. It has no value.
public enum AuthUIDelegate: Sendable {}
