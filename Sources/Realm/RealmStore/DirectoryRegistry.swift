import MFABase
import MFAStore

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

  private static var version: UInt8 { 1 }

  /// The largest number of hosts that are kept as those that have reported the entry of a user.
  package static var mostHosts: Int { 8 }

  private enum Kind {
    case entryOfUser, userOfEntry, reports

    var row: EngineKey.Kind {
      switch self {
      case .entryOfUser: .directoryEntry
      case .userOfEntry: .directoryUser
      case .reports: .directoryReports
      }
    }

    var purpose: ChecksumPurpose {
      switch self {
      case .entryOfUser: .directoryEntry
      case .userOfEntry: .directoryUser
      case .reports: .directoryReports
      }
    }
  }

  /// The entry that a user has or had, and the hosts that have reported it, the first ones first.
  private struct Reports: Equatable {
    let entry: [UInt8]
    var hosts: [[UInt8]]

    init(_ entry: [UInt8], by hosts: [[UInt8]]) {
      self.entry = entry
      self.hosts = hosts
    }

    init?(_ encoded: [UInt8]) {
      var reader = ByteReader(encoded.span)
      guard let entry = reader.readShort(),
        let hosts = RegistryRow.list(&reader, most: DirectoryRegistry.mostHosts), reader.isAtEnd
      else { return nil }
      self.init(entry, by: hosts)
    }

    var encoded: [UInt8] {
      var writer = ByteWriter()
      writer.writeShort(entry)
      writer.write(UInt8(clamping: hosts.count))
      for host in hosts { writer.writeShort(host) }
      return writer.bytes
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
    var reports = Reports(id, by: [])
    if let known, known.entry == id { reports.hosts = known.hosts }
    if !reports.hosts.contains(host), reports.hosts.count < Self.mostHosts {
      reports.hosts.append(host)
    }
    try set(.reports, user, to: reports.encoded)
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
    try set(.reports, next, to: Reports(id, by: hosts).encoded)
    try set(.entryOfUser, next, to: id)
    try set(.entryOfUser, user, to: nil)
    try set(.reports, user, to: nil)
  }

  // MARK: Rows

  private func reports(of user: [UInt8]) throws(FactorStoreError) -> Reports? {
    guard let encoded = try value(.reports, user) else { return nil }
    guard let reports = Reports(encoded) else { throw .damaged(.record) }
    return reports
  }

  private func value(_ kind: Kind, _ id: [UInt8]) throws(FactorStoreError) -> [UInt8]? {
    var sealing = try store.key()
    return try Self.value(try store.row(kind.row, id), kind, id, &sealing)
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
      let before = try Self.value(row, kind, id, &sealing)
      let value = next(before)
      guard before != value else { return before }
      var sealed: [UInt8] = []
      if let value {
        let version = row.version &+ 1
        var writer = RegistryRow.Header(format: Self.version, version: version, id: id).written()
        Self.write(value, kind, to: &writer)
        sealed = try RegistryRow.sealed(writer.bytes, kind.purpose, &sealing)
      }
      try store.replace(row, with: sealed, &sealing)
      return before
    }
  }

  private static func write(_ value: [UInt8], _ kind: Kind, to writer: inout ByteWriter) {
    switch kind {
    case .entryOfUser, .userOfEntry: writer.writeShort(value)
    case .reports:
      writer.write(UInt16(clamping: value.count))
      writer.write(value)
    }
  }

  private static func read(_ kind: Kind, from reader: inout ByteReader) -> [UInt8]? {
    switch kind {
    case .entryOfUser, .userOfEntry: reader.readShort()
    case .reports: reader.read(UInt16.self).flatMap { reader.read(count: Int($0)) }
    }
  }

  /// Verifies the checksum, the id and the version of a row.
  private static func value(
    _ row: LoadedRow, _ kind: Kind, _ expected: [UInt8], _ sealing: inout SealingKey
  ) throws(FactorStoreError) -> [UInt8]? {
    guard !row.record.isEmpty else { return nil }
    let content = try RegistryRow.opened(row.record, kind.purpose, &sealing)
    var reader = ByteReader(content.span)
    let header = RegistryRow.Header(format: version, version: row.version, id: expected)
    guard header.isRead(from: &reader), let value = read(kind, from: &reader), reader.isAtEnd
    else { throw .damaged(.record) }
    return value
  }
}
