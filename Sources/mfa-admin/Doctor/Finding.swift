/// Something that the doctor has found.
struct Finding: Equatable {
  /// How much it matters, the most first.
  enum Severity: String, CaseIterable {
    /// It keeps people out, or lets them in without a code.
    case error
    /// It may come to that, or makes an attack easier; or something could not be looked at.
    case warning
    /// It is as somebody may want it, and worth knowing.
    case note
  }

  /// How much it matters.
  let severity: Severity
  /// A word that stays the same from version to version, for programs.
  let code: String
  /// The PAM services in question; none where it is about none in particular.
  var services: [[UInt8]] = []
  /// The file and the line, or the path, that is to be looked at first.
  let place: String
  /// What happens, and to whom.
  let message: String
  /// What to do about it.
  let hint: String

  /// Whether another is the same but for the services.
  func isLike(_ other: Finding) -> Bool {
    var same = other
    same.services = services
    return self == same
  }

  /// The lines for a person, each with a line feed.
  var text: String {
    let names = services.map { VisibleText.escaping($0) }
    let whose = names.isEmpty ? "" : Chart.list(names) + ": "
    return "\(severity.rawValue): \(place): \(whose)\(message)\n  \(hint)\n"
  }

  /// For programs. Names of members stay the same from version to version.
  var json: JSON {
    .object([
      ("severity", .string(severity.rawValue)), ("finding", .string(code)),
      ("services", .array(services.map { .string(VisibleText.escaping($0)) })),
      ("place", .string(place)),
      ("message", .string(message)), ("hint", .string(hint)),
    ])
  }

  /// That something could not be looked at.
  static func unchecked(
    _ what: String, at place: String, _ reason: String, severity: Severity = .warning
  ) -> Finding {
    Finding(
      severity: severity, code: "could-not-be-checked", place: place,
      message: "could not be checked: \(what): \(reason)",
      hint: "see to it that this can be read, then run mfa-admin doctor again")
  }
}
