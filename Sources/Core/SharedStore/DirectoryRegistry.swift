import MFABytes
public import MFAStoreFiles

/// The entries of a directory service that the users of a realm had when they enrolled.
///
/// MUST 1: a changed row, the row of another user, and an earlier version of the row are refused.
/// (`DirectoryRegistryTests.damaged`)
public struct DirectoryRegistry<Engine: StoreEngine> {
  private let store: SharedFactorStore<Engine>

  /// Uses the engine, the key and the clock of a store.
  public init(_ store: SharedFactorStore<Engine>) { self.store = store }

  private static var version: UInt8 { 1 }

  /// Returns the id of the user's entry, or nil if none is known.
  public func entry(of user: [UInt8]) throws(FactorStoreError) -> [UInt8]? {
    var sealing = try store.key()
    return try Self.entry(try store.row(.directoryEntry, user), of: user, &sealing)
  }

  /// Keeps the id of the user's entry, or removes it if `id` is nil.
  public func setEntry(_ id: [UInt8]?, of user: [UInt8]) throws(FactorStoreError) {
    try store.deciding { () throws(FactorStoreError) in
      var sealing = try store.key()
      let row = try store.row(.directoryEntry, user)
      guard try Self.entry(row, of: user, &sealing) != id else { return }
      var sealed: [UInt8] = []
      if let id {
        sealed = try RegistryRow.sealed(
          Self.content(id, of: user, version: row.version &+ 1), .directoryEntry, &sealing)
      }
      try store.replace(row, with: sealed, &sealing)
    }
  }

  private static func content(_ id: [UInt8], of user: [UInt8], version row: UInt64) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(version)
    writer.write(row)
    writer.writeShort(user)
    writer.writeShort(id)
    return writer.bytes
  }

  /// Verifies the checksum, the user and the version of a row.
  private static func entry(
    _ row: LoadedRow, of expected: [UInt8], _ sealing: inout SealingKey
  ) throws(FactorStoreError) -> [UInt8]? {
    guard !row.record.isEmpty else { return nil }
    let content = try RegistryRow.opened(row.record, .directoryEntry, &sealing)
    var reader = ByteReader(content.span)
    guard reader.read(UInt8.self) == version, reader.read(UInt64.self) == row.version,
      reader.readShort() == expected, let id = reader.readShort(), reader.isAtEnd
    else { throw .damaged(.record) }
    return id
  }
}
