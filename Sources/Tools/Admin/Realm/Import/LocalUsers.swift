import MFAStore
import MFAModel
import MFARealm
import MFABase

/// The users of this host's local store, as `mfa-admin fleet import` sends them to the realm. Nothing is changed.
///
/// MUST 1: a record that a sign-in on this host would refuse is not sent. (`RealmImportTests.unusable`)
/// MUST 2: secrets are unsealed only into `SecretBytes`.
package struct LocalUsers {
  private let administration: Administration

  /// Reads from the store of an administration.
  package init(_ administration: Administration) { self.administration = administration }

  /// The accounts of this host.
  var accounts: AccountSource { administration.accounts }

  /// Returns the users whose records are stored, sorted by name. A name is missing for a file that the store does not
  /// use.
  func names() throws(AdminError) -> [UserName] {
    try administration.files().compactMap(\.user)
  }

  /// A user who is enrolled on this host.
  struct LocalUser {
    /// The user as sent to the realm.
    let request: AdministrationImport
    /// The names of the factors, in their order.
    let factors: [Factor]
    let failures: FailureCount
  }

  /// Returns a user, or nil if the user has no factor. `number` is that of the import.
  func user(_ name: UserName, number: [UInt8]) throws(AdminError) -> LocalUser? {
    let subject = try administration.subject(String(decoding: name.bytes, as: UTF8.self))
    // A record with a different spelling of the name belongs to a different account.
    guard let account = subject.account, account.name == name.bytes else {
      throw .unusable(name, .noSuchAccount)
    }
    return try administration.onUser(subject) { () throws(FactorStoreError) in
      guard let entry = try administration.store.existingEntry(of: account),
        let record = entry.record
      else { return nil }
      return LocalUser(
        request: try Self.request(entry, record, number: number), factors: record.factors,
        failures: FailureCount(
          failures: entry.attempts.failures, last: entry.attempts.lastFailure))
    }
  }

  private static func request(
    _ entry: LocalFactorStoreEntry, _ stored: FactorRecord, number: [UInt8]
  ) throws(FactorStoreError) -> AdministrationImport {
    var record = FactorRecord(user: stored.user, uid: stored.uid, id: stored.id)
    var secrets = SecretList.empty
    for factor in stored.factors {
      do throws(FactorRecord.ChangeRefusal) { try record.add(factor.resealed([])) } catch {
        throw .damaged(.record)
      }
      secrets = try added(try entry.secret(of: factor), to: secrets)
    }
    if !stored.recoveryCodes.isEmpty {
      let portable = try entry.portableDigests()
      let codes = zip(stored.recoveryCodes, portable.digests).compactMap { code, digest in
        RecoveryCodeDigest(kind: code.kind, bytes: digest)
      }
      record.setRecoveryCodes(codes, at: stored.recoveryCodesAddedAt)
      secrets = try added(portable.keys.prefix(.max), to: secrets)
    }
    if let language = stored.language { record.setLanguage(language) }
    if stored.phoneRemovedAt > 0 { record.notePhoneRemoved(at: stored.phoneRemovedAt) }
    return AdministrationImport(
      user: stored.user.bytes, record: record.encoded(), attempts: encoded(entry.attempts),
      secrets: secrets, number: number)
  }

  private static func added(
    _ secret: consuming SecretBytes, to secrets: SecretList
  ) throws(FactorStoreError) -> SecretList {
    guard let longer = secrets.adding(secret.span) else { throw .damaged(.record) }
    return longer
  }

  /// Returns the parts of an attempt state that are imported: no place, no typed code and no sent code.
  private static func encoded(_ attempts: AttemptState) -> [UInt8] {
    let unreported = attempts.unreported
    let sent = AttemptState(
      record: attempts.record, failures: attempts.failures, lastFailure: attempts.lastFailure,
      watermarks: attempts.watermarks, postponedSignIns: attempts.postponedSignIns,
      unreported: AttemptState.Unreported(
        failures: unreported.failures, lastFailure: unreported.lastFailure,
        source: unreported.source),
      ownProcessFailures: attempts.ownProcessFailures)
    let encoded = sent.encoded(sequence: 0)
    let length = encoded.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    return Array(encoded[..<length])
  }
}
