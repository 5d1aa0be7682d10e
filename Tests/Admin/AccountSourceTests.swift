import MFABase
import Testing

@testable import MFAAdmin

@Suite struct AccountSourceTests {
  static let cases: [(Int, String, [String: UInt32])] = [
    (1, "", [:]),
    (2, "alice:x:1000:1000:Alice,,,:/home/alice:/bin/sh\n", ["alice": 1000]),
    (3, "alice:x:1000:1000::/:/bin/sh\nalice:x:0:0::/:/bin/sh", ["alice": 1000]),
    (4, "alice:x:-1:1000::/:/bin/sh\n", [:]),
    (5, "alice:x:4294967296:0::/:\n", [:]),
    (6, "+\n+::::::\nbob:x:7:7::/:\n", ["bob": 7]),
    (7, "alice:x:\nbob\n\n:x:5:5\n", ["": 5]),
  ]

  @Test(arguments: cases)
  func passwordFile(_ number: Int, _ text: String, _ expected: [String: UInt32]) {
    let source = AccountSource(
      named: { _ in nil }, passwordFile: { Array(text.utf8) },
      systemAccounts: { () throws(SystemError) in [] })
    let found = source.local().map { (String(decoding: $0.key, as: UTF8.self), $0.value) }
    #expect(Dictionary(uniqueKeysWithValues: found) == expected, "case \(number)")
  }

  @Test func missingPasswordFileGivesNoAccounts() {
    let source = AccountSource(
      named: { _ in nil }, passwordFile: { nil }, systemAccounts: { () throws(SystemError) in [] })
    #expect(source.local().isEmpty)
  }
}
