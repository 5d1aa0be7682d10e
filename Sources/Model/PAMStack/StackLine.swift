import MFABase

/// A logical line of a service file, with its continuation lines joined.
struct StackLine {
  /// The source location of its first physical line.
  let position: StackPosition
  /// The words of the line. A text in brackets is one word, without the brackets.
  let words: [Token]

  struct Token: Equatable {
    let text: [UInt8]
    let isBracketed: Bool
  }

  /// Splits a file into logical lines that are not empty. Refuses a line that is invalid, or that
  /// versions of libpam read differently.
  static func lines(
    of file: StackFile, keepsCarriageReturns: Bool
  ) throws(StackRefusal) -> [StackLine] {
    var lines: [StackLine] = []
    // The beginning of a logical line that the next physical line continues.
    var pending: (start: StackPosition, text: [UInt8])?
    var position = StackPosition(file: file.path, line: 0)
    for piece in file.contents.split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    {
      position = StackPosition(file: file.path, line: position.line &+ 1)
      guard let (text, isContinued) = try part(piece, at: position, keepsCarriageReturns) else {
        // An empty line or comment must not follow a line that is to be continued.
        guard pending == nil else { throw .notUnderstood(position) }
        continue
      }
      let start = pending.map { $0.start } ?? position
      let joined = (pending.map { $0.text } ?? []) + text
      if isContinued {
        pending = (start, joined + [UInt8(ascii: " ")])
      } else {
        pending = nil
        lines.append(StackLine(position: start, words: try words(of: joined, at: start)))
      }
    }
    guard pending == nil else { throw .notUnderstood(position) }
    return lines
  }

  /// Returns the text of a physical line without surrounding blanks, comment and continuation mark, and
  /// whether the next line continues it. Returns nil if nothing is left.
  private static func part(
    _ piece: ArraySlice<UInt8>, at position: StackPosition, _ keepsCarriageReturns: Bool
  ) throws(StackRefusal) -> (text: ArraySlice<UInt8>, isContinued: Bool)? {
    var whole = piece.drop { Word.isBlank($0) }
    while let last = whole.last, Word.isBlank(last) { _ = whole.popLast() }
    guard
      keepsCarriageReturns || whole.last != UInt8(ascii: "\r") || whole.first == UInt8(ascii: "#")
    else { throw .carriageReturn(position) }
    guard whole.dropLast().allSatisfy({ $0 >= 0x20 || $0 == UInt8(ascii: "\t") }),
      whole.last.map({ $0 >= 0x20 || $0 == UInt8(ascii: "\r") }) ?? true
    else { throw .notUnderstood(position) }
    guard let first = whole.first, first != UInt8(ascii: "#") else { return nil }
    var text = whole.prefix { $0 != UInt8(ascii: "#") }
    let isContinued = whole.last == UInt8(ascii: "\\")
    // Versions of libpam differ in whether a comment can be continued.
    guard text.count == whole.count || !isContinued else { throw .notUnderstood(position) }
    if isContinued { _ = text.popLast() }
    return (text, isContinued)
  }

  private static func words(
    of text: [UInt8], at position: StackPosition
  ) throws(StackRefusal) -> [Token] {
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
      guard let inside = bracketed(&bytes) else { throw .notUnderstood(position) }
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
