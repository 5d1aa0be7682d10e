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
  package static var longestText: Int { 40 }

  /// Reads what a user typed. Spaces and hyphens may separate digits.
  package init(typed: Span<UInt8>) throws(Refusal) {
    guard typed.count <= Self.longestText else { throw .tooLong }
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
