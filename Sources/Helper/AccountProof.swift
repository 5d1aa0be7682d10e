public import HelperProtocol
public import Secrets
public import System

/// The proof that the caller owns the account: PAM, or whoever stands in for it in a test.
public protocol AccountProof {
  /// Asks for what PAM wants to know, and judges it.
  func prove<Asker: Person>(_ account: Account, by person: Asker) -> Bool

  /// The proof is done with: the caller's identity, which it needed, is given up. Tells whether that
  /// worked.
  func retire() -> Bool
}

/// The person whom a proof asks.
public protocol Person {
  /// Asks one question; nil when there is no answer.
  func ask(_ prompt: ShownText, echo: Bool) -> SecretBytes?

  /// Tells the person something.
  func tell(_ text: ShownText)
}
