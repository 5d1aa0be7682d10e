import Glibc

/// A pattern with wildcards, as in glob(7).
struct NamePattern: Equatable {
  private let text: String
  private let flags: Int32

  /// Creates a pattern for one component of a path. No wildcard matches a leading full stop.
  init(_ component: some StringProtocol) {
    text = String(component)
    flags = FNM_PERIOD
  }

  /// Creates a pattern for a path or a host name in sudoers. No wildcard matches a slash.
  init(inSudoers text: String) {
    self.text = text
    flags = FNM_PATHNAME
  }

  /// Creates a pattern of sshd, which has only the wildcards `*` and `?` (`match_pattern` in match.c).
  init(inSSHD text: String) {
    self.text = text.replacing("\\", with: "\\\\").replacing("[", with: "\\[")
    flags = 0
  }

  /// Whether the pattern can match something other than itself.
  var hasWildcards: Bool { text.contains { "*?[\\".contains($0) } }

  /// Returns whether a name matches (fnmatch(3)).
  func matches(_ name: String) -> Bool {
    // SAFETY: both strings are NUL-terminated and valid during the call.
    unsafe fnmatch(text, name, flags) == 0
  }
}
