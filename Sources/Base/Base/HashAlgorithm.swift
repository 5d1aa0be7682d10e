/// The hash functions that RFC 6238 allows for HMAC.
public enum HashAlgorithm: UInt8, CaseIterable, Sendable {
  case sha1 = 1
  case sha256 = 2
  case sha512 = 3

  /// The length of the output in bytes. RFC 4226 (section 4, R6) and RFC 6238 (section 5.1)
  /// recommend keys of this length.
  public var outputLength: Int {
    switch self {
    case .sha1: 20
    case .sha256: 32
    case .sha512: 64
    }
  }

  /// The name in otpauth URLs and in Identity Platform.
  public var name: StaticString {
    switch self {
    case .sha1: "SHA1"
    case .sha256: "SHA256"
    case .sha512: "SHA512"
    }
  }
}
