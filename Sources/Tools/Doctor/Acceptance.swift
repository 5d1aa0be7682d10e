import MFAAdmin

/// An administrator's decision that a finding is intended, until a given time.
///
/// MUST 1: an acceptance holds only for findings with the same effect at the same line: if the line
/// or the description of the effect changes, the finding is reported again. (`AcceptanceTests`)
package struct Acceptance: Equatable {
  /// The part of a finding that must be the same for the acceptance to hold.
  package struct Subject: Equatable {
    /// The code of the finding.
    package let code: String
    /// The services concerned, escaped for display.
    package let services: [String]
    /// The path of the file, without a line number.
    package let path: String
    /// The text of the line, or nil if the finding does not name one.
    package let line: String?
    /// The message, without the numbers of lines: a line that moves is still the same.
    package let message: String
  }

  /// What is accepted.
  package let subject: Subject
  /// Why the finding is intended.
  package let reason: String
  /// The administrator's account name, escaped for display.
  package let actor: String
  /// The time of the decision, in seconds since the epoch.
  package let begin: Int64
  /// The time from which the finding is reported again, in seconds since the epoch.
  package let end: Int64

  /// Creates an acceptance.
  package init(_ subject: Subject, reason: String, actor: String, begin: Int64, end: Int64) {
    self.subject = subject
    self.reason = reason
    self.actor = actor
    self.begin = begin
    self.end = end
  }

  /// Returns whether the acceptance is in force at a time.
  package func holds(at time: Int64) -> Bool { time < end }
}

extension Acceptance.Subject {
  /// Returns the part of a finding that an acceptance names, or nil if the finding's line cannot be
  /// read.
  package init?(_ finding: Finding, on host: any ExaminedHost) {
    let (path, number) = Self.split(finding.place)
    var line: String?
    if let number {
      guard let text = Self.line(number, of: path, on: host) else { return nil }
      line = text
    }
    self.init(
      code: finding.code, services: finding.services.map { VisibleText.escaping($0) }.sorted(),
      path: path, line: line, message: Self.withoutLineNumbers(finding.message))
  }

  /// Separates the line number from a place such as `/etc/pam.d/sudo:3`.
  package static func split(_ place: String) -> (path: String, line: Int?) {
    guard let colon = place.lastIndex(of: ":"),
      let number = Int(place[place.index(after: colon)...]), number > 0
    else { return (place, nil) }
    return (String(place[..<colon]), number)
  }

  private static func line(_ number: Int, of path: String, on host: any ExaminedHost) -> String? {
    do {
      let lines = try host.text(of: path)?.split(
        separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      guard let lines, number <= lines.count else { return nil }
      return VisibleText.escaping(Array(lines[number - 1]))
    } catch {
      return nil
    }
  }

  private static func withoutLineNumbers(_ message: String) -> String {
    message.replacing(/(\/[^\s:]+):[0-9]+/) { "\($0.output.1)" }
  }
}
