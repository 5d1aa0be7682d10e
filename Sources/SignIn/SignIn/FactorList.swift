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

  /// Returns the list, one line for each factor, followed by the administrator's prompt or the
  /// standard one. Names are truncated if the text would be too long.
  func question<Store>(_ resolved: ResolvedSignIn<Store>) -> [UInt8] {
    let question = Self.question(resolved)
    var text = resolved.text(.deviceList).utf8 + [UInt8(ascii: "\n")]
    let room = (DeviceList.longestPrompt &- text.count &- question.count) / max(factors.count, 1)
    var number = UInt8(ascii: "1")
    for factor in factors {
      let name = DeviceList.cut(factor.displayName.utf8, to: room &- Self.decoration)
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
    guard resolved.ownPrompt == nil, !resolved.options.forwardsPass else {
      return resolved.question
    }
    return resolved.text(.codeOrNumberPrompt).utf8
  }
}
