import MFABytes
import MFASecrets

/// The best picture of some data that fits on a terminal.
public enum TerminalPicture: ~Copyable {
  /// The text to print.
  case text(SecretBytes)
  /// No picture is small enough; the smallest needs a terminal of this size.
  case needs(TerminalSize)

  /// Draws `bytes` into `room`, with as much quiet zone and error correction as fit.
  public static func of(
    _ bytes: Span<UInt8>, ink: TerminalColours, room: TerminalSize
  ) throws(QRCodeError) -> TerminalPicture {
    var smallest = TerminalSize(columns: Int.max, rows: Int.max)
    for quietZone in [4, 2] {
      for errorCorrection in [ErrorCorrection.medium, .low] {
        let symbol = try QRSymbol(encoding: bytes, errorCorrection: errorCorrection)
        let drawing = TerminalRenderer(ink: ink, quietZone: quietZone)
        let size = drawing.size(of: symbol)
        if size.columns <= room.columns && size.rows <= room.rows {
          return .text(drawing.draw(symbol))
        }
        if size.columns < smallest.columns { smallest = size }
      }
    }
    return .needs(smallest)
  }
}
