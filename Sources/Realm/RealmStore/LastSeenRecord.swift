import MFABase
import MFAStore

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
    return try RegistryRow.sealed(writer.bytes, .fleetLastSeen, &key)
  }

  /// Verifies the checksum and the key of the row.
  init(
    _ sealed: [UInt8], for row: EngineKey, _ key: inout SealingKey
  ) throws(FactorStoreError) {
    let content = try RegistryRow.opened(sealed, .fleetLastSeen, &key)
    var reader = ByteReader(content.span)
    guard reader.read(UInt8.self) == Self.format, reader.read(UInt8.self) == row.kind.rawValue,
      reader.readShort() == row.id, let version = reader.readShort(),
      let time = reader.read(Int64.self), let end = reader.read(Int64.self), reader.isAtEnd
    else { throw .damaged(.record) }
    self.init(version: version, time: time, certificateEnd: end)
  }
}
