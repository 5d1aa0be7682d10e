import Testing

@testable import MFADoctor

/// Rules, and what sudo does for one user. cvtsudoers reads the rules.
@Suite(
  "What sudo asks for",
  .enabled(if: SudoersSample.hasConverter, "cvtsudoers is not installed"))
struct SudoEffectTests {
  static let alice = SudoersUser(name: "alice", uid: 1000, groups: ["alice", "staff"])

  struct Row: CustomTestStringConvertible {
    let number: Int
    let sudoers: String
    var user = alice
    /// The effects but those of the services sudo and sudo-i.
    let expected: [String]
    var testDescription: String { "\(number)" }
  }

  private static func row(
    _ number: Int, _ sudoers: String, as user: SudoersUser = alice, _ expected: String...
  ) -> Row {
    Row(number: number, sudoers: sudoers, user: user, expected: expected)
  }

  static let open = "nothing: tag, everything as root by rule 0"

  static let rows = [
    row(1, "alice ALL = (ALL) ALL"),
    row(2, "alice ALL = (ALL) NOPASSWD: ALL", open),
    row(3, "alice ALL = NOPASSWD: ALL", open), row(4, "%staff ALL = NOPASSWD: ALL", open),
    row(5, "ALL ALL = NOPASSWD: ALL", open), row(6, "#1000 ALL = NOPASSWD: ALL", open),
    row(7, "bob ALL = NOPASSWD: ALL"), row(8, "ALL, !alice ALL = NOPASSWD: ALL"),
    row(9, "ALL, !%staff ALL = NOPASSWD: ALL"),
    row(10, "User_Alias A = alice\nA ALL = NOPASSWD: ALL", open),
    row(11, "alice ALL = NOPASSWD: /bin/ls", "nothing: tag, /bin/ls as root by rule 0"),
    row(
      12, "alice ALL = NOPASSWD: /usr/bin/vim",
      "nothing: tag, everything by /usr/bin/vim as root by rule 0"),
    row(
      13, "alice ALL = (www-data) NOPASSWD: ALL",
      "nothing: tag, everything as www-data by rule 0"),
    row(14, "alice ALL = (alice) NOPASSWD: ALL"), row(15, "alice ALL = () NOPASSWD: ALL"),
    row(
      16, "alice ALL = (:adm) NOPASSWD: ALL",
      "nothing: tag, everything as the same user with another group by rule 0"),
    row(
      17, "alice ALL = (ALL, !root) NOPASSWD: ALL",
      "nothing: tag, everything as all users by rule 0"),
    row(18, "alice ALL = (#0) NOPASSWD: ALL", open),
    // A later rule counts, if it matches.
    row(19, "alice ALL = NOPASSWD: ALL\n%staff ALL = (ALL) ALL"),
    row(20, "alice ALL = NOPASSWD: ALL\nalice ALL = (www-data) ALL", open),
    row(21, "alice ALL = NOPASSWD: ALL\nalice ALL = PASSWD: /bin/ls", open),
    row(22, "alice ALL = NOPASSWD: /bin/ls\nalice ALL = !/bin/ls"),
    row(23, "alice ALL = NOPASSWD: ALL\nbob ALL = ALL", open),
    row(24, "alice ALL = NOPASSWD: ALL\n+ng ALL = ALL", open),
    row(25, "alice ALL = NOPASSWD: ALL, !/bin/sh", open),
    // Hosts.
    row(26, "alice vm = NOPASSWD: ALL", open), row(27, "alice web = NOPASSWD: ALL"),
    row(28, "alice ALL, !vm = NOPASSWD: ALL"), row(29, "alice 10.0.0.0/8 = NOPASSWD: ALL", open),
    row(30, "alice ALL = NOPASSWD: ALL\nalice 10.0.0.0/8 = ALL", open),
    row(31, "alice vm.example.org = NOPASSWD: ALL", open),
    // Times.
    row(32, "alice ALL = NOTAFTER=20200101000000Z NOPASSWD: ALL"),
    row(33, "alice ALL = NOTAFTER=20300101000000Z NOPASSWD: ALL", open),
    row(34, "alice ALL = NOPASSWD: ALL\nalice ALL = NOTAFTER=20300101000000Z ALL", open),
    // Settings.
    row(
      35, "Defaults !authenticate\nalice ALL = ALL",
      "nothing: setting, everything as root by defaults 0"),
    row(36, "Defaults !authenticate\nDefaults authenticate\nalice ALL = ALL"),
    row(37, "Defaults !authenticate\nalice ALL = PASSWD: ALL"),
    row(38, "Defaults !authenticate\nbob ALL = ALL"),
    row(
      39, "Defaults:%staff !authenticate\nalice ALL = ALL",
      "nothing: setting, everything as root by defaults 0"),
    row(40, "Defaults:bob !authenticate\nalice ALL = ALL"),
    row(
      41, "Defaults>root !authenticate\nalice ALL = (ALL) ALL",
      "nothing: setting, everything as root by defaults 0"),
    row(42, "Defaults>bob !authenticate\nalice ALL = (root) ALL"),
    row(
      43, "Defaults>bob !authenticate\nalice ALL = (ALL) ALL",
      "nothing: setting, everything as bob by defaults 0"),
    row(
      44, "Defaults!/bin/ls !authenticate\nalice ALL = ALL",
      "nothing: setting, /bin/ls as root by defaults 0"),
    row(45, "Defaults!/bin/ls !authenticate\nalice ALL = /bin/cat"),
    row(
      46, "Defaults@vm !authenticate\nalice ALL = ALL",
      "nothing: setting, everything as root by defaults 0"),
    row(47, "Defaults@web !authenticate\nalice ALL = ALL"),
    // sudo applies settings for commands last.
    row(
      48, "Defaults!ALL !authenticate\nDefaults authenticate\nalice ALL = ALL",
      "nothing: setting, everything as root by defaults 0"),
    row(
      49, "Defaults:+ng !authenticate\nalice ALL = ALL",
      "nothing: setting, everything as root by defaults 0"),
    row(
      50, "Defaults !authenticate\nDefaults:+ng authenticate\nalice ALL = ALL",
      "nothing: setting, everything as root by defaults 0"),
    row(
      51, "Defaults exempt_group=staff\nalice ALL = ALL",
      "nothing: group staff, everything as root by defaults 0"),
    row(52, "Defaults exempt_group=other\nalice ALL = ALL"),
    row(53, "Defaults exempt_group=staff\nDefaults !exempt_group\nalice ALL = ALL"),
    // Codes that are asked for rarely.
    row(54, "Defaults timestamp_timeout=-1\nalice ALL = ALL", "rarely: -1 by defaults 0"),
    row(55, "Defaults timestamp_timeout=61\nalice ALL = ALL", "rarely: 61 by defaults 0"),
    row(56, "Defaults timestamp_timeout=60\nalice ALL = ALL"),
    row(57, "Defaults timestamp_timeout=-1\nDefaults:alice !timestamp_timeout\nalice ALL = ALL"),
    row(58, "Defaults timestamp_timeout=-1\nalice ALL = NOPASSWD: ALL", open),
    row(59, "Defaults timestamp_type=global\nalice ALL = ALL", "one terminal by defaults 0"),
    row(60, "Defaults timestamp_type=ppid\nalice ALL = ALL"),
    row(61, "Defaults !tty_tickets\nalice ALL = ALL", "one terminal by defaults 0"),
    row(62, "Defaults timestamp_type=global, timestamp_timeout=0\nalice ALL = ALL"),
    // The account that sudo authenticates.
    row(63, "Defaults rootpw\nalice ALL = ALL", "account root by defaults 0"),
    row(64, "Defaults targetpw\nalice ALL = (bob) ALL", "account target bob by defaults 0"),
    row(65, "Defaults runaspw\nalice ALL = ALL", "account default root by defaults 0"),
    row(
      66, "Defaults runaspw\nDefaults runas_default=bob\nalice ALL = ALL",
      "account default bob by defaults 0"),
    row(67, "Defaults rootpw, targetpw\nalice ALL = ALL", "account root by defaults 0"),
    // PAM.
    row(
      68, "Defaults pam_service=cron\nalice ALL = ALL", "service cron: pam_service by defaults 0"),
    row(
      69, "Defaults:alice pam_login_service=cron\nalice ALL = ALL",
      "service cron: pam_login_service by defaults 0"),
    row(70, "Defaults pam_login_service=cron\nalice ALL = /bin/ls"),
    row(
      71, "Defaults pam_askpass_service=cron\nalice ALL = /bin/ls",
      "service cron: pam_askpass_service by defaults 0"),
    row(
      72, "Defaults !pam_acct_mgmt\nalice ALL = /bin/ls", "no account lines: sudo by defaults 0"),
    // Not a program.
    row(73, "alice ALL = NOPASSWD: list"),
    // root, whom sudo never asks.
    row(74, "ALL ALL = NOPASSWD: ALL", as: .root),
    // All members of a group.
    row(
      75, "%wheel ALL = NOPASSWD: ALL\nalice ALL = ALL",
      as: SudoersUser(memberOf: [.group("wheel")]),
      open),
    row(
      76, "%wheel ALL = NOPASSWD: ALL\nALL ALL = ALL", as: SudoersUser(memberOf: [.group("wheel")])),
    row(
      77, "%wheel ALL = ALL\nDefaults exempt_group=free",
      as: SudoersUser(memberOf: [.group("wheel"), .group("free")]),
      "nothing: group free, everything as root by defaults 0"),
    row(
      78, "alice ALL = (root) CWD=/tmp NOPASSWD: /bin/ls",
      "nothing: tag, /bin/ls as root by rule 0"),
    row(79, "alice ALL = NOPASSWD: /bin/ls\nalice ALL = (ALL) ALL"),
    row(
      80, "alice ALL = NOEXEC: NOPASSWD: /usr/bin/vim /x",
      "nothing: tag, /usr/bin/vim /x as root by rule 0"),
    row(
      81, "Defaults:ALICE !authenticate\nalice ALL = ALL",
      "nothing: setting, everything as root by defaults 0"),
  ]

  static func text(_ effect: SudoEffect) -> String? {
    let cause =
      switch effect.source {
      case .specification(let number): "rule \(number)"
      case .defaults(let number): "defaults \(number)"
      case .elsewhere: "elsewhere"
      }
    let named = effect.command == .any ? "" : effect.command.text
    let command =
      effect.isAnyCommand
      ? "everything" + (named.isEmpty ? "" : " by \(named)") : named
    switch effect.kind {
    case .asksForNothing(let reason):
      let why =
        switch reason {
        case .tag: "tag"
        case .setting: "setting"
        case .group(let name): "group \(name)"
        }
      return "nothing: \(why), \(command) as \(effect.target) by \(cause)"
    case .asksRarely(let minutes): return "rarely: \(minutes) by \(cause)"
    case .asksOnceForAllTerminals: return "one terminal by \(cause)"
    case .asksOtherAccount(_, .rootPassword): return "account root by \(cause)"
    case .asksOtherAccount(let name, .runAsPassword): return "account default \(name) by \(cause)"
    case .asksOtherAccount(let name, _): return "account target \(name) by \(cause)"
    case .uses("sudo", .pamService), .uses("sudo-i", .pamLoginService): return nil
    case .uses(let service, let setting):
      return "service \(service): \(setting.rawValue) by \(cause)"
    case .skipsAccountLines(let service): return "no account lines: \(service) by \(cause)"
    }
  }

  @Test("each rule and setting has its effect for one user", arguments: rows)
  func table(row: Row) throws {
    let policy = try SudoersSample.convert(row.sudoers)
    let effects = policy.effects(for: row.user, in: try SudoersSample.context())
    #expect(effects.compactMap { Self.text($0) } == row.expected, "\(row.sudoers)")
  }

  @Test("what sudo -V says counts, unless a file says otherwise")
  func version() throws {
    let text = SudoersSample.version.replacing(
      "Type of authentication timestamp record: tty",
      with: "Type of authentication timestamp record: global"
    ).replacing("for login shells: sudo-i", with: "for login shells: x")
    let context = try SudoersSample.context(version: text)
    let policy = try SudoersSample.convert("alice ALL = ALL")
    #expect(
      policy.effects(for: Self.alice, in: context).compactMap { Self.text($0) } == [
        "one terminal by elsewhere", "service x: pam_login_service by elsewhere",
      ])
    let files = try SudoersSample.convert("Defaults:bob timestamp_type=global\nalice ALL = ALL")
    #expect(
      files.effects(for: Self.alice, in: context).compactMap { Self.text($0) } == [
        "service x: pam_login_service by elsewhere"
      ])
  }

  @Test("settings that come from no file have their effect, in the words of old and new versions")
  func settingsFromElsewhere() throws {
    let policy = try SudoersSample.convert("alice ALL = ALL")
    for line in [
      "Prompt for root's password, not the users's", "Prompt for root's password, not the user's",
    ] {
      let context = try SudoersSample.context(version: SudoersSample.version + line + "\n")
      #expect(
        policy.effects(for: Self.alice, in: context).compactMap { Self.text($0) } == [
          "account root by elsewhere"
        ], "\(line)")
    }
  }

  @Test("a sudo that names no sudoers file is not understood, and sources are those it supports")
  func versions() throws {
    #expect(SudoVersion(Array("sudo-rs 0.2.5\n".utf8)) == nil)
    let version = try SudoersSample.context().version
    #expect(version.paths == ["/etc/sudoers"] && version.usesFullName)
    #expect(
      ["files", "sss", "ldap", "x"].map { version.supports($0) } == [true, true, false, false])
  }
}
