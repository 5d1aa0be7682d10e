import MultiFactorQR
import Testing

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
