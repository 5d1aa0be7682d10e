/// A note from the `auth` line to the `account` line of the same sign-in. It is stored as the raw
/// value followed by the account's name.
package enum TransactionNote: UInt8, Sendable {
  /// The account must enrol in the `account` line.
  case enrollment = 0x65
  /// A bypass code was accepted for an account that has no factor.
  case bypass = 0x62
  /// The `auth` line accepted a code of an account that has a factor.
  case allowed = 0x61
}
