public import MFABase

extension SecretBytes {
  /// Creates a copy of a text in UTF-8.
  ///
  /// The copy is wiped after use. The text itself is not: Swift copies strings without the program's
  /// knowledge, and cannot wipe them. A one-time password is worthless once it is used, so a string
  /// is good enough for it. Passwords and recovery codes should never be in a string.
  public init(_ text: String) {
    self.init(count: text.utf8.count)
    withMutableSpan { bytes in
      var index = 0
      for byte in text.utf8 {
        bytes[index] = byte
        index += 1
      }
    }
  }

  /// The bytes as a text, for programs that show them in a window. Empty if the bytes are not UTF-8.
  ///
  /// The text stays in memory after it is released, until the memory is used for something else. A
  /// program for the terminal calls `print(terminator:)` instead, which leaves no copy.
  public var string: String {
    do throws(UTF8.ValidationError) {
      return String(copying: try UTF8Span(validating: span))
    } catch {
      return ""
    }
  }
}
