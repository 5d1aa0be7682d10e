import MFABase
import MFAStore
import MFAModel
import MFARealm

extension FactorSnapshot {
  /// Returns what an administrator on a host is told about a user: no sealed secret, no digest, no place and
  /// no typed code leaves the verifier.
  ///
  /// MUST 1: no byte of a sealed secret or a digest is in the result. (`HostAdministrationTests.users`)
  func administered(
    _ name: [UInt8], fingerprint: [UInt8]
  ) throws(FactorStoreError) -> AdministeredRealmUser {
    var shown = FactorRecord(user: record.user, uid: record.uid, id: record.id)
    for factor in record.factors {
      let zeros = [UInt8](repeating: 0, count: factor.sealed.count)
      do throws(FactorRecord.ChangeRefusal) { try shown.add(factor.resealed(zeros)) } catch {
        throw .damaged(.record)
      }
    }
    let zeros = [UInt8](repeating: 0, count: RecoveryCodeDigest.length)
    shown.setRecoveryCodes(
      record.recoveryCodes.compactMap { RecoveryCodeDigest(kind: $0.kind, bytes: zeros) }, at: 0)
    for grant in record.grants {
      let copy = Grant(
        kind: grant.kind, id: grant.id, madeAt: grant.madeAt, expiresAt: grant.expiresAt,
        usesLeft: grant.usesLeft, reason: grant.reason, digest: zeros)
      guard let copy, shown.add(copy) else { throw .damaged(.record) }
    }
    return AdministeredRealmUser(
      name: name, record: shown.encoded(), attempts: Self.shown(attempts),
      fingerprint: fingerprint)
  }

  private static func shown(_ attempts: AttemptState) -> [UInt8] {
    var remembered = RememberedSignIns()
    var number: UInt64 = 0
    for entry in attempts.remembered.entries {
      number &+= 1
      remembered.add(SignInOriginDigest(entry.place.kind, number), at: entry.time)
    }
    let shown = AttemptState(
      record: attempts.record, failures: attempts.failures, lastFailure: attempts.lastFailure,
      watermarks: attempts.watermarks, remembered: remembered,
      ownProcessFailures: attempts.ownProcessFailures)
    let encoded = shown.encoded(sequence: 0)
    let length = encoded.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    return Array(encoded[..<length])
  }
}
