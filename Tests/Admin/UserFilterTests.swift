import MFAAdminTestSupport
import MFABase
import MFAStore
import MFAModel
import Testing

@testable import MFAAdmin

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
