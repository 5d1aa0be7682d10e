/// One line of a service file, with what it continues on joined to it.
struct StackLine {
  /// The number of its first line.
  let number: Int
  /// Its words. What stood in brackets is one word without them.
  let words: [Token]

  struct Token: Equatable {
    let text: [UInt8]
    let isBracketed: Bool
  }

  /// Splits a text into lines that say something. Throws the number of a line that is none, or that
  /// versions of libpam read in different ways.
  static func lines(of contents: [UInt8]) throws(Unclear) -> [StackLine] {
    var lines: [StackLine] = []
    var pending: (number: Int, text: [UInt8])?
    var number = 0
    for piece in contents.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number &+= 1
      let part = try Part(piece, number)
      guard let text = part.text else {
        // Not in the midst of a line that is continued.
        guard pending == nil else { throw Unclear(number: number) }
        continue
      }
      let start = pending.map { $0.number } ?? number
      let joined = (pending.map { $0.text } ?? []) + text
      if part.isContinued {
        pending = (start, joined + [UInt8(ascii: " ")])
      } else {
        pending = nil
        lines.append(StackLine(number: start, words: try words(of: joined, start)))
      }
    }
    guard pending == nil else { throw Unclear(number: number) }
    return lines
  }

  /// The line with this number is not understood.
  struct Unclear: Error {
    let number: Int
  }

  /// A line of the file, as it stands there.
  private struct Part {
    /// Without blanks at its ends, its comment and what says that it is continued; nil where nothing
    /// is left.
    let text: [UInt8]?
    let isContinued: Bool

    init(_ piece: ArraySlice<UInt8>, _ number: Int) throws(Unclear) {
      let whole = Self.trimmed(piece)
      guard whole.allSatisfy({ $0 >= 0x20 || $0 == UInt8(ascii: "\t") }) else {
        throw Unclear(number: number)
      }
      guard let first = whole.first, first != UInt8(ascii: "#") else {
        text = nil
        isContinued = false
        return
      }
      let endsInBackslash = whole.last == UInt8(ascii: "\\")
      let said = whole.prefix { $0 != UInt8(ascii: "#") }
      // Whether a comment can be continued has changed from version to version.
      guard said.count == whole.count || !endsInBackslash else { throw Unclear(number: number) }
      isContinued = endsInBackslash
      text = Array(endsInBackslash ? said.dropLast() : said)
    }

    private static func trimmed(_ piece: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
      var rest = piece
      while let first = rest.first, Word.isBlank(first) { rest = rest.dropFirst() }
      while let last = rest.last, Word.isBlank(last) || last == UInt8(ascii: "\r") {
        rest = rest.dropLast()
      }
      return rest
    }
  }

  private static func words(of text: [UInt8], _ number: Int) throws(Unclear) -> [Token] {
    var words: [Token] = []
    var rest = text[...]
    while let first = rest.first {
      if Word.isBlank(first) {
        rest = rest.dropFirst()
      } else if first == UInt8(ascii: "[") {
        rest = rest.dropFirst()
        guard let inside = bracketed(&rest) else { throw Unclear(number: number) }
        words.append(Token(text: inside, isBracketed: true))
      } else {
        let word = rest.prefix { !Word.isBlank($0) }
        rest = rest.dropFirst(word.count)
        words.append(Token(text: Array(word), isBracketed: false))
      }
    }
    return words
  }

  /// What stands up to the closing bracket, which `\]` is not. Nil where there is none.
  private static func bracketed(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
    var inside: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "]") { return inside }
      if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "]") {
        rest = rest.dropFirst()
        inside.append(UInt8(ascii: "]"))
      } else {
        inside.append(byte)
      }
    }
    return nil
  }
}
