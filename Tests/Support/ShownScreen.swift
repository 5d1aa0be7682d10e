import Testing

/// A terminal screen that renders the text of a drawing as a picture.
package struct ShownScreen {
  /// The user's terminal colours, in shades of grey.
  package struct Theme: Sendable, CustomTestStringConvertible {
    let foreground: UInt8
    let background: UInt8

    /// The name, for messages.
    package let testDescription: String

    /// Light text on a dark background.
    package static let dark = Theme(foreground: 0xDD, background: 0x11, testDescription: "dark")

    /// Dark text on a light background.
    package static let light = Theme(foreground: 0x22, background: 0xEE, testDescription: "light")
  }

  /// The colours that a terminal supports.
  package enum Palette: Sendable { case sixteenColours, eightColours }

  /// A control sequence or character that a drawing should not need.
  package struct Unsupported: Error {
    /// The sequence or character.
    package let what: String
  }

  static let cellWidth = 6
  static let cellHeight = 12

  /// The cells of each line, as shades of grey of their upper and lower halves.
  package private(set) var lines: [[(upper: UInt8, lower: UInt8)]] = []
  /// Whether the theme's default colours were active at the end of each line.
  package private(set) var resetAtLineEnds: [Bool] = []
  private let theme: Theme

  /// Renders `text`, all lines of which end with a line feed.
  package init(showing text: String, theme: Theme, palette: Palette = .sixteenColours) throws {
    self.theme = theme
    var foreground = theme.foreground
    var background = theme.background
    var line: [(upper: UInt8, lower: UInt8)] = []
    var scalars = text.unicodeScalars.makeIterator()
    while let scalar = scalars.next() {
      switch scalar {
      case "\u{1B}":
        guard scalars.next() == "[" else { throw Unsupported(what: "escape") }
        var parameters = ""
        var end = scalars.next()
        while let next = end, next != "m" {
          parameters.unicodeScalars.append(next)
          end = scalars.next()
        }
        for parameter in parameters.split(separator: ";") {
          switch parameter {
          case "0":
            foreground = theme.foreground
            background = theme.background
          case "30": foreground = 0x00
          case "40": background = 0x00
          case "47": background = 0xC0
          case "107": if palette == .sixteenColours { background = 0xFF }
          default: throw Unsupported(what: "SGR \(parameter)")
          }
        }
      case "\n":
        resetAtLineEnds.append(foreground == theme.foreground && background == theme.background)
        lines.append(line)
        line = []
      case " ": line.append((background, background))
      case "\u{2580}": line.append((foreground, background))
      case "\u{2584}": line.append((background, foreground))
      case "\u{2588}": line.append((foreground, foreground))
      default: throw Unsupported(what: "\(scalar)")
      }
    }
    guard line.isEmpty else { throw Unsupported(what: "no newline at the end") }
  }

  /// The screen as a portable grey map (PGM, binary), with a margin of the theme's background.
  package var picture: [UInt8] {
    let margin = 5
    let columns = (lines.map(\.count).max() ?? 0) + 2 * margin
    let width = columns * Self.cellWidth
    let height = (lines.count + 2 * margin) * Self.cellHeight
    var pixels = [UInt8](repeating: theme.background, count: width * height)
    for (row, line) in lines.enumerated() {
      for (column, cell) in line.enumerated() {
        for y in 0..<Self.cellHeight {
          let shade = y < Self.cellHeight / 2 ? cell.upper : cell.lower
          for x in 0..<Self.cellWidth {
            let top = (row + margin) * Self.cellHeight + y
            pixels[top * width + (column + margin) * Self.cellWidth + x] = shade
          }
        }
      }
    }
    return Array("P5\n\(width) \(height)\n255\n".utf8) + pixels
  }
}
