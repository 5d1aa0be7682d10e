import MFASecrets
import MFAHelper
import MFAProtocol
import MFASystem

/// Authentication by a password.
struct PasswordProof: AccountProof {
  func prove<Asker: Prompter>(_ account: Account, by person: Asker) -> Bool {
    person.tell(DisplayText(cleaning: Array("hello".utf8)))
    guard let answer = person.ask(DisplayText(cleaning: Array("Password: ".utf8)), echo: false)
    else {
      return false
    }
    return constantTimeEquals(answer.span, Array("right".utf8).span)
  }

  func retire() -> Bool { true }
}
