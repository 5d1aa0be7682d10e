import MFAPAMStack
import MFABase
import MFAModel
import MFAMessages

/// A user's factors as listed in the prompt: oldest first, numbered from 1, with the names that the
/// user gave them.
struct FactorList {
  private let factors: [Factor]

  init(_ factors: [Factor]) { self.factors = factors }

  /// Returns the factor with this number, or nil if no factor has it.
  func factor(_ number: Int) -> Factor? {
    guard number >= 1 else { return nil }
    return factors.dropFirst(number &- 1).first
  }

  /// The longest prompt in bytes. A PAM message has at most 512 bytes, including the NUL at its
  /// end.
  static var longestQuestion: Int { 511 }

  /// Returns the list, one line for each factor, followed by the administrator's prompt or the
  /// standard one. Names are truncated if the text would be too long.
  func question<Store>(_ resolved: ResolvedSignIn<Store>) -> [UInt8] {
    let question = Self.question(resolved)
    var text = resolved.text(.deviceList).utf8 + [UInt8(ascii: "\n")]
    let room = (Self.longestQuestion &- text.count &- question.count) / max(factors.count, 1)
    var number = UInt8(ascii: "1")
    for factor in factors {
      let name = Self.cut(factor.displayName.utf8, to: room &- Self.decoration)
      text += (" " as StaticString).bytes + [number] + (": " as StaticString).bytes
      text += name + ("\n" as StaticString).bytes
      number &+= 1
    }
    return text + question
  }

  /// The number of bytes in a line besides the name.
  private static var decoration: Int { 5 }

  /// Returns the prompt below the list. It mentions factor numbers only if nothing but the code is
  /// asked for.
  private static func question<Store>(_ resolved: ResolvedSignIn<Store>) -> [UInt8] {
    let options = resolved.options
    guard options.prompt == nil, !options.forwardsPass else { return resolved.question }
    return resolved.text(.codeOrNumberPrompt).utf8
  }

  /// Returns the name truncated to `room` bytes, at a character boundary.
  private static func cut(_ name: [UInt8], to room: Int) -> [UInt8] {
    guard name.count > room else { return name }
    let mark = ("..." as StaticString).bytes
    var end = max(room &- mark.count, 0)
    while end > 0, end < name.count, isContinuation(name[end]) { end &-= 1 }
    return name.span.part(from: 0, count: end).copied() + mark
  }

  /// Returns whether a byte continues a UTF-8 character (RFC 3629, section 3).
  private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}
