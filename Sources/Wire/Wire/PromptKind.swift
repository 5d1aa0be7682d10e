/// What the helper asks its client for.
package enum PromptKind: UInt8, Sendable {
  /// The answer to a question of PAM that must not be visible, usually the password.
  case hiddenAnswer = 1
  /// The answer to a question of PAM that may be visible.
  case visibleAnswer
  /// A ticket.
  case ticket
  /// A code of an enrolled factor. It may be visible, because it is used up when it arrives.
  case code

  /// Whether the answer may be visible while it is typed.
  package var echo: Bool {
    switch self {
    case .hiddenAnswer, .ticket: false
    case .visibleAnswer, .code: true
    }
  }
}
