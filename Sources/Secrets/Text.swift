// Texts for people and logs, put together by a few functions: in the module an interpolation takes as
// many bytes at each place as all of these together, and appending to a string brings along what the
// standard library needs for strings of UTF-16, 10 KB.

/// Puts a text together of three.
@inline(never)
public func joined(_ beginning: String, _ middle: String, _ end: String = "") -> String {
  var text = Array(beginning.utf8)
  text += middle.utf8
  text += end.utf8
  return utf8Text(text)
}

/// Puts a text together of a few.
@inline(never)
public func joined(_ parts: [String]) -> [UInt8] {
  var text: [UInt8] = []
  for part in parts { text += part.utf8 }
  return text
}

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
