import MFAStore

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
    var sealing = try store.key()
    if row.version > 0, try LastSeenRecord(row.record, for: key, &sealing).stands(before: next) {
      return false
    }
    let sealed = try next.sealed(for: key, &sealing)
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
    let row = try store.row(key)
    guard row.version > 0 else { return nil }
    var sealing = try store.key()
    return try LastSeenRecord(row.record, for: key, &sealing)
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

  /// Returns a sentence for each property of the database that makes the realm less safe, or nil if its engine
  /// cannot tell them.
  package func findings() throws(FactorStoreError) -> [String]? {
    let findings = try store.onEngine { () throws(EngineError) in try store.engine.findings() }
    guard let findings else { return nil }
    return findings + [try store.clockFinding()].compactMap(\.self)
  }
}
