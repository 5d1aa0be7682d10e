import Foundation
import MFAAdminTestSupport
import MFABase
import MFAModel
import MFAStore
import MFAWire
import Testing

@testable import MFAAdmin

@Suite struct UserTableTests {
  static func reports() throws -> [UserReport] {
    [
      try report("alice", [try factor(id(1), "phone"), try factor(id(2), "a tablet of hers")]),
      try report("bartholomew", [try factor(id(1), "電話")], failures: 7, .throttled(seconds: 95)),
      try report("carol", [try factor(id(1), "phone")], failures: 100, .locked),
      report("dave\u{1B}[2J", .noSuchAccount),
      report("erin", .store(.untrusted(.record, .wrongOwner))),
    ]
  }

  private func text(_ reports: [UserReport], columns: Int?) throws -> String {
    var bytes: [UInt8] = []
    try UserTable(reports.map { UserTable.Row($0) }).write(columns: columns) { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func whole() throws {
    let expected = #"""
      USER         FACTORS                  NEWEST (UTC)      WRONG  STANDING
      alice        phone, a tablet of hers  2023-11-14 22:13  0      open
      bartholomew  電話                     2023-11-14 22:13  7      throttled 95 s
      carol        phone                    2023-11-14 22:13  100    locked
      dave\x1b[2J  -                        -                 -      no such account
      erin         -                        -                 -      damaged: record: wrong-owner

      """#
    #expect(try text(try Self.reports(), columns: nil) == expected)
  }

  @Test func fittedToTheTerminal() throws {
    for columns in 20...200 {
      let lines = try text(try Self.reports(), columns: columns).split(separator: "\n")
      #expect(lines.count == 6)
      // The minimum width: two columns of eight, the other columns in full, and two spaces between
      // columns.
      let possible = max(columns, 8 + 8 + 16 + 5 + 15 + 8)
      for line in lines where !line.contains("damaged") {
        #expect(TextWidth.of(String(line)) <= possible, "\(columns): \(line)")
      }
      #expect(lines.allSatisfy { isHarmless(String($0)) })
    }
    let narrow = try text(try Self.reports(), columns: 60)
    #expect(narrow.contains("barthol…  電話"))
    #expect(narrow.contains("alice     phone, …  2023"))
    #expect(narrow.contains("damaged: record: wrong-owner\n"))
  }

  @Test func jsonIsStable() throws {
    let expected = """
      {
        "user": "bartholomew",
        "uid": 1000,
        "standing": "throttled",
        "waitSeconds": 95,
        "wrongCodes": 7,
        "wrongCodesInOwnPrograms": 0,
        "wrongCodesInDaemons": 0,
        "newestEnrollment": "2023-11-14T22:13:20Z",
        "factors": [
          {
            "id": "01000000000000000000000000000000",
            "displayName": "電話",
            "factorID": "totp",
            "enrollmentDate": "2023-11-14T22:13:20Z",
            "algorithm": "SHA1",
            "digits": 6,
            "periodSeconds": 30,
            "lastUsed": "2023-11-14T22:13:30Z"
          }
        ],
        "recoveryCodesLeft": 0,
        "grants": 0,
        "rememberedSignIns": 0,
        "problem": null
      }
      """
    #expect(try Self.reports()[1].json.text == expected)
    let damaged = """
      {
        "user": "erin",
        "uid": null,
        "standing": "unusable",
        "waitSeconds": null,
        "wrongCodes": null,
        "wrongCodesInOwnPrograms": null,
        "wrongCodesInDaemons": null,
        "newestEnrollment": null,
        "factors": null,
        "recoveryCodesLeft": null,
        "grants": null,
        "rememberedSignIns": null,
        "problem": {
          "part": "record",
          "reason": "wrong-owner",
          "message": "its file in /var/lib/mfa/factors is not trusted: wrong-owner"
        }
      }
      """
    #expect(try Self.reports()[4].json.text == damaged)
  }

  @Test func sheet() throws {
    let expected = """
      user         bartholomew (uid 1000)
      standing     throttled 95 s
      wrong codes  7 in a row, the last 2023-11-14 22:15:00 UTC
      recovery     0 codes left

      factor       01000000000000000000000000000000
      name         電話
      enrolled     2023-11-14 22:13:20 UTC
      codes        SHA1, 6 digits, every 30 s
      last used    2023-11-14 22:13:30 UTC

      """
    #expect(UserDetails.text(try Self.reports()[1], at: SampleUser.now) == expected)
    let locker = UserDetails.text(
      try report("alice", [try factor(id(1), "phone")], own: 4), at: SampleUser.now)
    let lines = """
      wrong codes  0
                   in the user's own programs: 4 in a row, the last 2023-11-14 22:15:00 UTC

      """
    #expect(locker.contains(lines), "\(locker)")
    // A code was accepted while the clock was a day ahead.
    let ahead = UserDetails.text(try SampleUser.report("alice", used: -1), at: SampleUser.now)
    #expect(
      ahead.contains("last used    2023-11-15 22:13:")
        && ahead.contains("\n             accepts no code before 2023-11-15 22:13:"), "\(ahead)")
    #expect(
      UserDetails.text(try Self.reports()[3], at: SampleUser.now)
        == "user         dave\\x1b[2J\nstanding     no such account\n")
  }
}

@Suite("User filters")
struct UserFilterTests {
  static func everybody() throws -> [UserReport] {
    [
      try SampleUser.report("alice"),
      try SampleUser.report("bob", standing: .throttled(seconds: 9)),
      try SampleUser.report("carol", standing: .locked), try SampleUser.report("dave", used: 91),
      try SampleUser.report("erin", used: 89),
      try SampleUser.report("frank", secretLength: 10, .imported),
      try SampleUser.report("grace", secretLength: 16, .imported),
      try SampleUser.report("heidi", grantedUntil: 1),
      try SampleUser.report("ivan", grantedUntil: 0), report("judy", .belongsToAnother),
      try SampleUser.report("mallory", used: 91, secretLength: 10, .imported, standing: .locked),
      try SampleUser.report("nina", used: 19_000, enrolled: 89, .imported),
      try SampleUser.report("oscar", used: -5),
    ]
  }

  static let rows: [(Int, UserFilter, [String])] = [
    (
      1, UserFilter(),
      [
        "alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi", "ivan", "judy",
        "mallory", "nina", "oscar",
      ]
    ),
    (2, UserFilter(locked: true), ["carol", "mallory"]),
    (3, UserFilter(throttled: true), ["bob"]),
    (4, UserFilter(unusable: true), ["judy"]),
    (5, UserFilter(granted: true), ["heidi"]),
    (6, UserFilter(imported: true), ["frank", "grace", "mallory", "nina"]),
    (7, UserFilter(weak: true), ["frank", "mallory"]),
    (8, UserFilter(staleDays: 90), ["dave", "mallory"]),
    (9, UserFilter(staleDays: 88), ["dave", "erin", "mallory", "nina"]),
    (10, UserFilter(staleDays: 100), []),
    (11, UserFilter(locked: true, weak: true, staleDays: 90), ["mallory"]),
    (12, UserFilter(locked: true, throttled: true), []),
    (13, UserFilter(locked: true, unusable: true), []),
    (14, UserFilter(staleDays: .max), []),
  ]

  @Test("filters are combined with AND", arguments: rows)
  func table(row: Int, filter: UserFilter, expected: [String]) throws {
    let shown = try Self.everybody().filter { filter.includes($0, now: SampleUser.now) }
    #expect(shown.map(\.visibleName) == expected, "row \(row)")
  }

  @Test("a user without a factor matches no filter")
  func notEnrolled() {
    let nobody = UserReport(name: Array("zoe".utf8), content: .notEnrolled(uid: 1000))
    #expect(UserFilter().includes(nobody, now: SampleUser.now))
    #expect(nobody.standing == "not enrolled" && nobody.isUsable)
    for (row, filter, _) in Self.rows.dropFirst() {
      #expect(!filter.includes(nobody, now: SampleUser.now), "row \(row)")
    }
    #expect(nobody.json.text.contains("\"uid\": 1000,\n  \"standing\": \"not-enrolled\","))
  }
}

@Suite struct FactorSelectionTests {
  /// The factors that a selector should select, by index.
  static let cases: [(Int, String?, [Int])] = [
    (1, nil, [0, 1, 2, 3]),
    (2, "phone", [0]),
    (3, "Phone", []),
    (4, "abcdef00000000000000000000000000", [0]),
    (5, "ABCDEF00000000000000000000000000", [0]),
    (6, "abcdef", [0]),
    (7, "abcd", [0, 1]),
    (8, "abc", []),
    (9, "abcde", [0]),
    (10, "abcd1", [1]),
    (11, "", []),
    (12, "9999", [3]),  // a name takes precedence over the beginning of an id
    (13, "99990", [2]),
    (14, "abcdef000000000000000000000000000", []),
    (15, " phone", []),
  ]

  static func factors() throws -> [FactorSummary] {
    [
      try factor(try id(0xAB, 0xCD, 0xEF), "phone"),
      try factor(try id(0xAB, 0xCD, 0x11), "tablet"),
      try factor(try id(0x99, 0x99), "key"),
      try factor(try id(0x77), "9999"),
    ].map { FactorSummary($0) }
  }

  @Test(arguments: cases)
  func selected(_ number: Int, _ selector: String?, _ rememberedCount: [Int]) throws {
    let factors = try Self.factors()
    let expected: FactorSelection =
      switch rememberedCount.count {
      case 0: .noFactor
      case 1: .one(factors[rememberedCount[0]])
      case _: .several(rememberedCount.map { factors[$0] })
      }
    #expect(FactorSelection(selector, in: factors) == expected, "case \(number)")
  }

  @Test func onlyFactorIsDefault() throws {
    let factors = try Self.factors()
    #expect(FactorSelection(nil, in: [factors[1]]) == .one(factors[1]))
    #expect(FactorSelection(nil, in: []) == FactorSelection.noFactor)
  }
}

@Suite struct GrantTableTests {
  static func grant(
    _ user: String, _ kind: Grant.Kind, _ id: [UInt8], uses: UInt8, until: Int64, reason: String?,
    isGood: Bool = true
  ) throws -> GrantReport {
    let grant = Grant(
      kind: kind, id: try #require(GrantID(bytes: id)), madeAt: 1_700_000_000, expiresAt: until,
      usesLeft: uses, reason: try reason.map { try #require(Grant.Reason(Array($0.utf8))) },
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
    #expect(TextTable(try Self.grants()).text(columns: nil) == expected)
  }

  @Test func fittedToTheTerminal() throws {
    for columns in 20...140 {
      let text = TextTable(try Self.grants()).text(columns: columns)
      let lines = text.split(separator: "\n")
      #expect(lines.count == 4)
      // The minimum width: two columns of eight, the other columns in full, and two spaces between
      // columns.
      let possible = max(columns, 8 + 6 + 8 + 4 + 16 + 8 + 10)
      for line in lines { #expect(TextWidth.of(String(line)) <= possible, "\(columns): \(line)") }
      #expect(isHarmless(text))
    }
    let fitted = TextTable(try Self.grants()).text(columns: 80)
    #expect(
      fitted.contains(
        "bartholomew  bypass  ab010203  20    2023-11-14 22:23  phone lost, called back …\n"))
  }
}
