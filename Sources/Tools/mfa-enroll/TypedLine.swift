import MFABase

/// A line that the user types while the terminal passes on each key. Editing works as in other lines:
/// Backspace, Ctrl-U and Ctrl-D. The keys of the screen are recognised while the line is empty.
struct TypedLine: ~Copyable {
  /// What a key means.
  enum Event: Equatable {
    /// The byte was added to the line.
    case added
    /// The line has changed in another way, or the key means nothing.
    case edited
    /// The line is complete.
    case complete
    /// The user wants to see the key in the other form.
    case otherForm
    /// The user wants the screen to be drawn again.
    case redraw
    /// The user typed the end of the input.
    case end
  }

  /// The longest line, in bytes: one more than an answer may have, so that a longer one is refused.
  private static var longest: Int { 513 }

  private var bytes = SecretBytes(count: longest)
  private(set) var count = 0
  private var escape = Escape.outside

  /// Which part of the sequence of an arrow or function key comes next.
  private enum Escape { case outside, first, rest }

  init() {}

  /// Takes one byte from the terminal.
  mutating func take(_ byte: UInt8) -> Event {
    switch escape {
    case .outside: break
    case .first:
      escape = byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") ? .rest : .outside
      return .edited
    case .rest:
      if (0x40...0x7E).contains(byte) { escape = .outside }
      return .edited
    }
    switch byte {
    case 0x1B: escape = .first
    case 0x0A, 0x0D: return count == 0 ? .redraw : .complete
    case 0x0C: return .redraw
    case 0x04: if count == 0 { return .end }
    case 0x08, 0x7F: deleteCharacter()
    case 0x15: clear()
    case UInt8(ascii: "k"), UInt8(ascii: "K"):
      return count == 0 ? .otherForm : append(byte)
    case 0..<0x20: break
    default: return append(byte)
    }
    return .edited
  }

  /// The line, without the bytes of keys that edit it.
  var text: SecretBytes { bytes.prefix(count) }

  mutating func clear() {
    bytes = SecretBytes(count: Self.longest)
    count = 0
  }

  private mutating func append(_ byte: UInt8) -> Event {
    guard count < Self.longest else { return .edited }
    let position = count
    bytes.withMutableSpan { $0[position] = byte }
    count += 1
    return .added
  }

  /// Deletes the last byte and, of a character in UTF-8, those before it.
  private mutating func deleteCharacter() {
    while count > 0 {
      count -= 1
      let position = count
      let byte = bytes.span[position]
      bytes.withMutableSpan { $0[position] = 0 }
      if byte & 0xC0 != 0x80 { return }
    }
  }
}
