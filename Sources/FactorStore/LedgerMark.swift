import Factors
import Secrets

/// What names an entry of the ledger and all before it: the number of the entry and the beginning of
/// the chain's value. Written into the system log, it lets another host tell that the ledger is the
/// one it was.
public struct LedgerMark: Equatable, Sendable {
  /// The entry's number, counted from 1.
  public let number: UInt32
  /// The first four bytes of the chain's value.
  public let value: UInt32

  /// The mark of an entry with this chain value.
  init(number: UInt32, chain: [UInt8]) {
    self.number = number
    var value: UInt32 = 0
    for byte in chain.prefix(4) { value = value << 8 | UInt32(byte) }
    self.value = value
  }

  /// Reads what `text` writes: `17:9f2c0a1b`. Nil for anything else.
  public init?(_ text: [UInt8]) {
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")),
      let number = LedgerLine.number(text[..<colon]),
      let value = Hexadecimal.bytes(of: Array(text[(colon + 1)...]), count: 4)
    else { return nil }
    self.init(number: number, chain: value)
  }

  /// The mark as the system log has it: `17:9f2c0a1b`.
  public var text: [UInt8] {
    var writer = ByteWriter()
    writer.write(value)
    return LedgerLine.decimal(number) + [UInt8(ascii: ":")] + Hexadecimal.text(of: writer.bytes)
  }
}
