import MFABase
import MFACrypto

/// The end of the audit log's hash chain: the number of entries, their length, and a keyed hash of
/// every byte.
///
/// Each value covers the value before it and every byte since. An entry cannot be modified,
/// removed, inserted or moved without making its own value, or the next entry's, invalid.
struct AuditLogChain: Equatable {
  /// The number of entries.
  private(set) var count: UInt32
  /// The length of all entries in bytes.
  private(set) var length: Int64
  /// The chain value of the last entry, `SealingKey.checksumLength` bytes.
  private(set) var value: [UInt8]

  /// The chain before the first entry.
  static var empty: AuditLogChain {
    AuditLogChain(
      count: 0, length: 0, value: [UInt8](repeating: 0, count: SealingKey.checksumLength))
  }

  init(count: UInt32, length: Int64, value: [UInt8]) {
    self.count = count
    self.length = length
    self.value = value
  }

  /// Returns the chain value of an entry made of `bytes`, which end before the value itself.
  func value(after bytes: [UInt8], _ key: inout SealingKey) throws(FactorStoreError) -> [UInt8] {
    let message = value + bytes
    return try cryptographic { () throws(CryptographyError) in
      try key.checksum(of: message, purpose: .auditLogEntry)
    }
  }

  /// Advances the chain by an entry of `count` bytes with this chain value.
  mutating func advance(by count: Int, to value: [UInt8]) throws(FactorStoreError) {
    let (number, tooMany) = self.count.addingReportingOverflow(1)
    let (length, tooLong) = self.length.addingReportingOverflow(Int64(truncatingIfNeeded: count))
    guard !tooMany, !tooLong else { throw .damaged(.ledger) }
    self.count = number
    self.length = length
    self.value = value
  }

  /// Returns the chain after the entry that begins at `start` of `bytes` and ends before `end`, or
  /// nil if no valid entry does. The remains of an interrupted write before the line count as part
  /// of the entry.
  func next(
    in bytes: [UInt8], from start: Int, to end: Int, _ key: inout SealingKey
  ) throws(FactorStoreError) -> AuditLogChain? {
    let part = bytes.span.part(from: start, count: end &- start)
    var length = 0
    while length < part.count {
      let feed =
        length &+ part.part(from: length, count: part.count).firstIndex(of: UInt8(ascii: "\n"))
      guard feed < part.count else { return nil }
      length = feed &+ 1
      let body = feed &- AuditLogLine.trailerLength
      let trailer = part.part(from: body, count: AuditLogLine.trailerLength).copied()
      guard body >= 0, let value = AuditLogLine.chainValue(of: trailer[...]) else { continue }
      let covered = self.value + part.part(from: 0, count: body).copied()
      let isValid = try cryptographic { () throws(CryptographyError) in
        try key.verifies(value.span, of: covered, purpose: .auditLogEntry)
      }
      guard isValid else { continue }
      var next = self
      try next.advance(by: length, to: value)
      return next
    }
    return nil
  }
}
