/// Why a program or a command of a realm failed, with what to do about it.
package struct RealmError: Error, Equatable, Sendable {
  /// What failed, and why.
  package let text: String
  /// What to do next, or nil.
  package let hint: String?

  /// Creates an error.
  package init(_ text: String, hint: String? = nil) {
    self.text = text
    self.hint = hint
  }
}
