/// A failure in the setup of a test, with the evidence needed to find its cause.
package struct HarnessFailure: Error, CustomStringConvertible {
  /// The failure, in one line.
  package let what: String

  /// The evidence: a transcript, a log, the output of a command.
  package let evidence: [(title: String, text: String)]

  /// Creates a failure with its evidence.
  package init(_ what: String, evidence: [(title: String, text: String)] = []) {
    self.what = what
    self.evidence = evidence
  }

  /// The failure, followed by the evidence.
  package var description: String {
    var text = what
    for item in evidence {
      text += "\n---- \(item.title) ----\n\(item.text)"
      if !item.text.hasSuffix("\n") { text += "\n" }
    }
    return evidence.isEmpty ? text : text + "----"
  }
}
