/// What happened, and what to do next: one or two sentences each.
public struct FailureText: Equatable, Sendable {
  /// What happened.
  public let description: MessageText
  /// What to do next.
  public let hint: MessageText

  /// Creates a text.
  public init(_ description: MessageText, hint: MessageText) {
    self.description = description
    self.hint = hint
  }
}
