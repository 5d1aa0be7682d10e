import MFAModel

/// Reads phone numbers as users type them, and masked numbers as they are stored.
///
/// A number that is read has one form, which reads back equal; it has 8 to 15 digits, which are those of
/// the input. Its mask shows the calling code and two digits, and reads back equal. A stored mask that is
/// read is printed equal.
enum PhoneTarget {
  static func check(_ input: [UInt8]) throws {
    if let masked = MaskedPhoneNumber(ascii: input) {
      try require(masked.ascii == input, "a mask is stored differently")
      try checkForm(of: masked)
    }
    guard let (number, masked) = read(input) else { return }
    try require(
      number == input.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") },
      "a number has other digits than the input")
    try require(
      PhoneNumber.digitCounts.contains(number.count - 1), "a number has another length")
    let again = try requireValue(read(number), "a number that reads back")
    try require(again.number == number && again.masked == masked, "a number reads back differently")
    try require(MaskedPhoneNumber(ascii: masked.ascii) == masked, "a mask reads back differently")
    try checkForm(of: masked)
    let shown = masked.ascii.filter { $0 != UInt8(ascii: " ") }
    try require(shown.count == number.count, "a mask has another number of digits")
    for (mask, digit) in zip(shown, number) where mask != UInt8(ascii: "*") {
      try require(mask == digit, "a mask shows another digit")
    }
  }

  private static func read(
    _ typed: [UInt8]
  ) -> (number: [UInt8], masked: MaskedPhoneNumber)? {
    do throws(PhoneNumber.Refusal) {
      let number = try PhoneNumber(typed: typed.span)
      return (number.span.copied(), number.masked)
    } catch {
      return nil
    }
  }

  private static func checkForm(of masked: MaskedPhoneNumber) throws {
    try requirePrintableASCII(masked.ascii, "a mask")
    try require(masked.ascii.count <= MaskedPhoneNumber.maximumLength, "a mask is too long")
    let hidden = masked.ascii.count { $0 == UInt8(ascii: "*") }
    let digits = masked.ascii.count { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    try require((3...5).contains(digits) && hidden + digits <= 15, "a mask shows too many digits")
    try require(hidden >= 3, "a mask hides too few digits")
  }
}
