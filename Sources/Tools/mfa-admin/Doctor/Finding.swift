/// A problem or fact that `mfa-admin doctor` reports.
struct Finding: Equatable {
  /// The severity of a finding, from highest to lowest.
  enum Severity: String, CaseIterable {
    /// Users are locked out or can sign in without a code.
    case error
    /// Users might be locked out or sign in without a code, an attack is easier, or a check failed.
    case warning
    /// A fact that may be intended.
    case note
  }

  /// The severity.
  let severity: Severity
  /// A stable identifier for programs.
  let code: String
  /// The PAM services concerned, or an empty array if the finding is not about a service.
  var services: [[UInt8]] = []
  /// The file and line, or the path, to look at first.
  let place: String
  /// The effect, and the users concerned.
  let message: String
  /// The remedy.
  let hint: String

  /// Returns whether another finding differs only in its services.
  func isLike(_ other: Finding) -> Bool {
    var same = other
    same.services = services
    return self == same
  }

  /// The finding as lines of text, each with a line feed.
  var text: String {
    let names = services.map { VisibleText.escaping($0) }
    let whose = names.isEmpty ? "" : HostSnapshot.list(names) + ": "
    return "\(severity.rawValue): \(place): \(whose)\(message)\n  \(hint)\n"
  }

  /// The finding as JSON. Member names are stable.
  var json: JSON {
    .object([
      ("severity", .string(severity.rawValue)), ("finding", .string(code)),
      ("services", .array(services.map { .string(VisibleText.escaping($0)) })),
      ("place", .string(place)),
      ("message", .string(message)), ("hint", .string(hint)),
    ])
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
