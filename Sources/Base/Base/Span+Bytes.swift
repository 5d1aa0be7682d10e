// Operations on every byte of a text or record. They are optimised, because a sign-in processes a
// few thousand bytes.
extension Span<UInt8> {
  /// Returns a copy of the bytes as an array.
  @inline(never)
  package func copied() -> [UInt8] {
    // SAFETY: the buffer covers exactly the span and is used only within the closure. The target
    // has room for the same number of bytes, and all of them are initialised.
    unsafe withUnsafeBufferPointer { source in
      unsafe [UInt8](unsafeUninitializedCapacity: source.count) { target, count in
        guard let from = source.baseAddress, let to = target.baseAddress else { return }
        // The compiler turns `initialize(from:count:)` into a loop over single bytes.
        unsafe UnsafeMutableRawPointer(to).copyMemory(from: from, byteCount: source.count)
        count = source.count
      }
    }
  }

  /// Returns the part of the span that begins at `start` and has `count` bytes, or fewer at the
  /// end of the span. Negative values count as 0.
  @_lifetime(copy self)
  package func part(from start: Int, count: Int) -> Span<UInt8> {
    extracting(droppingFirst: Swift.max(start, 0)).extracting(first: Swift.max(count, 0))
  }

  /// Returns whether the last bytes are those of `ending`.
  package func ends(with ending: [UInt8]) -> Bool {
    part(from: count &- ending.count, count: ending.count).copied() == ending
  }

  /// Returns the index of the first byte with this value, or `count` if there is none.
  package func firstIndex(of byte: UInt8) -> Int {
    for index in indices where self[index] == byte { return index }
    return count
  }

  /// Returns the index of the first byte from `start` that is not printable ASCII (0x20 to 0x7E),
  /// or `count` if all bytes are printable.
  @inline(never)
  package func firstUnprintable(from start: Int) -> Int {
    // SAFETY: the bytes are those of the span, and are read only within the closure.
    unsafe withUnsafeBytes { bytes in
      var index = Swift.max(start, 0)
      // Checks eight bytes at a time. A byte below 0x20 or above 0x7E sets its highest bit in one
      // of the three terms.
      while index &+ 8 <= bytes.count {
        // SAFETY: at least eight bytes are left.
        let word = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        let marks = word | (word &- 0x2020_2020_2020_2020) | (word &+ 0x0101_0101_0101_0101)
        guard marks & 0x8080_8080_8080_8080 == 0 else { break }
        index &+= 8
      }
      while index < bytes.count {
        // SAFETY: the index is within the span.
        let byte = unsafe bytes[index]
        guard byte >= 0x20, byte < 0x7F else { return index }
        index &+= 1
      }
      return bytes.count
    }
  }
}
