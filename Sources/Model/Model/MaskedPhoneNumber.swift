/// A phone number as it is shown: the calling code and the last two digits, with a star for each
/// other digit, such as `+1 *** *** **34`.
package struct MaskedPhoneNumber: Equatable, Hashable, Sendable {
  /// The text in ASCII.
  package let ascii: [UInt8]

  /// The number of digits that are shown, besides those of the calling code.
  private static var shownDigits: Int { 2 }

  /// The maximum length in bytes: 16 characters, and spaces between groups of three.
  package static let maximumLength = 24

  /// A number that stands for one that is read next.
  package static var placeholder: MaskedPhoneNumber {
    let nothing: [UInt8] = []
    return MaskedPhoneNumber(of: nothing.span)
  }

  /// Masks a number in international form.
  package init(of number: Span<UInt8>) {
    let callingCode =
      number.count > 1 ? CallingCode(startOf: number.extracting(droppingFirst: 1)) : nil
    var text: [UInt8] = []
    let start = (callingCode?.length ?? 0) &+ 1
    for index in 0..<min(start, number.count) { text.append(number[index]) }
    let count = max(number.count &- start, 0)
    for index in 0..<count {
      // Groups of three digits; a single last digit is part of the group before it.
      if index % 3 == 0, index == 0 || count &- index > 1 { text.append(UInt8(ascii: " ")) }
      let isShown = index >= count &- Self.shownDigits
      text.append(isShown ? number[start &+ index] : UInt8(ascii: "*"))
    }
    ascii = text
  }

  /// Reads a stored text. Returns nil if it is not one that this type creates.
  package init?(ascii: [UInt8]) {
    // The text determines how many digits the number has, and all that are shown.
    var digits: [UInt8] = []
    for byte in ascii where byte != UInt8(ascii: " ") {
      digits.append(byte == UInt8(ascii: "*") ? UInt8(ascii: "0") : byte)
    }
    guard digits.first == UInt8(ascii: "+"), PhoneNumber.digitCounts.contains(digits.count &- 1),
      digits.dropFirst().allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
      CallingCode(startOf: digits.span.extracting(droppingFirst: 1)) != nil,
      MaskedPhoneNumber(of: digits.span).ascii == ascii
    else { return nil }
    self.ascii = ascii
  }
}
