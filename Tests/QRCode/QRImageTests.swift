import Foundation
import MFABase
import MFAQRCode
import MFATestSupport
import Testing

@testable import MultiFactorQR

@Suite struct QRImageTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let text: String
    var errorCorrection = ErrorCorrection.medium
    var scale = 8
    var testDescription: String { "\(text.utf8.count) bytes, scale \(scale)" }
  }

  static let key = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"

  static let rows: [Row] = [
    Row(text: "otpauth://totp/Example%20Host:alice?secret=\(key)"),
    Row(text: "otpauth://totp/alice?secret=\(key)", errorCorrection: .low, scale: 3),
    Row(
      text: "otpauth://totp/J%C3%B6rg%20%26%20S%C3%B6hne:j%C3%B6rg?secret=\(key)\(key)\(key)"
        + "&algorithm=SHA512&digits=8&period=60"),
    Row(
      text: "otpauth://totp/" + String(repeating: "long.", count: 60) + "?secret=\(key)", scale: 4),
    Row(text: "A", scale: 2),
  ]

  static func symbol(_ row: Row) throws -> QRSymbol {
    try QRSymbol(encoding: Array(row.text.utf8).span, errorCorrection: row.errorCorrection)
  }

  static func bytes(_ secret: borrowing SecretBytes) -> [UInt8] {
    let span = secret.span
    return span.indices.map { span[$0] }
  }

  /// Provides a temporary file with this extension and `contents`.
  private func withFile<Result>(
    _ contents: [UInt8], ending: String, _ body: (String) throws -> Result
  ) throws -> Result {
    let folder = FileManager.default.temporaryDirectory
    let file = folder.appendingPathComponent("picture-\(UUID().uuidString).\(ending)")
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) } }
    try Data(contents).write(to: file)
    return try body(file.path)
  }

  private func scan(_ path: String) throws -> String {
    try Command.succeed([
      "/usr/bin/zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", path,
    ])
  }

  @Test("a scanner reads the PNG", arguments: rows)
  func pngIsRead(row: Row) throws {
    let png = Self.bytes(try QRImage.png(try Self.symbol(row), scale: row.scale))
    let read = try withFile(png, ending: "png") { try scan($0) }
    #expect(read == row.text + "\n")
  }

  @Test("a scanner reads the SVG as rendered by a program", arguments: rows)
  func svgIsRead(row: Row) throws {
    let svg = Self.bytes(QRImage.svg(try Self.symbol(row)))
    let read = try withFile(svg, ending: "svg") { path in
      let picture = try Command.run(["/usr/bin/rsvg-convert", "--format", "png", path])
      #expect(picture.status == .exited(0), "\(picture.errorText)")
      return try withFile(picture.output, ending: "png") { try scan($0) }
    }
    #expect(read == row.text + "\n")
  }

  @Test("the PNG has one bit per pixel, and the requested size", arguments: rows)
  func pngHeader(row: Row) throws {
    let symbol = try Self.symbol(row)
    let side = (symbol.size + 8) * row.scale
    let png = Self.bytes(try QRImage.png(symbol, scale: row.scale))
    #expect(Array(png.prefix(8)) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    let bigEndian = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: side >> $0) }
    #expect(Array(png[16..<24]) == bigEndian + bigEndian)
    #expect(png[24] == 1)
    #expect(Array(png.suffix(8).prefix(4)) == Array("IEND".utf8))
  }

  @Test("a scale is limited to the valid range", arguments: [(-1, 1), (0, 1), (33, 32)])
  func scale(asked: Int, taken: Int) throws {
    let row = Self.rows[4]
    let strange = Self.bytes(try QRImage.png(try Self.symbol(row), scale: asked))
    let nearest = Self.bytes(try QRImage.png(try Self.symbol(row), scale: taken))
    #expect(strange == nearest)
  }

  // A picture with a secret must not make a viewer fetch or run anything.
  @Test("the SVG contains no references and no scripts", arguments: rows)
  func svgStandsForItself(row: Row) throws {
    let text = String(decoding: Self.bytes(QRImage.svg(try Self.symbol(row))), as: UTF8.self)
    let namespace = "xmlns=\"http://www.w3.org/2000/svg\""
    #expect(text.contains(namespace))
    let rest = text.replacing(namespace, with: "")
    for word in ["http", "href", "url(", "script", "style", "<!", "<?", "&"] {
      #expect(!rest.contains(word), "\(word)")
    }
    #expect(text.components(separatedBy: "<path").count == 2)
  }

  /// Returns the rectangles of the path as a square of booleans.
  private func modules(ofSVG text: String, side: Int) throws -> [[Bool]] {
    var dark = Array(repeating: Array(repeating: false, count: side), count: side)
    for match in text.matches(of: /M(\d+) (\d+)h(\d+)v1h-(\d+)z/) {
      let column = try #require(Int(match.output.1))
      let row = try #require(Int(match.output.2))
      let length = try #require(Int(match.output.3))
      #expect(match.output.3 == match.output.4)
      for offset in 0..<length {
        #expect(!dark[row][column + offset], "drawn twice")
        dark[row][column + offset] = true
      }
    }
    return dark
  }

  @Test("the quiet zone is four modules wide and contains exactly the symbol", arguments: rows)
  func quietZone(row: Row) throws {
    let symbol = try Self.symbol(row)
    let side = symbol.size + 8
    let text = String(decoding: Self.bytes(QRImage.svg(symbol)), as: UTF8.self)
    #expect(text.contains("viewBox=\"0 0 \(side) \(side)\""))
    let dark = try modules(ofSVG: text, side: side)
    for line in 0..<side {
      for column in 0..<side
      where dark[line][column] != symbol.isDark(row: line - 4, column: column - 4) {
        Issue.record("row \(line), column \(column)")
      }
    }
    #expect(dark[4][4])
  }
}

@Suite struct MultiFactorQRTests {
  @Test("the product draws a URL on a terminal, as PNG and as SVG")
  func drawings() throws {
    let url = SecretBytes(copying: Array("otpauth://totp/a?secret=GEZDGNBVGY3TQOJQ".utf8).span)
    let symbol = try QRSymbol(url)
    #expect(symbol.size == 29)
    #expect(QRImage.svg(symbol).count > 1000)
    #expect(try QRImage.png(symbol).count > 100)
    switch try TerminalPicture.of(
      url, ink: .blackOnWhite, room: TerminalSize(columns: 80, rows: 24))
    {
    case .text(let text): #expect(text.count > 500)
    case .needs(let size): Issue.record("needs \(size)")
    }
    switch try TerminalPicture.of(
      url, ink: .blackOnWhite, room: TerminalSize(columns: 10, rows: 5))
    {
    case .text: Issue.record("the picture cannot fit")
    case .needs(let size): #expect(size.columns >= 31)
    }
    #expect(throws: QRCodeError.empty) { _ = try QRSymbol(SecretBytes(count: 0)) }
  }
}

/// A system program that verifies the result.
struct Tool {
  struct Missing: Error, CustomStringConvertible {
    let name: String
    var description: String { "\(name) is not installed; packaging/test installs it" }
  }

  struct Failed: Error { let status: Int32 }

  let path: String

  init(_ name: String) throws {
    let folders = ["/usr/bin", "/usr/local/bin", "/bin"]
    let path = folders.map { "\($0)/\(name)" }.first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
    guard let path else { throw Missing(name: name) }
    self.path = path
  }

  /// Runs the program and returns its output, without the last newline.
  func run(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let output = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failed(status: process.terminationStatus) }
    let text = String(decoding: data, as: UTF8.self)
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }
}
