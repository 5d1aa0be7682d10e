import Testing

@testable import MFADoctor

@Suite("Matching of sudoers' lists")
struct SudoersMatchTests {
  static let alice = SudoersUser(name: "alice", uid: 1000, groups: ["staff"])

  struct Row: CustomTestStringConvertible {
    let number: Int
    let members: [SudoersMember]
    var user = alice
    let expected: SudoersVerdicts
    var testDescription: String { "\(number)" }
  }

  private static func not(_ kind: SudoersMember.Kind) -> SudoersMember {
    SudoersMember(kind, isNegated: true)
  }

  static let unknownGroups = SudoersUser(name: "alice", uid: 1000, groups: nil)
  static let staff = SudoersUser(memberOf: [.group("staff")])

  static let rows = [
    Row(number: 1, members: [SudoersMember(.all)], expected: .allowed),
    Row(number: 2, members: [], expected: .unspecified),
    Row(number: 3, members: [SudoersMember(.name("Alice"))], expected: .allowed),
    Row(number: 4, members: [SudoersMember(.name("bob"))], expected: .unspecified),
    Row(number: 5, members: [SudoersMember(.userID(1000))], expected: .allowed),
    Row(number: 6, members: [SudoersMember(.group("STAFF"))], expected: .allowed),
    // The last element that matches decides.
    Row(number: 7, members: [SudoersMember(.all), not(.name("alice"))], expected: .denied),
    Row(number: 8, members: [not(.name("alice")), SudoersMember(.all)], expected: .allowed),
    // What cannot be known has every result.
    Row(
      number: 9, members: [SudoersMember(.netgroup("ng"))],
      expected: [.allowed, .unspecified]),
    Row(
      number: 10, members: [SudoersMember(.all), not(.netgroup("ng"))],
      expected: [.allowed, .denied]),
    Row(
      number: 11, members: [SudoersMember(.group("staff"))], user: unknownGroups,
      expected: [.allowed, .unspecified]),
    Row(number: 12, members: [SudoersMember(.group("staff"))], user: staff, expected: .allowed),
    Row(
      number: 13, members: [SudoersMember(.group("staff")), not(.name("alice"))], user: staff,
      expected: .allowed),
    Row(number: 14, members: [SudoersMember(.group("x"))], user: staff, expected: .unspecified),
  ]

  @Test("a list allows, denies, or says nothing, or that is unknown", arguments: rows)
  func lists(row: Row) {
    #expect(SudoersList(row.members).verdicts(row.user.match) == row.expected)
  }

  @Test(
    "host names are matched in their short or full form",
    arguments: [
      (1, "web", SudoersMatch.yes), (2, "WEB", .yes), (3, "w*", .yes), (4, "web.example.org", .yes),
      (5, "db", .no), (6, "web.example.com", .unknown), (7, "*.org", .yes), (8, "[ab]eb", .no),
    ])
  func hosts(number: Int, pattern: String, expected: SudoersMatch) {
    let host = SudoersHost(name: "web.example.org", usesFullName: true)
    #expect(host.match(SudoersMember(.name(pattern))) == expected, "row \(number)")
    let short = SudoersHost(name: "web.example.org", usesFullName: false)
    let known: SudoersMatch = expected == .unknown ? .no : expected
    #expect(short.match(SudoersMember(.name(pattern))) == known, "row \(number)")
  }

  @Test(
    "commands that start every other command are known",
    arguments: [
      (1, "ALL", true), (2, "/bin/ls", false), (3, "/bin/sh", true),
      (4, "/bin/sh /opt/x.sh", false),
      (5, "/bin/bash \"\"", true), (6, "/usr/bin/*", true), (7, "/usr/bin/", true),
      (8, "/opt/tools/", false), (9, "/opt/tools/*", false), (10, "/usr/bin/vim /etc/motd", true),
      (11, "/usr/bin/find", true), (12, "/usr/bin/find /x -name *", true),
      (13, "/usr/bin/find /x -name y", false), (14, "sudoedit", true),
      (15, "sudoedit /etc/motd", false), (16, "/usr/bin/python3.11", true),
      (17, "^/usr/bin/.*$", true), (18, "/usr/bin/systemctl restart x", false),
      (19, "/usr/bin/less /var/log/x", true), (20, "/usr/sbin/mfa-admin", true),
      (21, "/usr/sbin/mfa-admin list", false), (22, "/opt/bin/sh", false),
    ])
  func powerful(number: Int, text: String, expected: Bool) {
    #expect(
      SudoersCommand(text).startsAnything(isNoExec: false) == expected, "row \(number): \(text)")
  }

  @Test("noexec keeps editors from starting commands, and nothing else")
  func noExec() {
    #expect(!SudoersCommand("/usr/bin/vim /etc/motd").startsAnything(isNoExec: true))
    #expect(SudoersCommand("/bin/sh").startsAnything(isNoExec: true))
  }
}
