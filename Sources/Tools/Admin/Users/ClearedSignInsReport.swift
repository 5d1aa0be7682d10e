import MFAStore
import MFABase
import MFAModel

/// The result of clearing a user's remembered sign-ins.
package struct ClearedSignInsReport: Equatable {
  /// The user concerned.
  package let user: UserName
  /// The number of remembered sign-ins that were cleared.
  let rememberedCount: Int
  /// The checkpoint of the entry in the audit log, or nil if nothing was changed.
  package let mark: AuditLogCheckpoint?

  /// The result as one line: `alice: cleared 2 remembered sign-ins`.
  package var sentence: String {
    let name = VisibleText(user)
    return switch rememberedCount {
    case 0: "\(name): no sign-in was remembered"
    case 1: "\(name): cleared 1 remembered sign-in"
    case _: "\(name): cleared \(rememberedCount) remembered sign-ins"
    }
  }

  /// The result as JSON. Member names stay the same from version to version.
  package var json: JSON {
    .object([
      ("user", .string(String(decoding: user.bytes, as: UTF8.self))),
      ("result", .string(rememberedCount > 0 ? "forgotten" : "nothing-remembered")),
      ("rememberedSignIns", .number(Int64(rememberedCount))),
      ("checkpoint", JSON(mark.map { AuditLogProblem.text($0) })),
    ])
  }
}
