import Factors
import Secrets
import System

/// Where the chain had come to when the ledger was last written to, so that a ledger that was cut is
/// known, and which configuration was entered last: two slots, written by turns, each a sector of its
/// own.
struct LedgerHead {
  /// Where the chain had come to; nil when no slot is valid.
  let chain: LedgerChain?
  /// The fingerprint of the configuration that was entered last; 0 where none was.
  var configuration: UInt64
  /// The slot to write to next.
  private var free: Int

  private static let slotLength = AttemptSlots.length / 2
  private static let magic: [UInt8] = [0x4D, 0x46, 0x41, 0x4C]  // MFAL
  /// The first version knew nothing of configurations.
  private static let versions: ClosedRange<UInt16> = 1...2
  /// What `SealingKey.checksum` is told a slot's checksum is for.
  private static let purpose: UInt8 = 5

  init(_ bytes: [UInt8], _ key: inout SealingKey) throws(FactorStoreError) {
    var newest: Content?
    var free = 0
    for slot in 0..<2 {
      guard let content = Content(Self.slot(slot, of: bytes)) else { continue }
      let expected = try Self.checksum(of: content.encoded, &key)
      guard constantTimeEquals(content.checksum.span, expected.span) else { continue }
      if let newest, newest.chain.count >= content.chain.count { continue }
      newest = content
      free = 1 &- slot
    }
    chain = newest?.chain
    configuration = newest?.configuration ?? 0
    self.free = free
  }

  /// The fingerprint of the configuration that was entered last, believed without its checksum, and so
  /// without a key: good for finding out that there is nothing to enter, and for nothing else.
  static func likelyConfiguration(_ bytes: [UInt8]) -> UInt64 {
    let contents = (Content(slot(0, of: bytes)), Content(slot(1, of: bytes)))
    guard let first = contents.0 else { return contents.1?.configuration ?? 0 }
    guard let second = contents.1, second.chain.count > first.chain.count else {
      return first.configuration
    }
    return second.configuration
  }

  private static func slot(_ number: Int, of bytes: [UInt8]) -> [UInt8] {
    Array(bytes.dropFirst(number &* slotLength).prefix(slotLength))
  }

  /// What a slot holds.
  private struct Content {
    let chain: LedgerChain
    let configuration: UInt64
    /// What the checksum is of.
    let encoded: [UInt8]
    let checksum: [UInt8]

    init?(_ slot: [UInt8]) {
      var reader = ByteReader(slot.span)
      guard reader.read(count: 4) == magic, let version = reader.read(UInt16.self),
        versions.contains(version), let count = reader.read(UInt32.self),
        let length = reader.read(Int64.self), length >= 0,
        let value = reader.read(count: SealingKey.checksumLength),
        let configuration = version > 1 ? reader.read(UInt64.self) : 0
      else { return nil }
      encoded = Array(slot.prefix(reader.position))
      guard let checksum = reader.read(count: SealingKey.checksumLength) else { return nil }
      self.checksum = checksum
      self.configuration = configuration
      chain = LedgerChain(count: count, length: length, value: value)
    }
  }

  /// Writes where the chain has come to, durably, to the slot that the one before is not in.
  mutating func write(
    _ chain: LedgerChain, to file: borrowing File, _ key: inout SealingKey
  ) throws(FactorStoreError) {
    var writer = ByteWriter()
    writer.write(Self.magic)
    writer.write(Self.versions.upperBound)
    writer.write(chain.count)
    writer.write(chain.length)
    writer.write(chain.value)
    writer.write(configuration)
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
