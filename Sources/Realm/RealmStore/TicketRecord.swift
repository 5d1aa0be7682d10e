import MFABase
import MFAStore

/// A ticket with which one host can join a realm once. Its key in the store is a digest of its code.
struct TicketRecord {
  /// The name of the host that may join.
  let host: [UInt8]
  /// The groups that the host gets.
  let groups: [[UInt8]]
  /// The first second in which the ticket is no longer valid, in seconds since the epoch.
  let expires: Int64

  private static let version: UInt8 = 1

  init(host: [UInt8], groups: [[UInt8]], expires: Int64) {
    self.host = host
    self.groups = groups
    self.expires = expires
  }

  func sealed(for id: [UInt8], _ key: inout SealingKey) throws(FactorStoreError) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.version)
    writer.writeShort(id)
    writer.writeShort(host)
    writer.write(UInt8(clamping: groups.count))
    for group in groups { writer.writeShort(group) }
    writer.write(expires)
    return try RegistryRow.sealed(writer.bytes, .fleetTicket, &key)
  }

  /// Verifies the checksum and the ticket's key.
  init(
    _ sealed: [UInt8], for expected: [UInt8], _ key: inout SealingKey
  ) throws(FactorStoreError) {
    let content = try RegistryRow.opened(sealed, .fleetTicket, &key)
    var reader = ByteReader(content.span)
    guard reader.read(UInt8.self) == Self.version, let id = reader.readShort(), id == expected,
      let host = reader.readShort(),
      let groups = RegistryRow.list(&reader, most: HostRecord.mostGroups),
      let expires = reader.read(Int64.self), reader.isAtEnd
    else { throw .damaged(.record) }
    self.init(host: host, groups: groups, expires: expires)
  }
}
