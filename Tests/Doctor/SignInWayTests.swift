import MFAAdminTestSupport
import MFAPAMStack
import Testing

@testable import MFADoctor

@Suite("Ways into a service")
struct SignInWayTests {
  private static let password = "@include common-auth\nauth required pam_mfa.so\n"
  private static let codeOnly = "auth required pam_mfa.so\nauth required pam_permit.so\n"
  private static let mixed =
    "auth [success=done new_authtok_reqd=done ignore=ignore default=die] pam_mfa.so\n"
    + "@include common-auth\n"
  private static let keyOrPassword =
    "auth [success=done new_authtok_reqd=done ignore=ignore default=die] pam_mfa.so after_key\n"
    + "@include common-auth\nauth requisite pam_mfa.so after_password\n"

  private static func service(_ name: String, _ lines: String) throws -> ServiceWithModule {
    var stacks = MemoryHost.Stacks()
    stacks.files[name] = lines
    let name = Array(name.utf8)
    let stack = try ServiceStack(.auth, of: name, from: stacks)
    return try #require(ServiceWithModule(name: name, stack: stack))
  }

  // MARK: Services that only call PAM

  @Test(
    "of services that only call PAM",
    arguments: [
      (1, "login", password, "proven code"), (2, "login", codeOnly, "missing code"),
      (3, "su", codeOnly, "missing code"),
      (4, "su", "auth sufficient pam_rootok.so\n" + codeOnly, "missing code"),
      (5, "su", "auth sufficient pam_rootok.so\n" + password, "proven code"),
      (6, "login", "auth sufficient pam_rootok.so\n" + password, "missing"),
      (7, "sudo", codeOnly, "missing code"),
      // sudo asks for a code of the user in whose session it runs.
      (8, "sudo", "auth required pam_mfa.so\n", "proven code"),
      (9, "login", "auth required pam_mfa.so\n", "missing code"),
      (10, "su", "auth required pam_mfa.so\n", "missing code"),
      (11, "login", "auth sufficient pam_mfa.so\n@include common-auth\n", "missing"),
      (12, "login", "@include common-auth\nauth optional pam_mfa.so\n", "proven"),
      (13, "login", "auth required pam_foo.so\n" + codeOnly, "uncertain code"),
      (
        14, "login", "auth sufficient pam_succeed_if.so user ingroup x\n" + password, "uncertain"
      ),
      (15, "login", "auth required pam_u2f.so\n" + codeOnly, "proven code"),
      (16, "login", "auth required pam_u2f.so nouserok\n" + codeOnly, "uncertain code"),
      (17, "login", "auth required pam_exec.so /x\n" + codeOnly, "uncertain code"),
    ])
  func services(row: Int, name: String, lines: String, expected: String) throws {
    let ways = try Self.service(name, lines).ways
    #expect(ways.map { Self.text($0) } == [expected], "row \(row)")
  }

  private static func text(_ way: SignInWay) -> String {
    let factor =
      switch way.firstFactor {
      case .proven: "proven"
      case .uncertain: "uncertain"
      case .missing: "missing"
      }
    return (way.methods.isEmpty ? "" : way.methods.joined(separator: ",") + ": ") + factor
      + (way.asksForCode ? " code" : "") + (way.deniesUnenrolled ? " or denied" : "")
  }

  // MARK: sshd

  struct Row: CustomTestStringConvertible, Sendable {
    let number: Int
    let lines: String
    /// Lines of `sshd -T` before the usual ones. The first one of each key counts.
    let settings: [String]
    let expected: [String]
    var isRoot = false
    var testDescription: String { "row \(number)" }
  }

  private static let anyMethod = ["authenticationmethods any"]
  private static let kbi = ["authenticationmethods keyboard-interactive"]
  private static let keyThenCode = ["authenticationmethods publickey,keyboard-interactive"]
  private static let passwords = ["authenticationmethods password", "passwordauthentication yes"]

  static let rows = [
    Row(number: 1, lines: password, settings: kbi, expected: ["keyboard-interactive: proven code"]),
    Row(
      number: 2, lines: password, settings: anyMethod,
      expected: ["publickey: proven", "keyboard-interactive: proven code"]),
    Row(
      number: 3, lines: password, settings: keyThenCode,
      expected: ["publickey,keyboard-interactive: proven code"]),
    Row(
      number: 4, lines: codeOnly, settings: kbi,
      expected: ["keyboard-interactive: missing code or denied"]),
    Row(
      number: 5, lines: codeOnly, settings: anyMethod,
      expected: ["publickey: proven", "keyboard-interactive: missing code or denied"]),
    Row(
      number: 6, lines: codeOnly, settings: keyThenCode,
      expected: ["publickey,keyboard-interactive: proven code"]),
    // The key comes after PAM.
    Row(
      number: 7, lines: codeOnly,
      settings: ["authenticationmethods keyboard-interactive,publickey"],
      expected: ["keyboard-interactive,publickey: proven code or denied"]),
    // A wrong password gets in unless the module denies.
    Row(
      number: 8, lines: codeOnly, settings: passwords,
      expected: ["password: missing code or denied"]),
    Row(number: 9, lines: password, settings: passwords, expected: ["password: proven code"]),
    Row(
      number: 10, lines: codeOnly,
      settings: ["authenticationmethods publickey,password", "passwordauthentication yes"],
      expected: ["publickey,password: proven code or denied"]),
    Row(
      number: 11, lines: mixed, settings: kbi, expected: ["keyboard-interactive: missing code"]),
    Row(
      number: 12, lines: mixed, settings: keyThenCode,
      expected: ["publickey,keyboard-interactive: proven code"]),
    Row(
      number: 13, lines: keyOrPassword,
      settings: ["authenticationmethods publickey,keyboard-interactive keyboard-interactive"],
      expected: [
        "publickey,keyboard-interactive: proven code", "keyboard-interactive: proven code",
      ]),
    // Methods that are off.
    Row(
      number: 14, lines: password, settings: ["authenticationmethods publickey password"],
      expected: ["publickey: proven"]),
    Row(
      number: 15, lines: password, settings: kbi + ["kbdinteractiveauthentication no"],
      expected: []),
    Row(
      number: 16, lines: password, settings: anyMethod + ["pubkeyauthentication no"],
      expected: ["keyboard-interactive: proven code"]),
    // Other methods without PAM.
    Row(
      number: 17, lines: codeOnly,
      settings: [
        "authenticationmethods hostbased,keyboard-interactive gssapi-with-mic",
        "hostbasedauthentication yes", "gssapiauthentication yes",
      ],
      expected: ["hostbased,keyboard-interactive: proven code", "gssapi-with-mic: proven"]),
    // sshd verifies the password of Kerberos before it calls PAM.
    Row(
      number: 18, lines: password, settings: passwords + ["kerberosauthentication yes"],
      expected: ["password: proven code", "password: proven"]),
    Row(
      number: 19, lines: password, settings: kbi + ["kerberosauthentication yes"],
      expected: ["keyboard-interactive: proven code"]),
    // Without PAM, sshd verifies the password itself.
    Row(
      number: 20, lines: codeOnly,
      settings: anyMethod + ["usepam no", "passwordauthentication yes"],
      expected: ["publickey: proven", "password: proven"]),
    // Accounts with an empty password.
    Row(
      number: 21, lines: codeOnly,
      settings: ["authenticationmethods none", "permitemptypasswords yes"],
      expected: ["none: missing code or denied"]),
    Row(
      number: 22, lines: codeOnly, settings: ["authenticationmethods none"], expected: []),
    // Root.
    Row(
      number: 23, lines: codeOnly, settings: kbi + ["permitrootlogin without-password"],
      expected: [],
      isRoot: true),
    Row(
      number: 24, lines: codeOnly, settings: kbi + ["permitrootlogin yes"],
      expected: ["keyboard-interactive: missing code or denied"], isRoot: true),
    Row(
      number: 25, lines: codeOnly, settings: anyMethod + ["permitrootlogin prohibit-password"],
      expected: ["publickey: proven"], isRoot: true),
    Row(
      number: 26, lines: codeOnly, settings: anyMethod + ["permitrootlogin no"], expected: [],
      isRoot: true),
    Row(
      number: 27, lines: codeOnly, settings: ["authenticationmethods keyboard-interactive:pam"],
      expected: ["keyboard-interactive: missing code or denied"]),
  ]

  private static func settings(_ lines: [String]) -> SSHDSettings {
    SSHDSettings(Array((lines.joined(separator: "\n") + "\n" + MemoryHost.sshdSettings).utf8))
  }

  @Test("of sshd, for each list of methods", arguments: rows)
  func sshd(row: Row) throws {
    let service = try Self.service("sshd", row.lines)
    let ways = service.ways(Self.settings(row.settings), isRoot: row.isRoot)
    #expect(ways.map { Self.text($0) } == row.expected, "row \(row.number)")
  }

  // MARK: Hints

  private static func findings(
    _ service: ServiceWithModule, _ settings: SSHDSettings
  ) -> [Finding] {
    let host = MemoryHost()
    let view = SSHDView.known(
      [
        SSHDView.Case(
          choice: SSHDConnections.Choice(matches: [], connection: SSHDConnection()),
          settings: settings)
      ], SSHDFile(of: host), [])
    return DisabledPrompts.findings(service, view, on: host)
      + MethodsWithoutCode.findings(service, view, on: host)
      + UnprovenFirstFactor.findings(service, view)
  }

  @Test("each setting that a hint proposes makes all ways sound")
  func hints() throws {
    let stacks = [
      Self.password, Self.codeOnly, Self.mixed, Self.keyOrPassword,
      "auth required pam_mfa.so forward_pass\n@include common-auth\n",
      "@include common-auth\nauth optional pam_mfa.so\n", "auth required pam_mfa.so\n",
    ]
    var proposals = 0
    for stack in stacks {
      let service = try Self.service("sshd", stack)
      for row in Self.rows {
        let settings = Self.settings(row.settings)
        for finding in Self.findings(service, settings) {
          for change in Self.proposals(in: finding.hint) {
            proposals += 1
            let pairs = change.map { setting in
              let words = setting.split(separator: " ", maxSplits: 1).map { String($0) }
              return (key: words[0], value: words[1])
            }
            let left = Self.findings(service, settings.with(pairs))
            #expect(
              left.isEmpty, "row \(row.number), \(stack): \(finding.text) \(change): \(left)")
          }
        }
      }
    }
    #expect(proposals > 60)
  }

  /// Returns the alternatives of a hint, each a list of settings of sshd that belong together.
  static func proposals(in hint: String) -> [[String]] {
    hint.split(separator: " or, ").map { part in
      part.matches(of: /"([A-Z][A-Za-z]+ [^"]+)"/).map { String($0.1) }
        .filter { !$0.hasPrefix("PermitRootLogin") && !$0.hasPrefix("LoginGraceTime") }
    }.filter { !$0.isEmpty }
  }
}
