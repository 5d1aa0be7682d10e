import MFACPOSIX
import MFACSecrets

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

extension StaticString {
  /// Calls `body` with each byte of the literal's UTF-8.
  package func forEachByte(_ body: (UInt8) -> Void) {
    // SAFETY: the buffer covers exactly the literal's bytes and is used only within the closure.
    withUTF8Buffer { buffer in
      for index in buffer.indices { body(unsafe buffer[index]) }
    }
  }

  /// The literal's UTF-8.
  package var bytes: [UInt8] {
    // SAFETY: the buffer covers exactly the literal's bytes.
    withUTF8Buffer { unsafe Array($0) }
  }

  /// Returns whether `text` is the literal's UTF-8.
  package func equals(_ text: Span<UInt8>) -> Bool {
    guard text.count == utf8CodeUnitCount else { return false }
    // SAFETY: the buffer covers exactly the literal's bytes, and is used only within the closure.
    return withUTF8Buffer { buffer in
      for index in text.indices where unsafe buffer[index] != text[index] { return false }
      return true
    }
  }
}

extension UInt8 {
  /// The value of an ASCII digit, 0 to 9.
  package var decimalDigit: UInt8? {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) ? self &- UInt8(ascii: "0") : nil
  }
}

extension SecretBytes {
  /// Calls `body` with the bytes. Use this for a secret stored in an object, whose span cannot
  /// leave the object.
  package borrowing func withSpan<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(span)
  }
}

/// Returns a copy of a byte string that ends with a NUL, for a call of the C library.
@inline(never)
func cString(_ bytes: [UInt8]) -> [CChar] {
  var text: [CChar] = []
  text.reserveCapacity(bytes.count &+ 1)
  for byte in bytes { text.append(CChar(bitPattern: byte)) }
  text.append(0)
  return text
}

/// Returns a copy of a C string, without its NUL.
@inline(never)
func bytes(_ string: UnsafePointer<CChar>) -> [UInt8] {
  // SAFETY: the caller passes a NUL-terminated string.
  unsafe Array(UnsafeRawBufferPointer(start: string, count: strlen(string)))
}

/// Returns whether two byte sequences are equal, in a time that depends only on their length.
package func constantTimeEquals(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
  guard left.count == right.count else { return false }
  // SAFETY: both buffers hold `count` bytes; csecrets_equal reads no more.
  return unsafe left.withUnsafeBufferPointer { left in
    unsafe right.withUnsafeBufferPointer { right in
      guard let leftBase = left.baseAddress, let rightBase = right.baseAddress else { return true }
      return unsafe csecrets_equal(leftBase, rightBase, left.count) == 1
    }
  }
}

/// Returns all ones if two numbers are equal, and zero otherwise, without a branch.
@inline(never)
package func constantTimeMask(_ left: UInt32, equals right: UInt32) -> UInt32 {
  let difference = left ^ right
  // The top bit of `difference | -difference` is set exactly when the difference is not zero.
  let differs = (difference | (0 &- difference)) >> 31
  return differs &- 1
}
