import MFABase

/// The format in which a key is written for users who type it.
enum Grouping {
  /// Returns the key with a space after every four characters, except at the end.
  static func inFours(_ key: borrowing SecretBytes) -> SecretBytes {
    let key = key.span
    var text = SecretBytes(count: key.count + max(0, (key.count - 1) / 4))
    text.withMutableSpan { text in
      for index in key.indices {
        let position = index + index / 4
        if index > 0 && index % 4 == 0 { text[position - 1] = UInt8(ascii: " ") }
        text[position] = key[index]
      }
    }
    return text
  }
}
