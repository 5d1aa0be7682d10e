/// The lines that mfa-admin adds to an administrator's file, enclosed in two marks.
///
/// MUST 1: inserting the lines into a text and removing them again results in the original text,
/// byte for byte. MUST 2: a line between the marks that is not one of our lines is never removed.
/// (`MarkedTextTests`)
package struct MarkedText: Equatable {
  /// The service that the lines are for.
  package let service: [UInt8]

  /// Creates the marks of a service.
  package init(service: [UInt8]) { self.service = service }

  /// Returns whether a line can appear between the marks.
  package static func isKnown(_ line: [UInt8]) -> Bool {
    StackPlan.knownLines.contains { Array($0.utf8) == line } || SecureShellDropIn.isKnown(line)
  }

  /// The mark before our lines.
  package var beginning: [UInt8] {
    Array("# >>> mfa-admin enable ".utf8) + service + Array(": mfa-admin disable ".utf8) + service
      + Array(" takes these lines out".utf8)
  }

  /// The mark after our lines.
  package var end: [UInt8] { Array("# <<< mfa-admin enable ".utf8) + service }

  private static var lineFeed: UInt8 { UInt8(ascii: "\n") }

  /// Returns the lines with their marks.
  func block(_ lines: [String]) -> [UInt8] {
    let all = [beginning] + lines.map { Array($0.utf8) } + [end]
    return all.flatMap { $0 + [Self.lineFeed] }
  }

  /// Returns the text with the lines inserted at `offset`, which is the start of a line or the end
  /// of the text.
  func inserting(_ lines: [String], into text: [UInt8], at offset: Int) -> [UInt8] {
    let block = block(lines)
    guard offset == text.count, let last = text.last, last != Self.lineFeed else {
      return text[..<offset] + block + text[offset...]
    }
    // The last line has no line feed, so the new last line gets none either.
    return text + [Self.lineFeed] + block.dropLast()
  }

  /// The result of removing our lines from a text.
  enum Removal: Equatable {
    /// The text contains none of our lines.
    case absent
    /// The text without our lines.
    case removed([UInt8])
    /// The line with this number, counted from 1, is between the marks and not one of our lines, or
    /// is a mark without a counterpart.
    case altered(line: Int)
  }

  /// Removes all our blocks from a text.
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
        // The line before the block was the last line and had no line feed.
        if !isEnded, kept.last == Self.lineFeed { kept.removeLast() }
      } else if start != nil {
        guard Self.isKnown(words) else { return .altered(line: index + 1) }
      } else {
        kept += line
      }
    }
    if let start { return .altered(line: start) }
    return found ? .removed(kept) : .absent
  }

  /// Returns the lines between our marks, without their line feeds.
  func ourLines(in text: [UInt8]) -> [[UInt8]] {
    var found: [[UInt8]] = []
    var isInside = false
    for line in Self.lines(of: text) {
      let words = line.last == Self.lineFeed ? Array(line.dropLast()) : line
      if words == beginning {
        isInside = true
      } else if words == end {
        isInside = false
      } else if isInside {
        found.append(words)
      }
    }
    return found
  }

  /// Returns the number of the first of our lines, counted from 1, or nil.
  package func firstLine(in text: [UInt8]) -> Int? {
    let marks = Self.lines(of: text).map { $0.last == Self.lineFeed ? Array($0.dropLast()) : $0 }
    return marks.firstIndex(of: beginning).map { $0 + 2 }
  }

  /// Returns the services whose marks a text contains.
  package static func services(in text: [UInt8]) -> [[UInt8]] {
    let start = Array("# <<< mfa-admin enable ".utf8)
    var services: [[UInt8]] = []
    for line in lines(of: text) where line.starts(with: start) {
      let name = line.dropFirst(start.count).filter { $0 != lineFeed }
      if !services.contains(name) { services.append(name) }
    }
    return services
  }

  /// Returns the lines of a text, including their line feeds.
  package static func lines(of text: [UInt8]) -> [[UInt8]] {
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
