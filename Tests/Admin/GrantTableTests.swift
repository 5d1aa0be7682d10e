import MFAAdminTestSupport
import MFABase
import MFAModel
import Testing

@testable import MFAAdmin

@Suite struct GrantTableTests {
  static func grant(
    _ user: String, _ kind: Grant.Kind, _ id: [UInt8], uses: UInt8, until: Int64, reason: String?,
    isGood: Bool = true
  ) throws -> GrantReport {
    let grant = Grant(
      kind: kind, id: try #require(GrantID(bytes: id)), madeAt: 1_700_000_000, expiresAt: until,
      usesLeft: uses, reason: try reason.map { try Grant.Reason(Array($0.utf8)) },
      digest: [UInt8](repeating: 0, count: RecoveryCodeDigest.length))
    return GrantReport(user: try userName(user), grant: try #require(grant), isGood: isGood)
  }

  static func grants() throws -> [GrantReport] {
    [
      try grant(
        "bartholomew", .bypass, [0xAB, 1, 2, 3], uses: 20, until: 1_700_000_600,
        reason: "phone lost, called back on the number that we have"),
      try grant("bob", .ticket, [0, 0, 0, 1], uses: 1, until: 1_700_086_400, reason: nil),
      try grant(
        "eve\u{1B}[2J", .ticket, [0, 0, 0, 2], uses: 1, until: 1_700_000_001,
        reason: "\u{96FB}\u{8A71}", isGood: false),
    ]
  }

  @Test func whole() throws {
    let expected = """
      USER         KIND    ID        USES  UNTIL (UTC)       REASON
      bartholomew  bypass  ab010203  20    2023-11-14 22:23  phone lost, called back on the number that we have
      bob          ticket  00000001  1     2023-11-15 22:13  -
      eve\\x1b[2J   ticket  00000002  1     expired           \u{96FB}\u{8A71}

      """
    #expect(GrantTable(try Self.grants()).text(columns: nil) == expected)
  }

  @Test func fittedToTheTerminal() throws {
    for columns in 20...140 {
      let text = GrantTable(try Self.grants()).text(columns: columns)
      let lines = text.split(separator: "\n")
      #expect(lines.count == 4)
      // The minimum width: two columns of eight, the other columns in full, and two spaces between
      // columns.
      let possible = max(columns, 8 + 6 + 8 + 4 + 16 + 8 + 10)
      for line in lines { #expect(TextWidth.of(String(line)) <= possible, "\(columns): \(line)") }
      #expect(isHarmless(text))
    }
    let fitted = GrantTable(try Self.grants()).text(columns: 80)
    #expect(
      fitted.contains(
        "bartholomew  bypass  ab010203  20    2023-11-14 22:23  phone lost, called back …\n"))
  }
}
