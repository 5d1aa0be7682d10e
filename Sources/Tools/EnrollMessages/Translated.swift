import MFAMessages

// The words of mfa-enroll, in every language. They are apart from MFAMessages because no other program
// shows them. Each language has one file for each enumeration (EnrollMessage+French.swift, ...): the
// compiler reports a message without a text.

/// A message with a text in each language.
package protocol Translated {
  /// What a text consists of.
  associatedtype Text

  /// The text in English (ASCII only, for terminals that show nothing else).
  var english: Text { get }
  /// The text in French.
  var french: Text { get }
  /// The text in Spanish.
  var spanish: Text { get }
  /// The text in Japanese.
  var japanese: Text { get }
  /// The text in Traditional Chinese, in the words of Taiwan.
  var traditionalChinese: Text { get }
}

extension Translated {
  /// Returns the text in a language.
  package func text(in language: Language) -> Text {
    switch language {
    case .english: english
    case .french: french
    case .spanish: spanish
    case .japanese: japanese
    case .traditionalChinese: traditionalChinese
    }
  }
}

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
