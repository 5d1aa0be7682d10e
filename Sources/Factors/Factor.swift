public import OneTimePassword

/// One enrolled second factor.
public struct Factor: Equatable, Sendable {
  /// How it proves itself, with what that takes. Another kind is another case.
  public enum Kind: Equatable, Sendable {
    /// A time-based one-time password (RFC 6238). The secret is sealed; only the store opens it.
    case totp(TOTPParameters, sealedSecret: [UInt8])
  }

  /// Where its secret comes from.
  public enum Origin: UInt8, Sendable {
    /// Made here, and confirmed with a code.
    case enrolled = 1
    /// Taken over from another module.
    case imported = 2
  }

  /// What names it for good (`uid`).
  public let id: FactorID

  /// What the person calls it.
  public var displayName: DisplayName

  /// When it was enrolled, in seconds since the epoch.
  public let enrolledAt: Int64

  /// How it proves itself.
  public let kind: Kind

  /// Where its secret comes from.
  public let origin: Origin

  /// How many time steps the authenticator's clock is ahead of this machine's. It changes only when
  /// the person resynchronises it, never by what was typed at a sign-in.
  public var timeOffset: Int32

  /// Puts a factor together.
  public init(
    id: FactorID, displayName: DisplayName, enrolledAt: Int64, kind: Kind,
    origin: Origin = .enrolled, timeOffset: Int32 = 0
  ) {
    self.id = id
    self.displayName = displayName
    self.enrolledAt = enrolledAt
    self.kind = kind
    self.origin = origin
    self.timeOffset = timeOffset
  }

  /// The authenticator's clock at `now`, both in seconds since the epoch; saturated.
  public func clock(at now: Int64) -> Int64 {
    let (time, overflow) = now.addingReportingOverflow(
      Int64(timeOffset) * Int64(parameters.period))
    guard !overflow else { return timeOffset < 0 ? .min : .max }
    return time
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
