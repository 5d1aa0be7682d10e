import MFAMessages

// The words of mfa-enroll, in every language. They are apart from MFAMessages because no other program
// shows them. The texts are in the catalogues in packaging/po.

extension EnrollMessage {
  /// Returns a label with the space between it and the text that follows. A full-width colon contains
  /// that space.
  package func label(in language: Language) -> MessageText {
    let label = text(in: language)
    return label.utf8.suffix(3).elementsEqual("：".utf8) ? label : "\(label) "
  }
}

extension MessageText.StringInterpolation {
  /// Appends a name, a path or another value.
  mutating func appendInterpolation(_ text: String) { appendInterpolation(Array(text.utf8)) }

  /// Appends a number in decimal digits.
  mutating func appendInterpolation(_ number: Int) { appendInterpolation(Int64(number)) }
}
