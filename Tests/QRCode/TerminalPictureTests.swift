import MFABytes
import MFATestSupport
import Testing

@testable import MFAQRCode

@Suite struct TerminalPictureTests {
  /// 132 bytes: version 8 (49 modules) at level M, version 6 (41 modules) at level L.
  static let url = Array((TerminalDrawingTests.url).utf8)

  struct Row: Sendable, CustomTestStringConvertible {
    let number: Int
    let room: TerminalSize
    /// The size of the picture, or of the terminal that it requires.
    let size: TerminalSize
    let fits: Bool
    var testDescription: String { "\(number): \(room.columns) x \(room.rows)" }
  }

  static let rows: [Row] = [
    Row(
      number: 1, room: TerminalSize(columns: 200, rows: 100),
      size: TerminalSize(columns: 57, rows: 29), fits: true),
    Row(
      number: 2, room: TerminalSize(columns: 57, rows: 29),
      size: TerminalSize(columns: 57, rows: 29), fits: true),
    Row(
      number: 3, room: TerminalSize(columns: 56, rows: 29),
      size: TerminalSize(columns: 49, rows: 25), fits: true),
    Row(
      number: 4, room: TerminalSize(columns: 80, rows: 24),
      size: TerminalSize(columns: 45, rows: 23), fits: true),
    Row(
      number: 5, room: TerminalSize(columns: 45, rows: 23),
      size: TerminalSize(columns: 45, rows: 23), fits: true),
    Row(
      number: 6, room: TerminalSize(columns: 44, rows: 23),
      size: TerminalSize(columns: 45, rows: 23), fits: false),
    Row(
      number: 7, room: TerminalSize(columns: 80, rows: 22),
      size: TerminalSize(columns: 45, rows: 23), fits: false),
    Row(
      number: 8, room: TerminalSize(columns: 0, rows: 0),
      size: TerminalSize(columns: 45, rows: 23), fits: false),
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
