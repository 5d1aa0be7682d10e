import Secrets

/// How a key is written for people who type it.
enum Grouping {
  /// A space after each four characters, but for the last.
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

/// A name in quotation marks. Names have no control characters in them.
func quoted(_ name: String) -> String { "\"\(name)\"" }
