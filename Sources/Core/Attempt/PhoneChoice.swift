import MFABase
import MFAModel

/// A phone that a user can choose at a prompt to have a code sent to it.
package struct PhoneChoice: Equatable, Sendable {
  /// The factor's id.
  package let id: FactorID
  /// The number as it is shown.
  package let number: MaskedPhoneNumber

  /// Returns the phones of a record to which codes can be sent, in the order of enrolment. Without a
  /// gateway, these are test numbers.
  package static func all(of record: FactorRecord, _ settings: Settings) -> [PhoneChoice] {
    let hasGateway = settings.gateway != nil
    var phones: [PhoneChoice] = []
    for factor in record.factors where hasGateway || factor.origin == .testNumber {
      guard case .phone(let number, _, _) = factor.kind else { continue }
      phones.append(PhoneChoice(id: factor.id, number: number))
    }
    return phones
  }

  /// Returns a line for each phone, with what requests a code for it: `s1`, `s2` and so on.
  package static func list(_ phones: [PhoneChoice]) -> [UInt8] {
    var text: [UInt8] = []
    var number = UInt8(ascii: "1")
    for phone in phones {
      text += ("s" as StaticString).bytes + [number] + (": " as StaticString).bytes
      text += phone.number.ascii + ("\n" as StaticString).bytes
      number &+= 1
    }
    return text
  }

  /// Returns the phone that an answer requests a code for: `s` for the first one, or `s` and its
  /// number. Returns nil for any other answer.
  package static func requested(by answer: Span<UInt8>, of phones: [PhoneChoice]) -> PhoneChoice? {
    var letters = 0
    var number = 0
    for index in answer.indices where answer[index] != UInt8(ascii: " ") {
      let byte = answer[index]
      if letters == 0 {
        guard byte | 0x20 == UInt8(ascii: "s") else { return nil }
        letters = 1
      } else {
        guard number == 0, let digit = byte.decimalDigit, digit >= 1 else { return nil }
        number = Int(digit)
      }
    }
    guard letters == 1 else { return nil }
    return phones.dropFirst(max(number &- 1, 0)).first
  }
}
