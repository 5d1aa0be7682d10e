import MFABase

/// A logical line of a service file, with its continuation lines joined.
struct StackLine {
  /// The number of its first physical line.
  let number: Int
  /// The words of the line. A text in brackets is one word, without the brackets.
  let words: [Token]

  struct Token: Equatable {
    let text: [UInt8]
    let isBracketed: Bool
  }

  /// Splits a text into logical lines that are not empty. Throws the number of a line that is
  /// invalid, or that versions of libpam read differently.
  static func lines(
    of contents: [UInt8], keepsCarriageReturns: Bool = false
  ) throws(Unclear) -> [StackLine] {
    var joiner = Joiner(keepsCarriageReturns: keepsCarriageReturns)
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

  /// Joins the physical lines of a file into logical lines.
  private struct Joiner {
    private let keepsCarriageReturns: Bool
    private var lines: [StackLine] = []
    private var number = 0
    /// The beginning of a logical line that the next physical line continues.
    private var pending: (number: Int, text: [UInt8])?

    init(keepsCarriageReturns: Bool) { self.keepsCarriageReturns = keepsCarriageReturns }

    /// Adds the next line of the file.
    mutating func add(_ piece: [UInt8]) throws(Unclear) {
      number &+= 1
      let part = try Part(piece, number, keepsCarriageReturns)
      guard let text = part.text else {
        // An empty line or comment must not follow a line that is to be continued.
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

  /// The line with this number is invalid or ambiguous.
  struct Unclear: Error {
    let number: Int
    /// Whether the line ends with a carriage return, which libpam takes for a part of the last word.
    var hasCarriageReturn = false
  }

  /// A physical line of the file.
  private struct Part {
    /// The text without surrounding blanks, comment and continuation mark; nil if nothing is left.
    let text: [UInt8]?
    let isContinued: Bool

    init(_ piece: [UInt8], _ number: Int, _ keepsCarriageReturns: Bool) throws(Unclear) {
      let whole = Self.trimmed(piece)
      guard
        keepsCarriageReturns || whole.last != UInt8(ascii: "\r")
          || whole.first == UInt8(ascii: "#")
      else {
        throw Unclear(number: number, hasCarriageReturn: true)
      }
      guard whole.dropLast().allSatisfy({ $0 >= 0x20 || $0 == UInt8(ascii: "\t") }),
        whole.last.map({ $0 >= 0x20 || $0 == UInt8(ascii: "\r") }) ?? true
      else { throw Unclear(number: number) }
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
      // Versions of libpam differ in whether a comment can be continued.
      guard said.count == whole.count || !isContinued else { throw Unclear(number: number) }
      if isContinued { _ = said.popLast() }
      text = said
    }

    private static func trimmed(_ piece: [UInt8]) -> [UInt8] {
      var text: [UInt8] = []
      for byte in piece where !text.isEmpty || !Word.isBlank(byte) { text.append(byte) }
      while let last = text.last, Word.isBlank(last) {
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

  /// Returns the text up to the closing bracket, with `]` in place of `\]`. Returns nil if there is
  /// no closing bracket.
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

/// Helpers for the words of a service file.
enum Word {
  /// Returns whether a word equals `expected`, ignoring its case.
  static func equals(_ word: [UInt8], _ expected: StaticString) -> Bool {
    lowercased(word) == expected.bytes
  }

  static func bytes(_ word: StaticString) -> [UInt8] { word.bytes }

  static func lowercased(_ word: [UInt8]) -> [UInt8] {
    word.map { byte in
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
  }

  static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  /// Returns whether a name consists of letters, digits and `-_.+@` and does not begin with a dot.
  static func isFileName(_ name: [UInt8]) -> Bool {
    guard !name.isEmpty, name.count <= 128, name.first != UInt8(ascii: ".") else { return false }
    return name.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "@"):
        true
      default: false
      }
    }
  }
}
