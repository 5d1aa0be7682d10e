import MFABase

/// The text of a screen, which contains secrets. The text is in one block that never grows and is
/// wiped. What does not fit is left out.
struct ScreenBuffer: ~Copyable {
  private var block: SecretBytes
  private var count = 0

  init(capacity: Int) { block = SecretBytes(count: capacity) }

  mutating func add(_ text: String) {
    let bytes = Array(text.utf8)
    add(bytes.span)
  }

  mutating func add(_ bytes: Span<UInt8>) {
    for index in bytes.indices where count < block.count {
      let (position, byte) = (count, bytes[index])
      block.withMutableSpan { $0[position] = byte }
      count += 1
    }
  }

  consuming func finish() -> SecretBytes { block.prefix(count) }
}
