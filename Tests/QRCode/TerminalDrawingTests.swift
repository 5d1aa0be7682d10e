import MFABase
import Foundation
import MFATestSupport
import Testing

@testable import MFAQRCode

@Suite struct TerminalDrawingTests {
  static let url =
    "otpauth://totp/Example%20Host:alice?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"

  struct Row: Sendable, CustomTestStringConvertible {
    let number: Int
    let ink: TerminalColours
    let theme: ShownScreen.Theme
    let palette: ShownScreen.Palette
    let quietZone: Int
    let errorCorrection: ErrorCorrection
    var testDescription: String { "\(number): \(ink), \(theme.testDescription), \(quietZone)" }
  }

  static let rows: [Row] = [
    Row(
      number: 1, ink: .blackOnWhite, theme: .dark, palette: .sixteenColours, quietZone: 4,
      errorCorrection: .medium),
    Row(
      number: 2, ink: .blackOnWhite, theme: .light, palette: .sixteenColours, quietZone: 4,
      errorCorrection: .medium),
    Row(
      number: 3, ink: .blackOnWhite, theme: .dark, palette: .eightColours, quietZone: 4,
      errorCorrection: .medium),
    Row(
      number: 4, ink: .blackOnWhite, theme: .light, palette: .eightColours, quietZone: 4,
      errorCorrection: .medium),
    Row(
      number: 5, ink: .blackOnWhite, theme: .dark, palette: .sixteenColours, quietZone: 2,
      errorCorrection: .low),
    Row(
      number: 6, ink: .blackOnWhite, theme: .light, palette: .sixteenColours, quietZone: 2,
      errorCorrection: .low),
    Row(
      number: 7, ink: .terminalLightOnDark, theme: .dark, palette: .sixteenColours,
      quietZone: 4, errorCorrection: .medium),
    Row(
      number: 8, ink: .terminalDarkOnLight, theme: .light, palette: .sixteenColours,
      quietZone: 4, errorCorrection: .low),
    // As drawn during a sign-in, with little space and without colours.
    Row(
      number: 9, ink: .terminalLightOnDark, theme: .dark, palette: .sixteenColours,
      quietZone: 2, errorCorrection: .low),
    Row(
      number: 10, ink: .terminalLightOnDark, theme: .dark, palette: .eightColours,
      quietZone: 2, errorCorrection: .medium),
    // In a window of 24 lines.
    Row(
      number: 11, ink: .blackOnWhite, theme: .dark, palette: .sixteenColours, quietZone: 1,
      errorCorrection: .low),
    Row(
      number: 12, ink: .blackOnWhite, theme: .light, palette: .eightColours, quietZone: 1,
      errorCorrection: .low),
    Row(
      number: 13, ink: .terminalLightOnDark, theme: .dark, palette: .sixteenColours,
      quietZone: 1, errorCorrection: .low),
    Row(
      number: 14, ink: .terminalDarkOnLight, theme: .light, palette: .sixteenColours,
      quietZone: 1, errorCorrection: .medium),
  ]

  static func drawing(_ row: Row) throws -> String {
    let symbol = try QRSymbol(
      encoding: Array(url.utf8).span, errorCorrection: row.errorCorrection)
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
  @Test("dark and light modules have a high contrast", arguments: rows)
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

  @Test("the quiet zone is light on all sides", arguments: rows)
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

  @Test("the announced size is the drawn size", arguments: rows)
  func promisedSize(row: Row) throws {
    let symbol = try QRSymbol(
      encoding: Array(Self.url.utf8).span, errorCorrection: row.errorCorrection)
    let size = TerminalRenderer(ink: row.ink, quietZone: row.quietZone).size(of: symbol)
    let screen = try ShownScreen(showing: try Self.drawing(row), theme: row.theme)
    #expect(size == TerminalSize(columns: screen.lines[0].count, rows: screen.lines.count))
  }
}
