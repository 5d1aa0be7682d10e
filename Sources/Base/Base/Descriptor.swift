import MFACPOSIX

/// Writes some of the bytes from an index on, and returns their number.
func writePart(
  of bytes: Span<UInt8>, from index: Int, to descriptor: Int32
) throws(SystemError) -> Int {
  try retrying(.write) {
    // SAFETY: the call reads at most the rest of the span.
    unsafe bytes.withUnsafeBufferPointer { buffer in
      unsafe MFACPOSIX.write(
        descriptor, buffer.baseAddress.map { unsafe $0 + index }, buffer.count - index)
    }
  }
}

/// Reads some bytes into a span from an index on, and returns their number: 0 at the end.
func readPart(
  of bytes: inout MutableSpan<UInt8>, from index: Int, of descriptor: Int32
) throws(SystemError) -> Int {
  try retrying(.read) {
    // SAFETY: the call writes at most the rest of the span.
    unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      unsafe MFACPOSIX.read(
        descriptor, buffer.baseAddress.map { unsafe $0 + index }, buffer.count - index)
    }
  }
}

/// Writes all bytes to a descriptor. Waits until its reader takes them.
package func writeAll(_ bytes: Span<UInt8>, to descriptor: Int32) throws(SystemError) {
  var written = 0
  while written < bytes.count {
    let count = try writePart(of: bytes, from: written, to: descriptor)
    guard count > 0 else { throw SystemError(.write, number: EIO) }
    written += count
  }
}

/// Reads from a descriptor until its end, or until the span is full. Returns the number of bytes.
package func readAll(
  into bytes: inout MutableSpan<UInt8>, from descriptor: Int32
) throws(SystemError) -> Int {
  var filled = 0
  while filled < bytes.count {
    let count = try readPart(of: &bytes, from: filled, of: descriptor)
    guard count > 0 else { break }
    filled += count
  }
  return filled
}
