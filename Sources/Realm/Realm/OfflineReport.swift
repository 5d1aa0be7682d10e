import MFABase

/// A part of a host's queue, as the host sends it to a verifier.
///
/// MUST 1: an encoded report parses to an equal value, and no other bytes parse. (`OfflineEncodingTests.report`)
package struct OfflineReport: Equatable, Sendable {
  /// Whether the host's queue was changed or is incomplete. Such a report has no records.
  package let isDamaged: Bool
  /// The number of the last record before those of this report; 0 for none.
  package let base: UInt64
  /// The chain value after that record, `chainLength` bytes.
  package let chain: [UInt8]
  /// The encoded records, in order.
  package let records: [[UInt8]]

  /// The length of a chain value in bytes.
  package static let chainLength = 32
  /// The longest encoding in bytes.
  package static let longest = 60_000

  private static let version: UInt8 = 1

  /// Creates a report. Of the records, as many as fit are kept.
  package init(isDamaged: Bool, base: UInt64, chain: [UInt8], records: [[UInt8]]) {
    self.isDamaged = isDamaged
    self.base = base
    self.chain = chain
    var left = Self.longest - 64
    var kept: [[UInt8]] = []
    for record in records {
      left -= record.count + 2
      guard left >= 0 else { break }
      kept.append(record)
    }
    self.records = kept
  }

  /// Returns the encoding.
  package func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.version)
    writer.write(UInt8(isDamaged ? 1 : 0))
    writer.write(base)
    writer.write(chain)
    writer.write(UInt16(clamping: records.count))
    for record in records {
      writer.write(UInt16(clamping: record.count))
      writer.write(record)
    }
    return writer.bytes
  }

  /// Reads an encoding. Returns nil if it is malformed.
  package init?(_ encoded: Span<UInt8>) {
    var reader = ByteReader(encoded)
    guard encoded.count <= Self.longest, reader.read(UInt8.self) == Self.version,
      let damaged = reader.read(UInt8.self), damaged <= 1, let base = reader.read(UInt64.self),
      let chain = reader.read(count: Self.chainLength), let count = reader.read(UInt16.self),
      damaged == 0 || count == 0
    else { return nil }
    var records: [[UInt8]] = []
    for _ in 0..<count {
      guard let length = reader.read(UInt16.self), Int(length) <= OfflineRecord.longest,
        let record = reader.read(count: Int(length))
      else { return nil }
      records.append(record)
    }
    guard reader.isAtEnd else { return nil }
    self.init(isDamaged: damaged == 1, base: base, chain: chain, records: records)
  }
}
