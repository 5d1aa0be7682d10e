import Helper
import HelperProtocol
import Secrets
import System

/// Authentication by a password.
struct PasswordProof: AccountProof {
  func prove<Asker: Person>(_ account: Account, by person: Asker) -> Bool {
    person.tell(ShownText(cleaning: Array("hello".utf8)))
    guard let answer = person.ask(ShownText(cleaning: Array("Password: ".utf8)), echo: false) else {
      return false
    }
    return constantTimeEquals(answer.span, Array("right".utf8).span)
  }

  func retire() -> Bool { true }
}
