import Factors
import Secrets
import System

/// The ledger in the store's directory: a line of text for everything that happened to what lets
/// people in, chained to all lines before it; and beside it, the head of the chain.
///
/// MUST 1: what cannot be entered does not happen: an entry is on the disk before the change that it
/// is about begins. (`LedgerTests.distrusted`, and Tests/Faults)
/// MUST 2: an entry that was changed, left out, put in, moved or cut off is found, and so is which.
/// (`LedgerTests.everyByteFlipped`, `.everyLineRemoved`, `.everyTruncation`)
/// MUST 3: what an interrupted process left behind is neither lost nor believed, and stops nobody.
/// (`LedgerTests.interrupted`)
/// MUST 4: nothing is read or allocated in proportion to the ledger to write to it.
/// (`LedgerTests.readsLittle`)
struct Ledger: ~Copyable {
  private let directory: StoreDirectory
  private let text: OwnedFile
  private let head: OwnedFile

  init(in directory: StoreDirectory, owner: UInt32) throws(FactorStoreError) {
    guard let text = FileName("ledger"), let head = FileName("ledger.head") else {
      throw .nameTooLong
    }
    self.directory = directory
    self.text = OwnedFile(.ledger, directory: directory, name: text, owner: owner)
    self.head = OwnedFile(.ledgerHead, directory: directory, name: head, owner: owner)
  }

  /// Enters what is about to happen, durably. `record` is what tells the user's record as it will be
  /// from every other; empty where there will be none.
  func enter(
    _ event: LedgerEvent, user: UserName?, uid: UInt32?, record: [UInt8], _ key: inout SealingKey
  ) throws(FactorStoreError) -> LedgerMark {
    let subject = LedgerSubject(user: user, uid: uid, record: record)
    guard let mark = try enter(event, subject, configuration: nil, &key) else {
      throw .damaged(.ledgerHead)
    }
    return mark
  }

  /// Enters that the configuration is another one, of this fingerprint; nil where that is in the ledger
  /// already.
  func enter(
    _ event: LedgerEvent, configuration: UInt64, _ key: inout SealingKey
  ) throws(FactorStoreError) -> LedgerMark? {
    try enter(event, LedgerSubject(), configuration: configuration, &key)
  }

  /// Whether the configuration of this fingerprint was the last to be entered, as far as that can be told
  /// without the key and the lock.
  func knows(configuration: UInt64) throws(FactorStoreError) -> Bool {
    guard let file = try present(head) else { return false }
    let slots = try onPart(.ledgerHead) { () throws(SystemError) in
      try file.file.read(count: AttemptSlots.length)
    }
    return LedgerHead.likelyConfiguration(slots) == configuration
  }

  private func enter(
    _ event: LedgerEvent, _ subject: LedgerSubject, configuration: UInt64?, _ key: inout SealingKey
  ) throws(FactorStoreError) -> LedgerMark? {
    // Locked until the end of this function.
    let headFile = try head.lock(creating: true, length: AttemptSlots.length)
    let slots = try onPart(.ledgerHead) { () throws(SystemError) in
      try headFile.read(count: AttemptSlots.length)
    }
    var head = try LedgerHead(slots, &key)
    if let configuration {
      if head.configuration == configuration { return nil }
      head.configuration = configuration
    }
    // A ledger that was taken away does not begin anew by itself.
    let text = try text.open(creating: head.chain == nil)
    var chain = head.chain ?? .empty
    let rest = try adopt(from: text, to: &chain, &key)
    if head.chain == nil {
      // Of a ledger without a head, no more than one entry can have been left so, or its beginning.
      guard chain.count < 2, !rest.contains(UInt8(ascii: "\n")) else {
        throw .damaged(.ledgerHead)
      }
      if chain.count == 1 { try head.write(chain, to: headFile, &key) }
    }
    // What was left behind becomes a line of its own, which this entry vouches for.
    var entry = rest
    if !rest.isEmpty { entry.append(UInt8(ascii: "\n")) }
    entry += LedgerLine.text(
      of: event, number: chain.count &+ 1, subject)
    let value = try chain.value(after: entry, &key)
    entry += LedgerLine.chainKey
    entry += Hexadecimal.text(of: value)
    entry.append(UInt8(ascii: "\n"))
    try write(entry, at: chain.length, to: text)
    try chain.advance(by: entry.count, to: value)
    try head.write(chain, to: headFile, &key)
    return LedgerMark(number: chain.count, chain: value)
  }

  private func write(
    _ entry: [UInt8], at offset: Int64, to text: borrowing File
  ) throws(FactorStoreError) {
    try onPart(.ledger) { () throws(SystemError) in
      try text.write(entry, at: offset)
      try text.syncData()
      if offset == 0 { try directory.opened.sync() }
    }
  }

  /// Goes over what stands in the ledger behind the end that the head knows, which interrupted
  /// processes left: whole entries become part of the chain, and what is behind them is returned.
  private func adopt(
    from text: borrowing File, to chain: inout LedgerChain, _ key: inout SealingKey
  ) throws(FactorStoreError) -> [UInt8] {
    let size = try onPart(.ledger) { () throws(SystemError) in try text.status() }.size
    let (left, overflow) = size.subtractingReportingOverflow(chain.length)
    guard !overflow, left >= 0, left <= Int64(LedgerLine.longest) else { throw .damaged(.ledger) }
    guard left > 0 else { return [] }
    let start = chain.length
    let bytes = try onPart(.ledger) { () throws(SystemError) in
      try text.read(count: Int(truncatingIfNeeded: left), at: start)
    }
    var used = 0
    while let next = try chain.next(in: bytes, from: used, to: bytes.count, &key) {
      used &+= Int(truncatingIfNeeded: next.length &- chain.length)
      chain = next
    }
    guard bytes.count == Int(truncatingIfNeeded: left),
      bytes.count &- used <= LedgerLine.longestLeft
    else {
      throw .damaged(.ledger)
    }
    let rest = Array(bytes.dropFirst(used))
    // An entry that lacks its line feed alone is given it.
    let feed = [UInt8(ascii: "\n")]
    guard let whole = try chain.next(in: rest + feed, from: 0, to: rest.count &+ 1, &key) else {
      return rest
    }
    try onPart(.ledger) { () throws(SystemError) in try text.write(feed, at: size) }
    chain = whole
    return []
  }

  // MARK: Looking

  /// Goes through the ledger from its beginning, and tells what is wrong with it.
  ///
  /// `body` is handed each line, without its line feed, and whether it is an entry that is proven.
  func inspect(
    _ key: inout SealingKey, _ body: (LedgerReading.Line) -> Void
  ) throws(FactorStoreError) -> LedgerReading {
    guard let locked = try present(head, length: AttemptSlots.length) else {
      guard let file = try present(text) else { return LedgerReading(head: nil, hasHead: false) }
      return try read(file.file, LedgerReading(head: nil, hasHead: false), &key, body)
    }
    let slots = try onPart(.ledgerHead) { () throws(SystemError) in
      try locked.file.read(count: AttemptSlots.length)
    }
    let reading = LedgerReading(head: try LedgerHead(slots, &key).chain, hasHead: true)
    guard let file = try present(text) else { return reading.finished(.empty) }
    let result = try read(file.file, reading, &key, body)
    // The lock ends with the head's file, which has to live until here.
    withExtendedLifetime(locked) {}
    return result
  }

  private func read(
    _ file: borrowing File, _ reading: LedgerReading, _ key: inout SealingKey,
    _ body: (LedgerReading.Line) -> Void
  ) throws(FactorStoreError) -> LedgerReading {
    var reading = reading
    var chain = LedgerChain.empty
    let size = try onPart(.ledger) { () throws(SystemError) in try file.status() }.size
    var offset: Int64 = 0
    var window: [UInt8] = []
    var used = 0
    while true {
      if window.count - used < LedgerLine.longest, offset < size {
        window.removeFirst(used)
        used = 0
        let start = offset
        let count = Int(min(size - start, 65_536))
        let more = try onPart(.ledger) { () throws(SystemError) in
          try file.read(count: count, at: start)
        }
        guard !more.isEmpty else { break }
        offset += Int64(more.count)
        window += more
      }
      guard used < window.count else { break }
      used += try reading.take(from: window, at: used, &chain, &key, body)
    }
    return reading.finished(chain)
  }

  /// A file that may be absent, locked where it has a length of its own.
  private func present(
    _ file: borrowing OwnedFile, length: Int? = nil
  ) throws(FactorStoreError) -> PresentFile? {
    do throws(FactorStoreError) {
      guard let length else { return PresentFile(file: try file.open(creating: false)) }
      return PresentFile(file: try file.lock(creating: false, length: length))
    } catch {
      switch error {
      case .system(.ledger, let cause), .system(.ledgerHead, let cause):
        guard cause.isNotFound else { throw error }
        return nil
      case .system, .untrusted, .damaged, .otherVersion, .otherKey, .belongsToAnother, .busy,
        .cryptography, .nameTooLong:
        throw error
      }
    }
  }
}

/// A file that is there.
private struct PresentFile: ~Copyable {
  let file: File
}
