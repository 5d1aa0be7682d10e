import Secrets

/// What an administrator gave somebody who cannot prove the account, or the second factor, otherwise:
/// a code of 80 random bits, good for a while and for so many uses.
///
/// A class, because each copy of a large value is code in the module.
public final class Grant: Equatable, Sendable {
  /// What the code is good for.
  public enum Kind: UInt8, Sendable {
    /// Proves the account at one enrolment, in the place of a password.
    case ticket = 1
    /// Is accepted in the place of a factor's code.
    case bypass = 2
  }

  /// What the code is good for.
  public let kind: Kind
  /// What an administrator calls it by.
  public let id: GrantID
  /// When it was made, in seconds since the epoch.
  public let madeAt: Int64
  /// The first second in which it is good no more, in seconds since the epoch.
  public let expiresAt: Int64
  /// How often it may still be used, 1 to 255.
  public let usesLeft: UInt8
  /// Why it was made.
  public let reason: Reason?
  /// A keyed digest of the code, `RecoveryCodeDigest.length` bytes.
  public let digest: [UInt8]

  /// Nil when it could never be used, or the digest has another length.
  ///
  /// Embedded Swift leaks an object whose designated initialiser fails: this one fails before there is
  /// an object.
  public convenience init?(
    kind: Kind, id: GrantID, madeAt: Int64, expiresAt: Int64, usesLeft: UInt8, reason: Reason?,
    digest: [UInt8]
  ) {
    guard usesLeft > 0, expiresAt > madeAt, digest.count == RecoveryCodeDigest.length else {
      return nil
    }
    self.init(kind, id, madeAt, expiresAt, usesLeft, reason, digest)
  }

  private init(
    _ kind: Kind, _ id: GrantID, _ madeAt: Int64, _ expiresAt: Int64, _ usesLeft: UInt8,
    _ reason: Reason?, _ digest: [UInt8]
  ) {
    self.kind = kind
    self.id = id
    self.madeAt = madeAt
    self.expiresAt = expiresAt
    self.usesLeft = usesLeft
    self.reason = reason
    self.digest = digest
  }

  /// Compares everything that two grants hold.
  @inline(never)
  public static func == (left: Grant, right: Grant) -> Bool {
    left.kind == right.kind && left.id == right.id && left.madeAt == right.madeAt
      && left.expiresAt == right.expiresAt && left.usesLeft == right.usesLeft
      && left.reason == right.reason && left.digest == right.digest
  }

  /// Whether it is good at `now`, in seconds since the epoch. Before it was made it is not: the
  /// clock was set back, and how long it has lasted is not known.
  public func isGood(at now: Int64) -> Bool { now >= madeAt && now < expiresAt }

  /// The grant after one use; nil when that was the last one.
  public var afterUse: Grant? {
    Grant(
      kind: kind, id: id, madeAt: madeAt, expiresAt: expiresAt, usesLeft: usesLeft - 1,
      reason: reason, digest: digest)
  }

  /// Why an administrator made it: 1 to 128 Unicode scalars in one line.
  public struct Reason: Equatable, Sendable {
    /// The text in UTF-8.
    public let utf8: [UInt8]

    /// The longest reason in Unicode scalars.
    public static let maximumLength = 128

    /// Trims white space from both ends and checks the rest.
    public init(_ text: [UInt8]) throws(DisplayName.Refusal) {
      utf8 = try SingleLine.checked(text, maximumLength: Self.maximumLength)
    }
  }
}

/// What a grant is called by: four random bytes.
public struct GrantID: Equatable, Sendable {
  /// The bytes.
  public let bytes: [UInt8]

  /// The length of an id in bytes.
  public static let length = 4

  /// Nil for another number of bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = bytes
  }

  /// Reads what `hexadecimal` writes, in lower case only. Nil for anything else.
  public init?(hexadecimal text: [UInt8]) {
    guard let bytes = Hexadecimal.bytes(of: text, count: Self.length) else { return nil }
    self.bytes = bytes
  }

  /// The bytes as 8 hexadecimal digits, in ASCII.
  public var hexadecimal: [UInt8] { Hexadecimal.text(of: bytes) }
}
