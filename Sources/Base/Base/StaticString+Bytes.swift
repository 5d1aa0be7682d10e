extension StaticString {
  /// Calls `body` with each byte of the literal's UTF-8.
  package func forEachByte(_ body: (UInt8) -> Void) {
    // SAFETY: the buffer covers exactly the literal's bytes and is used only within the closure.
    withUTF8Buffer { buffer in
      for index in buffer.indices { body(unsafe buffer[index]) }
    }
  }

  /// The literal's UTF-8.
  package var bytes: [UInt8] {
    // SAFETY: the buffer covers exactly the literal's bytes.
    withUTF8Buffer { unsafe Array($0) }
  }

  /// Returns whether `text` is the literal's UTF-8.
  package func equals(_ text: Span<UInt8>) -> Bool {
    guard text.count == utf8CodeUnitCount else { return false }
    // SAFETY: the buffer covers exactly the literal's bytes, and is used only within the closure.
    return withUTF8Buffer { buffer in
      for index in text.indices where unsafe buffer[index] != text[index] { return false }
      return true
    }
  }
}
