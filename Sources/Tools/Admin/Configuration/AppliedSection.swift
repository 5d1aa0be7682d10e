import MFAModel

/// A section of the drop-in of `config apply`.
package struct AppliedSection: Equatable {
  /// The form of the JSON that was applied last.
  let form: IdentityPlatformForm
  /// The lines of the section.
  private let lines: [ArraySlice<UInt8>]

  /// Finds the section with a header in the canonical text of the drop-in. Returns nil if there is
  /// none.
  init?(_ header: [UInt8], in text: [UInt8], form: IdentityPlatformForm) {
    let lines = text.split(separator: UInt8(ascii: "\n"))
    guard let start = lines.firstIndex(where: { $0.elementsEqual(header) }) else { return nil }
    self.form = form
    self.lines = lines[(start + 1)...].prefix { $0.first != UInt8(ascii: "[") }.map { $0 }
  }

  /// Returns whether the section sets a key.
  func sets(_ key: Configuration.Key) -> Bool {
    lines.contains { $0.starts(with: "\(key.name) = ".utf8) }
  }
}
