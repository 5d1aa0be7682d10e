import MFAStore
import MFAAttempt
import MFABase
import MFAModel
import MFARealm
import MFARealmStore

// What `mfa-admin realm import` on a host does with the users of its local store.
extension RealmUsers {
  /// Merges what a host has about a user into what the realm has.
  func importing(_ host: OpenedImport) throws(FactorStoreError) -> AdministeredImport {
    let request = host.request
    return try store.deciding { () throws(FactorStoreError) -> AdministeredImport in
      let entry = try store.entry(of: Self.account(request.user), creating: true)
      let record = try entry.storedRecordOrNew()
      let present = UserImport.Present(
        record: record, attempts: entry.attempts,
        twins: try twins(of: host, in: record, entry))
      var incoming = UserImport(
        record: try sealed(host, for: record, entry), attempts: host.attempts)
      if let keys = request.secrets.secret(host.record.factors.count) {
        incoming.sealedDigestKeys = try entry.seal(digestKeys: keys.span, in: record)
      }
      incoming.earlierFactors = request.earlierFactors.compactMap { FactorID(bytes: $0) }
      incoming.hadRecoveryCodes = request.hadRecoveryCodes
      incoming.hadAttempts = request.hadAttempts
      incoming.choice = request.choice
      let merged = incoming.merged(into: present, from: Source(administrator: actor.name), at: now)
      return try commit(
        merged, entry, before: entry.kept == nil ? 0 : present.attempts.failures,
        request.isTrial ? nil : event(.importedFromHost, merged, request.number))
    }
  }

  /// Removes what a host has imported for a user, if it has not changed since.
  func undoing(_ undo: AdministrationUndo) throws(FactorStoreError) -> AdministeredImport {
    try store.deciding { () throws(FactorStoreError) -> AdministeredImport in
      let entry = try store.entry(of: Self.account(undo.user), creating: true)
      let record = try entry.storedRecordOrNew()
      let undone = ImportUndo(of: undo.imported).applied(
        to: UserImport.Present(record: record, attempts: entry.attempts, twins: []),
        try marks(of: record), from: Source(administrator: actor.name), at: now)
      return try commit(
        undone, entry, before: entry.attempts.failures,
        undo.isTrial ? nil : event(.importUndone, undone, undo.number))
    }
  }

  /// Commits the result of a merge, unless it is a trial or changes nothing, and returns what was done.
  private func commit(
    _ merged: UserImport.Merged, _ entry: SharedFactorStoreEntry<Engine>, before: UInt32,
    _ event: AuditLogEvent?
  ) throws(FactorStoreError) -> AdministeredImport {
    var checkpoint: AuditLogCheckpoint?
    if let event, merged.isChange {
      checkpoint = try entry.replace(
        record: merged.record, attempts: merged.attempts, entering: event)
    }
    let marks = try marks(of: merged.record)
    var factors = merged.factors
    for index in factors.indices {
      factors[index].mark = marks.factors.first { $0.id == factors[index].id }?.mark ?? []
    }
    return AdministeredImport(
      factors: factors, recoveryCodes: merged.recoveryCodes,
      recoveryCodeMark: marks.recoveryCodes, failuresBefore: before,
      failures: merged.attempts.failures, checkpoint: checkpoint?.text ?? [])
  }

  private func event(
    _ kind: AuditLogEvent.Kind, _ merged: UserImport.Merged, _ number: [UInt8]
  ) -> AuditLogEvent {
    let changed = merged.factors.filter {
      $0.result == .added || $0.result == .replaced || $0.result == .removed
    }
    return AuditLogEvent(
      kind,
      ids: Array(changed.map(\.id.hexadecimal).joined(separator: [UInt8(ascii: ",")])),
      detail: Hexadecimal.text(of: number), by: actor, at: now)
  }

  // MARK: Secrets

  /// Returns the record of a host with its secrets sealed for a record of the realm.
  private func sealed(
    _ host: OpenedImport, for record: FactorRecord, _ entry: SharedFactorStoreEntry<Engine>
  ) throws(FactorStoreError) -> FactorRecord {
    var secrets: [[UInt8]] = []
    for (number, factor) in host.record.factors.enumerated() {
      guard let secret = host.request.secrets.secret(number) else { throw .damaged(.record) }
      secrets.append(
        try entry.seal(secret.span, for: factor.id, parameters: factor.parameters, in: record))
    }
    let sealed = host.record.resealed(
      FactorRecord.Resealed(
        secrets: secrets, recoveryCodes: host.record.recoveryCodes.map(\.bytes), grants: [],
        digestKeys: nil))
    guard let sealed else { throw .damaged(.record) }
    return sealed
  }

  /// Returns the factors of the host and the realm that have the same key or the same phone number.
  private func twins(
    of host: OpenedImport, in record: FactorRecord, _ entry: SharedFactorStoreEntry<Engine>
  ) throws(FactorStoreError) -> [UserImport.Twins] {
    var twins: [UserImport.Twins] = []
    for factor in record.factors {
      let secret = try entry.secret(of: factor)
      for (number, imported) in host.record.factors.enumerated() {
        guard (factor.parameters == nil) == (imported.parameters == nil),
          let other = host.request.secrets.secret(number),
          Importing.isSame(secret.span, other.span)
        else { continue }
        twins.append(UserImport.Twins(imported: imported.id, present: factor.id))
      }
    }
    return twins
  }

  // MARK: Marks

  /// Returns keyed digests of the factors and of the recovery codes of a record: the fingerprints of records that
  /// have nothing else.
  private func marks(of record: FactorRecord) throws(FactorStoreError) -> ImportUndo.Marks {
    var marks = ImportUndo.Marks(factors: [], recoveryCodes: [])
    for factor in record.factors {
      var part = FactorRecord(user: record.user, uid: record.uid, id: record.id)
      do throws(FactorRecord.ChangeRefusal) { try part.add(factor) } catch {
        throw .damaged(.record)
      }
      let mark = try store.fingerprint(of: part)
      marks.factors.append(FactorImport(factor.id, .present, mark: mark))
    }
    if !record.recoveryCodes.isEmpty {
      var part = FactorRecord(user: record.user, uid: record.uid, id: record.id)
      part.setRecoveryCodes(record.recoveryCodes, at: 0)
      marks.recoveryCodes = try store.fingerprint(of: part)
    }
    return marks
  }
}
