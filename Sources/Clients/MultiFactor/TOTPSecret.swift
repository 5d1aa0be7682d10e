import MFAModel
public import MFABase
public import FoundationEssentials
import MFAWire

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
    let account = Array(accountName.utf8)
    let issuer = Array(issuer.utf8)
    return Self.url(of: generated, account: account.span, issuer: issuer.span)
  }

  private static func text(of generated: borrowing GeneratedSecret) -> SecretBytes {
    Base32.encode(generated.key.span)
  }

  private static func url(
    of generated: borrowing GeneratedSecret, account: Span<UInt8>, issuer: Span<UInt8>
  ) -> SecretBytes {
    OTPAuthURI.make(
      secret: generated.key.span, account: account, issuer: issuer,
      parameters: generated.parameters)
  }
}
