public import OneTimePassword

/// One enrolled second factor.
public struct Factor: Equatable, Sendable {
  /// How it proves itself, with what that takes. Another kind is another case.
  public enum Kind: Equatable, Sendable {
    /// A time-based one-time password (RFC 6238). The secret is sealed; only the store opens it.
    case totp(TOTPParameters, sealedSecret: [UInt8])
  }

  /// What names it for good (`uid`).
  public let id: FactorID

  /// What the person calls it.
  public var displayName: DisplayName

  /// When it was enrolled, in seconds since the epoch.
  public let enrolledAt: Int64

  /// How it proves itself.
  public let kind: Kind

  /// Puts a factor together.
  public init(id: FactorID, displayName: DisplayName, enrolledAt: Int64, kind: Kind) {
    self.id = id
    self.displayName = displayName
    self.enrolledAt = enrolledAt
    self.kind = kind
  }

  /// How the codes are made.
  public var parameters: TOTPParameters {
    switch kind {
    case .totp(let parameters, _): parameters
    }
  }

  /// The longest sealed secret in bytes: 64 bytes of key, a nonce and a tag, and some room.
  public static let longestSealedSecret = 128
}
