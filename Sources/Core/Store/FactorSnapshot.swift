import MFABase
import MFACrypto
import MFAModel

/// The data stored for a user at one moment.
package struct FactorSnapshot: Equatable, Sendable {
  /// The record.
  package let record: FactorRecord

  /// The attempt state that belongs to the record.
  package let attempts: AttemptState

  /// Creates a snapshot.
  package init(record: FactorRecord, attempts: AttemptState) {
    self.record = record
    self.attempts = attempts
  }
}

extension FactorSnapshot {
  /// Makes a record of no account, with factors like those of `record` or one TOTP factor, and its attempt state.
  ///
  /// The secrets are zeros, so that attackers can compute their codes. All the codes are used up, because an accepted
  /// code would take longer than a wrong one, and reveal that the user has no factor.
  package init(decoyLike record: FactorRecord?) throws(FactorStoreError) {
    guard let user = UserName(Account.nobody.name) else { throw .nameTooLong }
    var decoy = FactorRecord(user: user, uid: Account.nobody.uid, id: .zero)
    var attempts = AttemptState(record: .zero)
    let like = record?.factors.compactMap { $0.parameters } ?? [.standard]
    for parameters in like {
      guard let factor = Self.decoy(UInt8(truncatingIfNeeded: decoy.factors.count) &+ 1, parameters)
      else { throw .damaged(.record) }
      do throws(FactorRecord.ChangeRefusal) { try decoy.add(factor) } catch {
        throw .damaged(.record)
      }
      attempts = attempts.adding(factor.id, confirmedAt: .max)
    }
    self.init(record: decoy, attempts: attempts)
  }

  private static func decoy(_ number: UInt8, _ parameters: TOTPParameters) -> Factor? {
    guard let id = FactorID(bytes: [UInt8](repeating: number, count: FactorID.length)),
      let name = DisplayName([UInt8(ascii: "0") &+ number])
    else { return nil }
    return Factor(
      id: id, displayName: name, enrolledAt: 0,
      kind: .totp(
        parameters,
        sealedSecret: [UInt8](
          repeating: 0,
          count: AES256GCM.nonceLength + parameters.algorithm.outputLength + AES256GCM.tagLength)))
  }
}

extension FactorRecord {
  /// Opens the secret of a decoy, which fails after as much work as with another, and returns the zeros that it
  /// stands for.
  package func decoySecret(of factor: Factor, _ key: inout SealingKey) -> SecretBytes {
    do throws(FactorStoreError) {
      return try secret(of: factor, &key)
    } catch {
      return SecretBytes(count: factor.parameters?.algorithm.outputLength ?? 0)
    }
  }
}
