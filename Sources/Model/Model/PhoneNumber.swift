import MFABase

/// A phone number in international form (ITU-T E.164): `+`, a calling code and the number in its
/// country or service, 8 to 15 digits in all.
///
/// Numbers are personal data: they are wiped after use, and only `MaskedPhoneNumber` is shown.
///
/// MUST 1: exactly the texts of this form are accepted, with an assigned calling code. Whether the
/// number exists, or could exist in its country, is not checked: plans of numbers change, and the code
/// that is sent shows whether a phone receives it. (`PhoneNumberTests.agrees`,
/// `.numbersOfOtherLengths`)
package struct PhoneNumber: ~Copyable, Sendable {
  private let text: SecretBytes

  /// The calling code.
  package let callingCode: CallingCode

  /// The reason why text is not a phone number in international form.
  package enum Refusal: Error, Equatable, Sendable, CaseIterable {
    /// It does not begin with `+`.
    case noPlus
    /// It has other characters than digits, spaces and hyphens.
    case notDigits
    /// No country has the calling code.
    case noSuchCallingCode
    /// It has fewer than `digitCounts` digits.
    case tooShort
    /// It has more than `digitCounts` digits.
    case tooLong
  }

  /// The valid numbers of digits, with those of the calling code.
  package static var digitCounts: ClosedRange<Int> { 8...15 }

  /// The maximum length of typed text in bytes.
  package static var longestText: Int { 64 }

  /// Reads what a user typed, also in full-width characters. Spaces, hyphens and dashes may separate digits.
  package init(typed: Span<UInt8>) throws(Refusal) {
    guard typed.count <= Self.longestText else { throw .tooLong }
    let ascii = TypedText.inASCII(typed)
    let typed = ascii.span
    var text = SecretBytes(count: Self.digitCounts.upperBound &+ 1)
    var count = 0
    for index in typed.indices {
      let byte = typed[index]
      if byte == UInt8(ascii: " ") || count > 0 && byte == UInt8(ascii: "-") { continue }
      if count == 0 {
        guard byte == UInt8(ascii: "+") else { throw .noPlus }
      } else {
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { throw .notDigits }
      }
      guard count < text.count else { throw .tooLong }
      text.withMutableSpan { $0[count] = byte }
      count &+= 1
    }
    guard count > 0 else { throw .noPlus }
    guard count > Self.digitCounts.lowerBound else { throw .tooShort }
    guard let callingCode = CallingCode(startOf: text.span.extracting(1..<count)) else {
      throw .noSuchCallingCode
    }
    self.text = text.prefix(count)
    self.callingCode = callingCode
  }

  /// The number in its only form, such as `+15105551234`, in ASCII. Valid as long as this value
  /// lives.
  package var span: Span<UInt8> {
    @_lifetime(borrow self)
    get { text.span }
  }

  /// The number with its last two digits and its calling code, such as `+1 *** *** **34`.
  package var masked: MaskedPhoneNumber { MaskedPhoneNumber(of: text.span) }
}

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

/// The calling code of a country or an international service, which a phone number begins with.
package struct CallingCode: Equatable, Sendable {
  /// The number of digits: 1 to 3.
  package let length: Int

  /// Reads the calling code at the beginning of digits. Returns nil if they begin with none that is
  /// assigned (ITU-T E.164, list of assigned country codes).
  package init?(startOf digits: Span<UInt8>) {
    var value: UInt16 = 0
    for length in 1...3 {
      guard length <= digits.count, let digit = Self.digit(digits[length &- 1]) else { return nil }
      value = value &* 10 &+ digit
      // No code begins with 0.
      guard value > 0 else { return nil }
      if Self.isAssigned(value) {
        self.length = length
        return
      }
    }
    return nil
  }

  private static func digit(_ byte: UInt8) -> UInt16? {
    guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
    return UInt16(byte &- UInt8(ascii: "0"))
  }

  /// Whether a number is an assigned code. No assigned code is the beginning of another.
  private static func isAssigned(_ value: UInt16) -> Bool {
    switch value {
    case 1, 7, 20, 27, 30...34, 36, 39...41, 43...49, 51...58, 60...66, 81, 82, 84, 86, 90...95,
      98, 211...213, 216, 218, 220...258, 260...269, 290, 291, 297...299, 350...359, 370...378,
      380...383, 385...387, 389, 420, 421, 423, 500...509, 590...599, 670, 672...683, 685...692,
      800, 808, 850, 852, 853, 855, 856, 870, 878, 880...883, 886, 888, 960...968, 970...977, 979,
      992...996, 998:
      true
    default: false
    }
  }
}
