import Factors
import Secrets
import System

/// Where the chain had come to when the ledger was last written to, so that a ledger that was cut is
/// known: two slots, written by turns, each a sector of its own.
struct LedgerHead {
  /// Where the chain had come to; nil when no slot is valid.
  let chain: LedgerChain?
  /// The slot to write to next.
  private var free: Int

  private static let slotLength = AttemptSlots.length / 2
  private static let magic: [UInt8] = [0x4D, 0x46, 0x41, 0x4C]  // MFAL
  private static let version: UInt16 = 1
  /// What `SealingKey.checksum` is told a slot's checksum is for.
  private static let purpose: UInt8 = 5
  /// The length of a slot's content in bytes, without the checksum.
  private static let encodedLength = 4 + 2 + 4 + 8 + SealingKey.checksumLength

  init(_ bytes: [UInt8], _ key: inout SealingKey) throws(FactorStoreError) {
    var newest: LedgerChain?
    var free = 0
    for slot in 0..<2 {
      let content = Array(bytes.dropFirst(slot &* Self.slotLength).prefix(Self.slotLength))
      guard let chain = try Self.chain(in: content, &key) else { continue }
      if let other = newest, other.count >= chain.count { continue }
      newest = chain
      free = 1 &- slot
    }
    chain = newest
    self.free = free
  }

  private static func chain(
    in slot: [UInt8], _ key: inout SealingKey
  ) throws(FactorStoreError) -> LedgerChain? {
    let encoded = Array(slot.prefix(encodedLength))
    let checksum = Array(slot.dropFirst(encodedLength).prefix(SealingKey.checksumLength))
    let expected = try Self.checksum(of: encoded, &key)
    guard constantTimeEquals(checksum.span, expected.span) else { return nil }
    var reader = ByteReader(encoded.span)
    guard reader.read(count: 4) == magic, reader.read(UInt16.self) == version,
      let count = reader.read(UInt32.self), let length = reader.read(Int64.self), length >= 0,
      let value = reader.read(count: SealingKey.checksumLength)
    else { return nil }
    return LedgerChain(count: count, length: length, value: value)
  }

  /// Writes where the chain has come to, durably, to the slot that the one before is not in.
  mutating func write(
    _ chain: LedgerChain, to file: borrowing File, _ key: inout SealingKey
  ) throws(FactorStoreError) {
    var writer = ByteWriter()
    writer.write(Self.magic)
    writer.write(Self.version)
    writer.write(chain.count)
    writer.write(chain.length)
    writer.write(chain.value)
    let slot = writer.bytes + (try Self.checksum(of: writer.bytes, &key))
    let offset = Int64(truncatingIfNeeded: free &* Self.slotLength)
    try onPart(.ledgerHead) { () throws(SystemError) in
      try file.write(slot, at: offset)
      try file.syncData()
    }
    free = 1 &- free
  }

  private static func checksum(
    of encoded: [UInt8], _ key: inout SealingKey
  ) throws(FactorStoreError) -> [UInt8] {
    try cryptographic { () throws(CryptographyError) in
      try key.checksum(of: encoded, purpose: purpose)
    }
  }
}
