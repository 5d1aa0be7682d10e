import MFABase
import MFACrypto
import MFAModel

/// The index of the audit log: for each user, the offset of the last entry about that user.
///
/// Users share positions by a hash of their name, so the index has a fixed size. Each entry names
/// the previous entry at the same position, and these links lead to the last entry about one user.
///
/// The positions are grouped into pages. A page has two copies, which are written alternately. The
/// head of the audit log records the entry that a page was last written for; the other copy is not
/// trusted.
///
/// MUST 1: a page that is older than the head requires, or that was modified in any bit, is
/// refused. (`RollbackTests.earlierCopies`, `BrokenAuditLogTests.index`)
/// MUST 2: after an interruption at any point, the index still matches the head.
/// (`LocalFactorStoreTests.interruptedTwice`, and Tests/Faults)
enum AuditLogIndex {
  /// The number of pages.
  static var pageCount: Int { 64 }
  /// The number of positions in a page.
  static var positionsPerPage: Int { 55 }

  private static var copyLength: Int { 512 }
  /// The length of the file in bytes.
  static var length: Int { 2 * copyLength * pageCount }

  private static let magic: [UInt8] = [0x4D, 0x46, 0x41, 0x49]  // MFAI
  private static let version: UInt16 = 1

  /// The page and position of a user in the index.
  struct Slot: Equatable {
    let page: Int
    let position: Int

    /// Computes the place of a user whose name is escaped as in a line of the audit log.
    init(escapedName: ArraySlice<UInt8>) {
      // FNV-1a. A collision of two users only costs time.
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      for byte in escapedName { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      let slot = Int(truncatingIfNeeded: hash % UInt64(pageCount &* positionsPerPage))
      page = slot / positionsPerPage
      position = slot % positionsPerPage
    }
  }

  /// A page: for each position, the 1-based offset of its last entry, or 0 before the first entry.
  struct Page {
    private let number: Int
    /// The header and the positions, as written to the file.
    private var content: [UInt8]
    /// The copy to write to next.
    private var free = 0

    private static let headerLength = 12
    private static var contentLength: Int { headerLength &+ 8 &* positionsPerPage }

    /// Reads the copy that was written for the entry `count`, or an empty page if `count` is 0.
    init(
      _ number: Int, writtenFor count: UInt32, in file: borrowing File, _ key: inout SealingKey
    ) throws(FactorStoreError) {
      self.number = number
      content = Self.header(number, count)
      guard count > 0 else {
        content += [UInt8](repeating: 0, count: 8 &* positionsPerPage)
        return
      }
      let bytes = try onPart(.auditLogIndex) { () throws(SystemError) in
        try file.read(count: 2 &* copyLength, at: Int64(number &* 2 &* copyLength))
      }
      for copy in 0..<2 {
        let written = bytes.span.part(from: copy &* copyLength, count: copyLength)
        let header = written.part(from: 0, count: content.count).copied()
        guard header == content else { continue }
        let found = written.part(from: 0, count: Self.contentLength).copied()
        let checksum = written.part(from: Self.contentLength, count: SealingKey.checksumLength)
        let isValid = try cryptographic { () throws(SystemError) in
          try key.verifies(checksum, of: found, purpose: .auditLogIndexPage)
        }
        guard isValid else { continue }
        content = found
        free = 1 &- copy
        return
      }
      throw .damaged(.auditLogIndex)
    }

    private static func header(_ number: Int, _ count: UInt32) -> [UInt8] {
      var writer = ByteWriter()
      writer.write(magic)
      writer.write(version)
      writer.write(UInt16(truncatingIfNeeded: number))
      writer.write(count)
      return writer.bytes
    }

    /// Returns the 1-based offset of the last entry at a position, or 0 before the first entry.
    func entry(at position: Int) -> Int64 {
      var reader = ByteReader(content.span)
      _ = reader.read(count: Self.headerLength &+ 8 &* position)
      return reader.read(Int64.self) ?? 0
    }

    /// Writes the page durably to the free copy, for the entry with the number `count` and the
    /// 1-based offset `entry`.
    func write(
      _ entry: Int64, at position: Int, for count: UInt32, to file: borrowing File,
      _ key: inout SealingKey
    ) throws(FactorStoreError) {
      let before = content.span.part(from: Self.headerLength, count: 8 &* position)
      let start = Self.headerLength &+ 8 &* position
      let after = content.span.part(from: start &+ 8, count: content.count)
      var writer = ByteWriter()
      writer.write(Self.header(number, count))
      writer.write(before.copied())
      writer.write(entry)
      writer.write(after.copied())
      try write(writer.bytes, to: file, &key)
    }

    /// Writes the page durably to the free copy, as it is, with a checksum of the key that seals now.
    func writeAgain(
      to file: borrowing File, _ key: inout SealingKey
    ) throws(FactorStoreError) {
      try write(content, to: file, &key)
    }

    private func write(
      _ content: [UInt8], to file: borrowing File, _ key: inout SealingKey
    ) throws(FactorStoreError) {
      let bytes = content + (try AuditLogIndex.checksum(of: content, &key))
      let offset = Int64((2 &* number &+ free) &* copyLength)
      try onPart(.auditLogIndex) { () throws(SystemError) in
        try file.write(bytes, at: offset)
        try file.syncData()
      }
    }
  }

  private static func checksum(
    of encoded: [UInt8], _ key: inout SealingKey
  ) throws(FactorStoreError) -> [UInt8] {
    try cryptographic { () throws(SystemError) in
      try key.checksum(of: encoded, purpose: .auditLogIndexPage)
    }
  }
}
