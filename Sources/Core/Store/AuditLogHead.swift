import MFABase
import MFACrypto

/// The recorded end of the audit log, which makes a truncated log detectable. It has two slots,
/// which are written alternately. How often it was written tells an earlier copy of the store from the
/// present one: see `StoreIdentity`.
///
/// The head also holds the fingerprint of the last recorded configuration, and identifies the valid
/// copy of each index page.
struct AuditLogHead {
  /// The content of a slot.
  struct Content {
    /// The end of the chain.
    var chain: AuditLogChain
    /// The fingerprint of the last recorded configuration; 0 before the first one.
    var configuration: UInt64 = 0
    /// A random number that identifies this audit log.
    var log: UInt32 = 0
    /// How often the head was written.
    fileprivate(set) var sequence: UInt64 = 0
    /// For each index page, the number of the last entry written to it, in four bytes; 0 if the
    /// page was never written. A sign-in needs only one number, so the array stays encoded.
    fileprivate(set) var pages = [UInt8](repeating: 0, count: pagesLength)

    /// The part of the log that was written with an earlier key; nil if there is none.
    var earlierPart: AuditLogEarlierPart?

    /// Has the next write count as later than `sequence` writes.
    mutating func continueWrites(after sequence: UInt64) {
      self.sequence = max(self.sequence, sequence)
    }

    fileprivate static var pagesLength: Int { 4 &* AuditLogIndex.pageCount }

    /// Whether a page of the index was ever written.
    var hasIndex: Bool { pages.contains { $0 != 0 } }

    /// Returns the number of the entry that a page was last written for; 0 if it was never written.
    func lastEntry(inPage page: Int) -> UInt32 {
      var reader = ByteReader(pages.span.part(from: 4 &* page, count: 4))
      return reader.read(UInt32.self) ?? 0
    }

    /// Returns the first page that was written, from this page on and around; nil if none was.
    func writtenPage(from page: Int) -> Int? {
      for step in 0..<AuditLogIndex.pageCount {
        let number = (page &+ step) % AuditLogIndex.pageCount
        if lastEntry(inPage: number) > 0 { return number }
      }
      return nil
    }

    /// Records the number of the entry that a page was last written for.
    mutating func setLastEntry(_ count: UInt32, inPage page: Int) {
      var writer = ByteWriter()
      for number in 0..<AuditLogIndex.pageCount {
        writer.write(number == page ? count : lastEntry(inPage: number))
      }
      pages = writer.bytes
    }
  }

  /// The content of the newest valid slot, or nil if no slot is valid.
  private(set) var content: Content?
  /// The slot to write to next.
  private var free: Int

  /// The length of the file in bytes.
  static let length = 1024
  private static let slotLength = length / 2
  private static let magic: [UInt8] = [0x4D, 0x46, 0x41, 0x4C]  // MFAL
  private static let version: UInt16 = 1

  init(_ bytes: [UInt8], _ key: inout SealingKey) throws(FactorStoreError) {
    // If the slot that was written last is valid, the checksum of the other slot is not computed.
    for slot in Self.slots(of: bytes) {
      let isValid = try cryptographic { () throws(SystemError) in
        try key.verifies(slot.checksum.span, of: slot.encoded, purpose: .auditLogHead)
      }
      guard isValid else { continue }
      content = slot.content
      free = 1 &- slot.number
      return
    }
    content = nil
    free = 0
  }

  /// Returns the slots, the one that was written last first.
  private static func slots(of bytes: [UInt8]) -> [Slot] {
    let first = Slot(0, of: bytes)
    let second = Slot(1, of: bytes)
    let secondIsNewer = second?.content.sequence ?? 0 > first?.content.sequence ?? 0
    return (secondIsNewer ? [second, first] : [first, second]).compactMap { $0 }
  }

  /// Returns whether a head that does not verify was written with another key: every slot that was
  /// written is whole.
  static func isWhole(_ bytes: [UInt8]) -> Bool {
    let written = (0..<2).filter { number in
      let slot = bytes.span.part(from: number &* slotLength, count: slotLength)
      return slot.copied().contains { $0 != 0 }
    }
    return bytes.count == length && !written.isEmpty
      && written.allSatisfy { Slot($0, of: bytes) != nil }
  }

  /// Returns the fingerprint of the last recorded configuration without verifying it. Use it only
  /// to skip recording an unchanged configuration.
  static func likelyConfiguration(_ bytes: [UInt8]) -> UInt64 {
    slots(of: bytes).first?.content.configuration ?? 0
  }

  /// A slot whose checksum has not been verified.
  private struct Slot {
    let number: Int
    let content: Content
    /// The bytes that the checksum covers.
    let encoded: [UInt8]
    let checksum: [UInt8]

    init?(_ number: Int, of bytes: [UInt8]) {
      let slot = bytes.span.part(from: number &* slotLength, count: slotLength)
      var reader = ByteReader(slot)
      guard reader.read(count: 4) == magic, reader.read(UInt16.self) == version,
        let count = reader.read(UInt32.self),
        let length = reader.read(Int64.self), length >= 0,
        let value = reader.read(count: SealingKey.checksumLength),
        let configuration = reader.read(UInt64.self), let log = reader.read(UInt32.self),
        let pages = reader.read(count: Content.pagesLength),
        let sequence = reader.read(UInt64.self), let hasEarlierPart = reader.read(UInt8.self),
        hasEarlierPart <= 1
      else { return nil }
      var content = Content(chain: AuditLogChain(count: count, length: length, value: value))
      content.configuration = configuration
      content.log = log
      content.pages = pages
      content.sequence = sequence
      if hasEarlierPart == 1 {
        guard let part = AuditLogEarlierPart(&reader) else { return nil }
        content.earlierPart = part
      }
      encoded = slot.part(from: 0, count: reader.position).copied()
      guard let checksum = reader.read(count: SealingKey.checksumLength) else { return nil }
      self.number = number
      self.content = content
      self.checksum = checksum
    }
  }

  /// Writes the end of the audit log durably to the free slot.
  mutating func write(
    _ content: Content, to file: borrowing File, _ key: inout SealingKey
  ) throws(FactorStoreError) {
    var content = content
    content.sequence = max(content.sequence, self.content?.sequence ?? 0) &+ 1
    var writer = ByteWriter()
    writer.write(Self.magic)
    writer.write(Self.version)
    writer.write(content.chain.count)
    writer.write(content.chain.length)
    writer.write(content.chain.value)
    writer.write(content.configuration)
    writer.write(content.log)
    writer.write(content.pages)
    writer.write(content.sequence)
    writer.write(content.earlierPart == nil ? 0 : 1 as UInt8)
    content.earlierPart?.encode(to: &writer)
    let slot = writer.bytes + (try Self.checksum(of: writer.bytes, &key))
    let offset = Int64(truncatingIfNeeded: free &* Self.slotLength)
    try onPart(.auditLogHead) { () throws(SystemError) in
      try file.write(slot, at: offset)
      try file.syncData()
    }
    self.content = content
    free = 1 &- free
  }

  private static func checksum(
    of encoded: [UInt8], _ key: inout SealingKey
  ) throws(FactorStoreError) -> [UInt8] {
    try cryptographic { () throws(SystemError) in
      try key.checksum(of: encoded, purpose: .auditLogHead)
    }
  }
}
