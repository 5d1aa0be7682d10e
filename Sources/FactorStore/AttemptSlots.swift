import Factors
import Secrets
import System

/// The two slots of an attempts file, each a sector of its own: an attempt state with a sequence
/// number, and a checksum.
///
/// The slot that is on the disk is never written to. An attempt goes to the other one, and so does
/// what it came to, until both are synced in one go; a crash in between leaves the older slot whole.
struct AttemptSlots {
  /// The length of a slot in bytes.
  private static let slotLength = 512
  /// The length of the file in bytes.
  static let length = 2 * slotLength

  private static let purpose: UInt8 = 2

  /// The slot to write to next.
  private var free: Int
  private var sequence: UInt64

  /// The state in the later valid slot, or nil when neither is valid.
  let state: AttemptState?

  init(bytes: [UInt8], _ key: inout SealingKey) throws(FactorStoreError) {
    let first = Self.slot(0, of: bytes.span)
    let second = Self.slot(1, of: bytes.span)
    // Where the one that calls itself the later one is valid, the other is not looked at.
    let secondIsLater =
      AttemptState.claimedSequence(of: second) > AttemptState.claimedSequence(of: first)
    if let found = try Self.read(secondIsLater ? second : first, &key) {
      self.init(found, free: secondIsLater ? 0 : 1)
    } else if let found = try Self.read(secondIsLater ? first : second, &key) {
      self.init(found, free: secondIsLater ? 1 : 0)
    } else {
      self.init(nil, free: 0)
    }
  }

  private init(_ found: (state: AttemptState, sequence: UInt64)?, free: Int) {
    state = found?.state
    sequence = found?.sequence ?? 0
    self.free = free
  }

  @_lifetime(copy bytes)
  private static func slot(_ number: Int, of bytes: Span<UInt8>) -> Span<UInt8> {
    let start = min(number * slotLength, bytes.count)
    return bytes.extracting(start..<min(start + slotLength, bytes.count))
  }

  private static func read(
    _ slot: Span<UInt8>, _ key: inout SealingKey
  ) throws(FactorStoreError) -> (state: AttemptState, sequence: UInt64)? {
    // One that was never written is all zeros: no checksum is needed to tell.
    guard slot.count == slotLength, slot[0] != 0 else { return nil }
    let encoded = slot.extracting(0..<AttemptState.encodedLength).copied()
    let checksum = slot.extracting(AttemptState.encodedLength..<slotLength)
    let expected = try cryptographic { () throws(CryptographyError) in
      try key.checksum(of: encoded, purpose: purpose)
    }
    guard constantTimeEquals(checksum, expected.span) else { return nil }
    return AttemptState.decode(encoded.span)
  }

  /// Writes `state` to the free slot, as the latest.
  mutating func write(
    _ state: AttemptState, to file: borrowing File, _ key: inout SealingKey
  ) throws(FactorStoreError) {
    let (next, overflow) = sequence.addingReportingOverflow(1)
    guard !overflow else { throw .damaged(.attempts) }
    let encoded = state.encoded(sequence: next)
    let checksum = try cryptographic { () throws(CryptographyError) in
      try key.checksum(of: encoded, purpose: Self.purpose)
    }
    let offset = Int64(free * Self.slotLength)
    try onPart(.attempts) { () throws(SystemError) in
      try file.write(encoded + checksum, at: offset)
    }
    sequence = next
  }

  /// The free slot's content has reached the disk: from now on the other one is free.
  mutating func synced() { free = 1 - free }
}
