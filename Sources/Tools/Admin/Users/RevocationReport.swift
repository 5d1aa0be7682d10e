import MFAAttempt
import MFABase
import MFAModel

/// The result of a revocation.
package struct RevocationReport: Equatable {
  /// The user whose factors were revoked.
  package let user: UserName
  /// What was removed; nil if stored files were removed that could not be read.
  let removal: UserChange.Removal?
  /// Whether the change is in the audit log.
  package let entered: AuditLogOutcome

  /// What happens at the user's sign-ins now, if no factor is left and that was determined.
  package var effect: UnenrolledSignIns?

  /// Whether no factor is left.
  package var leavesNoFactor: Bool { (removal?.factorsLeft ?? 0) == 0 }

  /// The result as text, such as `alice: revoked phone`.
  package var sentence: String {
    let name = VisibleText(user)
    let done =
      if let removal, let factor = removal.factors.first {
        removal.isOfEverything
          ? "\(name): revoked every factor" : "\(name): revoked \(VisibleText(factor.displayName))"
      } else {
        "\(name): removed what was stored"
      }
    guard leavesNoFactor else { return done }
    return done + "; no factor is left" + (effect.map { ": " + $0.sentence } ?? "")
  }

  /// The result as JSON. Member names are stable across versions.
  package var json: JSON {
    .object([
      ("user", .string(String(decoding: user.bytes, as: UTF8.self))),
      ("result", .string(removal == nil ? "discarded" : "revoked")),
      ("factors", removal.map { .array($0.factors.map(\.naming)) } ?? .null),
      ("factorsLeft", .number(Int64(removal?.factorsLeft ?? 0))),
      ("grants", removal.map { .number(Int64($0.grants)) } ?? .null),
      ("rememberedSignIns", removal.map { .number(Int64($0.remembered)) } ?? .null),
      ("signIns", JSON(effect?.rawValue)),
      ("checkpoint", JSON(entered.mark.map { AuditLogProblem.text($0) })),
      ("auditLogFailure", JSON(entered.problem?.sentence)),
    ])
  }
}
