import MFASecrets
import MFAHelper
import MFAProtocol
import MFASystem

/// Authentication by a password.
struct PasswordProof: AccountProof {
  func prove(_ account: Account, by prompter: some Prompter) -> Bool {
    prompter.tell(DisplayText(cleaning: Array("hello".utf8)))
    guard let answer = prompter.ask(DisplayText(cleaning: Array("Password: ".utf8)), echo: false)
    else {
      return false
    }
    return constantTimeEquals(answer.span, Array("right".utf8).span)
  }

  func retire() -> Bool { true }
}
