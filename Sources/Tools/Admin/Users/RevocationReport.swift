import MFABase
import MFAStore
import MFAModel

/// The result of a revocation.
package struct RevocationReport: Equatable {
  /// What was removed.
  package enum Removal: Equatable {
    /// One factor. `left` is the number of remaining factors, `rememberedCount` the number of
    /// remembered sign-ins that were cleared.
    case factor(Factor, left: Int, rememberedCount: Int)
    /// All factors. `grants` is the number of tickets and bypass codes that were removed,
    /// `rememberedCount` the number of remembered sign-ins that were cleared.
    case everything([Factor], grants: Int, rememberedCount: Int)
    /// The stored files, which were not read.
    case unread
  }

  /// The user whose factors were revoked.
  package let user: UserName
  /// What was removed.
  let removal: Removal
  /// Whether the change is in the audit log.
  package let entered: Administration.AuditLogOutcome

  /// What happens at the user's sign-ins now, if no factor is left and that was determined.
  package var effect: UnenrolledSignIns?

  /// Whether no factor is left.
  package var leavesNoFactor: Bool {
    switch removal {
    case .factor(_, let left, rememberedCount: _): left == 0
    case .everything, .unread: true
    }
  }

  /// The result as text, such as `alice: revoked phone`.
  package var sentence: String {
    let name = VisibleText(user)
    let done =
      switch removal {
      case .factor(let factor, left: _, rememberedCount: _):
        "\(name): revoked \(VisibleText(factor.displayName))"
      case .everything([], grants: _, rememberedCount: _), .unread:
        "\(name): removed what was stored"
      case .everything: "\(name): revoked every factor"
      }
    guard leavesNoFactor else { return done }
    return done + "; no factor is left" + (effect.map { ": " + $0.sentence } ?? "")
  }

  /// The result as JSON. Member names are stable across versions.
  package var json: JSON {
    let (factors, left, grants, rememberedCount): ([Factor]?, Int, Int?, Int?) =
      switch removal {
      case .factor(let factor, let left, let rememberedCount): ([factor], left, 0, rememberedCount)
      case .everything(let factors, let grants, let rememberedCount):
        (factors, 0, grants, rememberedCount)
      case .unread: (nil, 0, nil, nil)
      }
    return .object([
      ("user", .string(String(decoding: user.bytes, as: UTF8.self))),
      ("result", .string(removal == .unread ? "discarded" : "revoked")),
      ("factors", factors.map { .array($0.map(\.naming)) } ?? .null),
      ("factorsLeft", .number(Int64(left))),
      ("grants", grants.map { .number(Int64($0)) } ?? .null),
      ("rememberedSignIns", rememberedCount.map { .number(Int64($0)) } ?? .null),
      ("signIns", JSON(effect?.rawValue)),
      ("checkpoint", JSON(entered.mark.map { AuditLogProblem.text($0) })),
      ("auditLogFailure", JSON(entered.problem?.sentence)),
    ])
  }
}
