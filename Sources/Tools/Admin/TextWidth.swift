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
