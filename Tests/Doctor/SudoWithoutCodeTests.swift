import MFAAdminTestSupport
import MFABase
import MFATestSupport
import Testing

@testable import MFAAdmin
@testable import MFADoctor

/// A host in memory with rules of sudo.
enum SudoHost {
  static var hasConverter: Bool {
    do throws(HarnessFailure) {
      return try Command.run(["/usr/bin/test", "-x", "/usr/bin/cvtsudoers"]).status.isSuccess
    } catch {
      return false
    }
  }

  static let version = """
    Configure options: --with-pam --with-pam-login --with-sssd
    Sudoers path: /etc/sudoers
    Require users to authenticate by default
    Authentication timestamp timeout: 15.0 minutes
    PAM service name to use: sudo
    PAM service name to use for login shells: sudo-i
    Perform PAM account validation management
    Type of authentication timestamp record: tty

    """

  /// Returns a sound host whose sudo has rules in one file.
  static func with(_ sudoers: String) throws -> MemoryHost {
    var host = MemoryHost()
    host.stacks.files["sudo-i"] = MemoryHost.Stacks.sound
    host.texts["/proc/sys/kernel/hostname"] = "vm\n"
    host.texts["/etc/nsswitch.conf"] = "passwd: files systemd\ngroup: files systemd\n"
    host.groups = ["staff": ["alice", "bob"], "wheel": []]
    host.outputs["/usr/bin/sudo -V"] = output(version)
    try add(sudoers, to: &host)
    return host
  }

  static func add(_ sudoers: String, to host: inout MemoryHost) throws {
    host.texts["/etc/sudoers"] = sudoers + "\n"
    host.statuses["/etc/sudoers"] = MemoryHost.file(0, 0o440)
    for options in ["", " -d runas -s privileges,aliases"] {
      let arguments = ("/usr/bin/cvtsudoers -f json" + options).split(separator: " ")
      host.outputs["/usr/bin/cvtsudoers -f json\(options) /etc/sudoers"] = output(
        try Command.succeed(arguments.map(String.init), input: Array((sudoers + "\n").utf8)))
    }
  }

  static func output(_ text: String) -> ProgramOutput {
    ProgramOutput(status: 0, output: Array(text.utf8))
  }
}

/// Rules of sudo, and the findings on a sound host. cvtsudoers reads the rules.
@Suite(
  "Findings about sudo",
  .enabled(if: SudoHost.hasConverter, "cvtsudoers is not installed"))
struct SudoWithoutCodeTests {
  struct Row: CustomTestStringConvertible {
    let number: Int
    let sudoers: String
    /// The findings as `severity code place`.
    let expected: [String]
    /// A part of the first message.
    var message = ""
    var change: @Sendable (inout MemoryHost) -> Void = { _ in }
    var testDescription: String { "\(number)" }
  }

  private static let all = "alice ALL = (ALL) ALL"

  static let rows = [
    Row(number: 1, sudoers: "root ALL = NOPASSWD: ALL\n" + all, expected: []),
    Row(
      number: 2, sudoers: "%staff ALL = NOPASSWD: ALL",
      expected: ["error sudo-without-code /etc/sudoers:1"],
      message:
        "sudo asks members of group staff (alice, bob) for no code, for all commands as root: "
        + "this rule says NOPASSWD"),
    Row(
      number: 3, sudoers: all + "\nbob ALL = NOPASSWD: /bin/ls, /bin/cat",
      expected: ["warning sudo-without-code /etc/sudoers:2"],
      message: "sudo asks bob for no code, for /bin/ls, /bin/cat as root: this rule says NOPASSWD"),
    // The group has no members, and all accounts are known.
    Row(
      number: 4, sudoers: "%wheel ALL = NOPASSWD: ALL",
      expected: ["note sudo-without-code /etc/sudoers:1"],
      message: "; at present there are no such users"),
    Row(
      number: 5, sudoers: "%wheel ALL = NOPASSWD: ALL",
      expected: ["error sudo-without-code /etc/sudoers:1"]
    ) { $0.texts["/etc/nsswitch.conf"] = "passwd: files sss\n" },
    Row(
      number: 6, sudoers: "carl ALL = NOPASSWD: ALL",
      expected: ["note sudo-without-code /etc/sudoers:1"]),
    Row(
      number: 7, sudoers: "Defaults exempt_group=staff\n" + all,
      expected: ["error sudo-without-code /etc/sudoers:1"], message: "exempt_group is staff"),
    // A setting for one group, and a rule for another.
    Row(
      number: 8, sudoers: "Defaults:%staff !authenticate\n%admin ALL = ALL",
      expected: ["error sudo-without-code /etc/sudoers:1"],
      message: "members of group admin who are members of group staff (alice)"
    ) { $0.groups["admin"] = ["alice"] },
    Row(
      number: 9, sudoers: "Defaults:%staff !authenticate\n%admin ALL = ALL",
      expected: ["note sudo-without-code /etc/sudoers:1"]
    ) { $0.groups["admin"] = ["carl"] },
    // sudo -i has its own service.
    Row(number: 10, sudoers: all, expected: ["error sudo-other-service /pam/sudo-i"]) {
      $0.stacks.files["sudo-i"] = "@include common-auth\n@include common-account\n"
    },
    Row(
      number: 11, sudoers: "alice ALL = /bin/ls", expected: []
    ) { $0.stacks.files["sudo-i"] = "@include common-auth\n@include common-account\n" },
    Row(
      number: 12, sudoers: "Defaults pam_service=cron\n" + all,
      expected: ["error sudo-other-service /etc/sudoers:1"],
      message: "sudo asks alice for no code: it uses the PAM service cron, which does not call"),
    Row(number: 13, sudoers: "Defaults pam_service=login\n" + all, expected: []),
    Row(
      number: 14, sudoers: "Defaults pam_service=nosuchfile\n" + all,
      expected: ["error sudo-other-service /etc/sudoers:1"]),
    Row(
      number: 31, sudoers: "Defaults pam_service=cron\n" + all,
      expected: ["warning could-not-be-checked /etc/sudoers:1"], message: "cannot be parsed"
    ) { $0.stacks.files["cron"] = "auth reqired x.so\n" },
    Row(
      number: 32, sudoers: "Defaults pam_service=\"cr on\"\n" + all,
      expected: ["warning could-not-be-checked /etc/sudoers:1"], message: "not a valid service name"
    ),
    // No service asks for a code.
    Row(number: 15, sudoers: "alice ALL = NOPASSWD: ALL", expected: []) {
      $0.stacks.files["sudo"] = "@include common-auth\n@include common-account\n"
      $0.stacks.files["sudo-i"] = "@include common-auth\n@include common-account\n"
    },
    Row(
      number: 16, sudoers: "Defaults rootpw\n" + all,
      expected: ["error sudo-other-account /etc/sudoers:1"],
      message: "root has no factor, so sudo asks for no code"),
    Row(
      number: 17, sudoers: "Defaults !pam_acct_mgmt\n" + all,
      expected: []),
    Row(
      number: 18, sudoers: "Defaults !pam_acct_mgmt\n" + all,
      expected: ["error sudo-account-skipped /etc/sudoers:1"]
    ) { $0.configurationText = "[project]\n[tenant a]\nservices = sudo\nenrollment = required\n" },
    // On a host of a realm, root can have a factor, and policy can require that users enrol.
    Row(
      number: 33, sudoers: "Defaults rootpw\n" + all,
      expected: ["warning sudo-other-account /etc/sudoers:1"]
    ) { $0.realm = ExaminationTests.answer(certificateDays: 30) },
    Row(
      number: 34, sudoers: "Defaults !pam_acct_mgmt\n" + all,
      // sudo and sudo -i have a finding each.
      expected: [
        "error sudo-account-skipped /etc/sudoers:1", "error sudo-account-skipped /etc/sudoers:1",
      ]
    ) { $0.realm = ExaminationTests.answer(certificateDays: 30) },
    Row(
      number: 19, sudoers: "Defaults timestamp_timeout=-1, timestamp_type=global\n" + all,
      expected: [
        "warning sudo-long-timestamp /etc/sudoers:1",
        "warning sudo-global-timestamp /etc/sudoers:1",
      ],
      message: "until the machine is restarted"),
    // Sources other than files.
    Row(
      number: 20, sudoers: all,
      expected: ["warning sudoers-elsewhere /etc/nsswitch.conf:2"]
    ) { $0.texts["/etc/nsswitch.conf"] = "# x\nsudoers: files [NOTFOUND=return] sss\n" },
    // This sudo does not support the source.
    Row(number: 21, sudoers: all, expected: []) {
      $0.texts["/etc/nsswitch.conf"] = "sudoers: files ldap\n"
    },
    // The file is not read at all.
    Row(
      number: 22, sudoers: "alice ALL = NOPASSWD: ALL",
      expected: ["warning sudoers-elsewhere /etc/nsswitch.conf:1"]
    ) { $0.texts["/etc/nsswitch.conf"] = "sudoers: sss\n" },
    // Programs that do not exist, fail, or print something else.
    Row(number: 23, sudoers: all, expected: []) { $0.outputs["/usr/bin/sudo -V"] = nil },
    Row(
      number: 24, sudoers: all, expected: ["warning could-not-be-checked /usr/bin/sudo"],
      message: "sudo -V names no sudoers file"
    ) { $0.outputs["/usr/bin/sudo -V"] = SudoHost.output("sudo-rs 0.2.5\n") },
    Row(
      number: 25, sudoers: all, expected: ["warning could-not-be-checked /etc/sudoers"],
      message: "cvtsudoers does not exist"
    ) { $0.outputs["/usr/bin/cvtsudoers -f json /etc/sudoers"] = nil },
    Row(
      number: 26, sudoers: all, expected: ["warning could-not-be-checked /etc/sudoers.d/x:7"],
      message: "/etc/sudoers.d/x:7:3: syntax error"
    ) {
      $0.outputs["/usr/bin/cvtsudoers -f json /etc/sudoers"] = ProgramOutput(
        status: 1, output: [],
        errors: Array("/etc/sudoers.d/x:7:3: syntax error\nfoo\n  ^\n".utf8))
    },
    Row(
      number: 27, sudoers: all, expected: ["warning could-not-be-checked /etc/sudoers"],
      message: "is not JSON"
    ) { $0.outputs["/usr/bin/cvtsudoers -f json /etc/sudoers"] = SudoHost.output("{") },
    Row(
      number: 28, sudoers: all, expected: ["warning could-not-be-checked /etc/nsswitch.conf"]
    ) { $0.unseen["/etc/nsswitch.conf"] = SystemError(.open, number: 5) },
    Row(
      number: 29, sudoers: "alice ALL = NOPASSWD: /usr/bin/vim, /bin/ls",
      expected: ["error sudo-without-code /etc/sudoers:1"],
      message: "for /usr/bin/vim, /bin/ls, and so for all commands (by /usr/bin/vim) as root"),
    // A name that could deceive the reader.
    Row(
      number: 30, sudoers: "\"al\u{202E}ce\" ALL = NOPASSWD: ALL",
      expected: ["note sudo-without-code /etc/sudoers:1"], message: "al\\xe2\\x80\\xaece"),
  ]

  @Test("each rule has its finding, with the line and the users", arguments: rows)
  func table(row: Row) throws {
    var host = try SudoHost.with(row.sudoers)
    row.change(&host)
    let findings = SudoWithoutCode.findings(on: try HostSnapshot(of: host))
    #expect(
      findings.map { "\($0.severity.rawValue) \($0.code) \($0.place)" } == row.expected,
      "row \(row.number)")
    let message = findings.first?.message ?? ""
    #expect(row.message.isEmpty || message.contains(row.message), "row \(row.number): \(message)")
    for finding in findings {
      #expect(!finding.hint.isEmpty && isHarmless(finding.text), "row \(row.number)")
    }
  }

  @Test("the doctor, the check and the report include the findings")
  func included() throws {
    let snapshot = try HostSnapshot(of: SudoHost.with("alice ALL = NOPASSWD: ALL"))
    #expect(Doctor.findings(on: snapshot).contains { $0.code == Doctor.sudoWithoutCode })
    #expect(Doctor.bypassFindings(on: snapshot).contains { $0.code == Doctor.sudoWithoutCode })
    #expect(
      CheckReport(snapshot, at: 0).findings.contains { $0.code == Doctor.sudoWithoutCode })
  }

  static let listing = """
    Matching Defaults entries for alice on vm:
        timestamp_type=global

    User alice may run the following commands on vm:

    SSSD Role: x
        RunAsUsers: ALL
        Options: !authenticate
        Commands:
    \tALL

    """

  @Test(
    "for one user, sudo itself is asked if the files are not enough",
    arguments: [
      (1, all, nil, nil, []),
      (2, "bob ALL = NOPASSWD: ALL", nil, nil, []),
      (
        3, "Defaults:%staff !authenticate\nalice ALL = ALL", nil, nil,
        ["error sudo-without-code /etc/sudoers:1"]
      ),
      (
        4, all, "sudoers: files sss\n", listing,
        ["error sudo-without-code /etc/nsswitch.conf:1"]
      ),
      (
        5, all, "sudoers: files sss\n", "sudo: unknown user\n",
        ["warning could-not-be-checked /etc/nsswitch.conf:1"]
      ),
    ])
  func oneUser(
    number: Int, sudoers: String, sources: String?, listing: String?, expected: [String]
  ) throws {
    var host = try SudoHost.with(sudoers)
    if let sources { host.texts["/etc/nsswitch.conf"] = sources }
    if let listing { host.outputs["/usr/bin/sudo -ll -U alice"] = SudoHost.output(listing) }
    let findings = Doctor.sudoFindings(
      for: try userName("alice"), at: Array("sudo".utf8), HostRules(of: host))
    #expect(
      findings.map { "\($0.severity.rawValue) \($0.code) \($0.place)" } == expected,
      "row \(number)")
  }

  @Test("for one user whose rules sudo's parser refuses, sudo lists what it uses")
  func oneUserWithBrokenFiles() throws {
    var host = try SudoHost.with(Self.all)
    host.outputs["/usr/bin/cvtsudoers -f json /etc/sudoers"] = ProgramOutput(
      status: 1, output: [], errors: Array("/etc/sudoers:7:3: syntax error\n".utf8))
    host.outputs["/usr/bin/sudo -ll -U alice"] = SudoHost.output(Self.listing)
    let findings = Doctor.sudoFindings(
      for: try userName("alice"), at: Array("sudo".utf8), HostRules(of: host))
    #expect(
      findings.map { "\($0.code) \($0.place)" } == [
        "sudo-without-code /etc/sudoers:7"
      ])
  }
}
