import Factors

/// The account that an entry of the audit log is about.
struct LedgerSubject {
  /// The account's name; nil if the entry is about no account.
  var user: UserName?
  /// The account's uid; nil if unknown.
  var uid: UInt32?
  /// The fingerprint of the account's record after the event; empty if there will be no record.
  var record: [UInt8] = []
}
