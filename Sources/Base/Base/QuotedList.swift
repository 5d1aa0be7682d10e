/// A list of names in a configuration file. A name with characters that have a meaning in the file is
/// written in double quotes; in quotes, a backslash precedes a quote or a backslash.
package enum QuotedList {
  /// An element of a list.
  package struct Element: Equatable, Sendable {
    /// The text, without quotes.
    package let text: [UInt8]
    /// Whether the text was in quotes.
    package let isQuoted: Bool

    /// Creates an element.
    package init(_ text: [UInt8], isQuoted: Bool) {
      self.text = text
      self.isQuoted = isQuoted
    }
  }

  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")

  /// Returns the elements of a text. Blanks around an element are not part of it; if `separator` is a
  /// blank, several blanks separate as one does. Returns nil if a quote is not closed, or if something
  /// else stands before or after the quotes of an element.
  package static func elements(of text: [UInt8], separatedBy separator: UInt8) -> [Element]? {
    var elements: [Element] = []
    var index = 0
    let isBlankSeparator = isBlank(separator)
    while true {
      while index < text.count, isBlank(text[index]) { index &+= 1 }
      if isBlankSeparator, index >= text.count { return elements }
      guard let element = element(of: text, at: &index, separator) else { return nil }
      elements.append(element)
      guard index < text.count else {
        return elements
      }
      index &+= 1
    }
  }

  /// Reads an element, and moves `index` to the separator after it or to the end.
  private static func element(
    of text: [UInt8], at index: inout Int, _ separator: UInt8
  ) -> Element? {
    var name: [UInt8] = []
    guard index < text.count, text[index] == quote else {
      while index < text.count, text[index] != separator {
        guard text[index] != quote else { return nil }
        name.append(text[index])
        index &+= 1
      }
      while let last = name.last, isBlank(last) { name.removeLast() }
      return Element(name, isQuoted: false)
    }
    index &+= 1
    while true {
      guard index < text.count else { return nil }
      var byte = text[index]
      index &+= 1
      if byte == quote { break }
      if byte == backslash {
        guard index < text.count, text[index] == quote || text[index] == backslash else {
          return nil
        }
        byte = text[index]
        index &+= 1
      }
      name.append(byte)
    }
    while index < text.count, text[index] != separator, isBlank(text[index]) { index &+= 1 }
    guard index >= text.count || text[index] == separator else { return nil }
    return Element(name, isQuoted: true)
  }

  /// Returns a name in quotes.
  package static func quoted(_ name: [UInt8]) -> [UInt8] {
    var text = [quote]
    for byte in name {
      if byte == quote || byte == backslash { text.append(backslash) }
      text.append(byte)
    }
    text.append(quote)
    return text
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
