import MFARealm
import MFAStore
import MFAWire

/// The entries of a directory service that the users of a realm had when they enrolled, and the users of the entries.
///
/// MUST 1: a changed row, the row of another user, and an earlier version of the row are refused.
/// (`DirectoryRegistryTests.damaged`)
/// MUST 2: an entry that is or was bound to a name is bound to no other name before it is moved or released.
/// (`DirectoryRegistryTests.boundOnce`, `.reserved`, `.boundInParallel`)
package struct DirectoryRegistry<Engine: StoreEngine> {
  private let store: SharedFactorStore<Engine>

  /// Uses the engine, the key and the clock of a store.
  package init(_ store: SharedFactorStore<Engine>) { self.store = store }

  /// The largest number of hosts that are kept as those that have reported the entry of a user.
  package static var mostHosts: Int { 8 }

  /// A kind of rows.
  private struct Kind {
    let row: EngineKey.Kind
    let purpose: ChecksumPurpose

    static var entryOfUser: Kind { Kind(row: .directoryEntry, purpose: .directoryEntry) }
    static var userOfEntry: Kind { Kind(row: .directoryUser, purpose: .directoryUser) }
    static var reports: Kind { Kind(row: .directoryReports, purpose: .directoryReports) }
  }

  /// The entry that a user has or had, and the hosts that have reported it, the first ones first.
  private struct Reports: EncodedValue {
    var entry: [UInt8]
    var hosts: [[UInt8]]

    static var placeholder: Reports { Reports(entry: [], hosts: []) }

    mutating func fields(_ coder: inout Coder) throws(PacketError) {
      try coder.short(&entry)
      try coder.shortList(&hosts, most: DirectoryRegistry.mostHosts)
    }
  }

  /// The content of a row of one kind.
  private struct Value: RegistryRecord {
    let kind: Kind
    var bytes: [UInt8] = []

    var purpose: ChecksumPurpose { kind.purpose }

    mutating func fields(_ coder: inout Coder) throws(PacketError) {
      if kind.row == .directoryReports {
        try coder.bytes(&bytes)
      } else {
        try coder.short(&bytes)
      }
    }
  }

  /// Returns the id of the user's entry, or nil if none is known.
  package func entry(of user: [UInt8]) throws(FactorStoreError) -> [UInt8]? {
    try value(.entryOfUser, user)
  }

  /// Returns the name that has or had an entry, or nil. Compare `entry(of:)` of that name: it may have no entry, or
  /// another one, by now.
  package func user(of entry: [UInt8]) throws(FactorStoreError) -> [UInt8]? {
    try value(.userOfEntry, entry)
  }

  /// Returns the hosts that have reported that a user has an entry, at most `mostHosts`.
  package func hosts(
    reporting entry: [UInt8], of user: [UInt8]
  ) throws(FactorStoreError) -> [[UInt8]] {
    guard let reports = try reports(of: user), reports.entry == entry else { return [] }
    return reports.hosts
  }

  /// Returns whether an entry is kept for a user who may have no factor any more.
  package func isReserved(for user: [UInt8]) throws(FactorStoreError) -> Bool {
    try reports(of: user) != nil
  }

  // MARK: Changes

  /// Keeps the entry of a user, as a host reports it. If the entry is or was another name's, changes nothing and
  /// returns that name.
  package func bind(
    _ id: [UInt8], to user: [UInt8], reportedBy host: [UInt8]
  ) throws(FactorStoreError) -> [UInt8]? {
    let known = try reports(of: user)
    if let known, known.entry == id, try entry(of: user) == id,
      known.hosts.contains(host) || known.hosts.count >= Self.mostHosts
    {
      return nil
    }
    // The entry is taken first: of two names that claim it at the same moment, one gets it.
    if let holder = try take(id, for: user) { return holder }
    var reports = Reports(entry: id, hosts: [])
    if let known, known.entry == id { reports.hosts = known.hosts }
    if !reports.hosts.contains(host), reports.hosts.count < Self.mostHosts {
      reports.hosts.append(host)
    }
    try set(.reports, user, to: reports.encoded())
    try set(.entryOfUser, user, to: id)
    return nil
  }

  /// Takes an entry that is no other name's. Returns the name that has or had it otherwise.
  private func take(
    _ id: [UInt8], for user: [UInt8]
  ) throws(FactorStoreError) -> [UInt8]? {
    try change(.userOfEntry, id) { holder in holder ?? user }
      .flatMap { $0 == user ? nil : $0 }
  }

  /// Removes the entry of a user without factors. The entry stays reserved for the user's name.
  package func unbind(_ user: [UInt8]) throws(FactorStoreError) {
    try set(.entryOfUser, user, to: nil)
  }

  /// Removes the entry that a user has or had, as an administrator decides. The next name that a host reports for the
  /// entry gets it.
  package func release(_ user: [UInt8]) throws(FactorStoreError) {
    let ids = [try entry(of: user), try reports(of: user)?.entry]
    try set(.entryOfUser, user, to: nil)
    for case let id? in ids {
      _ = try change(.userOfEntry, id) { holder in holder == user ? nil : holder }
    }
    try set(.reports, user, to: nil)
  }

  /// Gives the entry that a user has or had to the user's new name.
  package func move(from user: [UInt8], to next: [UInt8]) throws(FactorStoreError) {
    let reports = try reports(of: user)
    guard let id = try entry(of: user) ?? reports?.entry, try self.user(of: id) == user else {
      return
    }
    try set(.userOfEntry, id, to: next)
    let hosts = reports?.entry == id ? reports?.hosts ?? [] : []
    try set(.reports, next, to: Reports(entry: id, hosts: hosts).encoded())
    try set(.entryOfUser, next, to: id)
    try set(.entryOfUser, user, to: nil)
    try set(.reports, user, to: nil)
  }

  // MARK: Rows

  private func reports(of user: [UInt8]) throws(FactorStoreError) -> Reports? {
    guard let encoded = try value(.reports, user) else { return nil }
    guard let reports = Reports(encoded.span) else { throw .damaged(.record) }
    return reports
  }

  private func value(_ kind: Kind, _ id: [UInt8]) throws(FactorStoreError) -> [UInt8]? {
    var sealing = try store.key()
    return try Self.value(try store.row(kind.row, id), kind, &sealing)
  }

  private func set(
    _ kind: Kind, _ id: [UInt8], to value: [UInt8]?
  ) throws(FactorStoreError) {
    _ = try change(kind, id) { _ in value }
  }

  /// Replaces a value by what `next` returns for the present one, unless it is the same. Returns the value before.
  private func change(
    _ kind: Kind, _ id: [UInt8], _ next: (_ present: [UInt8]?) -> [UInt8]?
  ) throws(FactorStoreError) -> [UInt8]? {
    try store.deciding { () throws(FactorStoreError) in
      var sealing = try store.key()
      let row = try store.row(kind.row, id)
      let before = try Self.value(row, kind, &sealing)
      let value = next(before)
      guard before != value else { return before }
      var sealed: [UInt8] = []
      if let value { sealed = try row.next(Value(kind: kind, bytes: value), &sealing) }
      try store.replace(row, with: sealed, &sealing)
      return before
    }
  }

  private static func value(
    _ row: LoadedRow, _ kind: Kind, _ sealing: inout SealingKey
  ) throws(FactorStoreError) -> [UInt8]? {
    row.record.isEmpty ? nil : try row.opened(Value(kind: kind), &sealing).bytes
  }
}
