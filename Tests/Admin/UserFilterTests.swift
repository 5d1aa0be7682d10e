import MFABytes
import MFAFactorStore
import MFAFactors
import MFAOneTimePassword
import Testing

@testable import mfa_admin

@Suite("User filters")
struct UserFilterTests {
  static let now: Int64 = 1_700_000_000
  static let day: Int64 = 86_400

  /// Returns a user with one factor, whose last code was accepted `used` days ago.
  static func user(
    _ name: String, used: Int64 = 0, enrolled: Int64 = 1000, secretLength: Int = 20,
    _ origin: Factor.Origin = .enrolled, standing: AttemptState.Standing = .open,
    grantedUntil: Int64? = nil
  ) throws -> UserReport {
    // A sealed secret has a nonce of 12 bytes and a tag of 16 bytes.
    let sealed = [UInt8](repeating: 1, count: secretLength + 28)
    let factor = Factor(
      id: try id(1), displayName: try DisplayName(Array("phone".utf8)),
      enrolledAt: now - enrolled * day, kind: .totp(.standard, sealedSecret: sealed),
      origin: origin)
    var record = try record(name, [factor])
    if let grantedUntil, let grantID = GrantID(bytes: [1, 2, 3, 4]) {
      let grant = Grant(
        kind: .bypass, id: grantID, madeAt: now - 2 * day, expiresAt: now + grantedUntil,
        usesLeft: 1, reason: nil,
        digest: [UInt8](repeating: 0, count: RecoveryCodeDigest.length))
      #expect(grant.map { record.add($0) } == true)
    }
    let attempts = AttemptState(
      record: record.id,
      watermarks: [AttemptState.Watermark(factor: factor.id, step: (now - used * day) / 30)])
    return UserReport(
      name: record.user.bytes,
      content: .usable(FactorSnapshot(record: record, attempts: attempts), standing))
  }

  static func everybody() throws -> [UserReport] {
    [
      try user("alice"), try user("bob", standing: .waiting(seconds: 9)),
      try user("carol", standing: .disabled), try user("dave", used: 91),
      try user("erin", used: 89), try user("frank", secretLength: 10, .imported),
      try user("grace", secretLength: 16, .imported), try user("heidi", grantedUntil: 1),
      try user("ivan", grantedUntil: 0), report("judy", .belongsToAnother),
      try user("mallory", used: 91, secretLength: 10, .imported, standing: .disabled),
      try user("nina", used: 19_000, enrolled: 89, .imported), try user("oscar", used: -5),
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
    (2, UserFilter(disabled: true), ["carol", "mallory"]),
    (3, UserFilter(waiting: true), ["bob"]),
    (4, UserFilter(unusable: true), ["judy"]),
    (5, UserFilter(granted: true), ["heidi"]),
    (6, UserFilter(imported: true), ["frank", "grace", "mallory", "nina"]),
    (7, UserFilter(weak: true), ["frank", "mallory"]),
    (8, UserFilter(staleDays: 90), ["dave", "mallory"]),
    (9, UserFilter(staleDays: 88), ["dave", "erin", "mallory", "nina"]),
    (10, UserFilter(staleDays: 100), []),
    (11, UserFilter(disabled: true, weak: true, staleDays: 90), ["mallory"]),
    (12, UserFilter(disabled: true, waiting: true), []),
    (13, UserFilter(disabled: true, unusable: true), []),
    (14, UserFilter(staleDays: .max), []),
  ]

  @Test("filters are combined with AND", arguments: rows)
  func table(row: Int, filter: UserFilter, expected: [String]) throws {
    let shown = try Self.everybody().filter { filter.includes($0, now: Self.now) }
    #expect(shown.map(\.visibleName) == expected, "row \(row)")
  }

  @Test("a user without a factor matches no filter")
  func notEnrolled() {
    let nobody = UserReport(name: Array("zoe".utf8), content: .notEnrolled(uid: 1000))
    #expect(UserFilter().includes(nobody, now: Self.now))
    #expect(nobody.state == "not enrolled" && nobody.isUsable)
    for (row, filter, _) in Self.rows.dropFirst() {
      #expect(!filter.includes(nobody, now: Self.now), "row \(row)")
    }
    #expect(nobody.json.text.contains("\"uid\": 1000,\n  \"state\": \"not-enrolled\","))
  }
}
