import FoundationEssentials
import MFAEnrollMessages
import MFABase
import MultiFactor

/// The name of a new device.
enum DeviceName {
  /// Returns the name for a device that the user does not name: what it usually is, and the day. If
  /// the name is taken, a number makes it unique.
  static func usual(day: String, among taken: [String]) -> String {
    let plain = "phone \(day)"
    guard taken.contains(plain) else { return plain }
    var number = 2
    while taken.contains("\(plain) (\(number))") { number += 1 }
    return "\(plain) (\(number))"
  }

  /// Returns the name for a device that is added today.
  static func usual(among taken: [String]) -> String {
    usual(day: String(LocaleSettings.text(of: .now).prefix(10)), among: taken)
  }

  /// Asks a user at a terminal until the answer is a name that no other device has. Others get the
  /// usual name.
  static func ask(
    by interface: UserInterface, among taken: [String]
  ) throws(Failure) -> String {
    let usual = usual(among: taken)
    guard interface.isAtTerminal else { return usual }
    while let answer = interface.ask(.namePrompt(proposed: usual), echo: true) {
      let name = SingleName.text(of: answer)
      guard !name.isEmpty else { return usual }
      guard MultiFactor.isSupported(displayName: name) else {
        interface.tell(Failure(MultiFactorError.unsupportedDisplayName))
        continue
      }
      guard !taken.contains(name) else {
        interface.tell(Failure(MultiFactorError.secondFactorAlreadyEnrolled))
        continue
      }
      return name
    }
    interface.endLine()
    throw Failure(.nothingAdded)
  }

  /// A typed name as text, without spaces at its ends.
  private enum SingleName {
    static func text(of answer: borrowing SecretBytes) -> String {
      let span = answer.span
      let text = String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
      let isBlank = { (character: Character) in character == " " || character == "\t" }
      let start = text.drop(while: isBlank)
      return String(String(start.reversed().drop(while: isBlank)).reversed())
    }
  }
}
