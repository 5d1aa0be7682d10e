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
