import MFAStore
import MFABase
import MFAModel

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
package struct NewGrantReport: ~Copyable {
  package let report: GrantReport
  /// Why the grant may not work, or nil.
  package let warning: String?
  /// The audit log entry.
  package let checkpoint: AuditLogCheckpoint?
  package let code: RecoveryCode

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
