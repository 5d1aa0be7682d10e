import HelperProtocol
import Secrets

/// The user at the client.
struct ClientPerson<Client: Link>: Person {
  let client: Client

  /// The longest time to wait for an answer, in seconds: enough to find a phone.
  private static var patience: Int64 { 600 }

  func ask(_ prompt: ShownText, echo: Bool) -> SecretBytes? {
    guard client.send(.prompt(text: prompt, echo: echo)) else { return nil }
    switch client.receive(seconds: Self.patience) {
    case .request(.answer(let answer)): return answer
    case .request: return nil
    case .unsupportedDisplayName: return nil
    case .malformed: return nil
    case .ended: return nil
    }
  }

  func tell(_ text: ShownText) {
    _ = client.send(.notice(text: text))
  }
}
