import MFABase
import MFADecider
import MFAWire

/// Authentication by a password.
struct PasswordProof: AccountProof {
  func prove(_ account: Account, by prompter: some Prompter) -> ProofResult {
    prompter.tell(DisplayText(cleaning: Array("hello".utf8)))
    guard let answer = prompter.ask(DisplayText(cleaning: Array("Password: ".utf8)), echo: false)
    else {
      return .noAnswer
    }
    return constantTimeEquals(answer.span, Array("right".utf8).span) ? .proven : .wrong
  }
}
