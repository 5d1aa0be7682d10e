/// What the `auth` line has the `account` line of the same sign-in know. The raw value stands before the
/// account's name in the note.
public enum TransactionNote: UInt8, Sendable {
  /// The account was sent on to enrol.
  case enrollment = 0x65
  /// A bypass code was accepted for an account that has no factor.
  case bypass = 0x62
}
