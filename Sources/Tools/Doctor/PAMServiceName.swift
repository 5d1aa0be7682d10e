/// The name of a PAM service: in lower case, with only letters, digits and `-_.+@`.
package struct PAMServiceName: Equatable {
  /// The name as PAM knows it.
  package let bytes: [UInt8]

  /// Converts a name that an administrator typed. Nil if it cannot be the name of a service.
  package init?(_ text: String) {
    guard text.wholeMatch(of: /[A-Za-z0-9_+@-][A-Za-z0-9_.+@-]*/) != nil else { return nil }
    bytes = Array(text.lowercased().utf8)
  }
}
