import MFAAdmin
import MFABase

/// The findings that administrators have accepted, as stored in a JSON file.
package struct AcceptedFindings: Equatable {
  /// The acceptances, the oldest first.
  package private(set) var all: [Acceptance]

  /// Creates an empty list.
  package init() { all = [] }

  /// Returns the acceptance of a finding, even an expired one.
  package func acceptance(of subject: Acceptance.Subject) -> Acceptance? {
    all.first { $0.subject == subject }
  }

  /// Adds an acceptance, replaces an earlier one of the same finding, and removes all that expired
  /// more than 90 days before.
  package mutating func add(_ acceptance: Acceptance) {
    all.removeAll {
      $0.subject == acceptance.subject || !$0.holds(at: acceptance.begin - 90 * 86_400)
    }
    all.append(acceptance)
  }

  /// Removes the acceptances of a finding and path, and returns them.
  package mutating func remove(code: String, path: String) -> [Acceptance] {
    let removed = all.filter { $0.subject.code == code && $0.subject.path == path }
    all.removeAll { $0.subject.code == code && $0.subject.path == path }
    return removed
  }

  // MARK: The file

  /// The contents of the file.
  package var text: String {
    JSON.object([
      ("version", .number(1)), ("accepted", .array(all.map(\.json))),
    ]).text + "\n"
  }

  /// Reads the contents of the file.
  ///
  /// MUST 1: a file that is not exactly of this form is refused: nothing is accepted by mistake.
  /// (`AcceptanceTests`)
  package init(_ text: [UInt8]) throws(AdminError) {
    let path = "\(InstalledPath.acceptedFindings)"
    let json: JSON
    do throws(AdminError) { json = try JSONReader.value(of: text) } catch {
      throw AdminError(at: path, "it \(error.reason)")
    }
    guard case .object(let members) = json,
      case .array(let values)? = members.first(where: { $0.name == "accepted" })?.value,
      case .number(1)? = members.first(where: { $0.name == "version" })?.value
    else { throw AdminError(at: path, "it is not a list of accepted findings") }
    all = []
    for (index, value) in values.enumerated() {
      guard let acceptance = Acceptance(value) else {
        throw AdminError(at: path, "entry \(index + 1) in \"accepted\" is incomplete")
      }
      all.append(acceptance)
    }
  }
}

extension Acceptance {
  /// Returns the acceptance as lines of text, each with a line feed.
  package func text(at time: Int64) -> String {
    let names = subject.services.joined(separator: ", ")
    let state = holds(at: time) ? "until" : "EXPIRED"
    return """
      \(subject.path): \(names.isEmpty ? "" : names + ": ")\(subject.message) [\(subject.code)]
        \(state) \(terms)

      """
  }

  /// Until when the finding is accepted, by whom, and why.
  package var terms: String {
    "\(Timestamp(end)?.short ?? "an unknown time"), by \(actor): \(reason)"
  }

  /// The acceptance as JSON. Member names are stable. Times are in seconds since the epoch.
  package var json: JSON {
    .object([
      ("finding", .string(subject.code)),
      ("services", .array(subject.services.map { .string($0) })), ("path", .string(subject.path)),
      ("line", JSON(subject.line)), ("message", .string(subject.message)),
      ("reason", .string(reason)), ("by", .string(actor)), ("since", .number(begin)),
      ("until", .number(end)),
    ])
  }

  /// Reads an acceptance from JSON, or returns nil if a member is missing or has another type.
  init?(_ json: JSON) {
    guard case .object(let members) = json else { return nil }
    var values: [String: JSON] = [:]
    for member in members { values[member.name] = member.value }
    guard case .string(let code)? = values["finding"],
      case .array(let names)? = values["services"], case .string(let path)? = values["path"],
      case .string(let message)? = values["message"], case .string(let reason)? = values["reason"],
      case .string(let actor)? = values["by"], case .number(let begin)? = values["since"],
      case .number(let end)? = values["until"]
    else { return nil }
    var services: [String] = []
    for name in names {
      guard case .string(let name) = name else { return nil }
      services.append(name)
    }
    let line: String?
    switch values["line"] {
    case .string(let text): line = text
    case .null: line = nil
    case _: return nil
    }
    self.init(
      Subject(code: code, services: services, path: path, line: line, message: message),
      reason: reason, actor: actor, begin: begin, end: end)
  }
}

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
