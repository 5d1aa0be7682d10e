/// A closed set of words, one of which stands in a configuration.
protocol NamedChoice: CaseIterable {
  /// The word.
  var name: String { get }
}

extension NamedChoice {
  /// The choice of which `text` is the word, in exactly this spelling.
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
