import MFAModel

/// One token of a users.oath file, or one line that could not be read as a token.
package struct UsersOATHEntry: Sendable {
  /// The line, counted from 1.
  package let line: Int

  /// The user that the token belongs to, or nil if the line does not name one.
  package let user: UserName?

  /// The token's position among this user's valid tokens, counted from 1, or 0 if the line was
  /// refused. The factor's name contains this number.
  package let number: Int

  /// The token as a factor, or why it was refused.
  package let result: Result<ImportableFactor, ImportRefusal>
}
