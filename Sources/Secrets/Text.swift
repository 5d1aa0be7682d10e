// Texts for people and logs, put together by a few functions: in the module an interpolation takes as
// many bytes at each place as all of these together, and appending to a string, or copying out of one, brings
// along what the standard library needs for strings of UTF-16, 10 KB.

/// Puts a text together of three.
@inline(never)
public func joined(_ beginning: String, _ middle: String, _ end: String = "") -> String {
  utf8Text(joined([beginning, middle, end]))
}

/// Puts a text together of a few.
@inline(never)
public func joined(_ parts: [String]) -> [UInt8] {
  var text: [UInt8] = []
  for part in parts { text += bytes(of: part) }
  return text
}

/// The UTF-8 of a text: the standard library's own ways are prepared for texts in UTF-16.
@inline(never)
public func bytes(of text: String) -> [UInt8] { text.utf8Span.span.copied() }

/// A number in decimal digits.
@inline(never)
public func decimal(_ number: Int64) -> String { String(number) }

/// Text that is UTF-8; where it is not, every byte that is not one of ASCII is shown as `?`.
@inline(never)
public func utf8Text(_ bytes: [UInt8]) -> String {
  do throws(UTF8.ValidationError) {
    return String(copying: try UTF8Span(validating: bytes.span))
  } catch {
    return utf8Text(bytes.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") })
  }
}
