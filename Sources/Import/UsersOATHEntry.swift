public import Factors

/// One token of a users.oath, or one line of it that is none.
public struct UsersOATHEntry: Sendable {
  /// The line, counted from 1.
  public let line: Int

  /// Whose token it is; nil where the line does not come so far.
  public let user: UserName?

  /// How many tokens of this user could be read up to this line, itself included: the number to
  /// name the factor by.
  public let number: Int

  /// The token as a factor, or why it is none.
  public let result: Result<ImportableFactor, ImportRefusal>
}
