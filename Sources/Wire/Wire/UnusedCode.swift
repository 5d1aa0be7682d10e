/// A code that a test recognised and did not use up. The raw value is the number in a message.
package enum UnusedCode: UInt8, Equatable, Sendable {
  /// One of the user's recovery codes.
  case recoveryCode = 1
  /// An administrator's bypass code.
  case bypassCode = 2
}
