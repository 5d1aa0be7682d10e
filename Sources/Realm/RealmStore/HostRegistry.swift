import MFABase
import MFACrypto
import MFAModel
import MFAStore

/// The hosts of a realm, and the tickets with which hosts join.
///
/// MUST 1: a ticket admits one host, once, before it expires, and not after the host was revoked.
/// (`HostRegistryTests.ticket`, `.ticketInParallel`, `.ticketFromBeforeRevocation`)
/// MUST 2: a host without a record, a revoked host, and a certificate that was replaced are refused.
/// (`HostRegistryTests.refused`)
/// MUST 3: each change is entered in the audit log in the same commit. (`HostRegistryTests.entered`)
package struct HostRegistry<Engine: StoreEngine> {
  let store: SharedFactorStore<Engine>

  /// Uses the engine, the key and the clock of a store.
  package init(_ store: SharedFactorStore<Engine>) { self.store = store }

  /// How long a ticket is valid, in seconds.
  package static var ticketLifetime: Int64 { 600 }

  // MARK: Hosts

  /// Returns the record of a host, or nil if the realm has no such host.
  package func host(_ name: [UInt8]) throws(FactorStoreError) -> HostRecord? {
    try loaded(name).record
  }

  /// Returns the record of a host that has a certificate with this serial number, or nil if the host is
  /// refused.
  package func host(
    _ name: [UInt8], certificate serial: [UInt8]
  ) throws(FactorStoreError) -> HostRecord? {
    guard let host = try host(name), host.serials.contains(serial) else { return nil }
    return host
  }

  /// How often a host may renew its certificate in an hour.
  package static var renewalsHourly: UInt32 { 10 }

  /// Replaces the certificate of a host. The present one stays valid until the next one is used to renew.
  /// Returns false if the host is refused. The store is one for requests that count as renewals of the host.
  ///
  /// - Throws: `.engine(.budgetUsedUp)` if the host has renewed its certificate too often in this hour.
  package func renew(
    _ name: [UInt8], present: [UInt8], next: [UInt8], by actor: AuditLogEvent.Actor
  ) throws(FactorStoreError) -> Bool {
    try store.deciding { () throws(FactorStoreError) in
      let loaded = try loaded(name)
      guard var host = loaded.record, host.serials.contains(present) else { return false }
      host.serials = [present, next]
      var sealing = try store.key()
      let sealed = try loaded.row.next(host, &sealing)
      let event = AuditLogEvent(.hostRenewed, detail: name, by: actor, at: loaded.row.time)
      try store.replaceCounting(
        loaded.row, with: sealed, givingWay: false, entering: event, &sealing)
      return true
    }
  }

  /// Revokes all certificates of a host. Returns the checkpoint of the audit log entry, or nil if the realm
  /// has no such host.
  package func revoke(
    _ name: [UInt8], by actor: AuditLogEvent.Actor
  ) throws(FactorStoreError) -> AuditLogCheckpoint? {
    try store.deciding { () throws(FactorStoreError) in
      let loaded = try loaded(name)
      guard var host = loaded.record else { return nil }
      host.serials = []
      host.revokedAt = loaded.row.time
      return try commit(host, loaded, entering: .hostRevoked, by: actor)
    }
  }

  struct Loaded {
    let row: LoadedRow
    let record: HostRecord?
  }

  func loaded(_ name: [UInt8]) throws(FactorStoreError) -> Loaded {
    let row = try store.row(.host, name)
    guard row.version > 0 else { return Loaded(row: row, record: nil) }
    var sealing = try store.key()
    return Loaded(row: row, record: try row.opened(HostRecord(name: name), &sealing))
  }

  @discardableResult
  private func commit(
    _ host: HostRecord, _ loaded: Loaded, entering kind: AuditLogEvent.Kind,
    by actor: AuditLogEvent.Actor
  ) throws(FactorStoreError) -> AuditLogCheckpoint? {
    var sealing = try store.key()
    let row = loaded.row
    let sealed = try row.next(host, &sealing)
    let event = AuditLogEvent(kind, detail: host.name, by: actor, at: row.time)
    return try store.replace(row, with: sealed, entering: event, &sealing)
  }

  // MARK: Tickets

  /// Creates a ticket for a host, which gets these groups. Returns its code, which is stored nowhere.
  package func newTicket(
    for host: [UInt8], groups: [[UInt8]], by actor: AuditLogEvent.Actor
  ) throws(FactorStoreError) -> RecoveryCode {
    guard EngineKey(.host, host) != nil, groups.count <= HostRecord.mostGroups,
      groups.allSatisfy({ (1...HostRecord.longestGroup).contains($0.count) })
    else { throw .nameTooLong }
    let bytes = try cryptographic { () throws(SystemError) in
      try SecretBytes.random(count: RecoveryCode.length)
    }
    guard let code = RecoveryCode(bytes: bytes) else { throw .cryptography }
    var sealing = try store.key()
    let row = try store.row(try Self.key(of: code, &sealing))
    let (expires, overflow) = row.time.addingReportingOverflow(Self.ticketLifetime)
    guard !overflow else { throw .system(.clock, .forbidden(.clock)) }
    let ticket = try TicketRecord(host: host, groups: groups, expires: expires)
      .sealed(after: TicketRecord.beginning(of: row.key), &sealing)
    let event = AuditLogEvent(.hostTicketMade, detail: host, by: actor, at: row.time)
    try store.replace(row, with: ticket, entering: event, &sealing)
    return code
  }

  /// Uses up a ticket, and admits its host with a certificate of this serial number. Returns the host, or
  /// nil if the ticket is wrong, was used or has expired.
  package func join(
    ticket: borrowing RecoveryCode, certificate serial: [UInt8], by actor: AuditLogEvent.Actor
  ) throws(FactorStoreError) -> HostRecord? {
    var sealing = try store.key()
    let key = try Self.key(of: ticket, &sealing)
    let now = try store.now()
    guard let used = try use(key, &sealing) else { return nil }
    return try store.deciding { () throws(FactorStoreError) in
      let loaded = try loaded(used.host)
      let revokedAt = loaded.record?.revokedAt ?? 0
      // A ticket from before the revocation does not undo it.
      guard used.expires &- Self.ticketLifetime > revokedAt || revokedAt == 0 else { return nil }
      let host = HostRecord(
        name: used.host, groups: used.groups, serials: [serial], joinedAt: now,
        revokedAt: revokedAt)
      try commit(host, loaded, entering: .hostJoined, by: actor)
      return host
    }
  }

  /// Uses up a ticket before its host is admitted: after an interruption, the host needs another ticket.
  private func use(
    _ key: EngineKey, _ sealing: inout SealingKey
  ) throws(FactorStoreError) -> TicketRecord? {
    let row = try store.row(key)
    guard !row.record.isEmpty else { return nil }
    let ticket = try TicketRecord().opened(
      row.record, after: TicketRecord.beginning(of: key), &sealing)
    guard row.time < ticket.expires else { return nil }
    do throws(FactorStoreError) {
      try store.replace(row, with: [], &sealing)
    } catch {
      // Another host has used the ticket.
      if error == .engine(.conflict) { return nil }
      throw error
    }
    return ticket
  }

  private static func key(
    of ticket: borrowing RecoveryCode, _ sealing: inout SealingKey
  ) throws(FactorStoreError) -> EngineKey {
    let code = ticket.bytes.span
    let digest = try cryptographic { () throws(SystemError) in
      try sealing.digest(of: code, context: [], purpose: .hostTicket)
    }
    guard let key = EngineKey(.ticket, digest) else { throw .cryptography }
    return key
  }
}

// When hosts and verifiers were seen last. These are no changes of how users sign in, so they are not
// entered in the audit log.
extension HostRegistry {
  /// A host or a verifier.
  package enum Seen: Sendable {
    case host([UInt8])
    case verifier([UInt8])

    fileprivate var key: EngineKey? {
      switch self {
      case .host(let name): EngineKey(.hostSeen, name)
      case .verifier(let name): EngineKey(.verifierSeen, name)
      }
    }
  }

  /// Records that a host or a verifier was seen now, unless that was recorded less than an hour ago with the
  /// same version. Returns whether anything was written.
  @discardableResult
  package func note(
    _ seen: Seen, version: [UInt8], certificateEnd: Int64 = 0
  ) throws(FactorStoreError) -> Bool {
    guard let key = seen.key else { throw .nameTooLong }
    let row = try store.row(key)
    let next = LastSeenRecord(version: version, time: row.time, certificateEnd: certificateEnd)
    if try lastSeen(row)?.stands(before: next) == true { return false }
    var sealing = try store.key()
    let sealed = try next.sealed(after: LastSeenRecord.beginning(of: key), &sealing)
    do throws(FactorStoreError) { try store.replace(row, with: sealed, &sealing) } catch {
      // Another verifier has recorded it meanwhile.
      guard error == .engine(.conflict) else { throw error }
      return false
    }
    return true
  }

  /// Returns when a host or a verifier was seen last, or nil if it never was.
  package func lastSeen(_ seen: Seen) throws(FactorStoreError) -> LastSeenRecord? {
    guard let key = seen.key else { throw .nameTooLong }
    return try lastSeen(try store.row(key))
  }

  private func lastSeen(_ row: LoadedRow) throws(FactorStoreError) -> LastSeenRecord? {
    guard row.version > 0 else { return nil }
    var sealing = try store.key()
    return try LastSeenRecord(version: [], time: 0).opened(
      row.record, after: LastSeenRecord.beginning(of: row.key), &sealing)
  }

  /// Returns the names of the verifiers that were seen, in order, at most 100.
  package func verifierNames() throws(FactorStoreError) -> [[UInt8]] {
    try store.onEngine { () throws(EngineError) in
      try store.engine.keys(.verifierSeen, after: [], most: 100).map { $0.id }
    }
  }

  /// A host, and the failures that it has caused in this hour.
  package typealias HostFailures = (host: HostRecord, failures: UInt32)

  /// Returns the hosts with names after `name`, in order, at most `most`, each with its failures in this hour.
  /// `storeFor` returns the store for requests of a host.
  package func hosts(
    after name: [UInt8], most: Int, storeFor: (_ host: [UInt8]) -> SharedFactorStore<Engine>
  ) throws(FactorStoreError) -> (hosts: [HostFailures], isEnd: Bool) {
    let keys = try store.onEngine { () throws(EngineError) in
      try store.engine.keys(.host, after: name, most: most)
    }
    var hosts: [HostFailures] = []
    for key in keys {
      let loaded = try HostRegistry(storeFor(key.id)).loaded(key.id)
      if let record = loaded.record { hosts.append((record, loaded.row.snapshot.hostFailures)) }
    }
    return (hosts, keys.count < most)
  }

  /// Returns the state of the realm.
  package func realm() throws(FactorStoreError) -> RealmState {
    try store.row(.verifierSeen, [0]).snapshot.realm
  }

  /// Returns the servers of the database, or nil if its engine cannot tell them.
  package func servers() throws(FactorStoreError) -> EngineServers? {
    try store.onEngine { () throws(EngineError) in try store.engine.servers() }
  }

  /// Returns a sentence for each property of the database that makes the realm less safe.
  package func findings() throws(FactorStoreError) -> [String] {
    let findings = try store.onEngine { () throws(EngineError) in try store.engine.findings() }
    return findings + [try store.clockFinding()].compactMap(\.self)
  }
}

/// What a host may cause in a period: failed attempts, or entries in the audit log.
package struct HostBudget: Equatable, Sendable {
  /// The host.
  package var host: [UInt8]
  /// The period.
  package var period: Int64
  /// The change is refused if the host has caused this many in the period already.
  package var limit: UInt32
  /// Whether the change counts one more.
  package var isFailure: Bool

  // Entries are counted like failures, under names that no host has: `RealmHostName` permits no slash and no colon.

  /// Returns the name under which the entries that a host causes by reports are counted.
  package static func reports(of host: [UInt8]) -> [UInt8] { host + [UInt8(ascii: "/")] }

  /// Returns the name under which the renewals of a host's certificate are counted.
  package static func renewals(of host: [UInt8]) -> [UInt8] { host + [UInt8(ascii: ":")] }
}
