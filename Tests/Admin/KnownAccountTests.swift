import MFABase
import Testing

@testable import MFAAdmin

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
