import MFAAttempt
import MFABase
import MFAModel
import MFAStore

/// One grant of a user, as shown in a list.
package struct GrantReport: Equatable {
  package let user: UserName
  package let grant: Grant
  /// Whether the grant is valid now.
  package let isGood: Bool

  /// The time at which the grant expires.
  package var expires: Timestamp? { Timestamp(grant.expiresAt) }

  /// The members of the JSON object. Their names stay the same from version to version.
  package var members: [(String, JSON)] {
    [("user", .string(String(decoding: user.bytes, as: UTF8.self)))]
      + grant.members + [("valid", .bool(isGood))]
  }
}

extension Grant.Kind {
  /// The kind as a word that stays the same from version to version.
  package var word: String {
    switch self {
    case .ticket: "ticket"
    case .bypass: "bypass"
    case .enrollment: "enrolment"
    case .programPassword: "program-password"
    }
  }
}

extension Grant {
  /// The members of the JSON object. Their names stay the same from version to version.
  package var members: [(String, JSON)] {
    [
      ("kind", .string(kind.word)),
      ("id", .string(VisibleText.escaping(id.hexadecimal))),
      ("made", JSON(Timestamp(madeAt)?.iso8601)),
      ("expires", JSON(Timestamp(expiresAt)?.iso8601)),
      ("usesLeft", scope == nil ? .number(Int64(usesLeft)) : .null),
      ("reason", JSON(reason.map { String(decoding: $0.utf8, as: UTF8.self) })),
    ] + (scope == nil ? [] : [("services", JSON(services)), ("networks", JSON(networks))])
  }
}

extension Grant {
  /// The services of a program password, or nil.
  fileprivate var services: String? {
    scope.map { VisibleText.escaping($0.servicesText) }
  }

  /// The networks of a program password, or nil if it is valid from every address, or for other grants.
  fileprivate var networks: String? {
    scope.flatMap { $0.networks.isEmpty ? nil : VisibleText.escaping($0.networksText) }
  }

  /// What a table of grants says about the grant, apart from its kind, id and time.
  fileprivate var remark: String {
    let reason = reason.map { VisibleText.escaping($0.utf8) }
    guard let services else { return reason ?? "-" }
    return "\(reason ?? "-"), for \(services)" + (networks.map { " from \($0)" } ?? "")
  }
}

/// A new grant, with the only copy of its code.
package struct NewGrantReport {
  package let report: GrantReport
  /// Why the grant may not work, or nil.
  package let warning: String?
  /// The audit log entry.
  package let checkpoint: AuditLogCheckpoint?
  /// The only copy of the code.
  package let code: GrantCode

  /// Creates the report on a grant that was created for `user`.
  init(user: UserName, _ made: UserChange.NewGrant, checkpoint: AuditLogCheckpoint?) {
    report = GrantReport(user: user, grant: made.grant, isGood: true)
    warning = Self.warning(made)
    self.checkpoint = checkpoint
    code = made.code
  }

  private static func warning(_ made: UserChange.NewGrant) -> String? {
    switch made.standing {
    case .open: break
    case .throttled(let seconds):
      return
        "too many wrong codes: no code is accepted for \(seconds) s; mfa-admin unlock ends the wait"
    case .locked:
      return "too many wrong codes: no code is accepted until you run mfa-admin unlock"
    }
    guard made.grant.kind == .bypass, !made.isEnrolled else { return nil }
    return "no factor is enrolled: a code is asked for only where policy requires a factor"
  }

  /// The lines to print after the code.
  package var explanation: String {
    let user = VisibleText(report.user)
    let grant = report.grant
    let end = Timestamp(grant.expiresAt)?.full ?? "an unknown time"
    let id = VisibleText.escaping(grant.id.hexadecimal)
    return switch grant.kind {
    case .ticket:
      "valid for one enrolment until \(end); id \(id)\n"
        + "\(user) types it when 'mfa-enroll --ticket' asks for it; it is not shown again\n"
    case .bypass, .enrollment, .programPassword:
      "valid for \(grant.usesLeft == 1 ? "1 sign-in" : "\(grant.usesLeft) sign-ins") "
        + "until \(end); id \(id)\n"
        + "\(user) types it in place of a one-time code; it is not shown again\n"
    }
  }
}

extension TextTable {
  /// Creates the table of `mfa-admin grants`, in the given order.
  package init(_ reports: [GrantReport]) {
    self.init(
      [["USER", "KIND", "ID", "USES", "UNTIL (UTC)", "REASON"]] + reports.map { Self.row($0) })
  }

  private static func row(_ report: GrantReport) -> [String] {
    let grant = report.grant
    return [
      "\(VisibleText(report.user))", grant.kind.word, VisibleText.escaping(grant.id.hexadecimal),
      grant.scope == nil ? "\(grant.usesLeft)" : "-",
      report.isGood ? report.expires?.short ?? "an unknown time" : "expired",
      grant.remark,
    ]
  }
}

/// How long a grant is valid, typed as a whole number followed by s, m, h or d.
package struct GrantDuration: Equatable {
  /// The duration, in seconds.
  package let seconds: Int64

  /// The valid durations, in seconds: one minute to thirty days.
  package static let range =
    Int64(
      UserChange.GrantTerms.durations.lowerBound)...Int64(
      UserChange.GrantTerms.durations.upperBound)

  /// Returns a duration in hours.
  package static func hours(_ hours: Int64) -> GrantDuration {
    GrantDuration(seconds: hours * 3600)
  }

  /// Returns a duration in minutes.
  package static func minutes(_ minutes: Int64) -> GrantDuration {
    GrantDuration(seconds: minutes * 60)
  }

  private init(seconds: Int64) { self.seconds = seconds }

  /// Parses an argument. Returns nil if it is not a duration, or not within `range`.
  package init?(argument: String) {
    guard let seconds = Self.seconds(argument, units: "smhd", in: Self.range) else { return nil }
    self.seconds = seconds
  }

  /// Parses a whole number followed by a unit: s, m, h or d. Returns the seconds, or nil if the text is
  /// anything else, the unit is not in `units`, or the time is outside `range`.
  package static func seconds(
    _ argument: String, units: String, in range: ClosedRange<Int64>
  ) -> Int64? {
    let factors: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    guard let unit = argument.last, units.contains(unit), let factor = factors[unit],
      let number = Int64(argument.dropLast()), number > 0, argument.first != "+"
    else { return nil }
    let (seconds, overflow) = number.multipliedReportingOverflow(by: factor)
    return !overflow && range.contains(seconds) ? seconds : nil
  }

  /// The duration in the form of an argument: in hours, or in minutes rounded down.
  package var text: String {
    seconds % 3600 == 0 ? "\(seconds / 3600)h" : "\(seconds / 60)m"
  }
}

/// The result of a withdrawal of tickets or bypass codes.
package struct WithdrawalReport: Equatable {
  /// The user who had the grants.
  package let user: UserName
  /// The withdrawn grants, at least one.
  package let grants: [Grant]
  /// The checkpoint of the entry in the audit log.
  package let mark: AuditLogCheckpoint?

  /// The result as text, such as `alice: withdrawn 0a1b2c3d`.
  package var sentence: String {
    let ids = grants.map { VisibleText.escaping($0.id.hexadecimal) }
    return "\(VisibleText(user)): withdrawn \(ids.joined(separator: ", "))"
  }

  /// The result as JSON. Member names are stable across versions.
  package var json: JSON {
    .object([
      ("user", .string(String(decoding: user.bytes, as: UTF8.self))),
      ("result", .string("withdrawn")),
      ("grants", .array(grants.map { .object($0.members) })),
      ("checkpoint", JSON(mark.map { AuditLogProblem.text($0) })),
    ])
  }
}
