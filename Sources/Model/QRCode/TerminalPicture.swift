import MFABase

/// The best picture of some data that fits on a terminal.
public enum TerminalPicture: ~Copyable {
  /// The text to print.
  case text(SecretBytes)
  /// No picture is small enough; the smallest needs a terminal of this size.
  case needs(TerminalSize)

  /// Draws `bytes` into `room`, with as much quiet zone as fits, and with the most error correction
  /// that does not make the symbol larger: a module of a terminal picture is large, and a screen has
  /// no dirt.
  public static func of(
    _ bytes: Span<UInt8>, ink: TerminalColours, room: TerminalSize
  ) throws(QRCodeError) -> TerminalPicture {
    let symbol = try smallestSymbol(of: bytes)
    for quietZone in [4, 2, 1] {
      let drawing = TerminalRenderer(ink: ink, quietZone: quietZone)
      let size = drawing.size(of: symbol)
      if size.columns <= room.columns && size.rows <= room.rows {
        return .text(drawing.draw(symbol))
      }
    }
    return .needs(TerminalRenderer(ink: ink, quietZone: 1).size(of: symbol))
  }

  /// Returns the smallest symbol of `bytes`, with the most error correction that it has room for.
  private static func smallestSymbol(
    of bytes: Span<UInt8>
  ) throws(QRCodeError) -> QRSymbol {
    let low = try QRSymbol(encoding: bytes, errorCorrection: .low)
    do throws(QRCodeError) {
      let medium = try QRSymbol(encoding: bytes, errorCorrection: .medium)
      return medium.size == low.size ? medium : low
    } catch {
      return low
    }
  }
}
