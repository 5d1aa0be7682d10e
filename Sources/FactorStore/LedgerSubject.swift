import Factors

/// Whom an entry of the ledger is about.
struct LedgerSubject {
  /// The account's name; nil where it is about no account.
  var user: UserName?
  /// The account's numeric identity; nil where it is not known.
  var uid: UInt32?
  /// What tells the account's record as it is once this has happened from every other; empty where
  /// there will be none.
  var record: [UInt8] = []
}
