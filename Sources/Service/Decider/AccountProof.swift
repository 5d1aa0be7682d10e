import MFABase
import MFAWire

/// A proof that the caller owns the account, normally through PAM.
package protocol AccountProof {
  /// Asks the user what PAM requires, and returns whether the user proved to own the account.
  func prove(_ account: Account, by prompter: some Prompter) -> ProofResult
}

/// The user whom a proof asks.
package protocol Prompter {
  /// Asks one question and returns the answer, or nil if the user gave none.
  func ask(_ prompt: DisplayText, echo: Bool) -> SecretBytes?

  /// Shows a message to the user.
  func tell(_ text: DisplayText)
}
