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

  struct Row {
    let files: [String: String]
    let expected: AccountLine
    var arguments: [String] = []

    init(_ text: String, _ expected: AccountLine, _ arguments: [String] = []) {
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
    Row(ours + "@include common-account", .certain(at: at("s:1"))),
    // pam_unix ends the stack if the password has expired.
    Row(
      "@include common-account\n" + ours,
      .skippable(at: at("s:2"), by: at("common-account:1"))),
    Row("@include common-account", .missing),
    Row("auth required pam_mfa.so", .missing),
    Row("account requisite pam_mfa.so", .certain(at: at("s:1"))),
    Row("account optional pam_mfa.so", .denialIgnored(at: at("s:1"))),
    Row("account sufficient pam_mfa.so", .denialIgnored(at: at("s:1"))),
    Row("account [success=ok ignore=ignore default=bad] pam_mfa.so", .certain(at: at("s:1"))),
    Row("account [default=die] pam_mfa.so", .certain(at: at("s:1"))),
    Row("account [success=ok default=ignore] pam_mfa.so", .denialIgnored(at: at("s:1"))),
    // libpam treats a code that is not named as bad.
    Row("account [success=ok] pam_mfa.so", .certain(at: at("s:1"))),
    Row("account [auth_err=ignore default=bad] pam_mfa.so", .denialIgnored(at: at("s:1"))),
    Row("account [maxtries=die default=bad] pam_mfa.so", .certain(at: at("s:1"))),
    // The first default counts.
    Row("account [default=bad default=ok] pam_mfa.so", .certain(at: at("s:1"))),
    Row("account [default=ok default=bad] pam_mfa.so", .denialIgnored(at: at("s:1"))),
    // libpam reads no upper case.
    Row("account [DEFAULT=bad] pam_mfa.so", .unknown(.notUnderstood(at("s:1")))),
    Row("account [default=0] pam_mfa.so", .unknown(.notUnderstood(at("s:1")))),
    Row("account [module_unknown=1 default=bad] pam_mfa.so", .denialIgnored(at: at("s:1"))),
    Row("account sufficient pam_localuser.so\n" + ours, .skippable(at: at("s:2"), by: at("s:1"))),
    Row(
      "account required pam_nologin.so\naccount optional x.so\n" + ours, .certain(at: at("s:3"))
    ),
    Row("account [default=1] x.so\n" + ours, .skippable(at: at("s:2"), by: at("s:1"))),
    Row(
      "account [success=2 default=ignore] x.so\naccount required y.so\n" + ours,
      .skippable(at: at("s:3"), by: at("s:1"))),
    // The jump skips the line in between.
    Row(
      "account [success=1 default=ignore] x.so\naccount required y.so\n" + ours,
      .certain(at: at("s:3"))),
    Row(ours + "account sufficient x.so", .certain(at: at("s:1"))),
    Row(
      ours + "account [success=reset default=bad] x.so",
      .forgotten(at: at("s:1"), by: at("s:2"))),
    Row(
      "account [success=reset default=bad] x.so\n" + ours,
      .forgotten(at: at("s:2"), by: at("s:1"))),
    // The end of a substack does not end the rest of the stack.
    Row("account substack common-account\n" + ours, .certain(at: at("s:2"))),
    Row("account substack mine", .certain(at: at("mine:1"))),
    Row("account substack late", .skippable(at: at("late:2"), by: at("late:1"))),
    Row(
      "account [success=1 default=ignore] x.so\naccount substack mine",
      .skippable(at: at("mine:1"), by: at("s:1"))),
    Row(
      "account [success=1 default=ignore] x.so\naccount substack mine\n" + ours,
      .certain(at: at("s:3"))),
    Row(
      "account [success=2 default=ignore] x.so\naccount substack common-account\n" + ours,
      .skippable(at: at("s:3"), by: at("s:1"))),
    Row("account include mine\n@include common-account", .certain(at: at("mine:1"))),
    Row("-account required /lib/security/pam_mfa.so", .certain(at: at("s:1"))),
    Row("account required pam_mfa.so.old\naccount required xpam_mfa.so", .missing),
    Row("account required /opt/pam_mfa.so\naccount required x/pam_mfa.so", .missing),
    Row("account required /usr/lib/security/pam_mfa.so", .certain(at: at("s:1"))),
    Row("account required security/pam_mfa.so/", .missing),
    Row("#account required pam_mfa.so\naccount required x.so", .missing),
    Row("account optional pam_mfa.so\n" + ours, .certain(at: at("s:2"))),
    Row(
      "account optional pam_mfa.so\naccount sufficient pam_mfa.so",
      .denialIgnored(at: at("s:1"))),
    Row("account required pam_mfa.so config=/etc/a", .otherConfiguration(at: at("s:1"))),
    Row(
      "account required pam_mfa.so config=/etc/a debug", .certain(at: at("s:1")),
      ["echo", "config=/etc/a"]),
    Row(ours, .otherConfiguration(at: at("s:1")), ["config=/etc/a"]),
    Row("account reqired pam_mfa.so", .unknown(.notUnderstood(at("s:1")))),
    Row(ours + "@include missing", .unknown(.notFound(includedAt: at("s:2")))),
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

@Suite struct PasswordModuleTests {
  static let rows: [(number: Int, module: String, asks: Bool)] = [
    (1, "pam_unix.so", true),
    (2, "pam_sss.so", true),
    (3, "pam_ldap.so", true),
    (4, "pam_krb5.so", true),
    (5, "pam_winbind.so", true),
    (6, "pam_systemd_home.so", true),
    (7, "pam_himmelblau.so", true),
    (8, "pam_authd.so", true),
    (9, "pam_lsass.so", true),
    (10, "/usr/lib/security/pam_unix.so", true),
    (11, "/opt/pam_unix.so", false),
    (12, "pam_unix", false),
    // Modules that verify a key, a fingerprint or a Kerberos ticket, and modules without a check.
    (13, "pam_u2f.so", false),
    (14, "pam_fprintd.so", false),
    (15, "pam_sss_gss.so", false),
    (16, "pam_faillock.so", false),
    (17, "pam_permit.so", false),
  ]

  @Test(arguments: rows)
  func onlyPasswordModulesAskForAPassword(number: Int, module: String, asks: Bool) throws {
    let files = MemoryStacks(files: ["s": "auth required \(module)\n"])
    let stack = try ServiceStack(.auth, of: Array("s".utf8), from: files)
    #expect(stack.entries.map(\.asksForPassword) == [asks], "row \(number)")
  }
}

@Suite("Sign-ins without a first factor")
struct UnprovenSignInTests {
  struct Row: Sendable {
    let lines: String
    var service = "s"
    /// Whether a user who has not enrolled is admitted without anything.
    let nothing: Bool
    /// Whether a user is admitted with a code alone.
    let codeAlone: Bool
    var isCalledByRoot = true

    init(
      _ lines: String, service: String = "s", nothing: Bool, codeAlone: Bool,
      isCalledByRoot: Bool = true
    ) {
      self.lines = lines
      self.service = service
      self.nothing = nothing
      self.codeAlone = codeAlone
      self.isCalledByRoot = isCalledByRoot
    }
  }

  private static let common =
    "auth [success=1 default=ignore] pam_unix.so nullok\nauth requisite pam_deny.so\n"
    + "auth required pam_permit.so\n"
  private static let ours = "auth required pam_mfa.so\n"
  private static let permit = "auth required pam_permit.so"
  private static let afterKey =
    "auth [success=done new_authtok_reqd=done ignore=ignore default=die] pam_mfa.so"

  static let rows = [
    // The lines for a key and then a code.
    Row(ours + permit, nothing: true, codeAlone: true),
    // If all modules return PAM_IGNORE, libpam denies.
    Row(ours, nothing: false, codeAlone: true),
    Row("@include common\n" + ours, nothing: false, codeAlone: false),
    Row("auth required pam_unix.so\n" + ours + permit, nothing: false, codeAlone: false),
    Row(ours + "auth required pam_sss.so", nothing: false, codeAlone: false),
    Row(ours + "@include common", nothing: false, codeAlone: false),
    // The module's line ends the stack for users who have enrolled, and leaves others to the password.
    Row(afterKey + "\n@include common", nothing: false, codeAlone: true),
    Row(afterKey + " after_key\n@include common\n" + ours, nothing: false, codeAlone: false),
    Row(afterKey + " after_key\n" + permit, nothing: true, codeAlone: true),
    Row("auth sufficient pam_mfa.so\n@include common", nothing: false, codeAlone: true),
    // A line that cannot deny proves nothing.
    Row("auth optional pam_unix.so\n" + ours + permit, nothing: true, codeAlone: true),
    Row("auth sufficient pam_unix.so\n" + ours + permit, nothing: true, codeAlone: true),
    Row("auth sufficient pam_unix.so\n" + ours, nothing: false, codeAlone: true),
    Row(
      "auth [success=ok default=ignore] pam_unix.so\n" + ours + permit, nothing: true,
      codeAlone: true),
    Row(
      "auth required pam_unix.so\nauth [default=reset] pam_env.so\n" + ours + permit,
      nothing: true, codeAlone: true),
    // Modules that authenticate no user.
    Row(
      "auth required pam_env.so\nauth required pam_nologin.so\n" + ours + permit,
      nothing: true, codeAlone: true),
    Row("auth required pam_faildelay.so\n" + ours, nothing: true, codeAlone: true),
    Row(
      "auth required pam_succeed_if.so user != root\n" + ours + permit, nothing: true,
      codeAlone: true),
    Row("auth required pam_faillock.so preauth\n" + ours + permit, nothing: true, codeAlone: true),
    Row(
      "auth required pam_faillock.so authfail\n" + ours + permit, nothing: false,
      codeAlone: false),
    Row(
      "auth required pam_ccreds.so action=validate\n" + ours + permit, nothing: false,
      codeAlone: false),
    // Modules that may authenticate the user.
    Row("auth required pam_exec.so /x\n" + ours + permit, nothing: false, codeAlone: false),
    Row("auth required pam_u2f.so\n" + ours + permit, nothing: false, codeAlone: false),
    Row("auth required pam_unheard_of.so\n" + ours + permit, nothing: false, codeAlone: false),
    Row("auth required /opt/pam_permit.so\n" + ours + permit, nothing: false, codeAlone: false),
    // A condition of the administrator's that skips lines is taken not to hold.
    Row(
      "auth sufficient pam_succeed_if.so user ingroup nopasswdlogin\n@include common\n" + ours,
      nothing: false, codeAlone: false),
    Row(
      "auth [success=3 default=ignore] pam_succeed_if.so user ingroup x\n@include common\n" + ours,
      nothing: false, codeAlone: false),
    // A condition on the service is known.
    Row(
      "auth [success=3 default=ignore] pam_succeed_if.so quiet service in sshd:s\n"
        + "@include common\n" + ours + permit, nothing: true, codeAlone: true),
    Row(
      "auth [success=3 default=ignore] pam_succeed_if.so quiet service = sshd\n"
        + "@include common\n" + ours + permit, nothing: false, codeAlone: false),
    // pam_rootok.so succeeds in a program of root's.
    Row("auth sufficient pam_rootok.so\n@include common\n" + ours, nothing: true, codeAlone: true),
    Row(
      "auth sufficient pam_rootok.so\n@include common\n" + ours, nothing: false,
      codeAlone: false, isCalledByRoot: false),
    Row(
      "auth sufficient pam_rootok.so\n" + ours + permit, nothing: true, codeAlone: true,
      isCalledByRoot: false),
    // Substacks.
    Row("auth substack common\n" + ours + permit, nothing: false, codeAlone: false),
    Row("auth substack open\n" + ours, nothing: true, codeAlone: true),
    Row("auth required pam_deny.so\n" + ours + permit, nothing: false, codeAlone: false),
    // The stack does not call the module.
    Row(permit, nothing: false, codeAlone: false),
    Row("auth [default=9] pam_env.so\n" + ours + permit, nothing: false, codeAlone: false),
  ]

  @Test("are admitted only by stacks in which nothing else could deny", arguments: rows)
  func admitted(row: Row) throws {
    var source = MemoryStacks(files: ["common": Self.common, "open": Self.permit + "\n"])
    source.files[row.service] = row.lines + "\n"
    let name = Array(row.service.utf8)
    let stack = try ServiceStack(.auth, of: name, from: source)
    for (code, expected) in [(PAMReturnCode.ignore, row.nothing), (.success, row.codeAlone)] {
      let unproven = UnprovenSignIn(
        at: name, moduleReturns: code, isCalledByRoot: row.isCalledByRoot)
      #expect(unproven.isAdmitted(by: stack) == expected, "\(row): \(code)")
    }
  }
}
