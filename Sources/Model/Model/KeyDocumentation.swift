/// What administrators read about a configuration key, in mfa.conf and in mfa.conf(5).
///
/// The texts are plain English. Text in backticks is literal, such as the name of a key, a value or
/// a command. An empty line separates paragraphs; other line breaks have no meaning.
package struct KeyDocumentation: Sendable {
  /// A word that a key accepts, and what the word means.
  package struct Word: Sendable {
    /// The word.
    package let name: String
    /// The meaning, as one paragraph.
    package let meaning: String
  }

  /// What the key does. The file and the manual both have this text.
  package let summary: String
  /// The meaning of each word that the key accepts; empty if its values are not words, or need no
  /// explanation.
  package let words: [Word]
  /// Further paragraphs, which only the manual has; empty if there are none.
  package let details: String
  /// What applies without the key, as a sentence. Nil for a key with a default.
  package let absence: String?
  /// An example of a value. Nil for a key with a default.
  package let example: String?

  init(
    _ summary: String, words: [(name: String, meaning: String)] = [], details: String = "",
    without: (absence: String, example: String)? = nil
  ) {
    self.summary = summary
    self.words = words.map { Word(name: $0.name, meaning: $0.meaning) }
    self.details = details
    absence = without?.absence
    example = without?.example
  }
}
