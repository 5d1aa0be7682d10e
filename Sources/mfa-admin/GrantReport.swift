import Factors
import OneTimePassword

/// One grant of a user's, as it is listed.
struct GrantReport: Equatable {
  let user: UserName
  let grant: Grant
  /// Whether it is good now.
  let isGood: Bool

  /// Until when it is good.
  var expires: Timestamp? { Timestamp(grant.expiresAt) }

  /// The members for programs. Names stay the same from version to version.
  var members: [(String, JSON)] {
    [("user", .string(String(decoding: user.bytes, as: UTF8.self)))]
      + grant.members + [("good", .bool(isGood))]
  }
}

extension Grant.Kind {
  /// The kind by a word that stays the same from version to version.
  var word: String {
    switch self {
    case .ticket: "ticket"
    case .bypass: "bypass"
    }
  }
}

extension Grant {
  /// The members for programs. Names stay the same from version to version.
  var members: [(String, JSON)] {
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

/// A grant that was just made, with its code, which is nowhere else.
struct MadeGrant {
  let report: GrantReport
  let code: RecoveryCode
  /// What the administrator should know besides.
  let warning: String?

  /// What comes after the code, for a person.
  var explanation: String {
    let user = VisibleText(report.user)
    let grant = report.grant
    let end = Timestamp(grant.expiresAt)?.full ?? "an unknown time"
    let id = VisibleText.escaping(grant.id.hexadecimal)
    return switch grant.kind {
    case .ticket:
      "good for one enrolment until \(end); id \(id)\n"
        + "\(user) types it where 'mfa-enroll --ticket' asks for it; it is shown this once\n"
    case .bypass:
      "good for \(grant.usesLeft == 1 ? "1 sign-in" : "\(grant.usesLeft) sign-ins") "
        + "until \(end); id \(id)\n"
        + "\(user) types it where a one-time code is asked for; it is shown this once\n"
    }
  }
}
