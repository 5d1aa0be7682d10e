import MFABase
import MFAModel

/// The lines of a configuration file, in which one setting is changed and everything else stays: comments,
/// spaces and the order.
package struct ConfigurationLines {
  private var lines: [[UInt8]]

  /// Splits a text into lines.
  package init(_ text: [UInt8]) {
    lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { Array($0) }
    // The last line has a line feed, or there is none.
    if lines.last?.isEmpty == true { lines.removeLast() }
  }

  /// The text, with a line feed after each line.
  package var text: [UInt8] { lines.flatMap { $0 + [UInt8(ascii: "\n")] } }

  /// Returns the spellings of a key.
  package static func spellings(of key: String) -> [String] {
    let short = key.replacing("nroll", with: "nrol")
    return [key] + [short, short.replacing("nrol", with: "nroll")].filter { $0 != key }
  }

  /// Sets a key, which may have several spellings, in the section of the project or of a tenant. A key that
  /// the section does not have, and a section that the file does not have, are added at the end.
  package mutating func set(_ keys: [String], to value: [UInt8], tenant: [UInt8]?) {
    let line = Array((keys.first ?? "").utf8) + Array(" = ".utf8) + value
    if let index = index(of: keys, tenant: tenant) {
      lines[index] = line
    } else if let section = section(tenant) {
      // After the last line of the section that is not empty.
      let last = lines[section].lastIndex { !Self.trimmed($0).isEmpty } ?? section.lowerBound
      lines.insert(line, at: last + 1)
    } else {
      if !lines.isEmpty { lines.append([]) }
      lines += [Self.header(tenant), line]
    }
  }

  /// Returns the index of the line that sets a key in a section, or nil.
  func index(of keys: [String], tenant: [UInt8]?) -> Int? {
    section(tenant).flatMap { section in
      lines[section].firstIndex { line in keys.contains { Self.sets($0, line) } }
    }
  }

  /// Returns the lines of a section with its header, or nil if there is no such section.
  private func section(_ tenant: [UInt8]?) -> Range<Int>? {
    let header = Self.header(tenant)
    guard let start = lines.firstIndex(where: { Self.trimmed($0) == header }) else { return nil }
    let end = lines[(start + 1)...].firstIndex { Self.trimmed($0).first == UInt8(ascii: "[") }
    return start..<(end ?? lines.endIndex)
  }

  private static func header(_ tenant: [UInt8]?) -> [UInt8] {
    tenant.map { Array("[tenant ".utf8) + $0 + Array("]".utf8) } ?? Array("[project]".utf8)
  }

  private static func sets(_ key: String, _ line: [UInt8]) -> Bool {
    let parts = line.split(
      separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count == 2 && trimmed(Array(parts[0])) == Array(key.utf8)
  }

  private static func trimmed(_ line: [UInt8]) -> [UInt8] {
    func isSpace(_ byte: UInt8) -> Bool {
      byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
    var rest = line[...].drop(while: isSpace)
    while let last = rest.last, isSpace(last) { rest = rest.dropLast() }
    return Array(rest)
  }
}
