import MFABase

/// Functions for the words of a line of sshd_config.
enum SecureShellLine {
  /// Returns the words of a line. Blanks and, after the keyword, an equals sign separate words.
  /// Double quotation marks may surround a word, and a `#` at the start of a word begins a comment.
  static func words(_ line: ArraySlice<UInt8>) -> [[UInt8]] {
    var words: [[UInt8]] = []
    var word: [UInt8]?
    var isQuoted = false
    for byte in line {
      let separates = isBlank(byte) || byte == UInt8(ascii: "=") && words.count == 0
      if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
        word = word ?? []
      } else if separates, !isQuoted {
        if let ended = word { words.append(ended) }
        word = nil
      } else if byte == UInt8(ascii: "#"), word == nil, !isQuoted {
        break
      } else {
        word = (word ?? []) + [byte]
      }
    }
    if let word { words.append(word) }
    // `Keyword = value`
    if words.count > 1, words[1] == [UInt8(ascii: "=")] { words.remove(at: 1) }
    return words
  }

  /// Returns whether a byte has a meaning of its own in a pattern of glob(3).
  static func isWildcard(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "[")
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }

  /// Returns whether a word equals `expected`, ignoring its case.
  static func equals(_ word: [UInt8], _ expected: StaticString) -> Bool {
    let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
    return word.map { letters.contains($0) ? $0 | 0x20 : $0 } == expected.bytes
  }

  /// Returns a time in seconds, such as `120`, `2m` or `1h30m`, or nil if the word is no time or is
  /// longer than a year.
  static func seconds(_ word: [UInt8]) -> Int64? {
    let longest: Int64 = 365 * 86_400
    var total: Int64 = 0
    var number: Int64?
    for byte in word {
      if let digit = byte.decimalDigit {
        let next = (number ?? 0) &* 10 &+ Int64(digit)
        guard next <= longest else { return nil }
        number = next
        continue
      }
      guard let seconds = number, let unit = unit(byte) else { return nil }
      total &+= seconds &* unit
      guard total <= longest else { return nil }
      number = nil
    }
    guard !word.isEmpty else { return nil }
    return total &+ (number ?? 0)
  }

  private static func unit(_ byte: UInt8) -> Int64? {
    switch byte | 0x20 {
    case UInt8(ascii: "s"): 1
    case UInt8(ascii: "m"): 60
    case UInt8(ascii: "h"): 3600
    case UInt8(ascii: "d"): 86_400
    case UInt8(ascii: "w"): 604_800
    case _: nil
    }
  }
}
