/// The lines that mfa-admin adds to an administrator's file, enclosed in two marks.
///
/// MUST 1: inserting the lines into a text and removing them again results in the original text,
/// byte for byte. MUST 2: a line of another module between the marks is never removed, and an edited
/// line of ours always is. (`MarkedTextTests`)
package struct MarkedText: Equatable {
  /// The service that the lines are for.
  package let service: [UInt8]

  /// Creates the marks of a service.
  package init(service: [UInt8]) { self.service = service }

  /// Returns whether a line can appear between the marks.
  package static func isKnown(_ line: [UInt8]) -> Bool {
    StackPlan.isKnown(line) || SecureShellDropIn.isKnown(line)
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
    /// The text without our lines. `editedLine` is the number of the first line, counted from 1, that
    /// is between the marks and differs from what was written, or of a mark without a counterpart.
    case removed([UInt8], editedLine: Int?)
  }

  /// Returns whether a line between the marks is one of ours, whatever its arguments: it calls the module,
  /// or another module as a line that `enable` writes does, or sets a keyword of sshd's drop-in, or is empty
  /// or a comment.
  static func isOurs(_ line: [UInt8]) -> Bool {
    let text = String(decoding: line, as: UTF8.self)
    guard let first = text.split(whereSeparator: \.isWhitespace).first, first.first != "#" else {
      return true
    }
    let own = Self.call(in: text)
    return own?.module == "pam_mfa.so" || StackPlan.isKnown(line)
      || StackPlan.knownLines.contains { known in
        guard let own, let written = Self.call(in: known) else { return false }
        return own == written
      }
      || SecureShellDropIn.keywords.contains(first.lowercased())
  }

  /// Returns the type and the name of the module in a line of a service file, or nil.
  private static func call(in line: String) -> (type: String, module: String)? {
    let words = line.split(whereSeparator: \.isWhitespace)
    guard let type = words.first, let module = words.first(where: { $0.hasSuffix(".so") }) else {
      return nil
    }
    return (type.lowercased(), String(module.split(separator: "/").last ?? ""))
  }

  /// Removes all our blocks from a text. A block whose end is missing ends before the first line that is
  /// not one of ours.
  func removing(from text: [UInt8]) -> Removal {
    var kept: [UInt8] = []
    var edited: Int?
    var isInside = false
    var isInMatch = false
    var found = false
    let lines = Self.lines(of: text)
    for (index, line) in lines.enumerated() {
      let isEnded = line.last == Self.lineFeed
      let words = Self.content(line)
      if words == beginning {
        if isInside { edited = edited ?? index + 1 }
        isInside = true
        isInMatch = false
        found = true
        if !hasEnd(lines[index...]) { edited = edited ?? index + 1 }
      } else if words == end {
        if !isInside { edited = edited ?? index + 1 }
        found = true
        // The line before the block was the last line and had no line feed.
        if isInside, !isEnded, kept.last == Self.lineFeed { kept.removeLast() }
        isInside = false
      } else if isInside {
        if !Self.isKnown(words) { edited = edited ?? index + 1 }
        // Without its Match line, a setting would apply to every user.
        if SecureShellDropIn.isMatch(words) { isInMatch = true }
        guard !isInMatch, !Self.isOurs(words) else { continue }
        kept += line
        if !hasEnd(lines[index...]) { isInside = false }
      } else {
        kept += line
      }
    }
    return found ? .removed(kept, editedLine: edited) : .absent
  }

  /// Returns the text without our blocks.
  func without(_ text: [UInt8]) -> [UInt8] {
    switch removing(from: text) {
    case .absent: text
    case .removed(let rest, _): rest
    }
  }

  private func hasEnd(_ lines: ArraySlice<[UInt8]>) -> Bool {
    lines.contains { Self.content($0) == end }
  }

  /// Returns a line without its line feed.
  private static func content(_ line: [UInt8]) -> [UInt8] {
    line.last == lineFeed ? Array(line.dropLast()) : line
  }

  /// Returns the lines between our marks, without their line feeds.
  func ourLines(in text: [UInt8]) -> [[UInt8]] {
    var found: [[UInt8]] = []
    var isInside = false
    for line in Self.lines(of: text) {
      let words = Self.content(line)
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
    Self.lines(of: text).map(Self.content).firstIndex(of: beginning).map { $0 + 2 }
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
