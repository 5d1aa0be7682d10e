public import MFAFactors

/// One token of a users.oath file, or one line that could not be read as a token.
public struct UsersOATHEntry: Sendable {
  /// The line, counted from 1.
  public let line: Int

  /// The user that the token belongs to, or nil if the line does not name one.
  public let user: UserName?

  /// The token's position among this user's valid tokens, counted from 1, or 0 if the line was
  /// refused. The factor's name contains this number.
  public let number: Int

  /// The token as a factor, or why it was refused.
  public let result: Result<ImportableFactor, ImportRefusal>
}
