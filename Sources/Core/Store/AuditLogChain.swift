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
    return try cryptographic { () throws(SystemError) in
      try key.checksum(of: message, purpose: .auditLogEntry)
    }
  }

  /// Advances the chain by an entry of `count` bytes with this chain value.
  mutating func advance(by count: Int, to value: [UInt8]) throws(FactorStoreError) {
    let (number, tooMany) = self.count.addingReportingOverflow(1)
    let (length, tooLong) = self.length.addingReportingOverflow(Int64(truncatingIfNeeded: count))
    guard !tooMany, !tooLong else { throw .damaged(.auditLog) }
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
      let isValid = try cryptographic { () throws(SystemError) in
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

/// The beginning of the audit log, up to the entry before the last change of the key. Its entries
/// cannot be verified with the present key one by one: a checksum covers all of them.
///
/// MUST 1: a part that was changed in any byte, truncated or extended is detected.
/// (`RekeyTests.earlierPart`)
struct AuditLogEarlierPart: Equatable, Sendable {
  /// The end of the chain at that time.
  let chain: AuditLogChain
  /// The checksum of the text.
  let checksum: [UInt8]
  /// The identity of the key that made the checksum.
  let keyIdentity: [UInt8]

  init(chain: AuditLogChain, checksum: [UInt8], keyIdentity: [UInt8]) {
    self.chain = chain
    self.checksum = checksum
    self.keyIdentity = keyIdentity
  }

  /// A running checksum of a text that is read in portions of `portion` bytes.
  struct Digest {
    /// The number of bytes in each portion but the last one.
    static var portion: Int { 65_536 }

    private(set) var value = [UInt8](repeating: 0, count: SealingKey.checksumLength)

    /// Covers the next portion.
    mutating func add(_ bytes: [UInt8], _ key: inout SealingKey) throws(FactorStoreError) {
      let message = value + bytes
      value = try cryptographic { () throws(SystemError) in
        try key.checksum(of: message, purpose: .auditLogEarlierPart)
      }
    }
  }

  // MARK: Binary form

  func encode(to writer: inout ByteWriter) {
    writer.write(chain.count)
    writer.write(chain.length)
    writer.write(chain.value)
    writer.write(checksum)
    writer.write(keyIdentity)
  }

  /// Parses the binary form. Returns nil if it is invalid.
  init?(_ reader: inout ByteReader) {
    guard let count = reader.read(UInt32.self), let length = reader.read(Int64.self), length >= 0,
      let value = reader.read(count: SealingKey.checksumLength),
      let checksum = reader.read(count: SealingKey.checksumLength),
      let identity = reader.read(count: SealingKey.identityLength)
    else { return nil }
    self.init(
      chain: AuditLogChain(count: count, length: length, value: value), checksum: checksum,
      keyIdentity: identity)
  }
}
