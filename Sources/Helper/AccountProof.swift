public import HelperProtocol
public import Secrets
public import System

/// The proof that the caller owns the account: PAM, or whoever stands in for it in a test.
public protocol AccountProof {
  /// Asks for what PAM wants to know, and judges it.
  func prove<Asker: Person>(_ account: Account, by person: Asker) -> Bool

  /// Gives up the caller's identity, which only `prove` needs, and returns whether it is given up.
  /// Nothing changes when it was given up before.
  func retire() -> Bool

  /// Whether the identity that `prove` needs has been given up.
  var isRetired: Bool { get }
}

extension AccountProof {
  /// A proof that needs no identity is never retired.
  public var isRetired: Bool { false }
}

/// The person whom a proof asks.
public protocol Person {
  /// Asks one question; nil when there is no answer.
  func ask(_ prompt: ShownText, echo: Bool) -> SecretBytes?

  /// Tells the person something.
  func tell(_ text: ShownText)
}
