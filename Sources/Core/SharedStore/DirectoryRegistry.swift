import MFABytes
public import MFAStoreFiles

/// The entries of a directory service that the users of a realm had when they enrolled, and the users of the entries.
///
/// MUST 1: a changed row, the row of another user, and an earlier version of the row are refused.
/// (`DirectoryRegistryTests.damaged`)
public struct DirectoryRegistry<Engine: StoreEngine> {
  private let store: SharedFactorStore<Engine>

  /// Uses the engine, the key and the clock of a store.
  public init(_ store: SharedFactorStore<Engine>) { self.store = store }

  private static var version: UInt8 { 1 }

  private enum Kind {
    case entryOfUser, userOfEntry

    var row: EngineKey.Kind { self == .entryOfUser ? .directoryEntry : .directoryUser }
    var purpose: ChecksumPurpose { self == .entryOfUser ? .directoryEntry : .directoryUser }
  }

  /// Returns the id of the user's entry, or nil if none is known.
  public func entry(of user: [UInt8]) throws(FactorStoreError) -> [UInt8]? {
    try value(.entryOfUser, user)
  }

  /// Returns the last name that is known for the user of an entry, or nil. Compare `entry(of:)` of that name: it may
  /// belong to another entry by now.
  public func user(of entry: [UInt8]) throws(FactorStoreError) -> [UInt8]? {
    try value(.userOfEntry, entry)
  }

  /// Keeps the id of the user's entry, or removes it if `id` is nil.
  public func setEntry(_ id: [UInt8]?, of user: [UInt8]) throws(FactorStoreError) {
    let before = try set(.entryOfUser, user, to: id)
    if let id { _ = try set(.userOfEntry, id, to: user) }
    if let before, before != id, try self.user(of: before) == user {
      _ = try set(.userOfEntry, before, to: nil)
    }
  }

  // MARK: Rows

  private func value(_ kind: Kind, _ id: [UInt8]) throws(FactorStoreError) -> [UInt8]? {
    var sealing = try store.key()
    return try Self.value(try store.row(kind.row, id), kind, id, &sealing)
  }

  /// Replaces a value, unless it is the same. Returns the value before.
  private func set(
    _ kind: Kind, _ id: [UInt8], to value: [UInt8]?
  ) throws(FactorStoreError) -> [UInt8]? {
    try store.deciding { () throws(FactorStoreError) in
      var sealing = try store.key()
      let row = try store.row(kind.row, id)
      let before = try Self.value(row, kind, id, &sealing)
      guard before != value else { return before }
      var sealed: [UInt8] = []
      if let value {
        let next = row.version &+ 1
        var writer = RegistryRow.Header(format: Self.version, version: next, id: id).written()
        writer.writeShort(value)
        sealed = try RegistryRow.sealed(writer.bytes, kind.purpose, &sealing)
      }
      try store.replace(row, with: sealed, &sealing)
      return before
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
    guard header.isRead(from: &reader), let value = reader.readShort(), reader.isAtEnd
    else { throw .damaged(.record) }
    return value
  }
}
