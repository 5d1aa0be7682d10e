/// Puts a text together of three. One function in place of an interpolation at each place, which in the
/// module takes as many bytes as all of this.
@inline(never)
func joined(_ beginning: String, _ middle: String, _ end: String = "") -> String {
  var text = beginning
  text += middle
  text += end
  return text
}

/// A number in decimal digits.
@inline(never)
func decimal(_ number: Int64) -> String { String(number) }

/// Text that is UTF-8, or what of it is.
@inline(never)
func utf8Text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
