import MFAFactors

/// The account that an entry of the audit log is about.
public struct AuditLogSubject {
  /// The account's name; nil if the entry is about no account.
  public var user: UserName?
  /// The account's uid; nil if unknown.
  public var uid: UInt32?
  /// The fingerprint of the account's record after the event; empty if there will be no record.
  public var record: [UInt8] = []

  /// Creates a subject.
  public init(user: UserName? = nil, uid: UInt32? = nil, record: [UInt8] = []) {
    self.user = user
    self.uid = uid
    self.record = record
  }
}
