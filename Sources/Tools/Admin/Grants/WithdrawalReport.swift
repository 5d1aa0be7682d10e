import MFAStore
import MFABase
import MFAModel

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
