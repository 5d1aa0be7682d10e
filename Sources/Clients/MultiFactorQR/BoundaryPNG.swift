import MFABase
import MFACPNG

extension QRImage {
  /// Returns a PNG file of `side` by `side` pixels. Each byte of `pixels` is one pixel: 1 is black,
  /// 0 is white.
  static func png(
    pixels: borrowing SecretBytes, side: Int
  ) throws(QRImageError) -> SecretBytes {
    guard let width = UInt32(exactly: side), side > 0, side * side == pixels.count else {
      throw .outOfMemory
    }
    // Called once for the size, and once for the file.
    var count = 0
    // SAFETY: there is no file yet, so the call writes only the size.
    try unsafe check(write(pixels.span, width, nil, &count))
    var file = SecretBytes(count: count)
    let result = file.withMutableSpan { file in
      // SAFETY: the buffer holds `count` bytes for the whole call, and `count` is its capacity.
      unsafe file.withUnsafeMutableBufferPointer { buffer in
        unsafe write(pixels.span, width, buffer.baseAddress, &count)
      }
    }
    try check(result)
    return file.prefix(count)
  }

  private static func write(
    _ pixels: Span<UInt8>, _ side: UInt32, _ file: UnsafeMutablePointer<UInt8>?, _ count: inout Int
  ) -> Int32 {
    // SAFETY: the caller checked that `pixels` holds `side` times `side` bytes, which the call
    // reads. If `file` is not nil, it has room for `count` bytes.
    unsafe pixels.withUnsafeBufferPointer { pixels in
      guard let base = pixels.baseAddress else { return Int32(cpng_failed) }
      return unsafe cpng_write(base, side, file, &count)
    }
  }

  private static func check(_ result: Int32) throws(QRImageError) {
    if Int(result) == cpng_no_library { throw .libraryMissing }
    guard Int(result) == cpng_done else { throw .outOfMemory }
  }
}
