import MFABase
import Testing

@testable import MFADoctor

@Suite("The record of wrong passwords that pam_faillock.so keeps")
struct FailureTallyTests {
  /// Returns a file with records, each with a status and a time.
  static func tally(_ records: [(status: UInt8, time: UInt64)]) -> [UInt8] {
    records.flatMap { record in
      [UInt8](repeating: 0, count: 54) + [record.status, 0]
        + (0..<8).map { UInt8(truncatingIfNeeded: record.time >> (8 * $0)) }
    }
  }

  /// Arguments of the line, lines of the file, the time, and whether the user is locked after three wrong
  /// passwords at 1000, 1100 and 1200.
  static let rows: [(arguments: [String], file: [String], now: Int64, expected: Bool)] = [
    ([], [], 1200, true), ([], [], 1800, true), ([], [], 1801, false), ([], [], 1100, true),
    (["deny=4"], [], 1200, false), ([], ["deny = 4"], 1200, false),
    (["deny=3"], ["deny = 4"], 1200, true), (["deny=0"], [], 1200, false),
    (["fail_interval=200"], [], 1200, false), (["fail_interval=201"], [], 1200, true),
    (["unlock_time=0"], [], 1_000_000, true), (["unlock_time=never"], [], 1_000_000, true),
    ([], ["unlock_time = 10 # short"], 1211, false), ([], ["# deny = 9", ""], 1200, true),
    ([], ["local_users_only"], 1200, false), (["deny=x"], [], 1200, true),
  ]

  @Test("a user is locked as pam_faillock.so decides", arguments: rows)
  func locked(arguments: [String], file: [String], now: Int64, expected: Bool) {
    let rules = FailureTally.Rules(arguments) { path in
      path == "/etc/security/faillock.conf" ? file.map { Array($0.utf8) } : nil
    }
    let contents = Self.tally([(1, 1000), (0, 1150), (1, 1100), (1, 1200)])
    #expect(FailureTally(contents).isLocked(rules, isPrivileged: false, now: now) == expected)
    #expect(!FailureTally(contents).isLocked(rules, isPrivileged: true, now: now))
    #expect(!FailureTally([]).isLocked(rules, isPrivileged: false, now: now))
    #expect(!FailureTally([1]).isLocked(rules, isPrivileged: false, now: now))
  }

  @Test("root is locked if a setting says so")
  func root() {
    let tally = FailureTally(Self.tally([(1, 1000), (1, 1100), (1, 1200)]))
    for (arguments, now, expected) in [
      (["even_deny_root"], Int64(1200), true), (["even_deny_root"], 1801, false),
      (["root_unlock_time=60"], 1260, true), (["root_unlock_time=60"], 1261, false),
    ] {
      let rules = FailureTally.Rules(arguments) { _ in nil }
      #expect(tally.isLocked(rules, isPrivileged: true, now: now) == expected, "\(arguments)")
    }
  }
}
