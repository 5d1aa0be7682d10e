// What is done with every byte of a text or a record, in as few steps as there can be: a sign-in reads a
// few thousand of them.
extension Span<UInt8> {
  /// The bytes as an array of their own.
  @inline(never)
  public func copied() -> [UInt8] {
    // SAFETY: the buffer covers exactly the span and is used within the closure only; there is room for
    // as many bytes, and all of them are set.
    unsafe withUnsafeBufferPointer { source in
      unsafe [UInt8](unsafeUninitializedCapacity: source.count) { target, count in
        guard let from = source.baseAddress, let to = target.baseAddress else { return }
        unsafe to.initialize(from: from, count: source.count)
        count = source.count
      }
    }
  }

  /// The place of the first byte from `start` on that is neither a space nor a visible ASCII character;
  /// `count` where there is none.
  @inline(never)
  public func firstUnprintable(from start: Int) -> Int {
    // SAFETY: the bytes are the span's, and are read within the closure only.
    unsafe withUnsafeBytes { bytes in
      var index = Swift.max(start, 0)
      // Eight at a time: a byte that is below 0x20, or 0x7F, or above, sets its highest bit in one of the
      // three.
      while index &+ 8 <= bytes.count {
        // SAFETY: that many bytes are left.
        let word = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        let marks = word | (word &- 0x2020_2020_2020_2020) | (word &+ 0x0101_0101_0101_0101)
        guard marks & 0x8080_8080_8080_8080 == 0 else { break }
        index &+= 8
      }
      while index < bytes.count {
        // SAFETY: the place is within the span.
        let byte = unsafe bytes[index]
        guard byte >= 0x20, byte < 0x7F else { return index }
        index &+= 1
      }
      return bytes.count
    }
  }
}
