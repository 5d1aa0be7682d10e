// Functions that build messages and log lines. They keep the module small: each string
// interpolation would add as much code as all of these functions together. Appending to a string,
// or copying out of one, would link 10 KB of the standard library's UTF-16 support.

/// Joins three texts.
@inline(never)
package func joined(_ beginning: String, _ middle: String, _ end: String = "") -> String {
  utf8Text(joined([beginning, middle, end]))
}

/// Joins the parts, and returns UTF-8.
@inline(never)
package func joined(_ parts: [String]) -> [UInt8] {
  var text: [UInt8] = []
  for part in parts { text += bytes(of: part) }
  return text
}

/// Returns the UTF-8 of a text. The standard library's own functions include support for UTF-16.
@inline(never)
package func bytes(of text: String) -> [UInt8] { text.utf8Span.span.copied() }

/// Returns a number in decimal digits.
@inline(never)
package func decimal(_ number: Int64) -> String { String(number) }

/// Returns the text of UTF-8 bytes. If they are not valid UTF-8, each byte that is not ASCII
/// becomes `?`.
@inline(never)
package func utf8Text(_ bytes: [UInt8]) -> String {
  do throws(UTF8.ValidationError) {
    return String(copying: try UTF8Span(validating: bytes.span))
  } catch {
    return utf8Text(bytes.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") })
  }
}

/// The characters that could make a reader see something other than what a text contains.
///
/// These are ranges, because the module does not contain Unicode property data. The tests compare
/// the ranges with the standard library's property data, scalar by scalar.
extension Unicode.Scalar {
  /// Whether this scalar is a control character of ISO 646 or ISO 6429 (general category Cc): C0,
  /// DEL or C1.
  package var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }

  /// Whether this scalar is the zero-width joiner or non-joiner. Both are deceptive in a name,
  /// where they can be invisible. In prose they belong to the spelling of Persian, of Indic scripts
  /// and of some emoji.
  package var isJoiner: Bool { value == 0x200C || value == 0x200D }

  /// Whether this scalar must not appear unescaped in a name that identifies something: control
  /// characters, line and paragraph separators, bidirectional controls (UAX #9, section 2),
  /// interlinear annotations, and code points that are invisible by default
  /// (`Default_Ignorable_Code_Point`, which UTS #39, section 3.1 excludes from identifiers).
  ///
  /// Variation selectors are not deceptive although they are invisible by themselves: keyboards
  /// insert them after many emoji.
  @inline(never)
  package var isDeceptive: Bool {
    switch value {
    case 0x00...0x1F, 0x7F...0x9F, 0xAD, 0x034F, 0x061C, 0x115F...0x1160, 0x17B4...0x17B5, 0x180E,
      0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x3164, 0xFEFF, 0xFFA0, 0xFFF0...0xFFFB,
      0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE00FF, 0xE01F0...0xE0FFF:
      true
    default: false
    }
  }
}
