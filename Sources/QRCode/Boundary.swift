import CQREncode
import Glibc
import Secrets

extension QRSymbol {
  /// Encodes `bytes` in 8-bit mode in the smallest version that holds them.
  ///
  /// libqrencode works on copies that it frees without wiping; what it hands out is wiped here.
  public init(
    encoding bytes: Span<UInt8>, errorCorrection: ErrorCorrection
  ) throws(QRCodeError) {
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.count <= Self.capacity(errorCorrection) else { throw .tooLong }
    // SAFETY: the buffer holds `count` bytes for the whole call, and libqrencode copies them.
    let made = unsafe bytes.withUnsafeBufferPointer { buffer in
      unsafe QRcode_encodeData(
        Int32(buffer.count), buffer.baseAddress, 0, Self.level(errorCorrection))
    }
    guard let made = unsafe made, let data = unsafe made.pointee.data else { throw .outOfMemory }
    let size = unsafe Int(made.pointee.width)
    var modules = SecretBytes(count: size * size)
    modules.withMutableSpan { modules in
      for index in modules.indices {
        // SAFETY: libqrencode's square has width times width bytes; the lowest bit is the colour.
        modules[index] = unsafe data[index] & 1
      }
    }
    // SAFETY: as above; the square is wiped before it is freed, and not used afterwards.
    unsafe explicit_bzero(data, size * size)
    unsafe QRcode_free(made)
    self.init(size: size, modules: modules)
  }

  /// The number of bytes that version 40 holds in 8-bit mode (ISO/IEC 18004, table 7).
  private static func capacity(_ errorCorrection: ErrorCorrection) -> Int {
    switch errorCorrection {
    case .low: 2953
    case .medium: 2331
    }
  }

  private static func level(_ errorCorrection: ErrorCorrection) -> QRecLevel {
    switch errorCorrection {
    case .low: QR_ECLEVEL_L
    case .medium: QR_ECLEVEL_M
    }
  }
}
