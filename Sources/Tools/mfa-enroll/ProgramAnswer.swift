import MFABase

/// The answer of a program: a JSON object (RFC 8259) with one member, whose value is a string or `true`.
///
/// The value can be a password, so the text is read here: a decoder of a library would leave copies in memory.
struct ProgramAnswer: ~Copyable {
  /// The name of the member.
  let name: String
  /// The value of the member in UTF-8; empty if it is `true`.
  let value: SecretBytes

  /// Reads a line. Returns nil if it is anything else.
  init?(_ line: borrowing SecretBytes) {
    let text = line.span
    var place = 0
    guard Self.skip("{", in: text, at: &place), let name = Self.string(in: text, at: &place),
      Self.skip(":", in: text, at: &place)
    else { return nil }
    let value: SecretBytes
    if let string = Self.string(in: text, at: &place) {
      value = string
    } else {
      guard Self.skip("true", in: text, at: &place) else { return nil }
      value = SecretBytes(count: 0)
    }
    guard Self.skip("}", in: text, at: &place) else { return nil }
    Self.skipSpace(in: text, at: &place)
    guard place == text.count else { return nil }
    let bytes = name.span
    self.name = String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    self.value = value
  }

  // MARK: Reading

  private static func skipSpace(in text: Span<UInt8>, at place: inout Int) {
    while place < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[place]) { place += 1 }
  }

  /// Skips space and this token. Returns false if something else follows.
  private static func skip(
    _ token: StaticString, in text: Span<UInt8>, at place: inout Int
  ) -> Bool {
    skipSpace(in: text, at: &place)
    let token = token.bytes
    guard text.count - place >= token.count,
      token.indices.allSatisfy({ text[place + $0] == token[$0] })
    else { return false }
    place += token.count
    return true
  }

  /// Reads a string. If no valid one follows, returns nil and stays at `place`.
  private static func string(in text: Span<UInt8>, at place: inout Int) -> SecretBytes? {
    var next = place
    guard skip("\"", in: text, at: &next) else { return nil }
    var string = SecretBytes(count: text.count - next)
    var count = 0
    while next < text.count {
      let byte = text[next]
      next += 1
      switch byte {
      case UInt8(ascii: "\""):
        place = next
        return string.prefix(count)
      case UInt8(ascii: "\\"):
        guard let scalar = escaped(in: text, at: &next) else { return nil }
        // An escape sequence is longer than the scalar in UTF-8.
        for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
          let position = count
          string.withMutableSpan { $0[position] = unit }
          count += 1
        }
      case 0..<0x20: return nil
      default:
        let position = count
        string.withMutableSpan { $0[position] = byte }
        count += 1
      }
    }
    return nil
  }

  /// Reads what follows a backslash.
  private static func escaped(in text: Span<UInt8>, at place: inout Int) -> Unicode.Scalar? {
    guard place < text.count else { return nil }
    let letter = text[place]
    place += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      guard let unit = hexadecimal(in: text, at: &place) else { return nil }
      guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
      guard skipEscape(in: text, at: &place), let trail = hexadecimal(in: text, at: &place),
        UTF16.isTrailSurrogate(trail)
      else { return nil }
      return Unicode.Scalar(0x10000 + UInt32(unit & 0x3FF) << 10 + UInt32(trail & 0x3FF))
    default: return nil
    }
  }

  /// Skips the beginning of the second half of a surrogate pair.
  private static func skipEscape(in text: Span<UInt8>, at place: inout Int) -> Bool {
    guard text.count - place >= 2, text[place] == UInt8(ascii: "\\"),
      text[place + 1] == UInt8(ascii: "u")
    else { return false }
    place += 2
    return true
  }

  /// Reads four hexadecimal digits.
  private static func hexadecimal(in text: Span<UInt8>, at place: inout Int) -> UInt16? {
    guard text.count - place >= 4 else { return nil }
    var number: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = Character(Unicode.Scalar(text[place])).hexDigitValue else { return nil }
      number = number << 4 | UInt16(digit)
      place += 1
    }
    return number
  }
}
