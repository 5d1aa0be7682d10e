import MFABase

/// The queue of a host: a file with the records that no verifier has yet.
///
/// The file begins with a header of 128 bytes: `MFAOFFQ1`, the number and the chain value before the first
/// record, the number and the chain value of the last record, the latest time, and a chain value over these.
/// Each record follows with its length (two bytes) and the chain value after it.
///
/// MUST 1: a record is on disk when `append` returns. (Tests/Fleet: `killed between mark and answer`)
/// MUST 2: a file that was truncated or changed is refused. A last record that the header does not count is
/// kept: the relay was killed after it had written the record. (Tests/Fleet: `offline queue is changed`)
/// MUST 3: the queue has at most `most` records.
final class OfflineQueue {
  private let file: File
  /// The number and the chain value of the last record that a verifier has.
  private(set) var base: (number: UInt64, chain: [UInt8])
  /// The number and the chain value of the last record.
  private var head: (number: UInt64, chain: [UInt8])
  /// The latest time that is known to be over, in seconds since the epoch.
  private(set) var latestTime: Int64
  /// The records.
  private(set) var records: [OfflineRecord] = []
  private var end: Int64

  /// The largest number of records.
  static var most: Int { 4096 }
  private static var headerLength: Int { 128 }
  private static var magic: [UInt8] { Array("MFAOFFQ1".utf8) }
  private static var longest: Int64 {
    Int64(headerLength + most * (2 + OfflineRecord.longest + 32))
  }

  /// Begins a queue in an empty file, after the record with this number.
  init(
    creating file: consuming File, after base: (number: UInt64, chain: [UInt8]), latestTime: Int64
  ) throws(RealmError) {
    self.file = file
    self.base = base
    head = base
    self.latestTime = latestTime
    end = Int64(Self.headerLength)
    try writeHeader()
  }

  /// Reads a queue.
  ///
  /// - Throws: `.damaged` if the file is not as a relay wrote it.
  init(reading file: consuming File) throws(RealmError) {
    self.file = file
    let (content, size) = try Self.content(self.file)
    guard content.count == size, size >= Int64(Self.headerLength) else { throw .damaged }
    let header = content.span.part(from: 0, count: Self.headerLength).copied()
    var reader = ByteReader(header.span)
    guard reader.read(count: Self.magic.count) == Self.magic,
      let baseNumber = reader.read(UInt64.self),
      let baseChain = reader.read(count: OfflineReport.chainLength),
      let headNumber = reader.read(UInt64.self),
      let headChain = reader.read(count: OfflineReport.chainLength),
      let latestTime = reader.read(Int64.self)
    else { throw .damaged }
    let covered = header.span.part(from: 0, count: reader.position).copied()
    guard
      try OfflineChain.value(after: OfflineChain.beginning, covered)
        == reader.read(count: OfflineReport.chainLength)
    else { throw .damaged }
    let (records, last, beforeLast) = try Self.records(
      in: content, after: (baseNumber, baseChain))
    // The relay writes a record before the header that counts it.
    let isCounted = last.number == headNumber && last.chain == headChain
    let isAhead = beforeLast.number == headNumber && beforeLast.chain == headChain
    guard isCounted || isAhead else { throw .damaged }
    base = (baseNumber, baseChain)
    head = last
    self.latestTime = max(latestTime, records.last?.time ?? latestTime)
    self.records = records
    end = size
    if !isCounted { try writeHeader() }
  }

  private static func content(
    _ file: borrowing File
  ) throws(RealmError) -> ([UInt8], Int64) {
    try RealmError.onFiles { () throws(SystemError) in
      let size = try file.status().size
      guard size <= longest else { return ([], size) }
      return (try file.read(count: Int(clamping: size)), size)
    }
  }

  private typealias Position = (number: UInt64, chain: [UInt8])

  /// Returns the records, and the positions of the last one and of the one before it.
  private static func records(
    in content: [UInt8], after base: Position
  ) throws(RealmError) -> ([OfflineRecord], Position, Position) {
    var reader = ByteReader(content.span)
    guard reader.read(count: headerLength) != nil else { throw .damaged }
    var records: [OfflineRecord] = []
    var (last, beforeLast) = (base, base)
    while !reader.isAtEnd {
      guard let length = reader.read(UInt16.self), Int(length) <= OfflineRecord.longest,
        let encoded = reader.read(count: Int(length)),
        let chain = reader.read(count: OfflineReport.chainLength),
        let record = OfflineRecord(encoded.span), record.number == last.number &+ 1,
        try OfflineChain.value(after: last.chain, encoded) == chain, records.count < most
      else { throw .damaged }
      records.append(record)
      beforeLast = last
      last = (record.number, chain)
    }
    return (records, last, beforeLast)
  }

  /// How many records the queue can still take.
  var room: Int { max(Self.most - records.count, 0) }

  /// The number of the next record.
  var nextNumber: UInt64 { head.number &+ 1 }

  /// The number and the chain value of the last record.
  var position: (number: UInt64, chain: [UInt8]) { head }

  /// Appends a record, which has the next number, and waits until it is on disk.
  func append(_ record: OfflineRecord) throws(RealmError) {
    guard room > 0, record.number == nextNumber else { throw .damaged }
    let encoded = record.encoded()
    let chain = try OfflineChain.value(after: head.chain, encoded)
    var writer = ByteWriter()
    writer.write(UInt16(clamping: encoded.count))
    writer.write(encoded)
    writer.write(chain)
    do throws(SystemError) {
      try file.write(writer.bytes, at: end)
      try file.syncData()
    } catch {
      removePart()
      throw .system
    }
    end += Int64(writer.bytes.count)
    head = (record.number, chain)
    records.append(record)
    latestTime = max(latestTime, record.time)
    try writeHeader()
  }

  /// Removes a record that was written in part, for example because the file system is full. If that fails, the
  /// file counts as damaged after a restart.
  private func removePart() {
    do throws(SystemError) { try file.setLength(end) } catch {}
  }

  /// Records that a time is over.
  func note(_ time: Int64) throws(RealmError) {
    guard time > latestTime else { return }
    latestTime = time
    try writeHeader()
  }

  private func writeHeader() throws(RealmError) {
    var writer = ByteWriter()
    writer.write(Self.magic)
    writer.write(base.number)
    writer.write(base.chain)
    writer.write(head.number)
    writer.write(head.chain)
    writer.write(latestTime)
    writer.write(try OfflineChain.value(after: OfflineChain.beginning, writer.bytes))
    let header = writer.bytes
    try RealmError.onFiles { () throws(SystemError) in
      try file.write(header)
      try file.syncData()
    }
  }

  /// Returns the first records as a report, as many as fit.
  var report: OfflineReport {
    OfflineReport(
      isDamaged: false, base: base.number, chain: base.chain, records: records.map { $0.encoded() })
  }
}
