import MFAModel

/// A list of patterns on a `Match` line (ssh_config(5), "PATTERNS"): separated by commas, with the
/// wildcards `*` and `?`; a pattern after `!` excludes what it matches.
///
/// MUST 1: sshd comes to the same result. (`SSHDPatternsTests`, `EndToEnd.Doctor.matchLines`)
struct SSHDPatterns: Equatable {
  /// A pattern of the list.
  struct Pattern: Equatable {
    let text: String
    let isNegated: Bool
  }

  let patterns: [Pattern]

  /// Parses a list.
  init(_ text: String) {
    patterns = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      part.hasPrefix("!")
        ? Pattern(text: String(part.dropFirst()), isNegated: true)
        : Pattern(text: String(part), isNegated: false)
    }
  }

  /// The patterns that do not exclude.
  var positive: [String] { patterns.filter { !$0.isNegated }.map(\.text) }

  /// Whether a pattern has a wildcard.
  var hasWildcards: Bool { patterns.contains { Self.isPattern($0.text) } }

  /// Returns whether a pattern has a wildcard.
  static func isPattern(_ text: String) -> Bool { text.contains { $0 == "*" || $0 == "?" } }

  /// The same patterns in lower case.
  var lowercased: SSHDPatterns {
    SSHDPatterns(
      patterns: patterns.map { Pattern(text: $0.text.lowercased(), isNegated: $0.isNegated) })
  }

  private init(patterns: [Pattern]) { self.patterns = patterns }

  /// Returns words that a pattern matches, shortest first.
  static func words(matching pattern: String) -> [String] {
    guard isPattern(pattern) else { return [pattern] }
    return ["", "x", "example", "0"].map { filling in
      pattern.replacing("*", with: filling)
        .replacing("?", with: filling.isEmpty ? "a" : filling.prefix(1))
    }.filter { !$0.isEmpty }
  }

  /// The result for one word.
  enum Result {
    /// A pattern matches, and none excludes the word.
    case matches
    /// A pattern excludes the word.
    case excluded
    case differs
  }

  /// Compares a word with all patterns.
  func result(_ word: String) -> Result {
    let word = Array(word.utf8)[...]
    var result = Result.differs
    for pattern in patterns where Self.matches(word, Array(pattern.text.utf8)[...]) {
      guard !pattern.isNegated else { return .excluded }
      result = .matches
    }
    return result
  }

  /// Returns whether a user name matches the list.
  func matches(user: String) -> Bool { result(user) == .matches }

  /// Returns whether an address matches the list, whose patterns can be networks.
  func matches(address text: String) -> Bool {
    guard let address = IPAddress(Array(text.utf8).span) else { return false }
    let word = Array(text.utf8)[...]
    var matches = false
    for pattern in patterns {
      let bytes = Array(pattern.text.utf8)
      let holds =
        Network(containing: bytes.span)?.contains(address)
        ?? Self.matches(word, bytes[...])
      guard holds else { continue }
      guard !pattern.isNegated else { return false }
      matches = true
    }
    return matches
  }

  /// Returns whether a user with these groups matches the list. One group that is excluded excludes
  /// the user.
  func matches(groups: [String]) -> Bool {
    var matches = false
    for group in groups {
      switch result(group) {
      case .excluded: return false
      case .matches: matches = true
      case .differs: continue
      }
    }
    return matches
  }

  private static func matches(_ word: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
    var word = word
    var pattern = pattern
    // Where to continue if the text after the last `*` does not match here.
    var retry: (word: ArraySlice<UInt8>, pattern: ArraySlice<UInt8>)?
    while true {
      if pattern.first == UInt8(ascii: "*") {
        pattern = pattern.dropFirst()
        retry = (word, pattern)
      } else if let byte = word.first, let wanted = pattern.first,
        wanted == byte || wanted == UInt8(ascii: "?")
      {
        word = word.dropFirst()
        pattern = pattern.dropFirst()
      } else if word.isEmpty, pattern.isEmpty {
        return true
      } else if let last = retry, !last.word.isEmpty {
        word = last.word.dropFirst()
        pattern = last.pattern
        retry = (word, pattern)
      } else {
        return false
      }
    }
  }
}
