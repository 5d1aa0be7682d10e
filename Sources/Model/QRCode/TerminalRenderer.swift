import MFABase

/// A conversion of a symbol to text: each character cell shows two modules, one above the other, or two cells show one.
///
/// MUST 1: the drawing is readable on a dark and on a light screen.
/// MUST 2: each line resets its colours at its end, even if it is the last line that is visible.
/// MUST 3: the symbol is surrounded by a quiet zone of at least one module in its own light
/// colour.
public struct TerminalRenderer: Equatable, Sendable {
  /// The colours in which modules are drawn.
  public let ink: TerminalColours
  /// The width of the light margin in modules. ISO/IEC 18004 requires 4; scanners manage with 1,
  /// as the tests show.
  public let quietZone: Int

  /// Creates a conversion. The quiet zone is 1 to 64 modules wide.
  public init(ink: TerminalColours, quietZone: Int = 4) {
    self.ink = ink
    self.quietZone = min(max(quietZone, 1), 64)
  }

  /// Returns the number of cells that `symbol` takes.
  public func size(of symbol: borrowing QRSymbol) -> TerminalSize {
    let side = symbol.size &+ 2 &* quietZone
    guard ink != .spaces else { return TerminalSize(columns: 2 &* side, rows: side) }
    return TerminalSize(columns: side, rows: (side &+ 1) / 2)
  }

  /// Returns the text of `symbol` in UTF-8, each line ended by a newline. The text is as secret as
  /// the encoded data.
  public func draw(_ symbol: borrowing QRSymbol) -> SecretBytes {
    let size = size(of: symbol)
    guard ink != .spaces else { return drawSpaces(symbol) }
    // No sum or product overflows: a symbol has at most 177 modules in each direction.
    let lineCapacity =
      Self.beginColours.count &+ 3 &* size.columns &+ Self.endColours.count &+ 1
    var text = SecretBytes(count: size.rows &* lineCapacity)
    var next = 0
    text.withMutableSpan { text in
      @inline(never)
      func put(_ bytes: [UInt8], in text: inout MutableSpan<UInt8>) {
        for byte in bytes {
          text[next] = byte
          next &+= 1
        }
      }
      for row in 0..<size.rows {
        if ink == .blackOnWhite { put(Self.beginColours, in: &text) }
        for column in 0..<size.columns {
          let top = 2 &* row &- quietZone
          let left = column &- quietZone
          let upper = symbol.isDark(row: top, column: left)
          let lower = symbol.isDark(row: top &+ 1, column: left)
          put(Self.block(upper: isInked(upper), lower: isInked(lower)), in: &text)
        }
        if ink == .blackOnWhite { put(Self.endColours, in: &text) }
        put([UInt8(ascii: "\n")], in: &text)
      }
    }
    return text.prefix(next)
  }

  /// Returns the text of `symbol` in spaces, with the background of each module.
  private func drawSpaces(_ symbol: borrowing QRSymbol) -> SecretBytes {
    let size = size(of: symbol)
    let cell = Self.lightSpaces.count
    var text = SecretBytes(count: size.rows &* (size.rows &* cell &+ Self.endColours.count &+ 1))
    var next = 0
    text.withMutableSpan { text in
      for row in 0..<size.rows {
        for column in 0..<size.rows {
          let isDark = symbol.isDark(row: row &- quietZone, column: column &- quietZone)
          for byte in isDark ? Self.darkSpaces : Self.lightSpaces {
            text[next] = byte
            next &+= 1
          }
        }
        for byte in Self.endColours + [UInt8(ascii: "\n")] {
          text[next] = byte
          next &+= 1
        }
      }
    }
    return text.prefix(next)
  }

  /// Two spaces on a white background, as in `beginColours`.
  private static let lightSpaces = Array("\u{1B}[0;47;107m  ".utf8)
  /// Two spaces on a black background.
  private static let darkSpaces = Array("\u{1B}[0;40m  ".utf8)

  /// Returns whether a module has the foreground colour.
  private func isInked(_ isDark: Bool) -> Bool {
    switch ink {
    case .blackOnWhite, .terminalDarkOnLight, .spaces: isDark
    case .terminalLightOnDark: !isDark
    }
  }

  /// Attributes off (bold would turn black into grey), black, and two kinds of white. The ordinary
  /// white is for terminals with eight colours, which ignore the bright white after it. The bytes
  /// are ESC and `[0;30;47;107m`.
  private static let beginColours: [UInt8] = [
    0x1B, 0x5B, 0x30, 0x3B, 0x33, 0x30, 0x3B, 0x34, 0x37, 0x3B, 0x31, 0x30, 0x37, 0x6D,
  ]
  private static let endColours: [UInt8] = [0x1B, 0x5B, 0x30, 0x6D]

  private static let blank: [UInt8] = [0x20]
  /// U+2580.
  private static let upperHalf: [UInt8] = [0xE2, 0x96, 0x80]
  /// U+2584.
  private static let lowerHalf: [UInt8] = [0xE2, 0x96, 0x84]
  /// U+2588.
  private static let full: [UInt8] = [0xE2, 0x96, 0x88]

  private static func block(upper: Bool, lower: Bool) -> [UInt8] {
    switch (upper, lower) {
    case (false, false): blank
    case (true, false): upperHalf
    case (false, true): lowerHalf
    case (true, true): full
    }
  }
}

/// The colours in which modules are drawn on a terminal.
public enum TerminalColours: Equatable, Sendable, CaseIterable {
  /// Black on white, set explicitly, regardless of the terminal's own colours.
  case blackOnWhite
  /// The terminal's own colours, which are light on dark.
  case terminalLightOnDark
  /// The terminal's own colours, which are dark on light.
  case terminalDarkOnLight
  /// Black and white backgrounds of spaces, for terminals that show no characters but those of ASCII. A module takes
  /// two columns and a line.
  case spaces
}

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

/// The size of a terminal in character cells.
public struct TerminalSize: Equatable, Sendable {
  /// The number of cells in a line.
  public let columns: Int
  /// The number of lines.
  public let rows: Int

  /// Creates a size.
  public init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }
}
