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
      ("usesLeft", .number(Int64(usesLeft))),
      ("reason", JSON(reason.map { String(decoding: $0.utf8, as: UTF8.self) })),
    ]
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
    case .bypass:
      "valid for \(grant.usesLeft == 1 ? "1 sign-in" : "\(grant.usesLeft) sign-ins") "
        + "until \(end); id \(id)\n"
        + "\(user) types it in place of a one-time code; it is not shown again\n"
    }
  }
}
