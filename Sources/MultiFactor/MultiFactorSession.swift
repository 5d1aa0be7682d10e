/// The proof that the person was recognised as the owner of the account a moment ago.
///
/// It is worth something in the conversation with the helper that it was made in, until its
/// deadline, and not beyond the unenrolment of the most recently enrolled factor.
public struct MultiFactorSession: Sendable {
  /// The conversation's owner.
  let multiFactor: MultiFactor
  /// Which of its conversations.
  let conversation: Int
  /// Which of its owner's sessions, counted from 1.
  let number: Int
  /// How long it lasts from when it was made.
  public let duration: Duration
}
