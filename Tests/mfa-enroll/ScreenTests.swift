import MFAEnrollMessages
import MFAQRCode
import Testing

@testable import mfa_enroll

@Suite struct ScreenTests {
  struct Row: Sendable {
    let number: Int
    var size: TerminalSize? = TerminalSize(columns: 80, rows: 24)
    var term: String? = "xterm"
    var noColor: String?
    var colorFGBG: String?
    var isUTF8 = true
    let ink: TerminalColours?
    var obstacle: PictureObstacle?
  }

  static let rows: [Row] = [
    Row(number: 1, ink: .blackOnWhite),
    Row(number: 2, size: nil, ink: nil, obstacle: .notATerminal),
    Row(number: 3, term: nil, ink: nil, obstacle: .unknownTerminal),
    Row(number: 4, term: "dumb", ink: nil, obstacle: .unknownTerminal),
    Row(number: 5, isUTF8: false, ink: nil, obstacle: .localeNotUTF8),
    Row(number: 6, noColor: "", ink: .blackOnWhite),
    Row(number: 7, noColor: "1", ink: .blackOnWhite),
    Row(number: 8, noColor: "1", colorFGBG: "15;0", ink: .terminalLightOnDark),
    Row(number: 9, noColor: "1", colorFGBG: "0;15", ink: .terminalDarkOnLight),
    Row(number: 10, noColor: "1", colorFGBG: "0;default;7", ink: .terminalDarkOnLight),
    Row(number: 11, noColor: "1", colorFGBG: "15;8", ink: .terminalLightOnDark),
    Row(number: 12, noColor: "1", colorFGBG: "x", ink: .blackOnWhite),
    Row(number: 13, colorFGBG: "0;15", ink: .blackOnWhite),
  ]

  @Test("a picture is shown if the terminal supports it, in readable colours", arguments: rows)
  func judgement(row: Row) {
    let screen = Screen(
      size: row.size,
      environment: Screen.Environment(
        term: row.term, noColor: row.noColor, colorFGBG: row.colorFGBG),
      isUTF8: row.isUTF8)
    switch screen.judgement {
    case .able(let ink, let size):
      #expect(ink == row.ink)
      #expect(size == row.size)
    case .unable(let obstacle):
      #expect(row.ink == nil)
      #expect(obstacle == row.obstacle)
    }
  }

  @Test(
    "the codeset is found in a locale's name",
    arguments: [
      ("de_DE.UTF-8", true), ("C.utf8", true), ("de_DE.UTF-8@euro", true), ("de_DE", false),
      ("de_DE.ISO-8859-1", false), ("C", false), ("", false), ("@.UTF-8", false),
    ])
  func localeName(name: String, isUTF8: Bool) {
    #expect(LocaleSettings.isUTF8(localeName: name) == isUTF8)
  }
}
