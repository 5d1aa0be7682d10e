import MFAModel

/// The type of a token: the first word of its line in a users.oath file.
struct TokenType {
  /// The number of digits of a code.
  let codeLength: CodeLength

  /// How long a code lasts, in seconds, or nil if the token is counter-based.
  let period: UInt16?

  /// Parses a token type, such as `HOTP/T30/6`. Returns nil if pam_oath does not support it.
  init?(_ text: Span<UInt8>, in range: Range<Int>) {
    let kinds: [(name: String, period: UInt16?)] = [
      ("HOTP/E", nil), ("HOTP/T30", 30), ("HOTP/T60", 60),
    ]
    let lengths: [(suffix: String, codeLength: CodeLength)] = [
      ("", .six), ("/6", .six), ("/7", .seven), ("/8", .eight),
    ]
    if Text.matches(text, in: range, "HOTP") {
      codeLength = .six
      period = nil
      return
    }
    for kind in kinds {
      for length in lengths where Text.matches(text, in: range, kind.name + length.suffix) {
        codeLength = length.codeLength
        period = kind.period
        return
      }
    }
    return nil
  }
}
