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
