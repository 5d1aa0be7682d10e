/// Why a command for administrators of a realm failed.
package struct RealmError: Error, Equatable, Sendable {
  /// What failed, and why.
  package let text: String
  /// What to do next, or nil.
  package let hint: String?

  init(_ text: String, hint: String? = nil) {
    self.text = text
    self.hint = hint
  }
}
