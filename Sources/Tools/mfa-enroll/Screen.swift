import MFAEnrollMessages
import MFAQRCode

/// The properties of the terminal that decide whether and how a QR code is shown.
struct Screen {
  /// The environment variables that matter.
  struct Environment: Equatable {
    var term: String?
    var noColor: String?
    var colorFGBG: String?
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
    guard let term = environment.term, !["", "dumb", "unknown"].contains(term) else {
      return .unable(.unknownTerminal)
    }
    guard isUTF8 else {
      return .unable(.localeNotUTF8)
    }
    return .able(ink, size)
  }

  /// A NO_COLOR that is not empty turns colours off (no-color.org). COLORFGBG, if the terminal sets
  /// it, ends with the number of the background colour: 7 and 9 to 15 are light.
  private var ink: TerminalColours {
    guard let noColor = environment.noColor, !noColor.isEmpty else { return .blackOnWhite }
    let background = environment.colorFGBG?.split(separator: ";").last.flatMap { Int($0) }
    guard let background else { return .terminalLightOnDark }
    return background == 7 || (9...15).contains(background)
      ? .terminalDarkOnLight : .terminalLightOnDark
  }
}
