/// Why a command for administrators of a realm failed.
public struct RealmError: Error, Equatable, Sendable {
  /// What failed, and why.
  public let text: String
  /// What to do next, or nil.
  public let hint: String?

  init(_ text: String, hint: String? = nil) {
    self.text = text
    self.hint = hint
  }
}
