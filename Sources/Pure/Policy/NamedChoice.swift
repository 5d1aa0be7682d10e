/// A closed set of words for a configuration value.
protocol NamedChoice: CaseIterable {
  /// The word for this choice.
  var name: String { get }
}

extension NamedChoice {
  /// Creates the choice whose word is exactly `text`. Returns nil for any other text.
  init?(named text: Span<UInt8>) {
    for choice in Self.allCases where text.equals(choice.name) {
      self = choice
      return
    }
    return nil
  }
}

extension Configuration.Key: NamedChoice {}
extension Configuration.State: NamedChoice {}
extension Configuration.Enrollment: NamedChoice {}
