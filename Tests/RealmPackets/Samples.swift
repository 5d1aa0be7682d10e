import MFAModel
import MFARealm

/// The time of the tests, in seconds since the epoch.
let now: Int64 = 1_800_000_000

/// Returns an id of sixteen equal bytes.
func identifier(_ byte: UInt8) -> FactorID {
  FactorID(bytes: [UInt8](repeating: byte, count: FactorID.length)) ?? .zero
}

/// Returns a factor whose name contains its number.
func factor(
  _ number: UInt8, name: String? = nil, period: UInt16 = 30, sealed: [UInt8] = [1, 2, 3]
) throws -> Factor {
  let parameters = TOTPParameters(algorithm: .sha1, codeLength: .six, period: period) ?? .standard
  return Factor(
    id: identifier(number), displayName: try DisplayName(Array((name ?? "phone \(number)").utf8)),
    enrolledAt: now - 1000, kind: .totp(parameters, sealedSecret: sealed))
}

/// Returns a record of alice.
func record(_ factors: [Factor], id: UInt8 = 0xEE, uid: UInt32 = .max) throws -> FactorRecord {
  guard let user = UserName(Array("alice".utf8)) else { throw NoName() }
  var record = FactorRecord(user: user, uid: uid, id: identifier(id))
  for factor in factors { try record.add(factor) }
  return record
}

/// A constant is not a user's name.
struct NoName: Error {}

/// Returns an attempt state with the same watermark for each factor.
func attempts(
  of record: FactorRecord, step: Int64, failures: UInt32 = 0, lastFailure: Int64 = 0
) -> AttemptState {
  AttemptState(
    record: record.id, failures: failures, lastFailure: lastFailure,
    watermarks: record.factors.map { AttemptState.Watermark(factor: $0.id, step: step) },
    unreported: AttemptState.Unreported(failures: failures, lastFailure: lastFailure))
}

/// Returns an import of these factors.
func userImport(
  _ factors: [Factor], step: Int64 = 100, failures: UInt32 = 0, lastFailure: Int64 = 0
) throws -> UserImport {
  let record = try record(factors, id: 0xAA, uid: 1000)
  return UserImport(
    record: record,
    attempts: attempts(of: record, step: step, failures: failures, lastFailure: lastFailure))
}

/// Returns what a realm has. Factors with the same number have the same key, unless `isSameKey` is false.
func present(
  _ factors: [Factor], step: Int64 = 50, failures: UInt32 = 0, isSameKey: Bool = true,
  twins: [UserImport.Twins] = []
) throws -> UserImport.Present {
  let record = try record(factors)
  let same = factors.map { UserImport.Twins(imported: $0.id, present: $0.id) }
  return UserImport.Present(
    record: record, attempts: attempts(of: record, step: step, failures: failures),
    twins: (isSameKey ? same : []) + twins)
}

extension UserImport {
  /// Merges with the time and the source of the tests.
  func merged(_ present: Present) -> Merged { merged(into: present, from: .unknown, at: now) }
}

extension UserImport.Merged {
  /// The results for the factors, in their order.
  var results: [FactorImport.Result] { factors.map(\.result) }

  /// The names of the factors of the record, in their order.
  var names: [String] {
    record.factors.map { String(decoding: $0.displayName.utf8, as: UTF8.self) }
  }
}

/// Returns a number of recovery codes.
func recoveryCodes(_ count: Int, _ byte: UInt8 = 7) -> [RecoveryCodeDigest] {
  (0..<count).compactMap { number in
    RecoveryCodeDigest(
      kind: .generated,
      bytes: [UInt8](repeating: byte, count: 31) + [UInt8(truncatingIfNeeded: number)])
  }
}

/// Returns a bypass code that is valid.
func grant() -> Grant? {
  GrantID(bytes: [1, 2, 3, 4]).flatMap {
    Grant(
      kind: .bypass, id: $0, madeAt: now, expiresAt: now + 600, usesLeft: 1, reason: nil,
      digest: [UInt8](repeating: 0, count: RecoveryCodeDigest.length))
  }
}
