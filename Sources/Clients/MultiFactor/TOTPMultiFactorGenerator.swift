public import FoundationEssentials
public import MFABase
import MFAModel
import MFAWire

/// Functions that create secrets for authenticator apps, and the assertions that enrolment and
/// sign-in need.
public enum TOTPMultiFactorGenerator {
  /// Requests a new secret from the helper.
  ///
  /// - Parameters:
  ///   - session: a fresh session.
  ///   - hashingAlgorithm: the hash function. Some authenticators support only SHA-1.
  ///   - codeLength: the number of digits of a code: 6 to 8.
  ///   - codeIntervalSeconds: how long each code is shown: 15 to 120.
  /// - Returns: the secret, which is not enrolled yet.
  /// - Throws: `invalidArgument` for parameters out of range, `sessionExpired`, or any other
  ///   failure that the helper reports.
  public static func generateSecret(
    with session: MultiFactorSession, hashingAlgorithm: HashAlgorithm = .sha1,
    codeLength: Int = 6, codeIntervalSeconds: Int = 30
  ) async throws(MultiFactorError) -> TOTPSecret {
    try await session.multiFactor.generateSecret(
      with: session, hashingAlgorithm: hashingAlgorithm, codeLength: codeLength,
      codeIntervalSeconds: codeIntervalSeconds)
  }

  /// Returns the assertion that `MultiFactor.enroll` needs.
  ///
  /// - Parameters:
  ///   - secret: the secret that the user added to an authenticator.
  ///   - oneTimePassword: the code that the authenticator shows, as typed.
  /// - Returns: the assertion, for one attempt.
  public static func assertionForEnrollment(
    with secret: TOTPSecret, oneTimePassword: consuming SecretBytes
  ) -> MultiFactorAssertion {
    MultiFactorAssertion(.newAuthenticator(secret), oneTimePassword: oneTimePassword)
  }

  /// Returns the assertion that `MultiFactor.enroll` needs. See `SecretBytes.init(_:)` for what a
  /// string leaves in memory.
  ///
  /// - Parameters:
  ///   - secret: the secret that the user added to an authenticator.
  ///   - oneTimePassword: the code that the authenticator shows, as typed.
  /// - Returns: the assertion, for one attempt.
  public static func assertionForEnrollment(
    with secret: TOTPSecret, oneTimePassword: String
  ) -> MultiFactorAssertion {
    assertionForEnrollment(with: secret, oneTimePassword: SecretBytes(oneTimePassword))
  }

  /// Returns the assertion that `MultiFactorResolver.resolveSignIn` needs.
  ///
  /// - Parameters:
  ///   - enrollmentID: the `uid` of one of the resolver's hints. With nil, a code of any of these
  ///     factors, a recovery code or a bypass code is accepted.
  ///   - oneTimePassword: the code, as typed.
  /// - Returns: the assertion, for one attempt.
  public static func assertionForSignIn(
    withEnrollmentID enrollmentID: String?, oneTimePassword: consuming SecretBytes
  ) -> MultiFactorAssertion {
    MultiFactorAssertion(.enrolledFactor(uid: enrollmentID), oneTimePassword: oneTimePassword)
  }

  /// Returns the assertion that `MultiFactorResolver.resolveSignIn` needs. See
  /// `SecretBytes.init(_:)` for what a string leaves in memory.
  ///
  /// - Parameters:
  ///   - enrollmentID: the `uid` of one of the resolver's hints. With nil, a code of any of these
  ///     factors, a recovery code or a bypass code is accepted.
  ///   - oneTimePassword: the code, as typed.
  /// - Returns: the assertion, for one attempt.
  public static func assertionForSignIn(
    withEnrollmentID enrollmentID: String?, oneTimePassword: String
  ) -> MultiFactorAssertion {
    assertionForSignIn(
      withEnrollmentID: enrollmentID, oneTimePassword: SecretBytes(oneTimePassword))
  }
}

/// A secret that the helper generated, to be added to an authenticator and confirmed with a code.
///
/// Nothing is enrolled until `MultiFactor.enroll` has succeeded.
public final class TOTPSecret: Sendable {
  private let generated: GeneratedSecret
  let session: MultiFactorSession

  /// The time at which the helper discards the secret.
  public let enrollmentCompletionDeadline: Date

  init(_ generated: consuming GeneratedSecret, session: MultiFactorSession, now: Date) {
    enrollmentCompletionDeadline = now.addingTimeInterval(TimeInterval(generated.secondsLeft))
    self.generated = generated
    self.session = session
  }

  /// The hash function of the HMAC.
  public var hashingAlgorithm: HashAlgorithm { generated.parameters.algorithm }

  /// The number of digits of a code: 6 to 8.
  public var codeLength: Int { Int(generated.parameters.codeLength.rawValue) }

  /// How long each code is shown, in seconds: 15 to 120.
  public var codeIntervalSeconds: Int { Int(generated.parameters.period) }

  /// Returns the key in base32 (RFC 4648, section 6), the form in which users type it into
  /// authenticators.
  public func sharedSecretKey() -> SecretBytes {
    Self.text(of: generated)
  }

  /// Returns the otpauth URL that authenticators read from a QR code.
  public func generateQRCodeURL(withAccountName accountName: String, issuer: String) -> SecretBytes
  {
    url(withAccountName: accountName, issuer: issuer, isShort: false)
  }

  /// Returns the otpauth URL, or a short one, which names the issuer only once, for pictures that would have no room
  /// otherwise.
  package func url(withAccountName accountName: String, issuer: String, isShort: Bool)
    -> SecretBytes
  {
    let account = Array(accountName.utf8)
    let issuer = Array(issuer.utf8)
    return Self.url(of: generated, account: account.span, issuer: issuer.span, isShort: isShort)
  }

  private static func text(of generated: borrowing GeneratedSecret) -> SecretBytes {
    Base32.encode(generated.key.span)
  }

  private static func url(
    of generated: borrowing GeneratedSecret, account: Span<UInt8>, issuer: Span<UInt8>,
    isShort: Bool
  ) -> SecretBytes {
    OTPAuthURI.make(
      secret: generated.key.span, account: account, issuer: issuer,
      parameters: generated.parameters, isShort: isShort)
  }
}
