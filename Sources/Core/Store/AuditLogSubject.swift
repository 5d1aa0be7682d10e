import MFAModel

/// The account that an entry of the audit log is about.
package struct AuditLogSubject {
  /// The account's name; nil if the entry is about no account.
  package var user: UserName?
  /// The account's uid; nil if unknown.
  package var uid: UInt32?
  /// The fingerprint of the account's record after the event; empty if there will be no record.
  package var record: [UInt8] = []

  /// Creates a subject.
  package init(user: UserName? = nil, uid: UInt32? = nil, record: [UInt8] = []) {
    self.user = user
    self.uid = uid
    self.record = record
  }
}
