import MFABase
import MFAStore

/// A host of a realm.
package struct HostRecord: Equatable, Sendable {
  /// The host's name: 1 to 255 bytes.
  package let name: [UInt8]
  /// The names of the host's groups, which decide what the host may ask: at most 16.
  package var groups: [[UInt8]]
  /// The serial numbers of the certificates that are accepted: the present one and, until it is used,
  /// the next one. Empty for a host that has not joined or was revoked.
  package var serials: [[UInt8]]
  /// The time at which the host joined, in seconds since the epoch.
  package var joinedAt: Int64
  /// The time at which the host was last revoked, in seconds since the epoch; 0 for never.
  package var revokedAt: Int64

  /// The largest number of groups.
  package static let mostGroups = 16
  /// The longest name of a group in bytes.
  package static let longestGroup = 64

  private static let version: UInt8 = 1

  /// Creates a record.
  package init(
    name: [UInt8], groups: [[UInt8]], serials: [[UInt8]], joinedAt: Int64, revokedAt: Int64 = 0
  ) {
    self.name = name
    self.groups = groups
    self.serials = serials
    self.joinedAt = joinedAt
    self.revokedAt = revokedAt
  }

  /// Returns the stored form, with a checksum.
  func sealed(version row: UInt64, _ key: inout SealingKey) throws(FactorStoreError) -> [UInt8] {
    var writer = Self.header(name, row).written()
    writer.write(UInt8(clamping: groups.count))
    for group in groups { writer.writeShort(group) }
    writer.write(UInt8(clamping: serials.count))
    for serial in serials { writer.writeShort(serial) }
    writer.write(joinedAt)
    writer.write(revokedAt)
    return try RegistryRow.sealed(writer.bytes, .fleetHost, &key)
  }

  /// Verifies the checksum, the name and the version of the row.
  init(
    _ sealed: [UInt8], name expected: [UInt8], version row: UInt64, _ key: inout SealingKey
  ) throws(FactorStoreError) {
    let content = try RegistryRow.opened(sealed, .fleetHost, &key)
    var reader = ByteReader(content.span)
    guard Self.header(expected, row).isRead(from: &reader),
      let groups = RegistryRow.list(&reader, most: Self.mostGroups),
      let serials = RegistryRow.list(&reader, most: 2), let joinedAt = reader.read(Int64.self),
      let revokedAt = reader.read(Int64.self), reader.isAtEnd
    else { throw .damaged(.record) }
    self.init(
      name: expected, groups: groups, serials: serials, joinedAt: joinedAt, revokedAt: revokedAt)
  }

  private static func header(_ name: [UInt8], _ row: UInt64) -> RegistryRow.Header {
    RegistryRow.Header(format: version, version: row, id: name)
  }
}
