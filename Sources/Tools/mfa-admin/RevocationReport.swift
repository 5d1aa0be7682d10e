import MFABytes
import MFAFactorStore
import MFAFactors

/// The result of a revocation.
struct RevocationReport: Equatable {
  /// What was removed.
  enum Taken: Equatable {
    /// One factor. `left` is the number of remaining factors, `places` the number of remembered
    /// sign-ins that were cleared with it.
    case factor(Factor, left: Int, places: Int)
    /// All factors. `grants` is the number of tickets and bypass codes, `places` the number of
    /// remembered sign-ins that were removed with them.
    case everything([Factor], grants: Int, places: Int)
    /// The stored files, which were not read.
    case unread
  }

  /// The user whose factors were revoked.
  let user: UserName
  /// What was removed.
  let taken: Taken
  /// Whether the change is in the audit log.
  let entered: Administration.Entered

  /// The result as text, such as `alice: revoked phone`.
  var sentence: String {
    let name = VisibleText(user)
    return switch taken {
    case .factor(let factor, left: 0, places: _):
      "\(name): revoked \(VisibleText(factor.displayName)); no factor is left"
    case .factor(let factor, left: _, places: _):
      "\(name): revoked \(VisibleText(factor.displayName))"
    case .everything([], grants: _, places: _), .unread:
      "\(name): removed what was stored; no factor is left"
    case .everything: "\(name): revoked every factor; no factor is left"
    }
  }

  /// The result as JSON. Member names are stable across versions.
  var json: JSON {
    let (factors, left, grants, places): ([Factor]?, Int, Int?, Int?) =
      switch taken {
      case .factor(let factor, let left, let places): ([factor], left, 0, places)
      case .everything(let factors, let grants, let places): (factors, 0, grants, places)
      case .unread: (nil, 0, nil, nil)
      }
    return .object([
      ("user", .string(String(decoding: user.bytes, as: UTF8.self))),
      ("result", .string(taken == .unread ? "discarded" : "revoked")),
      ("factors", factors.map { .array($0.map(\.naming)) } ?? .null),
      ("factorsLeft", .number(Int64(left))),
      ("grants", grants.map { .number(Int64($0)) } ?? .null),
      ("rememberedPlaces", places.map { .number(Int64($0)) } ?? .null),
      ("ledger", JSON(entered.mark.map { AuditLogProblem.text($0) })),
      ("ledgerFailure", JSON(entered.trouble?.sentence)),
    ])
  }
}
