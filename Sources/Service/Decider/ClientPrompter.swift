import MFABase
import MFAWire

/// The user at the client.
struct ClientPrompter<Client: Link>: Prompter {
  let client: Client

  /// The longest time to wait for an answer, in seconds: enough to find a phone.
  private static var patience: Int64 { 600 }

  func ask(_ prompt: DisplayText, echo: Bool) -> SecretBytes? {
    guard client.send(.prompt(text: prompt, echo: echo)) else { return nil }
    switch client.receive(seconds: Self.patience) {
    case .request(.answer(let answer)): return answer
    case .request: return nil
    case .unsupportedDisplayName: return nil
    case .malformed: return nil
    case .ended: return nil
    }
  }

  func tell(_ text: DisplayText) {
    _ = client.send(.notice(text: text))
  }
}
