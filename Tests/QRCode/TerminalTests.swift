import Foundation
import MFABase
import MFATestSupport
import Testing

@testable import MFAQRCode

@Suite struct TerminalDrawingTests {
  static let url =
    "otpauth://totp/Example%20Host:alice?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"

  struct Row: Sendable, CustomTestStringConvertible {
    let ink: TerminalColours
    let theme: ShownScreen.Theme
    let palette: ShownScreen.Palette
    let quietZone: Int
    let errorCorrection: ErrorCorrection
    var testDescription: String { "\(ink), \(theme.testDescription), \(quietZone)" }
  }

  static let blocks: [Row] = [
    Row(
      ink: .blackOnWhite, theme: .dark, palette: .sixteenColours, quietZone: 4,
      errorCorrection: .medium),
    Row(
      ink: .blackOnWhite, theme: .light, palette: .sixteenColours, quietZone: 4,
      errorCorrection: .medium),
    Row(
      ink: .blackOnWhite, theme: .dark, palette: .eightColours, quietZone: 4,
      errorCorrection: .medium),
    Row(
      ink: .blackOnWhite, theme: .light, palette: .eightColours, quietZone: 4,
      errorCorrection: .medium),
    Row(
      ink: .blackOnWhite, theme: .dark, palette: .sixteenColours, quietZone: 2,
      errorCorrection: .low),
    Row(
      ink: .blackOnWhite, theme: .light, palette: .sixteenColours, quietZone: 2,
      errorCorrection: .low),
    Row(
      ink: .terminalLightOnDark, theme: .dark, palette: .sixteenColours,
      quietZone: 4, errorCorrection: .medium),
    Row(
      ink: .terminalDarkOnLight, theme: .light, palette: .sixteenColours,
      quietZone: 4, errorCorrection: .low),
    // As drawn during a sign-in, with little space and without colours.
    Row(
      ink: .terminalLightOnDark, theme: .dark, palette: .sixteenColours,
      quietZone: 2, errorCorrection: .low),
    Row(
      ink: .terminalLightOnDark, theme: .dark, palette: .eightColours,
      quietZone: 2, errorCorrection: .medium),
    // In a window of 24 lines.
    Row(
      ink: .blackOnWhite, theme: .dark, palette: .sixteenColours, quietZone: 1,
      errorCorrection: .low),
    Row(
      ink: .blackOnWhite, theme: .light, palette: .eightColours, quietZone: 1,
      errorCorrection: .low),
    Row(
      ink: .terminalLightOnDark, theme: .dark, palette: .sixteenColours,
      quietZone: 1, errorCorrection: .low),
    Row(
      ink: .terminalDarkOnLight, theme: .light, palette: .sixteenColours,
      quietZone: 1, errorCorrection: .medium),
  ]

  /// Where only ASCII is shown.
  static let spaces: [Row] = [
    Row(
      ink: .spaces, theme: .dark, palette: .sixteenColours, quietZone: 1, errorCorrection: .low),
    Row(
      ink: .spaces, theme: .light, palette: .eightColours, quietZone: 1, errorCorrection: .medium),
  ]

  static let rows = blocks + spaces

  static func drawing(_ row: Row) throws -> String {
    let symbol = try QRSymbol(encoding: Array(url.utf8).span, errorCorrection: row.errorCorrection)
    let text = TerminalRenderer(ink: row.ink, quietZone: row.quietZone).draw(symbol)
    return string(text)
  }

  static func string(_ bytes: borrowing SecretBytes) -> String {
    let span = bytes.span
    return String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
  }

  @Test("a scanner reads the drawing on the terminal", arguments: rows)
  func isRead(row: Row) throws {
    let screen = try ShownScreen(
      showing: try Self.drawing(row), theme: row.theme, palette: row.palette)
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("drawing-\(UUID().uuidString).pgm")
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) } }
    try Data(screen.picture).write(to: file)

    let read = try Tool("zbarimg").run([
      "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", file.path,
    ])
    #expect(read == Self.url)

    // The secret that the scanner read gives the codes of an authenticator.
    let secret = try #require(read.firstMatch(of: /secret=([A-Z2-7]+)/)).output.1
    let code = try Tool("oathtool").run(
      ["--totp", "--base32", "--now", "2026-01-01 00:00:00 UTC", String(secret)])
    #expect(code == "452777")
  }

  // A desktop scanner reads grey on grey, and light on dark; a phone's camera may not.
  @Test("dark and light modules have a high contrast", arguments: blocks)
  func contrast(row: Row) throws {
    let screen = try ShownScreen(
      showing: try Self.drawing(row), theme: row.theme, palette: row.palette)
    let light = try #require(screen.lines.first?.first?.upper)
    let corner = screen.lines[row.quietZone / 2][row.quietZone]
    let finder = row.quietZone % 2 == 0 ? corner.upper : corner.lower
    #expect(light >= 0xB0)
    #expect(finder <= 0x40)
    let shades = Set(screen.lines.joined().flatMap { [$0.upper, $0.lower] })
    #expect(shades == [light, finder])
  }

  @Test("every line resets its colours", arguments: rows)
  func resets(row: Row) throws {
    let screen = try ShownScreen(showing: try Self.drawing(row), theme: row.theme)
    #expect(screen.resetAtLineEnds.allSatisfy { $0 })
    #expect(Set(screen.lines.map(\.count)).count == 1)
  }

  @Test("the quiet zone is light on all sides", arguments: blocks)
  func quietZone(row: Row) throws {
    let screen = try ShownScreen(showing: try Self.drawing(row), theme: row.theme)
    let light = screen.lines.first?.first?.upper
    var halves: [[UInt8?]] = []
    for line in screen.lines {
      halves.append(line.map(\.upper))
      halves.append(line.map(\.lower))
    }
    for (number, half) in halves.enumerated() {
      let isMargin = number < row.quietZone || number >= halves.count - row.quietZone - 1
      let margin = isMargin ? half : half.prefix(row.quietZone) + half.suffix(row.quietZone)
      #expect(margin.allSatisfy { $0 == light }, "line \(number)")
    }
    // The finder pattern follows the quiet zone immediately.
    #expect(halves[row.quietZone][row.quietZone] != light)
  }

  @Test(
    "without block characters, a module is two columns wide and dark or light", arguments: spaces)
  func modules(row: Row) throws {
    let screen = try ShownScreen(
      showing: try Self.drawing(row), theme: row.theme, palette: row.palette)
    let symbol = try QRSymbol(
      encoding: Array(Self.url.utf8).span, errorCorrection: row.errorCorrection)
    for (number, line) in screen.lines.enumerated() {
      for (column, cell) in line.enumerated() {
        let isDark = symbol.isDark(row: number - row.quietZone, column: column / 2 - row.quietZone)
        #expect(isDark ? cell.upper <= 0x40 : cell.upper >= 0xB0)
        #expect(cell.upper == cell.lower)
      }
    }
  }

  @Test("the announced size is the drawn size", arguments: rows)
  func promisedSize(row: Row) throws {
    let symbol = try QRSymbol(
      encoding: Array(Self.url.utf8).span, errorCorrection: row.errorCorrection)
    let size = TerminalRenderer(ink: row.ink, quietZone: row.quietZone).size(of: symbol)
    let screen = try ShownScreen(showing: try Self.drawing(row), theme: row.theme)
    #expect(size == TerminalSize(columns: screen.lines[0].count, rows: screen.lines.count))
  }
}

@Suite struct TerminalPictureTests {
  /// 75 bytes: version 5 (37 modules) at level M, version 4 (33 modules) at level L.
  static let url = Array((TerminalDrawingTests.url).utf8)

  struct Row: Sendable, CustomTestStringConvertible {
    let room: TerminalSize
    /// The size of the picture, or of the terminal that it requires.
    let size: TerminalSize
    let fits: Bool
    var testDescription: String { "\(room.columns) x \(room.rows)" }
  }

  static let rows: [Row] = [
    Row(
      room: TerminalSize(columns: 200, rows: 100),
      size: TerminalSize(columns: 41, rows: 21), fits: true),
    Row(
      room: TerminalSize(columns: 41, rows: 21),
      size: TerminalSize(columns: 41, rows: 21), fits: true),
    Row(
      room: TerminalSize(columns: 40, rows: 21),
      size: TerminalSize(columns: 37, rows: 19), fits: true),
    Row(
      room: TerminalSize(columns: 80, rows: 20),
      size: TerminalSize(columns: 37, rows: 19), fits: true),
    Row(
      room: TerminalSize(columns: 80, rows: 18),
      size: TerminalSize(columns: 35, rows: 18), fits: true),
    Row(
      room: TerminalSize(columns: 34, rows: 18),
      size: TerminalSize(columns: 35, rows: 18), fits: false),
    Row(
      room: TerminalSize(columns: 80, rows: 17),
      size: TerminalSize(columns: 35, rows: 18), fits: false),
    Row(
      room: TerminalSize(columns: 0, rows: 0),
      size: TerminalSize(columns: 35, rows: 18), fits: false),
  ]

  @Test("the best picture that fits is chosen", arguments: rows)
  func fits(row: Row) throws {
    switch try TerminalPicture.of(Self.url.span, ink: .blackOnWhite, room: row.room) {
    case .text(let text):
      let screen = try ShownScreen(showing: TerminalDrawingTests.string(text), theme: .dark)
      #expect(row.fits)
      #expect(screen.lines.count == row.size.rows)
      #expect(screen.lines[0].count == row.size.columns)
    case .needs(let size):
      #expect(!row.fits)
      #expect(size == row.size)
    }
  }

  /// In a window of 24 lines and of 23, one line each is left for an instruction and a question, and
  /// an empty line stays below the picture or above it.
  @Test(
    "the picture of an ordinary account leaves room for an instruction and a question",
    arguments: [
      ("Example%20Company", "alice"), ("server01.department.example.com", "alice"),
      ("server01.department.example.com", "administrator-01"),
    ])
  func ordinaryNames(issuer: String, account: String) throws {
    let url = "otpauth://totp/\(issuer):\(account)?secret=\(String(repeating: "A", count: 32))"
    for rows in [24, 23] {
      let room = TerminalSize(columns: 80, rows: rows - 3)
      switch try TerminalPicture.of(Array(url.utf8).span, ink: .blackOnWhite, room: room) {
      case .text: break
      case .needs(let size): Issue.record("\(url) needs \(size)")
      }
    }
  }

  @Test("error correction that costs no room is used")
  func errorCorrection() throws {
    // 14 bytes: version 1 at both levels. 15 bytes: version 2 at level M.
    for (count, expected) in [(14, ErrorCorrection.medium), (15, .low)] {
      let bytes = [UInt8](repeating: 0x61, count: count)
      let symbol = try QRSymbol(encoding: bytes.span, errorCorrection: expected)
      let drawing = TerminalRenderer(ink: .blackOnWhite, quietZone: 4).draw(symbol)
      let room = TerminalSize(columns: 80, rows: 24)
      switch try TerminalPicture.of(bytes.span, ink: .blackOnWhite, room: room) {
      case .text(let text):
        #expect(
          TerminalDrawingTests.string(text) == TerminalDrawingTests.string(drawing), "\(count)")
      case .needs(let size): Issue.record("\(count) bytes need \(size)")
      }
    }
  }

  @Test("text that cannot be encoded is refused")
  func refused() {
    #expect(throws: QRCodeError.empty) {
      _ = try QRSymbol(encoding: [UInt8]().span, errorCorrection: .low)
    }
    for (count, level) in [(2954, ErrorCorrection.low), (2332, .medium)] {
      let bytes = [UInt8](repeating: 0x41, count: count)
      #expect(throws: QRCodeError.tooLong) {
        _ = try QRSymbol(encoding: bytes.span, errorCorrection: level)
      }
      #expect(throws: Never.self) {
        _ = try QRSymbol(encoding: bytes.span.extracting(droppingLast: 1), errorCorrection: level)
      }
    }
  }
}
