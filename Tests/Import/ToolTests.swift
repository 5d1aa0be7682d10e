import MFAStore
import MFAImport
import MFATestSupport
import Testing

/// Files written by the tool google-authenticator.
@Suite struct GoogleAuthenticatorToolTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    var period: UInt16 = 30
    var adjacentIntervals: UInt8 = 1
    var codes = 5
    var warnings: [ImportWarning] = []
    var isReusable = false
    var refusal: ImportRefusal.Reason?
    var testDescription: String { "\(arguments.joined(separator: " "))" }
  }

  @Test(arguments: [
    Row(arguments: ["-t", "-d", "-u", "-w", "3"]),
    Row(arguments: ["-t", "-D", "-u", "-w", "3"], isReusable: true),
    Row(arguments: ["-t", "-d", "-u", "-W"]),
    Row(arguments: ["-t", "-d", "-u", "-w", "1"], adjacentIntervals: 0),
    Row(arguments: ["-t", "-d", "-u", "-w", "6"], adjacentIntervals: 3),
    Row(arguments: ["-t", "-d", "-u", "-w", "17"], adjacentIntervals: 8),
    Row(arguments: ["-t", "-d", "-u", "-w", "21"], adjacentIntervals: 10),
    Row(
      arguments: ["-t", "-d", "-r", "3", "-R", "30", "-w", "3"],
      warnings: [.rateLimitDropped(attempts: 3, seconds: 30)]),
    Row(
      arguments: ["-t", "-d", "-r", "10", "-R", "600", "-w", "3"],
      warnings: [.rateLimitDropped(attempts: 10, seconds: 600)]),
    Row(arguments: ["-t", "-d", "-u", "-w", "3", "-S", "60"], period: 60),
    Row(arguments: ["-t", "-d", "-u", "-w", "3", "-S", "15"], period: 15),
    Row(arguments: ["-t", "-d", "-u", "-w", "3", "-S", "14"], refusal: .period(seconds: 14)),
    Row(arguments: ["-t", "-d", "-u", "-w", "3", "-e", "0"], codes: 0),
    Row(arguments: ["-t", "-d", "-u", "-w", "3", "-e", "1"], codes: 1),
    Row(arguments: ["-t", "-d", "-u", "-w", "3", "-e", "10"], codes: 10),
    Row(
      arguments: ["-t", "-D", "-r", "1", "-R", "15", "-w", "20", "-S", "45", "-e", "7"],
      period: 45, adjacentIntervals: 10, codes: 7,
      warnings: [.rateLimitDropped(attempts: 1, seconds: 15)], isReusable: true),
    Row(arguments: ["-c", "-u", "-w", "3"], refusal: .counterBased),
    Row(arguments: ["-c", "-r", "3", "-R", "30", "-w", "1"], refusal: .counterBased),
  ])
  func files(_ row: Row) throws {
    let folder = try Command.succeed(["/bin/mktemp", "-d"]).split(separator: "\n")[0]
    defer { #expect(throws: Never.self) { try Command.succeed(["/bin/rm", "-rf", "\(folder)"]) } }
    let path = "\(folder)/file"
    try Command.succeed(
      ["/usr/bin/google-authenticator"] + row.arguments
        + ["-f", "-q", "-Q", "NONE", "-C", "-s", path])
    let text = try Command.succeed(["/bin/cat", path])
    let lines = text.split(separator: "\n")
    let file = Array(text.utf8)
    if let refusal = row.refusal {
      #expect(throws: ImportRefusal.self) { try GoogleAuthenticatorFile.parse(file.span) }
      do throws(ImportRefusal) {
        _ = try GoogleAuthenticatorFile.parse(file.span)
      } catch {
        #expect(error.reason == refusal)
        #expect(lines[error.line - 1].hasPrefix("\" "))
      }
      return
    }
    let result = try GoogleAuthenticatorFile.parse(file.span)
    #expect(result.factor.parameters.period == row.period)
    #expect(result.factor.adjacentIntervals == row.adjacentIntervals)
    #expect(result.factor.timeOffset == 0)
    #expect(result.recoveryCodes.texts == lines.suffix(row.codes).map(String.init))
    #expect(
      result.warnings
        == row.warnings + (row.isReusable ? [.reuseWasAllowed] : [])
        + (row.codes > 0 ? [.weakRecoveryCodes(count: row.codes)] : []))
    // A phone that was given the first line shows the same codes.
    let phone = Authenticator(key: String(lines[0]), period: Int(row.period))
    let shown = try phone.codes(fromStep: 58_000_000, count: 3)
    var hotp = try HOTP(secret: result.factor.key.span, algorithm: .sha1)
    for (offset, text) in shown.enumerated() {
      let code = try hotp.code(at: UInt64(58_000_000 + offset), digits: .six)
      #expect(code.value == UInt32(text))
    }
  }
}
