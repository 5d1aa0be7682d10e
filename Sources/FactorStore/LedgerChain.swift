import Secrets

/// Where the ledger's chain has come to: how many entries there are, how long they are, and a value
/// that depends on every byte of them.
///
/// Each value is keyed, and covers the value before it and every byte since: an entry cannot be
/// changed, left out, put in or moved without its own value, or the next one's, being wrong.
struct LedgerChain: Equatable {
  /// How many entries there are.
  private(set) var count: UInt32
  /// How long they are in bytes.
  private(set) var length: Int64
  /// The last entry's value, `SealingKey.checksumLength` bytes.
  private(set) var value: [UInt8]

  /// What `SealingKey.checksum` is told a value is for.
  private static let purpose: UInt8 = 4

  /// The chain before the first entry.
  static var empty: LedgerChain {
    LedgerChain(
      count: 0, length: 0, value: [UInt8](repeating: 0, count: SealingKey.checksumLength))
  }

  init(count: UInt32, length: Int64, value: [UInt8]) {
    self.count = count
    self.length = length
    self.value = value
  }

  /// The value of an entry that consists of `bytes`, and of the value itself behind them.
  func value(after bytes: [UInt8], _ key: inout SealingKey) throws(FactorStoreError) -> [UInt8] {
    let message = value + bytes
    return try cryptographic { () throws(CryptographyError) in
      try key.checksum(of: message, purpose: Self.purpose)
    }
  }

  /// Goes on by an entry of `count` bytes with this value.
  mutating func advance(by count: Int, to value: [UInt8]) throws(FactorStoreError) {
    let (number, tooMany) = self.count.addingReportingOverflow(1)
    let (length, tooLong) = self.length.addingReportingOverflow(Int64(truncatingIfNeeded: count))
    guard !tooMany, !tooLong else { throw .damaged(.ledger) }
    self.count = number
    self.length = length
    self.value = value
  }

  /// The chain after the entry that begins at `start` of `bytes` and ends before `end`, or nil when
  /// none does. What an interrupted write left before its line belongs to it.
  func next(
    in bytes: [UInt8], from start: Int, to end: Int, _ key: inout SealingKey
  ) throws(FactorStoreError) -> LedgerChain? {
    var body: [UInt8] = []
    for byte in bytes.prefix(end).dropFirst(start) {
      if byte == UInt8(ascii: "\n"), body.count >= LedgerLine.trailerLength {
        let value = try value(after: Array(body.dropLast(LedgerLine.trailerLength)), &key)
        let trailer = LedgerLine.chainKey + Hexadecimal.text(of: value)
        if constantTimeEquals(trailer.span, Array(body.suffix(LedgerLine.trailerLength)).span) {
          var next = self
          try next.advance(by: body.count &+ 1, to: value)
          return next
        }
      }
      body.append(byte)
    }
    return nil
  }
}
