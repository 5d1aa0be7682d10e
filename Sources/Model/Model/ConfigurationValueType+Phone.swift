import MFABase

// The values of the keys about codes that are sent to phones.
extension ConfigurationValueType {
  /// The maximum number of test numbers.
  static var maximumTestNumbers: Int { Configuration.maximumTestNumbers }

  /// Parses a list of types of factors.
  func factors(_ text: Span<UInt8>) -> Int64? {
    var bits: Int64 = 0
    var start = 0
    while start <= text.count {
      guard let number = numberOfWord(text.listElement(at: &start)),
        let type = Configuration.FactorType(rawValue: number), bits & type.bit == 0
      else { return nil }
      bits |= type.bit
    }
    return bits
  }

  /// Parses an absolute path without empty components, `.` and `..`.
  static func path(_ text: Span<UInt8>) -> [UInt8]? {
    let slash = UInt8(ascii: "/")
    guard text.count > 1, text[0] == slash else { return nil }
    var start = 1
    while start <= text.count {
      var end = start
      while end < text.count, text[end] != slash { end &+= 1 }
      let component = text.extracting(start..<end)
      if component.isEmpty || component.equals(".") || component.equals("..") { return nil }
      start = end &+ 1
    }
    return text.copied()
  }

  /// Parses a list of beginnings of phone numbers, without duplicates. Each has at least a whole
  /// calling code: +3 would allow the numbers of many countries.
  static func callingCodes(_ text: Span<UInt8>) -> [[UInt8]]? {
    var codes: [[UInt8]] = []
    var start = 0
    while start <= text.count {
      let element = text.listElement(at: &start)
      guard isCallingCode(element) else { return nil }
      let code = element.copied()
      guard !codes.contains(code) else { return nil }
      codes.append(code)
    }
    return codes
  }

  /// Parses a list of test numbers, each with its code: `+15105551234=123456`. Each number appears
  /// once.
  static func testNumbers(_ text: Span<UInt8>) -> [[UInt8]]? {
    var entries: [[UInt8]] = []
    var start = 0
    while start <= text.count {
      let element = text.listElement(at: &start)
      let end: Int = element.firstIndex(of: UInt8(ascii: "="))
      guard end < element.count, isTestNumber(element.extracting(0..<end)),
        isTestCode(element.extracting(end &+ 1..<element.count)),
        entries.count < maximumTestNumbers
      else { return nil }
      let number = element.extracting(0...end).copied()
      guard !entries.contains(where: { $0.starts(with: number) }) else { return nil }
      entries.append(element.copied())
    }
    return entries
  }

  /// Returns whether `text` is the beginning of phone numbers: `+`, a calling code, and up to four
  /// further digits.
  static func isCallingCode(_ text: Span<UInt8>) -> Bool {
    guard let length = callingCodeLength(of: text), isDigits(text, from: 1) else { return false }
    return (length &+ 1...length &+ 5).contains(text.count)
  }

  /// Returns whether `text` is a number that can be a test number.
  static func isTestNumber(_ text: Span<UInt8>) -> Bool {
    // E.164: at most 15 digits. Fewer than 8 are not reachable from abroad.
    (9...16).contains(text.count) && callingCodeLength(of: text) != nil && isDigits(text, from: 1)
  }

  /// Returns whether `text` is a code that a test number can accept.
  static func isTestCode(_ text: Span<UInt8>) -> Bool { text.count == 6 && isDigits(text, from: 0) }

  private static func isDigits(_ text: Span<UInt8>, from start: Int) -> Bool {
    guard start < text.count else { return false }
    for index in start..<text.count where text[index].decimalDigit == nil { return false }
    return true
  }

  /// Returns the number of digits of the calling code that `+` and digits begin with; nil if they
  /// begin with none.
  private static func callingCodeLength(of text: Span<UInt8>) -> Int? {
    guard text.count >= 2, text[0] == UInt8(ascii: "+") else { return nil }
    return CallingCode(startOf: text.extracting(droppingFirst: 1))?.length
  }
}
