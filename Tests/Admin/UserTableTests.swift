import MFAAdminTestSupport
import MFAStore
import Foundation
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
    #expect(UserDetails.text(try Self.reports()[1]) == expected)
    let locker = UserDetails.text(try report("alice", [try factor(id(1), "phone")], own: 4))
    let lines = """
      wrong codes  0
                   in the user's own programs: 4 in a row, the last 2023-11-14 22:15:00 UTC

      """
    #expect(locker.contains(lines), "\(locker)")
    #expect(
      UserDetails.text(try Self.reports()[3])
        == "user         dave\\x1b[2J\nstanding     no such account\n")
  }
}
