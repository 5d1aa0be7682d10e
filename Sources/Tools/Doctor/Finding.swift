import MFAAdmin

/// A problem or fact that `mfa-admin doctor` reports.
package struct Finding: Equatable {
  /// The severity of a finding, from highest to lowest.
  package enum Severity: String, CaseIterable {
    /// Users are locked out or can sign in without a code.
    case error
    /// Users might be locked out or sign in without a code, an attack is easier, or a check failed.
    case warning
    /// A fact that may be intended.
    case note
  }

  /// The severity.
  package let severity: Severity
  /// A stable identifier for programs.
  package let code: String
  /// The PAM services concerned, or an empty array if the finding is not about a service.
  package var services: [[UInt8]] = []
  /// The file and line, or the path, to look at first.
  package let place: String
  /// The effect, and the users concerned.
  package let message: String
  /// The remedy.
  package let hint: String

  /// Returns whether another finding differs only in its services.
  func differsOnlyInServices(from other: Finding) -> Bool {
    var same = other
    same.services = services
    return self == same
  }

  /// The severity, the place, the services and the message on one line, without a line feed.
  package var headline: String {
    let names = services.map { VisibleText.escaping($0) }
    let whose = names.isEmpty ? "" : NameList.text(names) + ": "
    return "\(severity.rawValue): \(place): \(whose)\(message) [\(code)]"
  }

  /// The finding as lines of text, each with a line feed.
  package var text: String { "\(headline)\n  \(hint)\n" }

  /// The finding as JSON. Member names are stable.
  package var json: JSON {
    .object([
      ("severity", .string(severity.rawValue)), ("finding", .string(code)),
      ("services", .array(services.map { .string(VisibleText.escaping($0)) })),
      ("place", .string(place)),
      ("message", .string(message)), ("hint", .string(hint)),
    ])
  }

  /// Returns the finding about users who do not exist now: it is no error yet.
  func ifAccountExists() -> Finding {
    Finding(
      severity: severity == .error ? .warning : severity, code: code, services: services,
      place: place, message: "\(message); no account has such a name now", hint: hint)
  }

  /// Returns the finding that `what` could not be checked.
  static func unchecked(
    _ what: String, at place: String, _ reason: String, severity: Severity = .warning
  ) -> Finding {
    Finding(
      severity: severity, code: "could-not-be-checked", place: place,
      message: "cannot check \(what): \(reason)",
      hint: "correct this, then run mfa-admin doctor again")
  }
}
