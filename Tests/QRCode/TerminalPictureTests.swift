import MFABase
import MFATestSupport
import Testing

@testable import MFAQRCode

@Suite struct TerminalPictureTests {
  /// 75 bytes: version 5 (37 modules) at level M, version 4 (33 modules) at level L.
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
      size: TerminalSize(columns: 41, rows: 21), fits: true),
    Row(
      number: 2, room: TerminalSize(columns: 41, rows: 21),
      size: TerminalSize(columns: 41, rows: 21), fits: true),
    Row(
      number: 3, room: TerminalSize(columns: 40, rows: 21),
      size: TerminalSize(columns: 37, rows: 19), fits: true),
    Row(
      number: 4, room: TerminalSize(columns: 80, rows: 20),
      size: TerminalSize(columns: 37, rows: 19), fits: true),
    Row(
      number: 5, room: TerminalSize(columns: 80, rows: 18),
      size: TerminalSize(columns: 35, rows: 18), fits: true),
    Row(
      number: 6, room: TerminalSize(columns: 34, rows: 18),
      size: TerminalSize(columns: 35, rows: 18), fits: false),
    Row(
      number: 7, room: TerminalSize(columns: 80, rows: 17),
      size: TerminalSize(columns: 35, rows: 18), fits: false),
    Row(
      number: 8, room: TerminalSize(columns: 0, rows: 0),
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
