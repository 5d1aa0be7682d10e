import FoundationEssentials
import MFABase
import MFAModel

/// Terminal column widths of texts.
package enum TextWidth {
  /// Returns the number of columns that a text takes.
  package static func of(_ text: String) -> Int {
    let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    return isPlain
      ? text.utf8.count : text.unicodeScalars.reduce(0) { $0 + CharacterWidth.columns(of: $1) }
  }

  /// Returns the text cut to `columns`, ending in `…` if a part was cut off.
  package static func cut(_ text: String, to columns: Int) -> String {
    guard of(text) > columns else { return text }
    var kept = String.UnicodeScalarView()
    var used = 1
    for scalar in text.unicodeScalars {
      used += CharacterWidth.columns(of: scalar)
      guard used <= columns else { break }
      kept.append(scalar)
    }
    return String(kept) + "…"
  }

  /// Returns lines broken at spaces, so that each takes at most `columns` unless a word is longer. The
  /// rest of a line follows with its own indentation and `hanging` spaces more. Without `columns`, for
  /// output that is no terminal, returns the lines as they are.
  package static func wrapped(_ lines: String, to columns: Int?, hanging: Int = 4) -> String {
    guard let columns else { return lines }
    return lines.split(separator: "\n", omittingEmptySubsequences: false)
      .map { wrapped(line: $0, to: columns, hanging: hanging) }.joined(separator: "\n")
  }

  /// Returns the lines of a text that is broken at spaces, so that each takes at most `columns`.
  static func lines(of text: String, columns: Int) -> [String] {
    wrapped(text, to: columns, hanging: 0).split(separator: "\n").map(String.init)
  }

  private static func wrapped(line: Substring, to columns: Int, hanging: Int) -> String {
    guard of(String(line)) > columns else { return String(line) }
    let indentation = String(line.prefix { $0 == " " })
    var rows = [indentation]
    var isEmpty = true
    for word in line.dropFirst(indentation.count).split(
      separator: " ", omittingEmptySubsequences: false)
    {
      let longer = rows[rows.count - 1] + (isEmpty ? "" : " ") + word
      if isEmpty || of(longer) <= columns {
        rows[rows.count - 1] = longer
      } else {
        rows.append(indentation + String(repeating: " ", count: hanging) + word)
      }
      isEmpty = false
    }
    return rows.joined(separator: "\n")
  }

  /// Returns the text padded with spaces to `columns`.
  package static func pad(_ text: String, to columns: Int) -> String {
    text + String(repeating: " ", count: max(columns - of(text), 0))
  }

  /// Appends the text to `line`, cut and padded to `columns`, followed by `blanks` more spaces.
  package static func add(_ text: String, cutTo columns: Int, blanks: Int, to line: inout [UInt8]) {
    var text = text
    var width = of(text)
    if width > columns {
      text = cut(text, to: columns)
      width = of(text)
    }
    line.append(contentsOf: text.utf8)
    line.append(
      contentsOf: repeatElement(UInt8(ascii: " "), count: max(columns - width, 0) + blanks))
  }
}

/// A table whose first row is the heading.
package struct TextTable {
  private let rows: [[String]]

  /// The minimum width of a shortened column.
  private static let narrowest = 8

  init(_ rows: [[String]]) { self.rows = rows }

  /// Returns the table, whose lines each end with a line feed. To fit `columns`, it shortens first
  /// the last column and then the first one, as far as possible.
  package func text(columns: Int? = nil) -> String {
    var widths = (rows.first?.indices ?? 0..<0).map { column in
      rows.reduce(0) { max($0, TextWidth.of($1[column])) }
    }
    let last = widths.count - 1
    if let columns {
      // Two spaces separate columns.
      let others = widths[1..<last].reduce(2 * last, +)
      let room = columns - others
      let narrowLast = min(widths[last], max(room - widths[0], Self.narrowest))
      widths[0] = min(widths[0], max(room - narrowLast, Self.narrowest))
      widths[last] = narrowLast
    }
    return rows.map { row in
      zip(row, widths).dropLast().map { cell, width in
        TextWidth.pad(TextWidth.cut(cell, to: width), to: width + 2)
      }.joined() + TextWidth.cut(row[last], to: widths[last]) + "\n"
    }.joined()
  }
}

/// Text from an untrusted source, escaped for display on a terminal. It cannot move the cursor,
/// change colours or reverse the text direction.
package struct VisibleText: CustomStringConvertible, Equatable {
  /// The escaped text.
  package let description: String

  /// Creates the visible form of a user name. A name without deceptive characters, by the rules for
  /// display names, is unchanged. Otherwise each backslash and each byte that is not printable
  /// ASCII is written as `\xHH`.
  package init(_ user: UserName) { description = Self.escaping(user.bytes) }

  /// Creates the visible form of a display name, which was checked when it was created.
  package init(_ name: DisplayName) { description = String(decoding: name.utf8, as: UTF8.self) }

  /// Creates the visible form of a factor's id: 32 hexadecimal digits.
  package init(_ id: FactorID) { description = String(decoding: id.hexadecimal, as: UTF8.self) }

  /// Escapes a text that contains deceptive characters, line by line.
  package static func escaping(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { escaping(Array($0.utf8)) }.joined(separator: "\n")
  }

  /// Escapes bytes that contain deceptive characters.
  package static func escaping(_ bytes: [UInt8]) -> String {
    // A fast path: nearly all names are printable ASCII, and a listing can have many.
    guard !bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
      return String(decoding: bytes, as: UTF8.self)
    }
    var text = ""
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars where scalar.isDeceptive {
      return escapingBytes(bytes)
    }
    text = String(decoding: bytes, as: UTF8.self)
    // Decoding replaces invalid UTF-8, so the text then differs from the bytes.
    return Array(text.utf8) == bytes ? text : escapingBytes(bytes)
  }

  private static func escapingBytes(_ bytes: [UInt8]) -> String {
    var text = ""
    for byte in bytes {
      if byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\\") {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return text
  }
}

/// Lists of names within sentences.
package enum NameList {
  /// Joins the first `most` names with commas and appends the number of the remaining names.
  package static func text(_ names: [String], most: Int = 5) -> String {
    let rest = names.count - most
    let shown = names.prefix(most).joined(separator: ", ")
    return rest > 0 ? "\(shown) and \(rest) more" : shown
  }
}

/// A time, created from seconds since the epoch and written in UTC.
package struct Timestamp: Equatable {
  private let date: Date

  /// The format of times for display. A format style always writes seconds.
  private static let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space)
    .year().month().day().time(includingFractionalSeconds: false)

  /// Creates a timestamp from seconds since the epoch, or nil outside the years 1583 to 9999. ISO
  /// 8601 has no other years without an agreement with the reader, and Foundation writes earlier
  /// days in the Julian calendar.
  package init?(_ seconds: Int64) {
    guard (-12_212_553_600...253_402_300_799).contains(seconds) else { return nil }
    date = Date(timeIntervalSince1970: Double(seconds))
  }

  /// Creates the start time of a time step, or nil if it is out of range.
  package init?(step: Int64, period: UInt16) {
    let (seconds, overflow) = step.multipliedReportingOverflow(by: Int64(period))
    guard !overflow else { return nil }
    self.init(seconds)
  }

  /// The time in ISO 8601: `2026-11-21T10:18:00Z`.
  package var iso8601: String { date.formatted(.iso8601) }

  /// The time for display, with seconds: `2026-11-21 10:18:00 UTC`.
  package var full: String { Self.style.format(date) + " UTC" }

  /// The time for tables, without seconds: `2026-11-21 10:18`.
  package var short: String { String(Self.style.format(date).prefix(16)) }
}
