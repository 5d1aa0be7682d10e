import MFABase
import MFACQREncode

extension QRSymbol {
  /// The number of modules along a side of version 40, the largest.
  private static var largestSize: Int { 177 }

  /// Encodes `bytes` in 8-bit mode in the smallest version that holds them.
  ///
  /// libqrencode works on copies that it frees without wiping; its result is wiped.
  @export(interface)
  package init(
    encoding bytes: Span<UInt8>, errorCorrection: ErrorCorrection
  ) throws(QRCodeError) {
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.count <= Self.capacity(errorCorrection) else { throw .tooLong }
    var square = SecretBytes(count: Self.largestSize * Self.largestSize)
    let made = square.withMutableSpan { square in
      // SAFETY: both buffers hold `count` bytes for the whole call, and libqrencode copies the
      // first.
      unsafe square.withUnsafeMutableBufferPointer { square in
        unsafe bytes.withUnsafeBufferPointer { bytes -> Int32 in
          guard let source = bytes.baseAddress, let target = square.baseAddress else { return 0 }
          return unsafe cqrencode_encode(
            source, bytes.count, Self.level(errorCorrection), target, square.count)
        }
      }
    }
    if Int(made) == cqrencode_no_library { throw .libraryMissing }
    guard made > 0 else { throw .outOfMemory }
    let size = Int(made)
    self.init(size: size, modules: square.prefix(size * size))
  }

  /// Returns the number of bytes that version 40 holds in 8-bit mode (ISO/IEC 18004, table 7).
  private static func capacity(_ errorCorrection: ErrorCorrection) -> Int {
    switch errorCorrection {
    case .low: 2953
    case .medium: 2331
    }
  }

  private static func level(_ errorCorrection: ErrorCorrection) -> Int32 {
    switch errorCorrection {
    case .low: Int32(cqrencode_low)
    case .medium: Int32(cqrencode_medium)
    }
  }
}
