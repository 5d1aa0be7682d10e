import MFABase

/// Everything that is known about a configuration key.
struct KeyDeclaration {
  /// The sections in which a key is allowed.
  enum Scope: UInt8 {
    /// `[project]` and tenants.
    case everySection
    /// Only `[project]`, because the setting concerns the whole host.
    case project
    /// Only tenants, because the key selects the sign-ins that a tenant applies to.
    case tenants
    /// Only daemons.
    case daemons
    /// Tenants and daemons, because the key selects sign-ins.
    case selections
  }

  /// Which of two values is stricter. The stricter one applies if it is unknown whether a tenant
  /// matches.
  enum Stricter: UInt8 {
    /// The key is a selector, or only `[project]` can set it, or its value does not affect
    /// security. A tenant that may match does not change it.
    case neither
    /// The smaller number.
    case smaller
    /// The larger number.
    case larger
    /// 0, and otherwise the larger number.
    case zeroThenLarger
    /// The smaller number, but 0 stands for no limit.
    case smallerExceptZero
    /// What both values contain: the values are sets of bits.
    case inBoth
    /// Neither, because the maximum age of a remembered sign-in depends on several keys together.
    /// Instead of either value, no remembered sign-in is accepted.
    case rememberingNothing
    /// An empty list.
    case noService
  }

  /// The name of the key in the file.
  let name: StaticString
  /// A second spelling that is accepted; empty if there is none.
  let otherSpelling: StaticString
  /// The values that the key accepts, and how they are written.
  let type: ConfigurationValueType
  /// The sections in which the key is allowed.
  let scope: Scope
  /// The default of a key whose value is a number. A list is empty by default.
  let defaultNumber: Int64
  /// Which of two values is stricter.
  let stricter: Stricter

  @inline(__always)
  init(
    _ name: StaticString, or otherSpelling: StaticString = "", _ type: ConfigurationValueType,
    in scope: Scope = .everySection, default defaultNumber: Int64 = 0,
    stricter: Stricter = .neither
  ) {
    self.name = name
    self.otherSpelling = otherSpelling
    self.type = type
    self.scope = scope
    self.defaultNumber = defaultNumber
    self.stricter = stricter
  }

  /// Returns whether `text` is the name of the key, in either spelling.
  func isNamed(_ text: Span<UInt8>) -> Bool {
    name.equals(text) || !text.isEmpty && otherSpelling.equals(text)
  }

  /// Returns whether the key is allowed in this type of section.
  func belongs(to section: Configuration.Section) -> Bool {
    switch scope {
    case .everySection: section != .daemon
    case .project: section == .project
    case .tenants: section == .tenant
    case .daemons: section == .daemon
    case .selections: section != .project
    }
  }

  /// The value if no file sets the key; nil for a selector.
  var defaultValue: ConfigurationValue? {
    guard belongs(to: .project) else { return nil }
    return type.isList ? .texts([]) : .number(defaultNumber)
  }
}

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
