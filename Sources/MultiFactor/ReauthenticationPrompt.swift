/// A question that the host asks to recognise the owner of an account.
public struct ReauthenticationPrompt: Equatable, Sendable {
  /// The question. It holds no control characters but newlines.
  public let text: String
  /// Whether the answer may be seen while it is typed.
  public let echo: Bool
}
