import MFABase

/// A ticket or bypass code that an administrator created for a user who cannot prove ownership of
/// the account, or present a second factor, in any other way, or a program password that the user
/// made. The code has 80 random bits, or 100 in a program password, an expiry time and a number of
/// uses.
///
/// This is a class because each copy of a large value adds code to the module.
package final class Grant: Equatable, Sendable {
  /// The purpose of the code.
  package enum Kind: UInt8, Sendable {
    /// The code replaces the password at one enrolment.
    case ticket = 1
    /// The code replaces a factor's code.
    case bypass = 2
    /// The code of a bypass code that was used up: it replaces a factor's code at one enrolment.
    case enrollment = 3
    /// The code signs the user in, in place of password and code, in the services of the grant's
    /// scope. It is not used up.
    case programPassword = 4
  }

  /// The purpose of the code.
  package let kind: Kind
  /// The id that administrators use for the grant.
  package let id: GrantID
  /// The creation time, in seconds since the epoch.
  package let madeAt: Int64
  /// The first second in which the grant is no longer valid, in seconds since the epoch.
  package let expiresAt: Int64
  /// The number of remaining uses, 1 to 255.
  package let usesLeft: UInt8

  /// How often the code can be used after one more use.
  package var usesLeftAfterUse: UInt8 { usesLeft > 0 ? usesLeft &- 1 : 0 }
  /// The administrator's reason for creating the grant, or the user's name for a program password.
  package let reason: Reason?
  /// Where a program password is valid; nil for every other kind.
  package let scope: ProgramScope?
  /// A keyed digest of the code, `RecoveryCodeDigest.length` bytes.
  package let digest: [UInt8]

  /// Creates a grant. Returns nil if the grant could never be used, the digest has a different
  /// length, or a scope is missing or of no use.
  ///
  /// Embedded Swift leaks an object whose designated initialiser fails. This convenience
  /// initialiser fails before the object exists.
  package convenience init?(
    kind: Kind, id: GrantID, madeAt: Int64, expiresAt: Int64, usesLeft: UInt8, reason: Reason?,
    scope: ProgramScope? = nil, digest: [UInt8]
  ) {
    guard usesLeft > 0, expiresAt > madeAt, digest.count == RecoveryCodeDigest.length,
      (scope != nil) == (kind == .programPassword), kind != .programPassword || reason != nil
    else { return nil }
    self.init(
      checked: kind, id: id, madeAt: madeAt, expiresAt: expiresAt, usesLeft: usesLeft,
      reason: reason, scope: scope, digest: digest)
  }

  private init(
    checked kind: Kind, id: GrantID, madeAt: Int64, expiresAt: Int64, usesLeft: UInt8,
    reason: Reason?, scope: ProgramScope?, digest: [UInt8]
  ) {
    self.kind = kind
    self.id = id
    self.madeAt = madeAt
    self.expiresAt = expiresAt
    self.usesLeft = usesLeft
    self.reason = reason
    self.scope = scope
    self.digest = digest
  }

  /// A grant that stands for one that is read next.
  package static var placeholder: Grant {
    Grant(
      checked: .ticket, id: .zero, madeAt: 0, expiresAt: 1, usesLeft: 1, reason: nil, scope: nil,
      digest: [UInt8](repeating: 0, count: RecoveryCodeDigest.length))
  }

  /// Compares the content of two grants.
  @inline(never)
  package static func == (left: Grant, right: Grant) -> Bool {
    left.kind == right.kind && left.id == right.id && left.madeAt == right.madeAt
      && left.expiresAt == right.expiresAt && left.usesLeft == right.usesLeft
      && left.reason == right.reason && left.scope == right.scope && left.digest == right.digest
  }

  /// Returns whether the grant is valid at `now`, in seconds since the epoch. A grant is not
  /// valid before its creation time: the clock was set back, so the grant's age is unknown.
  package func isGood(at now: Int64) -> Bool { now >= madeAt && now < expiresAt }

  /// The grant after one more use, or nil if no use remains.
  package var afterUse: Grant? {
    Grant(
      kind: kind, id: id, madeAt: madeAt, expiresAt: expiresAt, usesLeft: usesLeft - 1,
      reason: reason, scope: scope, digest: digest)
  }

  /// How long the code of a bypass code enrols a factor after its last use, in seconds.
  package static var enrollmentTime: Int64 { 900 }

  /// Returns what the code of this bypass code may do after its last use at `now`, in seconds since the epoch. The user
  /// who signed in with it has no other code that `mfa-enroll` accepts.
  package func enrollment(_ id: GrantID, at now: Int64) -> Grant? {
    let (end, overflow) = now.addingReportingOverflow(Self.enrollmentTime)
    guard kind == .bypass, !overflow else { return nil }
    return Grant(
      kind: .enrollment, id: id, madeAt: now, expiresAt: end, usesLeft: 1, reason: reason,
      digest: digest)
  }

  /// The grant with a digest of zeros, for reports.
  package var withoutDigest: Grant {
    with(digest: [UInt8](repeating: 0, count: RecoveryCodeDigest.length))
  }

  /// Returns the grant with another digest of `RecoveryCodeDigest.length` bytes.
  func with(digest: [UInt8]) -> Grant {
    Grant(
      checked: kind, id: id, madeAt: madeAt, expiresAt: expiresAt, usesLeft: usesLeft,
      reason: reason, scope: scope, digest: digest)
  }

  /// The administrator's reason for creating a grant: one line of 1 to 128 Unicode scalars.
  package struct Reason: Equatable, Sendable {
    /// The text in UTF-8.
    package let utf8: [UInt8]

    /// The maximum length of a reason in Unicode scalars.
    package static let maximumLength = 128

    /// Trims spaces and tabs from both ends. Returns nil if the rest is not valid.
    package init?(_ text: [UInt8]) {
      guard let line = SingleLine.checked(text, maximumLength: Self.maximumLength) else {
        return nil
      }
      utf8 = line
    }
  }
}

/// The id of a grant: four random bytes.
package struct GrantID: RandomIdentifier {
  /// The bytes.
  package let bytes: [UInt8]

  /// The length of an id in bytes.
  package static let length = 4

  /// Four zero bytes.
  package static var zero: GrantID { GrantID(ofLength: [UInt8](repeating: 0, count: length)) }

  private init(ofLength bytes: [UInt8]) { self.bytes = bytes }

  /// Creates an id. Returns nil unless `bytes` has `length` bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = bytes
  }
}
