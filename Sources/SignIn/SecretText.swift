import Secrets

/// A text with something secret in it, written into one block that never grows and is wiped.
struct SecretText: ~Copyable {
  private var block: SecretBytes
  private var count = 0

  /// An empty text with room for `capacity` bytes. What does not fit is left out.
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

  /// The text, with a blank after each four characters but for the last.
  mutating func addInFours(_ secret: Span<UInt8>) {
    for index in secret.indices {
      if index > 0, index & 3 == 0 { add(UInt8(ascii: " ")) }
      add(secret[index])
    }
  }

  /// What was written.
  consuming func finish() -> SecretBytes { block.prefix(count) }
}
