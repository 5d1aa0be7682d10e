public import MFAAuditLog
import MFABytes
import MFAFactors
public import MFAOfflineAccess
public import MFAStoreFiles

/// What a realm keeps for sign-ins while its verifiers cannot be reached: the offline recovery codes of users, and
/// how far the queue of each host was reported.
///
/// MUST 1: a code that one host reports as used is removed from the set, and so from each permit that is written
/// later. (`OfflineRegistryTests.used`)
/// MUST 2: each record of a queue is entered in the audit log once, in the commit that counts it as reported.
/// (`OfflineRegistryTests.reportedOnce`)
/// MUST 3: a row that was changed, or moved to another user or host, is refused. (`OfflineRegistryTests.moved`)
public struct OfflineRegistry<Engine: StoreEngine> {
  private let store: SharedFactorStore<Engine>

  /// Uses the engine, the key and the clock of a store.
  public init(_ store: SharedFactorStore<Engine>) { self.store = store }

  // MARK: Codes

  private func codes(
    _ row: LoadedRow, of user: [UInt8], _ sealing: inout SealingKey
  ) throws(FactorStoreError) -> OfflineCodesRecord {
    guard !row.record.isEmpty else {
      return OfflineCodesRecord(sets: [:])
    }
    return try OfflineCodesRecord(
      row.record, for: user, version: row.version, &sealing)
  }

  /// Returns the unused codes of a user, by the names of groups of hosts.
  public func codes(of user: [UInt8]) throws(FactorStoreError) -> [[UInt8]: OfflineCodeSet] {
    var sealing = try store.key()
    return try codes(try store.row(.offlineCodes, user), of: user, &sealing).sets
  }

  /// Replaces the codes of a user for a group of hosts. The change is entered with the user's record.
  public func setCodes(
    _ set: OfflineCodeSet, of user: [UInt8], for group: [UInt8]
  ) throws(FactorStoreError) {
    try store.deciding { () throws(FactorStoreError) in
      var sealing = try store.key()
      let row = try store.row(.offlineCodes, user)
      var record = try codes(row, of: user, &sealing)
      record.sets[group] = set
      guard record.sets.count <= OfflineCodesRecord.mostSets else { throw .nameTooLong }
      let sealed = try record.sealed(for: user, version: row.version &+ 1, &sealing)
      try store.replace(row, with: sealed, &sealing)
    }
  }

  /// Removes all codes of a user.
  public func removeCodes(of user: [UInt8]) throws(FactorStoreError) {
    try store.deciding { () throws(FactorStoreError) in
      var sealing = try store.key()
      let row = try store.row(.offlineCodes, user)
      guard !row.record.isEmpty else { return }
      try store.replace(row, with: [], &sealing)
    }
  }

  /// Removes a code. Returns false if it was removed or replaced before.
  private func use(_ code: OfflineCodeID, of user: [UInt8]) throws(FactorStoreError) -> Bool {
    try store.deciding { () throws(FactorStoreError) in
      var sealing = try store.key()
      let row = try store.row(.offlineCodes, user)
      var record = try codes(row, of: user, &sealing)
      guard record.remove(code) else { return false }
      let sealed = try record.sealed(for: user, version: row.version &+ 1, &sealing)
      try store.replace(row, with: sealed, &sealing)
      return true
    }
  }

  // MARK: Queues

  private func position(
    _ row: LoadedRow, of host: [UInt8], _ sealing: inout SealingKey
  ) throws(FactorStoreError) -> OfflinePosition {
    guard row.version > 0 else { return .beginning }
    return try OfflinePosition(
      row.record, of: host, version: row.version, &sealing)
  }

  /// Returns how far the queue of a host was reported.
  public func position(of host: [UInt8]) throws(FactorStoreError) -> OfflinePosition {
    var sealing = try store.key()
    return try position(try store.row(.offlineQueue, host), of: host, &sealing)
  }

  /// Enters that the queue of a host does not follow what was reported before, and goes on from `position`.
  public func skip(
    to position: OfflinePosition, of host: [UInt8], by actor: AuditLogEvent.Actor
  ) throws(FactorStoreError) {
    try advance(to: position, of: host, entering: .offlineQueueBroken, about: nil, by: actor)
  }

  /// Enters a record of a host's queue, which ends at `position`, and uses up its code. Does nothing if the record
  /// was entered before.
  public func enter(
    _ record: OfflineRecord, endingAt position: OfflinePosition, of host: [UInt8]
  ) throws(FactorStoreError) {
    guard try self.position(of: host).number < position.number else { return }
    let kind: AuditLogEvent.Kind
    switch record.kind {
    case .attempt: kind = .offlineAttempt
    case .code:
      guard let code = record.code else { throw .damaged(.record) }
      kind = try use(code, of: record.user) ? .offlineCodeUsed : .offlineCodeUsedAgain
    case .remembered: kind = .offlineRemembered
    case .breakGlass: kind = .offlineBreakGlass
    }
    let actor = AuditLogEvent.Actor(
      name: record.user, uid: nil, program: record.service, source: Source(record.source))
    try advance(to: position, of: host, entering: kind, about: record, by: actor)
  }

  private func advance(
    to position: OfflinePosition, of host: [UInt8], entering kind: AuditLogEvent.Kind,
    about record: OfflineRecord?, by actor: AuditLogEvent.Actor
  ) throws(FactorStoreError) {
    try store.deciding { () throws(FactorStoreError) in
      var sealing = try store.key()
      let row = try store.row(.offlineQueue, host)
      let present = try self.position(row, of: host, &sealing)
      // Another connection of the host has reported the record meanwhile.
      guard record == nil || present.number < position.number else { return }
      // The time in the log is the verifier's own. The host says when it decided.
      let detail = record.map { host + [0x20] + UTCTime.precise($0.time) } ?? host
      let event = AuditLogEvent(kind, detail: detail, by: actor, at: row.time)
      let sealed = try position.sealed(of: host, version: row.version &+ 1, &sealing)
      try store.replace(row, with: sealed, entering: event, about: record?.user, &sealing)
    }
  }

  // MARK: Tokens

  /// Returns the bytes by which verifiers recognise a permit.
  public func sealed(_ token: OfflineToken) throws(FactorStoreError) -> [UInt8] {
    var sealing = try store.key()
    return try token.sealed(&sealing)
  }

  /// Verifies the bytes of a permit.
  ///
  /// - Throws: `.damaged(.record)` if no verifier of this realm made them.
  public func token(_ sealed: [UInt8]) throws(FactorStoreError) -> OfflineToken {
    var sealing = try store.key()
    return try OfflineToken(sealed, &sealing)
  }
}
