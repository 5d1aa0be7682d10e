import Factors
import Secrets

/// A person's factors, oldest first, as a question lists them: numbered from 1, by the names that the
/// person gave them.
struct FactorList {
  /// One factor of the list.
  struct Hint {
    let id: FactorID
    let displayName: DisplayName

    /// The question for this factor's code.
    var question: [UInt8] {
      ("One-time code of '" as StaticString).bytes + displayName.utf8
        + ("': " as StaticString).bytes
    }
  }

  private let hints: [Hint]

  init(_ hints: [Hint]) { self.hints = hints }

  /// The factor with a number, or nil when no factor has it.
  func hint(_ number: Int) -> Hint? {
    guard number >= 1 else { return nil }
    return hints.dropFirst(number &- 1).first
  }

  /// The longest question in bytes: one of PAM's messages has at most 512 with the NUL at its end.
  static var longestQuestion: Int { 511 }

  /// The list, a line a factor, and below it the administrator's question or the standard one. Names
  /// that would make it too long are cut.
  func question(_ options: ModuleOptions) -> [UInt8] {
    let question = Self.question(options)
    var text = ("Factors:\n" as StaticString).bytes
    let room = (Self.longestQuestion &- text.count &- question.count) / max(hints.count, 1)
    var number = UInt8(ascii: "1")
    for hint in hints {
      let name = Self.cut(hint.displayName.utf8, to: room &- Self.decoration)
      text += (" " as StaticString).bytes + [number] + (": " as StaticString).bytes
      text += name + ("\n" as StaticString).bytes
      number &+= 1
    }
    return text + question
  }

  /// How many bytes of a line are not the name.
  private static var decoration: Int { 5 }

  /// A number chooses only where nothing but the code is asked for.
  private static func question(_ options: ModuleOptions) -> [UInt8] {
    guard options.prompt == nil, !options.forwardsPass else { return options.question }
    return ("One-time code, or the number of a factor: " as StaticString).bytes
  }

  /// The name in at most `room` bytes, never ending within a character.
  private static func cut(_ name: [UInt8], to room: Int) -> [UInt8] {
    guard name.count > room else { return name }
    let mark = ("..." as StaticString).bytes
    var kept = name.prefix(max(room &- mark.count, 0))
    if let next = name.dropFirst(kept.count).first, isContinuation(next) {
      while let last = kept.popLast(), isContinuation(last) {}
    }
    return kept + mark
  }

  /// A byte of UTF-8 that begins no character (RFC 3629, section 3).
  private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}
