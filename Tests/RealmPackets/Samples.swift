import MFAAttempt
import MFABase
import MFAModel
import MFARealm
import MFAWire

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
  guard let name = DisplayName(Array((name ?? "phone \(number)").utf8)) else { throw NoName() }
  return Factor(
    id: identifier(number), displayName: name,
    enrolledAt: now - 1000, kind: .totp(parameters, sealedSecret: sealed))
}

/// Returns a record of alice.
func record(_ factors: [Factor], id: UInt8 = 0xEE, uid: UInt32 = .max) throws -> FactorRecord {
  guard let user = UserName(Array("alice".utf8)) else { throw NoName() }
  var record = FactorRecord(user: user, uid: uid, id: identifier(id))
  for factor in factors { try record.add(factor) }
  return record
}

/// A constant is not a name.
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

/// Changes of users, their effects, and a report on a user, with each kind of field.
enum Samples {
  private static func bytes(_ text: String) -> [UInt8] { FactSamples.bytes(text) }

  private static var reason: Grant.Reason? { Grant.Reason(bytes("lost phone")) }

  static var changes: [UserChange] {
    [
      .unlock, .forget, .revoke(identifier(7)), .revokeEverything, .withdraw(nil),
      .withdraw(GrantID(bytes: [1, 2, 3, 4])),
      .grant(UserChange.GrantTerms(kind: .bypass, seconds: 600, uses: 3, reason: reason)),
      .grant(UserChange.GrantTerms(kind: .ticket, seconds: 60, uses: 1, reason: nil)),
    ]
  }

  private static var factors: [FactorSummary] {
    var factors: [FactorSummary] = []
    if let name = DisplayName(bytes("phone")) {
      factors.append(
        FactorSummary(
          id: identifier(7), displayName: name, enrolledAt: now, kind: .totp(.standard)))
      if let number = MaskedPhoneNumber(ascii: bytes("+*******5555")) {
        factors.append(
          FactorSummary(
            id: identifier(8), displayName: name, enrolledAt: now,
            kind: .phone(number, usableFrom: now + 1)))
      }
    }
    return factors
  }

  private static var grants: [Grant] {
    let digest = [UInt8](repeating: 0, count: RecoveryCodeDigest.length)
    let id = GrantID(bytes: [1, 2, 3, 4]) ?? .zero
    let passwords = ["", "192.0.2.0/24 2001:db8::/32"].map {
      Grant(
        kind: .programPassword, id: id, madeAt: now, expiresAt: now + 600, usesLeft: 1,
        reason: reason,
        scope: ProgramScope(services: bytes("dovecot smtp"), networks: bytes($0)), digest: digest)
    }
    let others = [reason, nil].map {
      Grant(
        kind: .bypass, id: id, madeAt: now, expiresAt: now + 600, usesLeft: 2, reason: $0,
        digest: digest)
    }
    return (others + passwords).compactMap { $0 }
  }

  static var effects: [UserChange.Effect] {
    var effects: [UserChange.Effect] = [
      .unlocked(
        UserChange.Unlocking(
          standing: .throttled(seconds: 95), failures: 7, ownStanding: .locked, ownFailures: 100,
          daemonStanding: .throttled(seconds: 30), daemonFailures: 5,
          remembered: 2, ahead: factors)),
      .forgotten(remembered: 3),
      .revoked(
        UserChange.Removal(
          factors: factors, factorsLeft: 1, grants: 2, remembered: 3, isOfEverything: true)),
      .withdrawn(grants),
    ]
    let digits = bytes("AAAA-BBBB-CCCC-DDDD")
    if let grant = grants.first, let code = RecoveryCode(written: digits.span) {
      effects.append(
        .granted(
          UserChange.NewGrant(
            grant: grant, code: GrantCode(code), standing: .open, isEnrolled: true)))
    }
    return effects
  }

  static var summary: UserSummary? {
    guard let user = UserName(bytes("alice")) else { return nil }
    var summary = UserSummary(user: user, uid: nil, standing: .throttled(seconds: 5))
    summary.factors = factors.enumerated().map { number, factor in
      UserSummary.ListedFactor(
        summary: factor, origin: .imported, keyLength: 20, lastStep: number == 0 ? 17 : nil)
    }
    summary.recoveryCodes = 8
    summary.importedRecoveryCodes = 2
    summary.grants = grants
    summary.failures = FailureCount(failures: 3, last: now)
    summary.ownFailures = FailureCount(failures: 4, last: now + 1)
    summary.daemonFailures = FailureCount(failures: 5, last: now + 3)
    summary.turns = 5
    summary.turnsOfOneSource = 4
    summary.remembered = 6
    summary.lastRemembered = now + 2
    return summary
  }
}
