import MFASystem
import Testing

@testable import mfa_admin

@Suite("Progress")
struct ProgressTests {
  /// Returns what is shown for 2048 steps at these times. The first time is the start.
  private func shown(_ times: [Int64?]) -> [String] {
    var times = times
    var texts: [String] = []
    var progress = Progress(
      seconds: { times.isEmpty ? nil : times.removeFirst() }, show: { texts.append($0) })
    for count in 1...2048 { progress.step(count, of: 2048) }
    progress.finish()
    return texts
  }

  @Test(
    "progress is shown once a second, and removed at the end",
    arguments: [
      (1, [7, 7, 7, 7, 7], []),
      (2, [7, 7, 8, 8, 9], ["\r1024 of 2048\u{1B}[K", "\r2048 of 2048\u{1B}[K", "\r\u{1B}[K"]),
      (3, [7, 6, 5, nil, 8], ["\r2048 of 2048\u{1B}[K", "\r\u{1B}[K"]),
      (4, [nil, 1, 2, 3, 4], []),
    ] as [(Int, [Int64?], [String])])
  func table(row: Int, times: [Int64?], expected: [String]) {
    #expect(shown(times) == expected, "row \(row)")
  }
}

@Suite("The accounts of the system")
struct KnownAccountTests {
  static let rows: [(Int, UInt32, String, Bool)] = [
    (1, 0, "/bin/bash", true), (2, 1000, "/bin/sh", true), (3, 60_000, "", true),
    (4, 999, "/bin/bash", false), (5, 60_001, "/bin/bash", false),
    (6, 1000, "/usr/sbin/nologin", false), (7, 1000, "/bin/false", false),
    (8, 65_534, "/usr/sbin/nologin", false), (9, 1000, "/bin/falsehood", true),
    (10, 1000, "nologin", false), (11, 0, "/sbin/nologin", false),
  ]

  @Test("personal accounts have a uid in the range for users and a login shell", arguments: rows)
  func personalAccountsAreRecognised(row: Int, uid: UInt32, shell: String, expected: Bool) {
    let account = KnownAccount(
      account: Account(name: Array("alice".utf8), uid: uid), shell: Array(shell.utf8))
    #expect(account.isPersonal == expected, "row \(row)")
  }

  @Test("the accounts of this machine contain root exactly once")
  func system() throws {
    let all = try KnownAccount.all()
    #expect(all.count { $0.account == Account(name: Array("root".utf8), uid: 0) } == 1)
    #expect(Set(all.map(\.account.name)).count == all.count)
  }
}
