import MFABase
import MFACrypto
import MFAModel

/// The two slots of an attempts file. Each slot holds an attempt state with a sequence number, and
/// a checksum.
///
/// The last slot that reached the disk is never overwritten. An attempt and its result are written
/// to the other slot, and one sync makes both durable. After a crash in between, the older slot is
/// still intact.
struct AttemptSlots {
  /// The distance between the slots in bytes: whole sectors.
  private static let slotLength = 1024
  /// The length of the file in bytes.
  static let length = 2 * slotLength

  /// The slot to write to next.
  private var free: Int
  private var sequence: UInt64

  /// The state in the newer valid slot, or nil if neither slot is valid.
  let state: AttemptState?

  init(bytes: [UInt8], _ key: inout SealingKey) throws(FactorStoreError) {
    let first = Self.slot(0, of: bytes.span)
    let second = Self.slot(1, of: bytes.span)
    // If the slot with the higher sequence number is valid, the other slot is not read.
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
    bytes.part(from: number &* slotLength, count: slotLength)
  }

  private static func read(
    _ slot: Span<UInt8>, _ key: inout SealingKey
  ) throws(FactorStoreError) -> (state: AttemptState, sequence: UInt64)? {
    let length = AttemptState.encodedLength
    // A slot that was never written is all zeros and is rejected without computing a checksum.
    guard slot.count >= length &+ SealingKey.checksumLength, slot[0] != 0 else { return nil }
    let encoded = slot.part(from: 0, count: length).copied()
    let checksum = slot.part(from: length, count: SealingKey.checksumLength)
    let isValid = try cryptographic { () throws(SystemError) in
      try key.verifies(checksum, of: encoded, purpose: .attemptState)
    }
    guard isValid else { return nil }
    return AttemptState.decode(encoded.span)
  }

  /// Makes slots with a state that was not read. Authenticating it takes as long as verifying one that was.
  init(decoy state: AttemptState, _ key: inout SealingKey) throws(FactorStoreError) {
    let encoded = state.encoded(sequence: 0)
    _ = try Self.checksum(of: encoded, &key)
    self.init(AttemptState.decode(encoded.span), free: 0)
  }

  /// Returns the free slot with `state` and the next sequence number, and its offset in the file in bytes.
  mutating func next(
    _ state: AttemptState, _ key: inout SealingKey
  ) throws(FactorStoreError) -> (bytes: [UInt8], offset: Int64) {
    let (next, overflow) = sequence.addingReportingOverflow(1)
    guard !overflow else { throw .damaged(.attempts) }
    let encoded = state.encoded(sequence: next)
    let checksum = try Self.checksum(of: encoded, &key)
    sequence = next
    return (encoded + checksum, Int64(free &* Self.slotLength))
  }

  /// Writes `state` to the free slot with the next sequence number.
  mutating func write(
    _ state: AttemptState, to file: borrowing File, _ key: inout SealingKey
  ) throws(FactorStoreError) {
    let slot = try next(state, &key)
    try onPart(.attempts) { () throws(SystemError) in try file.write(slot.bytes, at: slot.offset) }
  }

  private static func checksum(
    of encoded: [UInt8], _ key: inout SealingKey
  ) throws(FactorStoreError) -> [UInt8] {
    try cryptographic { () throws(SystemError) in
      try key.checksum(of: encoded, purpose: .attemptState)
    }
  }

  /// Returns whether both slots are sealed with the key that seals now.
  static func isSealed(
    _ bytes: [UInt8], _ key: inout SealingKey
  ) throws(FactorStoreError) -> Bool {
    for number in 0..<2 {
      let slot = slot(number, of: bytes.span)
      let length = AttemptState.encodedLength
      let expected = try checksum(of: slot.part(from: 0, count: length).copied(), &key)
      let found = slot.part(from: length, count: SealingKey.checksumLength)
      guard constantTimeEquals(found, expected.span) else { return false }
    }
    return true
  }

  /// Records that the free slot has reached the disk. The other slot is free from now on.
  mutating func synced() { free = 1 &- free }
}
