import MFABase
import MFAWire

/// A proof that the caller owns the account, normally through PAM.
package protocol AccountProof {
  /// Asks the user what PAM requires, and returns whether the user proved to own the account.
  func prove(_ account: Account, by prompter: some Prompter) -> ProofResult

  /// Calls `body`, which may take locks, where the caller cannot stop it: in a copy of this process, unless
  /// the caller's identity has been given up. Returns its result, or nil if it did not end.
  func apart(_ body: () -> UInt32) -> UInt32?

  /// Gives up the caller's identity, which only `prove` needs, and returns whether it has been
  /// given up. Further calls have no effect.
  func retire() -> Bool

  /// Whether the identity that `prove` needs has been given up.
  var hasDroppedCallerIdentity: Bool { get }
}

extension AccountProof {
  /// A process that never had the caller's identity cannot be stopped by the caller.
  package func apart(_ body: () -> UInt32) -> UInt32? { body() }

  /// A proof that needs no identity is never retired.
  package var hasDroppedCallerIdentity: Bool { false }
}

/// The user whom a proof asks.
package protocol Prompter {
  /// Asks one question and returns the answer, or nil if the user gave none.
  func ask(_ prompt: DisplayText, echo: Bool) -> SecretBytes?

  /// Shows a message to the user.
  func tell(_ text: DisplayText)
}
