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
    var joiner = Joiner()
    var piece: [UInt8] = []
    for byte in contents {
      if byte == UInt8(ascii: "\n") {
        try joiner.add(piece)
        piece = []
      } else {
        piece.append(byte)
      }
    }
    try joiner.add(piece)
    return try joiner.finish()
  }

  /// Puts the lines of a file together to such as say something.
  private struct Joiner {
    private var lines: [StackLine] = []
    private var number = 0
    /// What the line continues.
    private var pending: (number: Int, text: [UInt8])?

    /// Takes the next line of the file.
    mutating func add(_ piece: [UInt8]) throws(Unclear) {
      number &+= 1
      let part = try Part(piece, number)
      guard let text = part.text else {
        // Not in the midst of a line that is continued.
        guard pending == nil else { throw Unclear(number: number) }
        return
      }
      let start = pending.map { $0.number } ?? number
      let joined = (pending.map { $0.text } ?? []) + text
      if part.isContinued {
        pending = (start, joined + [UInt8(ascii: " ")])
      } else {
        pending = nil
        lines.append(StackLine(number: start, words: try StackLine.words(of: joined, start)))
      }
    }

    func finish() throws(Unclear) -> [StackLine] {
      guard pending == nil else { throw Unclear(number: number) }
      return lines
    }
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

    init(_ piece: [UInt8], _ number: Int) throws(Unclear) {
      let whole = Self.trimmed(piece)
      guard whole.allSatisfy({ $0 >= 0x20 || $0 == UInt8(ascii: "\t") }) else {
        throw Unclear(number: number)
      }
      guard let first = whole.first, first != UInt8(ascii: "#") else {
        text = nil
        isContinued = false
        return
      }
      var said: [UInt8] = []
      for byte in whole {
        guard byte != UInt8(ascii: "#") else { break }
        said.append(byte)
      }
      isContinued = whole.last == UInt8(ascii: "\\")
      // Whether a comment can be continued has changed from version to version.
      guard said.count == whole.count || !isContinued else { throw Unclear(number: number) }
      if isContinued { _ = said.popLast() }
      text = said
    }

    private static func trimmed(_ piece: [UInt8]) -> [UInt8] {
      var text: [UInt8] = []
      for byte in piece where !text.isEmpty || !Word.isBlank(byte) { text.append(byte) }
      while let last = text.last, Word.isBlank(last) || last == UInt8(ascii: "\r") {
        _ = text.popLast()
      }
      return text
    }
  }

  private static func words(of text: [UInt8], _ number: Int) throws(Unclear) -> [Token] {
    var words: [Token] = []
    var word: [UInt8] = []
    var bytes = text.makeIterator()
    while let byte = bytes.next() {
      let beginsBracket = byte == UInt8(ascii: "[") && word.isEmpty
      guard beginsBracket || Word.isBlank(byte) else {
        word.append(byte)
        continue
      }
      if !word.isEmpty { words.append(Token(text: word, isBracketed: false)) }
      word = []
      guard beginsBracket else { continue }
      guard let inside = bracketed(&bytes) else { throw Unclear(number: number) }
      words.append(Token(text: inside, isBracketed: true))
    }
    if !word.isEmpty { words.append(Token(text: word, isBracketed: false)) }
    return words
  }

  /// What stands up to the closing bracket, which `\]` is not. Nil where there is none.
  private static func bracketed(_ bytes: inout IndexingIterator<[UInt8]>) -> [UInt8]? {
    var inside: [UInt8] = []
    var isEscaped = false
    while let byte = bytes.next() {
      if isEscaped {
        if byte != UInt8(ascii: "]") { inside.append(UInt8(ascii: "\\")) }
        isEscaped = false
        inside.append(byte)
      } else if byte == UInt8(ascii: "]") {
        return inside
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else {
        inside.append(byte)
      }
    }
    return nil
  }
}
