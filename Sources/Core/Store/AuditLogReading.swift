import MFABase

/// The result of verifying the whole audit log.
package struct AuditLogReading: Equatable, Sendable {
  /// A line of the audit log.
  package struct Line: Equatable, Sendable {
    /// The line without its line feed.
    package let text: [UInt8]
    /// The line number, counted from 1.
    package let number: Int
    /// The result of verifying the line.
    package let kind: Kind
    /// The offset of the entry in the file, in bytes; nil if the line is not a verified entry.
    let start: Int64?

    init(text: [UInt8], number: Int, kind: Kind, start: Int64? = nil) {
      self.text = text
      self.number = number
      self.kind = kind
      self.start = start
    }
  }

  /// The result of verifying a line.
  package enum Kind: Equatable, Sendable {
    /// A verified entry, and its checkpoint.
    case entry(AuditLogCheckpoint)
    /// The remains of an interrupted write. Between entries, the next entry's chain value covers
    /// them; at the end of the log, the next entry replaces them.
    case torn
    /// Not verified: this line, or something before it, was modified.
    case unproven
  }

  /// What is wrong with the audit log.
  package enum Fault: Equatable, Sendable {
    /// The line with this number cannot follow the line before it: it was modified, inserted or
    /// moved, or a line before it was removed.
    case broken(line: Int)
    /// This many entries are missing at the end.
    case cut(missing: UInt32)
    /// There are entries, but their head is missing or damaged.
    case headMissing
    /// The index is missing or damaged, or does not match the entries.
    case badIndex
    /// One of the first `entries` entries, which were written before the key was changed, was changed,
    /// inserted, moved or removed.
    case changedBeforeRekey(entries: UInt32)
  }

  /// The first fault, or nil if the log is intact.
  package private(set) var fault: Fault?
  /// The last verified entry.
  package private(set) var last: AuditLogCheckpoint?
  /// The length in bytes of the remains of an interrupted write at the end. The next entry replaces
  /// them.
  package private(set) var left = 0
  /// The number of lines between entries that were left behind by interrupted writes.
  package private(set) var torn = 0
  /// The number of lines.
  package private(set) var lines = 0
  private let head: AuditLogChain?
  private let hasHead: Bool
  /// The part of the log that was written with an earlier key.
  let earlierPart: AuditLogEarlierPart?

  init(head: AuditLogChain?, hasHead: Bool, earlierPart: AuditLogEarlierPart? = nil) {
    self.head = head
    self.hasHead = hasHead
    self.earlierPart = earlierPart
  }

  /// Consumes a line of the earlier part, which has been verified as a whole.
  mutating func takeVerified(_ text: ArraySlice<UInt8>, at start: Int64, _ body: (Line) -> Void) {
    lines += 1
    guard let checkpoint = AuditLogLine.claimedCheckpoint(of: text) else {
      torn += 1
      body(Line(text: Array(text), number: lines, kind: .torn))
      return
    }
    last = checkpoint
    body(Line(text: Array(text), number: lines, kind: .entry(checkpoint), start: start))
  }

  /// Consumes one entry with the remains of an interrupted write before it, or one unverified line,
  /// from `start` of `bytes`. Returns the number of bytes consumed.
  mutating func take(
    from bytes: [UInt8], at start: Int, _ chain: inout AuditLogChain, _ key: inout SealingKey,
    _ body: (Line) -> Void
  ) throws(FactorStoreError) -> Int {
    let window = bytes[start...]
    let near = window.prefix(AuditLogLine.longest)
    if fault == nil,
      let next = try chain.next(in: bytes, from: near.startIndex, to: near.endIndex, &key)
    {
      let used = Int(next.length - chain.length)
      let start = chain.length
      let checkpoint = AuditLogCheckpoint(number: next.count, chain: next.value)
      chain = next
      last = checkpoint
      var texts = near.prefix(used - 1).split(
        separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      guard let text = texts.popLast() else { return used }
      for leftover in texts {
        lines += 1
        torn += 1
        if fault == nil, AuditLogLine.hasChainTrailer(leftover) { fault = .broken(line: lines) }
        body(Line(text: Array(leftover), number: lines, kind: .torn))
      }
      lines += 1
      body(Line(text: Array(text), number: lines, kind: .entry(checkpoint), start: start))
      return used
    }
    let end = near.firstIndex(of: UInt8(ascii: "\n"))
    lines += 1
    let text = Array(near[..<(end ?? near.endIndex)])
    let used = end.map { $0 - near.startIndex + 1 } ?? near.count
    // After the end recorded in the head, bytes without a complete line that ends like an entry are
    // the remains of an interrupted write.
    var claim = 0
    if fault == nil, window.count <= AuditLogLine.maximumIncompleteLength,
      mayBeIncompleteWrite(chain, isWholeLine: end != nil)
    {
      let wholeLines = window.split(
        separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
      ).dropLast()
      guard let index = wholeLines.firstIndex(where: { AuditLogLine.hasChainTrailer($0) }) else {
        left = window.count
        body(Line(text: text, number: lines, kind: .torn))
        return window.count
      }
      claim = index
    }
    // The file ends within an entry: the log was truncated, and `finished` counts the missing
    // entries.
    let isCut = end == nil && window.count == near.count && chain.count < (head?.count ?? 0)
    if fault == nil, !isCut { fault = .broken(line: lines + claim) }
    body(Line(text: text, number: lines, kind: .unproven))
    return used
  }

  /// Returns whether the next bytes can be the remains of an interrupted write: the chain has
  /// reached the head or, if the head is invalid, the bytes can begin one of the first two entries.
  private func mayBeIncompleteWrite(_ chain: AuditLogChain, isWholeLine: Bool) -> Bool {
    guard let head else { return chain.count < 2 && hasHead && !isWholeLine }
    return chain.count >= head.count
  }

  /// Records that the earlier part is not what it was when the key was changed.
  mutating func foundChangedEarlierPart() {
    fault = .changedBeforeRekey(entries: earlierPart?.chain.count ?? 0)
  }

  /// Records that the index does not match the entries.
  mutating func foundBadIndex() {
    if fault == nil { fault = .badIndex }
  }

  /// Returns the result after all lines have been read.
  func finished(_ chain: AuditLogChain) -> AuditLogReading {
    var reading = self
    guard fault == nil else { return reading }
    if let head {
      if chain.count < head.count { reading.fault = .cut(missing: head.count - chain.count) }
    } else if chain.count > 1 || (chain.count == 1 && !hasHead) {
      reading.fault = .headMissing
    }
    return reading
  }
}
