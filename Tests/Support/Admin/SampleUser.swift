import MFAAttempt
import MFABase
import MFAStore
import MFAModel

@testable import MFAAdmin

/// Reports on users with one factor.
package enum SampleUser {
  package static let now: Int64 = 1_700_000_000
  package static let day: Int64 = 86_400

  /// Returns a user with one factor, whose last code was accepted `used` days ago.
  package static func report(
    _ name: String, used: Int64 = 0, enrolled: Int64 = 1000, secretLength: Int = 20,
    _ origin: Factor.Origin = .enrolled, standing: AttemptState.Standing = .open,
    grantedUntil: Int64? = nil
  ) throws -> UserReport {
    // A sealed secret has a nonce of 12 bytes and a tag of 16 bytes.
    let sealed = [UInt8](repeating: 1, count: secretLength + 28)
    let factor = try factor(
      try id(1), "phone", enrolledAt: now - enrolled * day, sealedSecret: sealed, origin: origin)
    var record = try record(name, [factor])
    if let grantedUntil, let grantID = GrantID(bytes: [1, 2, 3, 4]) {
      let grant = Grant(
        kind: .bypass, id: grantID, madeAt: now - 2 * day, expiresAt: now + grantedUntil,
        usesLeft: 1, reason: nil,
        digest: [UInt8](repeating: 0, count: RecoveryCodeDigest.length))
      guard let grant, record.add(grant) else { throw TestMistake(what: name) }
    }
    let attempts = AttemptState(
      record: record.id,
      watermarks: [AttemptState.Watermark(factor: factor.id, step: (now - used * day) / 30)])
    return UserReport(
      name: record.user.bytes,
      content: .usable(UserSummary(FactorSnapshot(record: record, attempts: attempts), standing)))
  }
}
