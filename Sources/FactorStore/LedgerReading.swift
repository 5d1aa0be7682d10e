import Secrets

/// What a look through the whole ledger came to.
public struct LedgerReading: Equatable, Sendable {
  /// A line of the ledger.
  public struct Line: Equatable, Sendable {
    /// The line without its line feed.
    public let text: [UInt8]
    /// Its number among the lines, counted from 1.
    public let number: Int
    /// What it is.
    public let kind: Kind
    /// Where the entry begins in the file, in bytes; nil for a line that is no entry.
    let start: Int64?

    init(text: [UInt8], number: Int, kind: Kind, start: Int64? = nil) {
      self.text = text
      self.number = number
      self.kind = kind
      self.start = start
    }
  }

  /// What a line is.
  public enum Kind: Equatable, Sendable {
    /// An entry that is proven, and its mark.
    case entry(LedgerMark)
    /// What an interrupted process left, which the next entry vouches for.
    case torn
    /// It is not proven: it, or something before it, was changed.
    case unproven
  }

  /// What is wrong with a ledger.
  public enum Fault: Equatable, Sendable {
    /// The line of this number is none that can follow the one before it: it was changed, put in or
    /// moved, or one before it was left out.
    case broken(line: Int)
    /// So many entries are gone from the end.
    case cut(missing: UInt32)
    /// There are entries, and the head that goes with them is gone or damaged.
    case headless
    /// The index is gone, damaged, or says otherwise than the entries.
    case badIndex
  }

  /// What is wrong first, or nil.
  public private(set) var fault: Fault?
  /// The last entry that is proven.
  public private(set) var last: LedgerMark?
  /// How many bytes at the end an interrupted process left, which the next entry will vouch for.
  public private(set) var left = 0
  /// How many lines an interrupted process left between entries.
  public private(set) var torn = 0
  /// How many lines there are.
  public private(set) var lines = 0
  private let head: LedgerChain?
  private let hasHead: Bool

  init(head: LedgerChain?, hasHead: Bool) {
    self.head = head
    self.hasHead = hasHead
  }

  /// Takes one entry, with what an interrupted process left before it, or one unproven line from
  /// `start` of `bytes` on; how many bytes that is.
  mutating func take(
    from bytes: [UInt8], at start: Int, _ chain: inout LedgerChain, _ key: inout SealingKey,
    _ body: (Line) -> Void
  ) throws(FactorStoreError) -> Int {
    let window = bytes[start...]
    let near = window.prefix(LedgerLine.longest)
    if fault == nil,
      let next = try chain.next(in: bytes, from: near.startIndex, to: near.endIndex, &key)
    {
      let used = Int(next.length - chain.length)
      let start = chain.length
      let mark = LedgerMark(number: next.count, chain: next.value)
      chain = next
      last = mark
      var texts = near.prefix(used - 1).split(
        separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      guard let text = texts.popLast() else { return used }
      for leftover in texts {
        lines += 1
        torn += 1
        if fault == nil, LedgerLine.claimsToBeEntry(leftover) { fault = .broken(line: lines) }
        body(Line(text: Array(leftover), number: lines, kind: .torn))
      }
      lines += 1
      body(Line(text: Array(text), number: lines, kind: .entry(mark), start: start))
      return used
    }
    let end = near.firstIndex(of: UInt8(ascii: "\n"))
    lines += 1
    let text = Array(near[..<(end ?? near.endIndex)])
    let used = end.map { $0 - near.startIndex + 1 } ?? near.count
    // Behind what the head knows, and no whole line that claims to be an entry: left behind.
    var claim = 0
    if fault == nil, window.count <= LedgerLine.longestLeft,
      isBehindHead(chain, isWholeLine: end != nil)
    {
      let wholeLines = window.split(
        separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
      ).dropLast()
      guard let index = wholeLines.firstIndex(where: { LedgerLine.claimsToBeEntry($0) }) else {
        left = window.count
        body(Line(text: text, number: lines, kind: .torn))
        return window.count
      }
      claim = index
    }
    // The beginning of an entry, and nothing else: the rest was cut off with those behind it.
    let isCut = end == nil && window.count == near.count && chain.count < (head?.count ?? 0)
    if fault == nil, !isCut { fault = .broken(line: lines + claim) }
    body(Line(text: text, number: lines, kind: .unproven))
    return used
  }

  /// Whether the chain has come to where the head is; where there is none, whether what comes now may
  /// be the beginning of one of the first two entries.
  private func isBehindHead(_ chain: LedgerChain, isWholeLine: Bool) -> Bool {
    guard let head else { return chain.count < 2 && hasHead && !isWholeLine }
    return chain.count >= head.count
  }

  /// Takes note that the index does not go with the entries.
  mutating func foundBadIndex() {
    if fault == nil { fault = .badIndex }
  }

  /// The reading once everything was read.
  func finished(_ chain: LedgerChain) -> LedgerReading {
    var reading = self
    guard fault == nil else { return reading }
    if let head {
      if chain.count < head.count { reading.fault = .cut(missing: head.count - chain.count) }
    } else if chain.count > 1 || (chain.count == 1 && !hasHead) {
      reading.fault = .headless
    }
    return reading
  }
}
