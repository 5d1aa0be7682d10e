/// What went wrong in a test's surroundings, with all that is needed to see why.
public struct HarnessFailure: Error, CustomStringConvertible {
  /// What happened, in one line.
  public let what: String

  /// What was seen until then: a transcript, a log, the output of a command.
  public let evidence: [(title: String, text: String)]

  /// An error that says what happened and shows the evidence.
  public init(_ what: String, evidence: [(title: String, text: String)] = []) {
    self.what = what
    self.evidence = evidence
  }

  /// What happened, and below it the evidence.
  public var description: String {
    var text = what
    for item in evidence {
      text += "\n---- \(item.title) ----\n\(item.text)"
      if !item.text.hasSuffix("\n") { text += "\n" }
    }
    return evidence.isEmpty ? text : text + "----"
  }
}
