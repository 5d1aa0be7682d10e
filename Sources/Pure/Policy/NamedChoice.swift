/// A closed set of words for a configuration value.
protocol NamedChoice: CaseIterable {
  /// The word for this choice.
  var name: String { get }
  /// A second spelling of the word that is accepted, or nil.
  var otherSpelling: String? { get }
}

extension NamedChoice {
  var otherSpelling: String? { nil }

  /// Creates the choice whose word is `text`, in either spelling. Returns nil for any other text.
  init?(named text: Span<UInt8>) {
    for choice in Self.allCases
    where text.equals(choice.name) || choice.otherSpelling.map({ text.equals($0) }) ?? false {
      self = choice
      return
    }
    return nil
  }
}

extension Configuration.Key: NamedChoice {
  /// British spelling is accepted as well.
  var otherSpelling: String? {
    switch self {
    case .enrollment: "enrolment"
    case .endSessionsOnUnenroll: "end_sessions_on_unenrol"
    default: nil
    }
  }
}
extension Configuration.State: NamedChoice {}
extension Configuration.Enrollment: NamedChoice {}
