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

  /// What a factor holds. A copy of the factor shares it until one of them changes: each copy of a large
  /// value is code in the module.
  private final class Storage: @unchecked Sendable {
    let id: FactorID
    var displayName: DisplayName
    let enrolledAt: Int64
    let kind: Kind
    let origin: Origin
    var timeOffset: Int32

    init(
      id: FactorID, displayName: DisplayName, enrolledAt: Int64, kind: Kind, origin: Origin,
      timeOffset: Int32
    ) {
      self.id = id
      self.displayName = displayName
      self.enrolledAt = enrolledAt
      self.kind = kind
      self.origin = origin
      self.timeOffset = timeOffset
    }
  }

  private var storage: Storage

  /// The storage, for a change: no other factor shares it.
  private var own: Storage {
    @inline(never)
    mutating get {
      if !isKnownUniquelyReferenced(&storage) {
        storage = Storage(
          id: id, displayName: displayName, enrolledAt: enrolledAt, kind: kind, origin: origin,
          timeOffset: timeOffset)
      }
      return storage
    }
  }

  /// What names it for good (`uid`).
  public var id: FactorID { storage.id }

  /// What the person calls it.
  public var displayName: DisplayName {
    get { storage.displayName }
    set { own.displayName = newValue }
  }

  /// When it was enrolled, in seconds since the epoch.
  public var enrolledAt: Int64 { storage.enrolledAt }

  /// How it proves itself.
  public var kind: Kind { storage.kind }

  /// Where its secret comes from.
  public var origin: Origin { storage.origin }

  /// How many time steps the authenticator's clock is ahead of this machine's. It changes only when
  /// the person resynchronises it, never by what was typed at a sign-in.
  public var timeOffset: Int32 {
    get { storage.timeOffset }
    set { own.timeOffset = newValue }
  }

  /// Puts a factor together.
  public init(
    id: FactorID, displayName: DisplayName, enrolledAt: Int64, kind: Kind,
    origin: Origin = .enrolled, timeOffset: Int32 = 0
  ) {
    storage = Storage(
      id: id, displayName: displayName, enrolledAt: enrolledAt, kind: kind, origin: origin,
      timeOffset: timeOffset)
  }

  /// Compares everything that two factors hold.
  @inline(never)
  public static func == (left: Factor, right: Factor) -> Bool {
    let (left, right) = (left.storage, right.storage)
    return left === right
      || (left.id == right.id && left.displayName == right.displayName
        && left.enrolledAt == right.enrolledAt && left.kind == right.kind
        && left.origin == right.origin && left.timeOffset == right.timeOffset)
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
