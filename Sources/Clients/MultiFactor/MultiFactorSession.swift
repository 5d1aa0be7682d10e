/// The proof that the user was recently verified as the owner of the account, or a sign-in that waits
/// for a second factor.
///
/// A session is valid only in the conversation with the helper that created it. A session from
/// `MultiFactor.session()` ends at its deadline, when the most recently enrolled factor is unenrolled,
/// and when anything other than the session changes the user's factors. The session of a
/// `MultiFactorResolver` allows no changes: operations that need a session throw
/// `requiresRecentLogin`.
public struct MultiFactorSession: Sendable {
  /// What a session is for.
  enum Purpose: Sendable {
    case changes, signIn
  }

  /// The actor that holds the conversation.
  let multiFactor: MultiFactor
  let purpose: Purpose
  /// The number of the conversation.
  let conversation: Int
  /// The number of the session, counted from 1 for each actor; 0 for a sign-in.
  let number: Int
  /// How long the session lasts from its creation. Nil for the session of a resolver, which lasts as
  /// long as the resolver.
  public let duration: Duration?
}
