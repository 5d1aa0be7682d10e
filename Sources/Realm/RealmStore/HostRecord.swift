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
    return try RegistryRow.sealed(writer.bytes, .realmHost, &key)
  }

  /// Verifies the checksum, the name and the version of the row.
  init(
    _ sealed: [UInt8], name expected: [UInt8], version row: UInt64, _ key: inout SealingKey
  ) throws(FactorStoreError) {
    let content = try RegistryRow.opened(sealed, .realmHost, &key)
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

/// When a host or a verifier was seen last, to the hour.
package struct LastSeenRecord: Equatable, Sendable {
  /// The version of its programs, at most 32 bytes.
  package let version: [UInt8]
  /// The time, in seconds since the epoch.
  package let time: Int64
  /// The end of the certificate of a host, in seconds since the epoch; 0 for a verifier.
  package let certificateEnd: Int64

  /// The longest version in bytes.
  package static let longestVersion = 32
  /// For how many seconds a record is not replaced by one that differs in its time only.
  package static let lifetime: Int64 = 3600

  private static let format: UInt8 = 1

  /// Creates a record. A version that is too long is cut.
  package init(version: [UInt8], time: Int64, certificateEnd: Int64 = 0) {
    self.version = version.span.part(from: 0, count: Self.longestVersion).copied()
    self.time = time
    self.certificateEnd = certificateEnd
  }

  /// Returns whether this record need not be replaced by `next`.
  func stands(before next: LastSeenRecord) -> Bool {
    let (age, overflow) = next.time.subtractingReportingOverflow(time)
    return version == next.version && certificateEnd == next.certificateEnd && !overflow
      && (0..<Self.lifetime).contains(age)
  }

  /// Returns the stored form, with a checksum that also covers the key of the row.
  func sealed(
    for row: EngineKey, _ key: inout SealingKey
  ) throws(FactorStoreError) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.format)
    writer.write(row.kind.rawValue)
    writer.writeShort(row.id)
    writer.writeShort(version)
    writer.write(time)
    writer.write(certificateEnd)
    return try RegistryRow.sealed(writer.bytes, .lastSeen, &key)
  }

  /// Verifies the checksum and the key of the row.
  init(
    _ sealed: [UInt8], for row: EngineKey, _ key: inout SealingKey
  ) throws(FactorStoreError) {
    let content = try RegistryRow.opened(sealed, .lastSeen, &key)
    var reader = ByteReader(content.span)
    guard reader.read(UInt8.self) == Self.format, reader.read(UInt8.self) == row.kind.rawValue,
      reader.readShort() == row.id, let version = reader.readShort(),
      let time = reader.read(Int64.self), let end = reader.read(Int64.self), reader.isAtEnd
    else { throw .damaged(.record) }
    self.init(version: version, time: time, certificateEnd: end)
  }
}

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
    return try RegistryRow.sealed(writer.bytes, .hostTicket, &key)
  }

  /// Verifies the checksum and the ticket's key.
  init(
    _ sealed: [UInt8], for expected: [UInt8], _ key: inout SealingKey
  ) throws(FactorStoreError) {
    let content = try RegistryRow.opened(sealed, .hostTicket, &key)
    var reader = ByteReader(content.span)
    guard reader.read(UInt8.self) == Self.version, let id = reader.readShort(), id == expected,
      let host = reader.readShort(),
      let groups = RegistryRow.list(&reader, most: HostRecord.mostGroups),
      let expires = reader.read(Int64.self), reader.isAtEnd
    else { throw .damaged(.record) }
    self.init(host: host, groups: groups, expires: expires)
  }
}
