import MFABase
import MFAEnrollMessages
import MFAQRCode

/// The properties of the terminal that decide whether and how a QR code is shown.
struct Screen {
  /// The environment variables that matter.
  struct Environment: Equatable {
    var term: String?
    var noColor: String?
    var colorFGBG: String?

    /// Whether the terminal understands control sequences, as far as TERM tells.
    var hasScreen: Bool {
      guard let term else { return false }
      return !["", "dumb", "unknown"].contains(term)
    }
  }

  /// Whether a picture can be shown, and how.
  enum Report: Equatable {
    case able(TerminalColours, TerminalSize)
    case unable(PictureObstacle)
  }

  /// The size, or nil if the output is not a terminal or has no size.
  let size: TerminalSize?
  let environment: Environment
  let isUTF8: Bool

  var judgement: Report {
    guard let size else { return .unable(.notATerminal) }
    guard environment.hasScreen else { return .unable(.unknownTerminal) }
    return .able(isUTF8 ? ink : .spaces, size)
  }

  /// The colours are set explicitly, so that the picture is right on dark and on light terminals.
  /// A NO_COLOR that is not empty turns colours off (no-color.org) where COLORFGBG tells what the
  /// terminal's own colours are: it ends with the number of the background colour, of which 7 and 9
  /// to 15 are light. An inverted picture is of no use to most apps.
  private var ink: TerminalColours {
    guard let noColor = environment.noColor, !noColor.isEmpty,
      let background = environment.colorFGBG?.split(separator: ";").last.flatMap({ Int($0) })
    else { return .blackOnWhite }
    return background == 7 || (9...15).contains(background)
      ? .terminalDarkOnLight : .terminalLightOnDark
  }
}

/// The text of a screen, which contains secrets. The text is in one block that never grows and is
/// wiped. What does not fit is left out.
struct ScreenBuffer: ~Copyable {
  private var block: SecretBytes
  private var count = 0

  init(capacity: Int) { block = SecretBytes(count: capacity) }

  mutating func add(_ text: String) {
    let bytes = Array(text.utf8)
    add(bytes.span)
  }

  mutating func add(_ bytes: Span<UInt8>) {
    for index in bytes.indices where count < block.count {
      let (position, byte) = (count, bytes[index])
      block.withMutableSpan { $0[position] = byte }
      count += 1
    }
  }

  consuming func finish() -> SecretBytes { block.prefix(count) }
}
