public import MFABase
public import MFAQRCode

/// A symbol as a picture file. The bytes are as secret as the encoded data.
///
/// MUST 1: a file is self-contained and refers to no external resource.
/// (`QRImageTests.svgStandsForItself`)
/// MUST 2: the symbol is surrounded by the quiet zone of four modules that ISO/IEC 18004, section
/// 6.3.8, requires, in white. (`QRImageTests.quietZone`)
public enum QRImage {
  /// The width of the light margin in modules.
  static let quietZone = 4

  /// The allowed side lengths of a module, in pixels.
  static let scales = 1...32

  /// Returns a file in Scalable Vector Graphics 1.1: a white square, and one path for all dark
  /// modules.
  ///
  /// A module is one unit wide, and eight pixels wide when the picture is shown at its original
  /// size.
  public static func svg(_ symbol: borrowing QRSymbol) -> SecretBytes {
    // Counts first, so that the text is written into one block that never grows and is wiped.
    var counter = SVGWriter(target: SecretBytes(count: 0))
    counter.picture(of: symbol)
    var writer = SVGWriter(target: SecretBytes(count: counter.count))
    writer.picture(of: symbol)
    return writer.finish()
  }

  /// Returns a file in Portable Network Graphics with one bit per pixel.
  ///
  /// - Parameters:
  ///   - symbol: the symbol to draw.
  ///   - scale: the side length of a module in pixels, clamped to 1 to 32.
  /// - Returns: the bytes of the file.
  /// - Throws: `libraryMissing` without libpng, `outOfMemory`.
  public static func png(
    _ symbol: borrowing QRSymbol, scale: Int = 8
  ) throws(QRImageError) -> SecretBytes {
    let scale = min(max(scale, scales.lowerBound), scales.upperBound)
    let side = (symbol.size + 2 * quietZone) * scale
    var pixels = SecretBytes(count: side * side)
    for row in 0..<side {
      for column in 0..<side
      where symbol.isDark(row: row / scale - quietZone, column: column / scale - quietZone) {
        pixels.withMutableSpan { $0[row * side + column] = 1 }
      }
    }
    return try png(pixels: pixels, side: side)
  }
}
