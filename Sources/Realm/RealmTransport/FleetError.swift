/// Why a command of `mfa-fleet` failed, with what to do about it.
package struct FleetError: Error, Equatable {
  /// What failed, and why.
  package let text: String
  /// What to do, or nil.
  package let hint: String?

  /// Creates an error.
  package init(_ text: String, hint: String? = nil) {
    self.text = text
    self.hint = hint
  }
}
