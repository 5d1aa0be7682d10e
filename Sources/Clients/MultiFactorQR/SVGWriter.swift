import MFABase
import MFAQRCode

/// A writer that counts all bytes, and stores those that fit into its target.
struct SVGWriter: ~Copyable {
  private var target: SecretBytes
  private(set) var count = 0

  /// The side length of a module in pixels when the picture is shown at its original size.
  private static let scale = 8

  init(target: consuming SecretBytes) { self.target = target }

  consuming func finish() -> SecretBytes { target }

  mutating func picture(of symbol: borrowing QRSymbol) {
    let side = symbol.size + 2 * QRImage.quietZone
    literal("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ")
    number(side)
    literal(" ")
    number(side)
    literal("\" width=\"")
    number(side * Self.scale)
    literal("\" height=\"")
    number(side * Self.scale)
    literal("\" shape-rendering=\"crispEdges\">\n")
    literal("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n")
    literal("<path fill=\"#000\" d=\"")
    for row in 0..<symbol.size { self.row(row, of: symbol) }
    literal("\"/>\n</svg>\n")
  }

  /// Writes a rectangle for each run of dark modules.
  private mutating func row(_ row: Int, of symbol: borrowing QRSymbol) {
    var column = 0
    while column < symbol.size {
      var end = column
      while symbol.isDark(row: row, column: end) { end += 1 }
      if end > column { run(row: row, column: column, length: end - column) }
      column = end + 1
    }
  }

  private mutating func run(row: Int, column: Int, length: Int) {
    literal("M")
    number(column + QRImage.quietZone)
    literal(" ")
    number(row + QRImage.quietZone)
    literal("h")
    number(length)
    literal("v1h-")
    number(length)
    literal("z")
  }

  private mutating func literal(_ text: String) {
    for byte in text.utf8 { self.byte(byte) }
  }

  /// Writes a number without creating a string, because the numbers reveal where the dark modules
  /// are.
  private mutating func number(_ value: Int) {
    if value >= 10 { number(value / 10) }
    byte(UInt8(ascii: "0") + UInt8(value % 10))
  }

  private mutating func byte(_ byte: UInt8) {
    let position = count
    if position < target.count { target.withMutableSpan { $0[position] = byte } }
    count += 1
  }
}
