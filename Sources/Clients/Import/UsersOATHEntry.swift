public import MFAFactors

/// One token of a users.oath file, or one line that could not be read as a token.
public struct UsersOATHEntry: Sendable {
  /// The line, counted from 1.
  public let line: Int

  /// The user that the token belongs to, or nil if the line does not name one.
  public let user: UserName?

  /// How many tokens of this user could be read up to and including this line. The factor is named
  /// by this number.
  public let number: Int

  /// The token as a factor, or why it was refused.
  public let result: Result<ImportableFactor, ImportRefusal>
}
