/// The proof that the user was recently verified as the owner of the account.
///
/// A session is valid only in the conversation with the helper that created it. It ends at its
/// deadline, when the most recently enrolled factor is unenrolled, and when anything other than the
/// session changes the user's factors.
public struct MultiFactorSession: Sendable {
  /// The actor that holds the conversation.
  let multiFactor: MultiFactor
  /// The number of the conversation.
  let conversation: Int
  /// The number of the session, counted from 1 for each actor.
  let number: Int
  /// How long the session lasts from its creation.
  public let duration: Duration
}
