/// Terminal column widths of texts.
enum TextWidth {
  /// Returns the number of columns that a text takes.
  static func of(_ text: String) -> Int {
    let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    return isPlain ? text.utf8.count : text.unicodeScalars.reduce(0) { $0 + columns(of: $1) }
  }

  /// Returns the text cut to `columns`, ending in `…` if a part was cut off.
  static func cut(_ text: String, to columns: Int) -> String {
    guard of(text) > columns else { return text }
    var kept = String.UnicodeScalarView()
    var used = 1
    for scalar in text.unicodeScalars {
      used += Self.columns(of: scalar)
      guard used <= columns else { break }
      kept.append(scalar)
    }
    return String(kept) + "…"
  }

  /// Returns the text padded with spaces to `columns`.
  static func pad(_ text: String, to columns: Int) -> String {
    text + String(repeating: " ", count: max(columns - of(text), 0))
  }

  /// Appends the text to `line`, cut and padded to `columns`, followed by `blanks` more spaces.
  static func add(_ text: String, cutTo columns: Int, blanks: Int, to line: inout [UInt8]) {
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

  private static func columns(of scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    case _: return isWide(scalar.value) ? 2 : 1
    }
  }

  /// Returns whether a scalar is in a Unicode block that is two columns wide (UAX 11, wide and
  /// full-width).
  private static func isWide(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
      0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x1FA70...0x1FAFF, 0x20000...0x3FFFD:
      true
    case _: false
    }
  }
}
