/// A question that the host asks to verify that the user owns the account.
public struct ReauthenticationPrompt: Equatable, Sendable {
  /// The question. It contains no control characters other than newlines.
  public let text: String
  /// Whether the answer may be visible while it is typed.
  public let echo: Bool
}
