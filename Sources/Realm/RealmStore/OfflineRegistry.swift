import MFAStore
import MFABase
import MFAModel
import MFARealm

/// What a realm keeps for sign-ins while its verifiers cannot be reached: the offline recovery codes of users, and
/// how far the queue of each host was reported.
///
/// MUST 1: a code that one host reports as used is removed from the set, and so from each permit that is written
/// later. (`OfflineRegistryTests.used`)
/// MUST 2: each record of a queue is entered in the audit log once, in the commit that counts it as reported and uses up
/// its code. (`OfflineRegistryTests.reportedOnce`, `.interrupted`)
/// MUST 3: a row that was changed, or moved to another user or host, is refused. (`OfflineRegistryTests.moved`)
/// MUST 4: an entry about a report names the host as the actor, and counts among those that the host may cause in an
/// hour. Without one left, nothing is changed. (`OfflineRegistryTests.actor`, `.budget`)
/// MUST 5: reports leave numbers of the audit log for all other changes. (`OfflineRegistryTests.numbers`)
package struct OfflineRegistry<Engine: StoreEngine> {
  private let store: SharedFactorStore<Engine>

  /// Uses the engine, the key and the clock of a store.
  package init(_ store: SharedFactorStore<Engine>) { self.store = store }

  // MARK: Codes

  private func codes(
    _ row: LoadedRow, _ sealing: inout SealingKey
  ) throws(FactorStoreError) -> OfflineCodesRecord {
    row.record.isEmpty ? OfflineCodesRecord() : try row.opened(OfflineCodesRecord(), &sealing)
  }

  /// Returns the unused codes of a user, by the names of groups of hosts.
  package func codes(of user: [UInt8]) throws(FactorStoreError) -> [[UInt8]: OfflineCodeSet] {
    var sealing = try store.key()
    return try codes(try store.row(.offlineCodes, user), &sealing).sets
  }

  /// Replaces the codes of a user for a group of hosts. The change is entered with the user's record.
  package func setCodes(
    _ set: OfflineCodeSet, of user: [UInt8], for group: [UInt8]
  ) throws(FactorStoreError) {
    try store.deciding { () throws(FactorStoreError) in
      var sealing = try store.key()
      let row = try store.row(.offlineCodes, user)
      var record = try codes(row, &sealing)
      record.sets[group] = set
      guard record.sets.count <= OfflineCodesRecord.mostSets else { throw .nameTooLong }
      try store.replace(row, with: try row.next(record, &sealing), &sealing)
    }
  }

  /// Removes all codes of a user.
  package func removeCodes(of user: [UInt8]) throws(FactorStoreError) {
    try store.deciding { () throws(FactorStoreError) in
      var sealing = try store.key()
      let row = try store.row(.offlineCodes, user)
      guard !row.record.isEmpty else { return }
      try store.replace(row, with: [], &sealing)
    }
  }

  // MARK: Queues

  private func position(
    _ row: LoadedRow, _ sealing: inout SealingKey
  ) throws(FactorStoreError) -> OfflinePosition {
    row.version > 0 ? try row.opened(OfflinePosition.beginning, &sealing) : .beginning
  }

  /// Returns how far the queue of a host was reported.
  package func position(of host: [UInt8]) throws(FactorStoreError) -> OfflinePosition {
    var sealing = try store.key()
    return try position(try store.row(.offlineQueue, host), &sealing)
  }

  /// What is entered about a host's queue.
  private enum Entry {
    /// A record of the queue.
    case record(OfflineRecord)
    /// A number of records that the host may not report.
    case refused(Int)
    /// The queue does not follow what was reported before.
    case broken

    var isBroken: Bool {
      if case .broken = self { true } else { false }
    }
  }

  /// Enters that the queue of a host does not follow what was reported before, and goes on from `position`.
  package func skip(to position: OfflinePosition, of host: [UInt8]) throws(FactorStoreError) {
    try advance(to: position, of: host, entering: .broken)
  }

  /// Enters that the queue of a host has records, up to `position`, that the host may not report. What they state is not
  /// entered. Does nothing if this was entered before.
  package func refuse(
    _ count: Int, endingAt position: OfflinePosition, of host: [UInt8]
  ) throws(FactorStoreError) {
    try advance(to: position, of: host, entering: .refused(count))
  }

  /// Enters a record of a host's queue, which ends at `position`, and uses up its code. Does nothing if the record
  /// was entered before.
  package func enter(
    _ record: OfflineRecord, endingAt position: OfflinePosition, of host: [UInt8]
  ) throws(FactorStoreError) {
    try advance(to: position, of: host, entering: .record(record))
  }

  private func advance(
    to position: OfflinePosition, of host: [UInt8], entering entry: Entry
  ) throws(FactorStoreError) {
    try store.deciding { () throws(FactorStoreError) in
      var sealing = try store.key()
      let row = try store.row(.offlineQueue, host)
      let present = try self.position(row, &sealing)
      // Another connection of the host has reported the record meanwhile.
      guard entry.isBroken || present.number < position.number else { return }
      var user: [UInt8]?
      var codes: EngineRowChange?
      let kind: AuditLogEvent.Kind
      var detail = host
      var source = Source(host)
      switch entry {
      case .broken: kind = .offlineQueueBroken
      case .refused(let count):
        kind = .offlineRecordsRefused
        detail += [0x20] + Array(String(count).utf8)
      case .record(let record):
        user = record.user
        // The time in the log is the verifier's own. The host says when it decided.
        detail += [0x20] + UTCTime.precise(record.time) + [0x20] + record.service
        source = Source(record.source).at(host: host)
        codes = try rest(of: record, &sealing)
        kind = Self.kind(of: record, isCodeKnown: codes != nil)
      }
      // The host says what happened, so the entry is the host's, whatever it names.
      let actor = AuditLogEvent.Actor(name: host, uid: nil, program: Self.program, source: source)
      let event = AuditLogEvent(kind, detail: detail, by: actor, at: row.time)
      let sealed = try row.next(position, &sealing)
      try store.replaceCounting(
        row, with: sealed, and: codes, givingWay: true, entering: event, about: user, &sealing)
    }
  }

  /// The program on the host that reports.
  private static var program: [UInt8] { ("mfa-fleet" as StaticString).bytes }

  private static func kind(of record: OfflineRecord, isCodeKnown: Bool) -> AuditLogEvent.Kind {
    switch record.kind {
    case .attempt: .offlineAttempt
    case .code: isCodeKnown ? .offlineCodeUsed : .offlineCodeUsedAgain
    case .remembered: .offlineRemembered
    case .breakGlass: .offlineBreakGlass
    }
  }

  /// Returns the row of the user's codes without the one that a record uses up; nil if the record uses none, or one that
  /// was removed or replaced before.
  private func rest(
    of record: OfflineRecord, _ sealing: inout SealingKey
  ) throws(FactorStoreError) -> EngineRowChange? {
    guard let code = record.code else { return nil }
    let row = try store.row(.offlineCodes, record.user)
    var codes = try codes(row, &sealing)
    guard codes.remove(code) else { return nil }
    let sealed = try row.next(codes, &sealing)
    return EngineRowChange(row.key, version: row.version, record: sealed)
  }

  // MARK: Tokens

  /// Returns the bytes by which verifiers recognise a permit.
  package func sealed(_ token: OfflineToken) throws(FactorStoreError) -> [UInt8] {
    var sealing = try store.key()
    return try token.sealed(after: OfflineToken.beginning, &sealing)
  }

  /// Verifies the bytes of a permit.
  ///
  /// - Throws: `.damaged(.record)` if no verifier of this realm made them.
  package func token(_ sealed: [UInt8]) throws(FactorStoreError) -> OfflineToken {
    var sealing = try store.key()
    return try OfflineToken(host: [], user: [], signedInAt: 0)
      .opened(sealed, after: OfflineToken.beginning, &sealing)
  }
}
