import MFABase

/// A text that contains a secret, written into one buffer that never grows and is wiped.
struct SecretText: ~Copyable {
  private var block: SecretBytes
  private var count = 0

  /// Creates an empty text with room for `capacity` bytes. Text that does not fit is left out.
  init(capacity: Int) { block = SecretBytes(count: capacity) }

  @inline(never)
  mutating func add(_ byte: UInt8) {
    let position = count
    guard position < block.count else { return }
    block.withMutableSpan { $0[position] = byte }
    count &+= 1
  }

  @inline(never)
  mutating func add(_ text: StaticString) { for byte in text.bytes { add(byte) } }

  @inline(never)
  mutating func add(_ secret: Span<UInt8>) {
    for index in secret.indices { add(secret[index]) }
  }

  /// Adds the text with a space between groups of four characters.
  mutating func addInFours(_ secret: Span<UInt8>) {
    for index in secret.indices {
      if index > 0, index & 3 == 0 { add(UInt8(ascii: " ")) }
      add(secret[index])
    }
  }

  /// Returns the text.
  consuming func finish() -> SecretBytes { block.prefix(count) }
}
