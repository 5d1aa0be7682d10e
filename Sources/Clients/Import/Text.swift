/// Lines, words and numbers of untrusted text, as ranges of its bytes.
enum Text {
  static let space = UInt8(ascii: " ")
  static let tab = UInt8(ascii: "\t")
  static let carriageReturn = UInt8(ascii: "\r")
  static let lineFeed = UInt8(ascii: "\n")

  /// Returns each line without its line feed. Text after the last line feed is a line if it is not
  /// empty.
  static func lines(of text: Span<UInt8>) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    var start = 0
    for index in text.indices where text[index] == lineFeed {
      lines.append(start..<index)
      start = index + 1
    }
    if start < text.count { lines.append(start..<text.count) }
    return lines
  }

  /// Returns the words of `range`, which are separated by spaces, tabs and carriage returns.
  static func words(of text: Span<UInt8>, in range: Range<Int>) -> [Range<Int>] {
    var words: [Range<Int>] = []
    var start: Int?
    for index in range {
      if isBlank(text[index]) || text[index] == carriageReturn {
        if let first = start { words.append(first..<index) }
        start = nil
      } else if start == nil {
        start = index
      }
    }
    if let first = start { words.append(first..<range.upperBound) }
    return words
  }

  /// Returns whether `range` contains exactly `word`.
  static func matches(_ text: Span<UInt8>, in range: Range<Int>, _ word: String) -> Bool {
    guard range.count == word.utf8.count else { return false }
    for (offset, byte) in word.utf8.enumerated() where text[range.lowerBound + offset] != byte {
      return false
    }
    return true
  }

  /// Returns the bytes of `range`.
  static func bytes(of text: Span<UInt8>, in range: Range<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in range { bytes.append(text[index]) }
    return bytes
  }

  /// Returns the decimal number in `range`, or nil if `range` is not one or more digits.
  static func number(_ text: Span<UInt8>, in range: Range<Int>) -> UInt64? {
    guard !range.isEmpty else { return nil }
    var number: UInt64 = 0
    for index in range {
      guard isDigit(text[index]) else { return nil }
      let (tens, overflow) = number.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(UInt64(text[index] - UInt8(ascii: "0")))
      guard !overflow, !carry else { return nil }
      number = sum
    }
    return number
  }

  /// Returns the number in `range`, with or without a sign, or nil if it is not a number.
  static func signedNumber(_ text: Span<UInt8>, in range: Range<Int>) -> Int32? {
    guard let first = range.first else { return nil }
    let isNegative = text[first] == UInt8(ascii: "-")
    let isSigned = isNegative || text[first] == UInt8(ascii: "+")
    guard let size = number(text, in: isSigned ? range.dropFirst() : range),
      let value = Int64(exactly: size)
    else { return nil }
    return Int32(exactly: isNegative ? -value : value)
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

  static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }
}
