import MFAPAMStack
import Testing

@Suite("Whether the account line always runs")
struct AccountLineTests {
  /// Debian's common-account.
  static let common = """
    account	[success=1 new_authtok_reqd=done default=ignore]	pam_unix.so
    account	requisite			pam_deny.so
    account	required			pam_permit.so

    """

  struct Row: CustomTestStringConvertible {
    let number: Int
    let files: [String: String]
    let expected: AccountLine
    var arguments: [String] = []
    var testDescription: String { "\(number)" }

    init(_ number: Int, _ text: String, _ expected: AccountLine, _ arguments: [String] = []) {
      self.number = number
      files = [
        "s": text, "common-account": AccountLineTests.common, "other": "account required o.so",
      ]
      self.expected = expected
      self.arguments = arguments
    }
  }

  private static func at(_ text: String) -> StackPosition { StackPosition(text) }
  private static let ours = "account required pam_mfa.so\n"

  static let rows: [Row] = [
    Row(1, ours + "@include common-account", .certain(at: at("s:1"))),
    // pam_unix ends the stack if the password has expired.
    Row(
      2, "@include common-account\n" + ours,
      .skippable(at: at("s:2"), by: at("common-account:1"))),
    Row(3, "@include common-account", .missing),
    Row(4, "auth required pam_mfa.so", .missing),
    Row(5, "account requisite pam_mfa.so", .certain(at: at("s:1"))),
    Row(6, "account optional pam_mfa.so", .denialIgnored(at: at("s:1"))),
    Row(7, "account sufficient pam_mfa.so", .denialIgnored(at: at("s:1"))),
    Row(8, "account [success=ok ignore=ignore default=bad] pam_mfa.so", .certain(at: at("s:1"))),
    Row(9, "account [default=die] pam_mfa.so", .certain(at: at("s:1"))),
    Row(10, "account [success=ok default=ignore] pam_mfa.so", .denialIgnored(at: at("s:1"))),
    // libpam treats a code that is not named as bad.
    Row(11, "account [success=ok] pam_mfa.so", .certain(at: at("s:1"))),
    Row(12, "account [auth_err=ignore default=bad] pam_mfa.so", .denialIgnored(at: at("s:1"))),
    Row(13, "account [maxtries=die default=bad] pam_mfa.so", .certain(at: at("s:1"))),
    // The first default counts.
    Row(14, "account [default=bad default=ok] pam_mfa.so", .certain(at: at("s:1"))),
    Row(44, "account [default=ok default=bad] pam_mfa.so", .denialIgnored(at: at("s:1"))),
    // libpam reads no upper case.
    Row(45, "account [DEFAULT=bad] pam_mfa.so", .unknown(.notUnderstood(at("s:1")))),
    Row(46, "account [default=0] pam_mfa.so", .unknown(.notUnderstood(at("s:1")))),
    Row(15, "account [module_unknown=1 default=bad] pam_mfa.so", .denialIgnored(at: at("s:1"))),
    Row(
      16, "account sufficient pam_localuser.so\n" + ours, .skippable(at: at("s:2"), by: at("s:1"))),
    Row(
      17, "account required pam_nologin.so\naccount optional x.so\n" + ours, .certain(at: at("s:3"))
    ),
    Row(
      18, "account [default=1] x.so\n" + ours, .skippable(at: at("s:2"), by: at("s:1"))),
    Row(
      19, "account [success=2 default=ignore] x.so\naccount required y.so\n" + ours,
      .skippable(at: at("s:3"), by: at("s:1"))),
    // The jump skips the line in between.
    Row(
      20, "account [success=1 default=ignore] x.so\naccount required y.so\n" + ours,
      .certain(at: at("s:3"))),
    Row(21, ours + "account sufficient x.so", .certain(at: at("s:1"))),
    Row(
      22, ours + "account [success=reset default=bad] x.so",
      .forgotten(at: at("s:1"), by: at("s:2"))),
    Row(
      23, "account [success=reset default=bad] x.so\n" + ours,
      .forgotten(at: at("s:2"), by: at("s:1"))),
    // The end of a substack does not end the rest of the stack.
    Row(24, "account substack common-account\n" + ours, .certain(at: at("s:2"))),
    Row(25, "account substack mine", .certain(at: at("mine:1"))),
    Row(26, "account substack late", .skippable(at: at("late:2"), by: at("late:1"))),
    Row(
      27, "account [success=1 default=ignore] x.so\naccount substack mine",
      .skippable(at: at("mine:1"), by: at("s:1"))),
    Row(
      28, "account [success=1 default=ignore] x.so\naccount substack mine\n" + ours,
      .certain(at: at("s:3"))),
    Row(
      29, "account [success=2 default=ignore] x.so\naccount substack common-account\n" + ours,
      .skippable(at: at("s:3"), by: at("s:1"))),
    Row(30, "account include mine\n@include common-account", .certain(at: at("mine:1"))),
    Row(31, "-account required /lib/security/pam_mfa.so", .certain(at: at("s:1"))),
    Row(32, "account required pam_mfa.so.old\naccount required xpam_mfa.so", .missing),
    Row(41, "account required /opt/pam_mfa.so\naccount required x/pam_mfa.so", .missing),
    Row(42, "account required /usr/lib/security/pam_mfa.so", .certain(at: at("s:1"))),
    Row(43, "account required security/pam_mfa.so/", .missing),
    Row(33, "#account required pam_mfa.so\naccount required x.so", .missing),
    Row(34, "account optional pam_mfa.so\n" + ours, .certain(at: at("s:2"))),
    Row(
      35, "account optional pam_mfa.so\naccount sufficient pam_mfa.so",
      .denialIgnored(at: at("s:1"))),
    Row(36, "account required pam_mfa.so config=/etc/a", .otherConfiguration(at: at("s:1"))),
    Row(
      37, "account required pam_mfa.so config=/etc/a debug", .certain(at: at("s:1")),
      ["echo", "config=/etc/a"]),
    Row(38, ours, .otherConfiguration(at: at("s:1")), ["config=/etc/a"]),
    Row(39, "account reqired pam_mfa.so", .unknown(.notUnderstood(at("s:1")))),
    Row(40, ours + "@include missing", .unknown(.notFound(includedAt: at("s:2")))),
  ]

  @Test("a line is certain if no other line can skip it", arguments: rows)
  func table(row: Row) {
    var files = row.files
    files["mine"] = Self.ours
    files["late"] = "account sufficient x.so\n" + Self.ours
    let line = AccountLine(
      of: "pam_mfa.so", service: Array("s".utf8),
      authArguments: row.arguments.map { Array($0.utf8) }, isCalledByRoot: true,
      from: MemoryStacks(files: files))
    #expect(line == row.expected)
  }

  @Test("other is used if the service has no line of the type")
  func other() {
    let files = ["s": "auth required pam_mfa.so", "other": Self.ours]
    let line = AccountLine(
      of: "pam_mfa.so", service: Array("s".utf8), authArguments: [], isCalledByRoot: true,
      from: MemoryStacks(files: files))
    #expect(line == .certain(at: StackPosition("other:1")))
  }

  @Test(
    "only root passes pam_rootok",
    arguments: [
      (1, "account sufficient pam_rootok.so\n", true, false),
      (2, "account sufficient pam_rootok.so\n", false, true),
      (3, "account [success=done default=ignore] pam_rootok.so\n", false, true),
      (4, "account [default=1] pam_rootok.so\n", false, false),
      (5, "account sufficient x_pam_rootok.so\n", false, false),
      (6, "account sufficient pam_rootok.so\naccount sufficient x.so\n", false, false),
    ])
  func rootok(row: Int, lines: String, isCalledByRoot: Bool, isCertain: Bool) {
    let line = AccountLine(
      of: "pam_mfa.so", service: Array("s".utf8), authArguments: [],
      isCalledByRoot: isCalledByRoot, from: MemoryStacks(files: ["s": lines + Self.ours]))
    var found = false
    if case .certain = line { found = true }
    #expect(found == isCertain, "row \(row): \(line)")
  }

  @Test("the log names the line that prevents it")
  func names() {
    for (line, name, obstacle) in [
      (AccountLine.missing, "missing", nil),
      (.denialIgnored(at: StackPosition("s:1")), "denial-ignored", "/pam/s:1"),
      (
        .skippable(at: StackPosition("s:2"), by: StackPosition("c:7")), "skippable", "/pam/c:7"
      ),
      (.unknown(.notAServiceName), "not-a-service-name", nil),
      (.unknown(.notUnderstood(StackPosition("c:3"))), "not-understood", "/pam/c:3"),
    ] as [(AccountLine, String, String?)] {
      #expect("\(line.name)" == name)
      #expect(line.obstacle.map { String(decoding: $0, as: UTF8.self) } == obstacle)
    }
  }
}
