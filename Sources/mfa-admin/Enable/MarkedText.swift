/// Lines of ours in a text that is an administrator's, between two marks.
///
/// MUST 1: taking them out of the text that they were put into gives the text that was there, byte for
/// byte. MUST 2: a line between the marks that is none of ours is never taken out.
/// (`MarkedTextTests`)
struct MarkedText: Equatable {
  /// The service that the lines are for.
  let service: [UInt8]

  /// Every line that may stand between the marks.
  static let known: [[UInt8]] =
    (StackPlan.knownLines + SecureShellDropIn.lines).map { Array($0.utf8) }

  /// The line before ours.
  var beginning: [UInt8] {
    Array("# >>> mfa-admin enable ".utf8) + service + Array(": mfa-admin disable ".utf8) + service
      + Array(" takes these lines out".utf8)
  }

  /// The line behind ours.
  var end: [UInt8] { Array("# <<< mfa-admin enable ".utf8) + service }

  private static var lineFeed: UInt8 { UInt8(ascii: "\n") }

  /// The lines and their marks.
  func block(_ lines: [String]) -> [UInt8] {
    let all = [beginning] + lines.map { Array($0.utf8) } + [end]
    return all.flatMap { $0 + [Self.lineFeed] }
  }

  /// A text with the lines put into it before the byte at `offset`, where a line begins, or at its end.
  func inserting(_ lines: [String], into text: [UInt8], at offset: Int) -> [UInt8] {
    let block = block(lines)
    guard offset == text.count, let last = text.last, last != Self.lineFeed else {
      return text[..<offset] + block + text[offset...]
    }
    // The last line has no end, and the new last one has none either.
    return text + [Self.lineFeed] + block.dropLast()
  }

  /// What came of taking our lines out of a text.
  enum Removal: Equatable {
    /// There are none.
    case absent
    /// This is the text without them.
    case removed([UInt8])
    /// The line with this number, from 1, is none of ours, or a mark that has no counterpart.
    case altered(line: Int)
  }

  /// Takes every block of ours out of a text.
  func removing(from text: [UInt8]) -> Removal {
    var kept: [UInt8] = []
    var start: Int?
    var found = false
    for (index, line) in Self.lines(of: text).enumerated() {
      let isEnded = line.last == Self.lineFeed
      let words = Array(isEnded ? line.dropLast() : line[...])
      if words == beginning {
        guard start == nil else { return .altered(line: index + 1) }
        start = index + 1
        found = true
      } else if words == end {
        guard start != nil else { return .altered(line: index + 1) }
        start = nil
        // The line before the marks was the last one, and had no end.
        if !isEnded, kept.last == Self.lineFeed { kept.removeLast() }
      } else if start != nil {
        guard Self.known.contains(words) else { return .altered(line: index + 1) }
      } else {
        kept += line
      }
    }
    if let start { return .altered(line: start) }
    return found ? .removed(kept) : .absent
  }

  /// The number of the first of our lines, from 1; nil where there is none.
  func firstLine(in text: [UInt8]) -> Int? {
    let marks = Self.lines(of: text).map { $0.last == Self.lineFeed ? Array($0.dropLast()) : $0 }
    return marks.firstIndex(of: beginning).map { $0 + 2 }
  }

  /// The services whose marks are in a text.
  static func services(in text: [UInt8]) -> [[UInt8]] {
    let start = Array("# <<< mfa-admin enable ".utf8)
    var services: [[UInt8]] = []
    for line in lines(of: text) where line.starts(with: start) {
      let name = line.dropFirst(start.count).filter { $0 != lineFeed }
      if !services.contains(name) { services.append(name) }
    }
    return services
  }

  /// The lines of a text, each with its line feed, where it has one.
  static func lines(of text: [UInt8]) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var line: [UInt8] = []
    for byte in text {
      line.append(byte)
      guard byte == lineFeed else { continue }
      lines.append(line)
      line = []
    }
    if !line.isEmpty { lines.append(line) }
    return lines
  }
}
