import Glibc

/// A component of a path with wildcards, as in glob(7).
struct NamePattern {
  private let text: String

  init(_ text: some StringProtocol) { self.text = String(text) }

  /// Whether the component can match a name other than itself.
  var hasWildcards: Bool { text.contains { "*?[\\".contains($0) } }

  /// Returns whether a name matches (fnmatch(3)). No wildcard matches a leading full stop.
  func matches(_ name: String) -> Bool {
    // SAFETY: both strings are NUL-terminated and valid during the call.
    unsafe fnmatch(text, name, FNM_PERIOD) == 0
  }
}

/// A pattern with wildcards, as in glob(7).
struct SudoersPattern {
  private let text: String

  init(_ text: String) { self.text = text }

  /// Whether the pattern can match something other than itself.
  var hasWildcards: Bool { text.contains { "*?[\\".contains($0) } }

  /// Returns whether a path or a host name matches (fnmatch(3)). No wildcard matches a slash.
  func matches(_ name: String) -> Bool {
    // SAFETY: both strings are NUL-terminated and valid during the call.
    unsafe fnmatch(text, name, FNM_PATHNAME) == 0
  }
}
