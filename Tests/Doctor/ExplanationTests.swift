import MFAWire
import Foundation
@testable import MFAAdmin
import MFAAdminTestSupport
@testable import MFADoctor
import MFAStore
import MFAModel
import MFAPAMStack
import MFASignIn
import MFASignInTestSupport
import MFABase
import Testing

@Suite("Explanations of sign-ins")
struct ExplanationTests {
  static let sound =
    "auth required pam_mfa.so\nauth requisite pam_unix.so\naccount required pam_mfa.so\n"
  static let required = "[project]\nenrollment = required\n"

  struct Row: CustomTestStringConvertible {
    let number: Int
    var configuration = "[project]\n"
    var sshd = sound
    var user = "alice"
    var service = "sshd"
    var address: String? = "203.0.113.9"
    var prepare: @Sendable (ScriptedHost) throws -> Void = { _ in }
    /// Changes the rest of the host: the modules that exist, and sshd's settings.
    var examined: @Sendable (inout MemoryHost) -> Void = { _ in }
    /// The decision, and part of the reason.
    let expected: (String, String)
    var testDescription: String { "\(number)" }
  }

  static let enroll: @Sendable (ScriptedHost) throws -> Void = { host in
    let account = try #require(host.account)
    _ = try host.memory.enroll("Phone", secret: KnownFactor.secret, for: account)
  }

  static func enroll(
    failures: UInt32, ago: Int64
  ) -> @Sendable (ScriptedHost) throws -> Void {
    { host in
      try enroll(host)
      let state = host.memory.attempts
      host.memory.attempts = AttemptState(
        record: state.record, failures: failures, lastFailure: host.time - ago,
        watermarks: state.watermarks)
    }
  }

  static let rows = [
    Row(number: 1, prepare: enroll, expected: ("asked", "factor")),
    Row(number: 2, expected: ("allowed", "voluntary")),
    Row(
      number: 3, configuration: "[project]\nstate = disabled\n", prepare: enroll,
      expected: ("allowed", "switched off")),
    Row(
      number: 4, configuration: "[project]\nstate = observe\n", prepare: enroll,
      expected: ("asked", "factor")),
    Row(number: 5, configuration: required, expected: ("enrollment-pending", "certain")),
    Row(
      number: 6, configuration: required,
      sshd: "auth required pam_mfa.so\nauth required pam_unix.so\naccount required x.so\n",
      expected: ("denied", "no account line")),
    Row(number: 7, user: "nobody-here", expected: ("denied", "has no account")),
    Row(number: 8, prepare: enroll(failures: 5, ago: 10), expected: ("throttled", "wrong codes")),
    Row(
      number: 9, prepare: enroll(failures: 100, ago: 9999), expected: ("denied", "locked")),
    Row(
      number: 10, configuration: "[project]\nenrollment = offered\noffer_sign_ins = 3\n",
      expected: ("allowed", "postponed")),
    Row(
      number: 11, configuration: "[project]\nenrollment = offered\noffer_sign_ins = 3\n",
      prepare: { host in
        let entry = try host.memory.entry(of: try #require(host.account), creating: true)
        try entry.write(AttemptState(record: .zero, postponedSignIns: 3))
      },
      expected: ("enrollment-pending", "certain")),
    Row(
      number: 12, configuration: required,
      prepare: { host in
        _ = try host.memory.grant(
          .bypass, Array("0123456789".utf8), to: try #require(host.account), madeAt: host.time)
      },
      expected: ("asked", "bypass")),
    Row(
      number: 13,
      prepare: { $0.storeFailure = .untrusted(.directory, .wrongPermissions) },
      expected: ("denied", "cannot be used")),
    Row(
      number: 14, configuration: "[project]\nnonsense\n",
      expected: ("denied", "/etc/mfa/mfa.conf:2")),
    Row(
      number: 15, sshd: "auth required pam_mfa.so echos\naccount required pam_mfa.so\n",
      expected: ("denied", "no argument \"echos\"")),
    Row(
      number: 16,
      sshd:
        "auth required pam_mfa.so forward_pass\nauth required pam_unix.so\naccount required pam_mfa.so\n",
      expected: ("allowed", "voluntary")),
    Row(
      number: 17, sshd: "auth required pam_mfa.so use_first_pass\n", prepare: enroll,
      expected: ("asked", "factor")),
    Row(
      number: 18,
      configuration: "[project]\n[tenant staff]\ngroups = staff\nenrollment = required\n",
      prepare: { $0.groups = ["staff"] }, expected: ("enrollment-pending", "certain")),
    // If a lookup fails, the stricter rule applies.
    Row(
      number: 19,
      configuration: "[project]\n[tenant staff]\ngroups = staff\nenrollment = required\n",
      prepare: { $0.groups = nil }, expected: ("enrollment-pending", "certain")),
    Row(
      number: 20,
      configuration: "[project]\n[tenant home]\nnetworks = 192.0.2.0/24\nstate = disabled\n",
      address: "192.0.2.1", prepare: enroll, expected: ("allowed", "switched off")),
    Row(
      number: 21,
      configuration: "[project]\n[tenant home]\nnetworks = 192.0.2.0/24\nstate = disabled\n",
      address: "home.example", prepare: enroll, expected: ("asked", "factor")),
    Row(
      number: 22, prepare: { $0.accountFailure = SystemError(.lookUpAccount, number: 5) },
      expected: ("denied", "cannot be looked up")),
    // The caller of su is not root, so a line that lets root pass does not skip the module.
    Row(
      number: 23, configuration: required, service: "su",
      expected: ("enrollment-pending", "certain")),
    Row(
      number: 24, configuration: required, service: "sudo",
      expected: ("denied", "jump over")),
    Row(
      number: 25,
      prepare: {
        $0.clockFailure = SystemError(.clock, number: 5); try enroll($0)
      },
      expected: ("denied", "clock")),
    // Phones that no code is sent to.
    Row(
      number: 26, configuration: gateway + "factors = totp\n", prepare: enrollPhone,
      expected: ("denied", "\"factors\" does not allow the user's phones")),
    Row(
      number: 27, prepare: enrollPhone, expected: ("denied", "no gateway sends codes")),
    Row(number: 28, configuration: gateway, prepare: enrollPhone, expected: ("asked", "factor")),
    Row(
      number: 29, configuration: gateway, service: "su", prepare: enrollPhone,
      expected: ("denied", "without \"after_password\"")),
    Row(
      number: 30, configuration: gateway,
      sshd: "auth required pam_mfa.so use_first_pass\n", prepare: enrollPhone,
      expected: ("denied", "without \"after_password\"")),
    Row(
      number: 31, configuration: gateway + "factors = phone\n", prepare: enroll,
      expected: ("denied", "\"factors\" does not allow authenticator apps")),
    Row(
      number: 32,
      prepare: { host in
        try enrollPhone(host)
        try host.memory.keep(recoveryCodes: [(Array("0123456789".utf8), .generated)])
      },
      expected: ("asked", "only a recovery code or a bypass code is accepted")),
    Row(
      number: 33,
      prepare: { host in
        try enroll(host)
        try enrollPhone(host)
      },
      expected: ("asked", "factor")),
    // What must be written to a store without space is denied, and nothing else.
    Row(
      number: 34, prepare: enroll,
      examined: store(FileSystemSpace(bytes: 1 << 30, isReadOnly: true)),
      expected: ("denied", "read-only, so no attempt can be counted")),
    Row(
      number: 35, examined: store(FileSystemSpace(bytes: 1 << 30, isReadOnly: true)),
      expected: ("allowed", "voluntary")),
    Row(
      number: 36, configuration: required,
      examined: store(FileSystemSpace(bytes: 1 << 30, isReadOnly: true)),
      expected: ("denied", "read-only, so no factor can be enrolled")),
    Row(
      number: 37, prepare: enroll, examined: store(FileSystemSpace(bytes: 0)),
      expected: ("asked", "factor")),
    Row(
      number: 38, configuration: required,
      examined: store(FileSystemSpace(bytes: 1 << 30, files: 0)),
      expected: ("denied", "is full, so no factor can be enrolled")),
    Row(
      number: 39, configuration: "[project]\nstate = observe\n", prepare: enroll,
      examined: store(FileSystemSpace(bytes: 1 << 30, isReadOnly: true)),
      expected: ("asked", "factor")),
    Row(
      number: 40, prepare: enroll,
      examined: {
        store(FileSystemSpace(bytes: 1 << 30, isReadOnly: true))(&$0)
        $0.texts["/etc/mfa/break-glass"] = breakGlass("alice")
      },
      expected: ("asked", "the break-glass code is accepted instead")),
    Row(
      number: 41, prepare: enroll,
      examined: {
        store(FileSystemSpace(bytes: 1 << 30, isReadOnly: true))(&$0)
        $0.texts["/etc/mfa/break-glass"] = breakGlass("bob")
      },
      expected: ("denied", "read-only")),
  ]

  static func store(_ space: FileSystemSpace) -> @Sendable (inout MemoryHost) -> Void {
    { $0.rooms["/var/lib/mfa"] = space }
  }

  static func breakGlass(_ user: String) -> String {
    let digits = String(repeating: "0", count: 32)
    return "users = \(user)\ncost = 14\nsalt = \(digits)\nhash = \(digits)\(digits)\n"
  }

  static let gateway = "[project]\ngateway = /usr/lib/mfa/gateways/json\nregions = +1\n"

  static let enrollPhone: @Sendable (ScriptedHost) throws -> Void = { host in
    _ = try host.memory.enrollPhone(
      "work", number: "+15105551234", for: try #require(host.account))
  }

  static let common = "auth requisite pam_unix.so\n"
  static let permit = "account required pam_permit.so\n"
  static let ours = "auth requisite pam_mfa.so\n"

  static let requiringCode = common + "account required pam_mfa.so require_code\n" + permit

  /// Sets what testparm prints about Samba.
  static func obeysPAM(_ output: String) -> @Sendable (inout MemoryHost) -> Void {
    { host in
      host.outputs["/usr/bin/testparm -s --parameter-name=obey pam restrictions"] =
        ProgramOutput(status: 0, output: Array(output.utf8))
    }
  }

  /// Returns the settings of an sshd with another value for a keyword.
  static func sshd(_ keyword: String, _ value: String) -> @Sendable (inout MemoryHost) -> Void {
    { host in
      let lines = MemoryHost.sshdSettings.split(separator: "\n").filter {
        !$0.hasPrefix(keyword + " ")
      }
      // The first line of each keyword counts.
      host.sshdOfOthers = "\(keyword) \(value)\n" + lines.joined(separator: "\n") + "\n"
    }
  }

  /// Gives alice a key, and sets a keyword of sshd.
  static func sshdWithKey(
    _ keyword: String, _ value: String
  ) -> @Sendable (inout MemoryHost) -> Void {
    { host in
      host.statuses["/home/alice/.ssh/authorized_keys"] = MemoryHost.file(1000, 0o600)
      sshd(keyword, value)(&host)
    }
  }

  /// Rows in which the rest of the host decides.
  static let hostRows = [
    Row(
      number: 170, service: "samba", prepare: enroll,
      expected: ("allowed", "verifies encrypted passwords itself")),
    Row(
      number: 173, sshd: requiringCode, service: "samba", prepare: enroll,
      examined: obeysPAM("Yes\n"), expected: ("denied", "does not ask for a code")),
    Row(
      number: 174, sshd: requiringCode, service: "samba", examined: obeysPAM("Yes\n"),
      expected: ("allowed", "voluntary")),
    Row(
      number: 176, configuration: required, sshd: requiringCode, service: "samba",
      examined: obeysPAM("Yes\n"), expected: ("denied", "a factor is required")),
    Row(
      number: 177, configuration: "[project]\nstate = observe\n", sshd: requiringCode,
      service: "samba", prepare: enroll, examined: obeysPAM("Yes\n"),
      expected: ("allowed", "only observes")),
    Row(
      number: 175, sshd: requiringCode, service: "samba", prepare: enroll,
      examined: obeysPAM("No\n"), expected: ("allowed", "no auth line")),
    Row(
      number: 171, service: "proftpd", prepare: enroll, expected: ("allowed", "mod_auth_unix")),
    Row(
      number: 172, service: "proftpd", prepare: enroll,
      examined: { $0.texts["/etc/proftpd/proftpd.conf"] = "AuthOrder mod_auth_pam.c*\n" },
      expected: ("asked", "factor")),
    Row(
      number: 101, sshd: common + ours + permit, prepare: enroll,
      examined: { $0.unloadable["pam_mfa.so"] = "file too short" },
      expected: ("denied", "cannot load pam_mfa.so for /pam/sshd:2: file too short")),
    Row(
      number: 102, sshd: common + "auth optional pam_mfa.so\n" + permit, prepare: enroll,
      examined: { $0.unloadable["pam_mfa.so"] = "file too short" },
      expected: ("allowed", "succeeds without: file too short")),
    Row(
      number: 103, sshd: common + "auth required pam_mfa\n" + permit, prepare: enroll,
      examined: { $0.missingModules = ["pam_mfa"] },
      expected: ("denied", "cannot load pam_mfa for /pam/sshd:2")),
    Row(
      number: 104, sshd: common + "auth optional pam_mfa\n" + permit, prepare: enroll,
      examined: { $0.missingModules = ["pam_mfa"] },
      expected: ("allowed", "no auth line")),
    Row(
      number: 105, sshd: (common + ours + permit).replacing("\n", with: "\r\n"), prepare: enroll,
      examined: {
        $0.missingModules = ["pam_unix.so\r", "pam_mfa.so\r", "pam_permit.so\r"]
      },
      expected: ("denied", "cannot load pam_unix.so\\x0d for /pam/sshd:1")),
    Row(
      number: 106, sshd: common + "auth optional pam_mfa.so\r\n" + permit, prepare: enroll,
      examined: { $0.missingModules = ["pam_mfa.so\r"] },
      expected: ("allowed", "no auth line")),
    Row(
      number: 107, sshd: common + ours + "@include nowhere\n" + permit, prepare: enroll,
      expected: ("denied", "cannot read /pam/sshd:3")),
    Row(
      number: 108, sshd: common + ours + "account include nowhere\n", prepare: enroll,
      expected: ("denied", "cannot read /pam/sshd:3")),
    Row(
      number: 109, sshd: common + ours + "auth reqired pam_env.so\n" + permit, prepare: enroll,
      expected: ("unknown", "cannot be evaluated")),
    Row(
      number: 110, sshd: common + ours + "auth required pam_gone.so\n" + permit, prepare: enroll,
      examined: { $0.missingModules = ["pam_gone.so"] },
      expected: ("denied", "cannot load pam_gone.so for /pam/sshd:3")),
    // The hyphen only prevents libpam from logging that the module is missing.
    Row(
      number: 111, sshd: common + ours + "-auth required pam_gone.so\n" + permit, prepare: enroll,
      examined: { $0.missingModules = ["pam_gone.so"] },
      expected: ("denied", "cannot load pam_gone.so for /pam/sshd:3")),
    Row(
      number: 112, sshd: common + ours + "auth optional pam_gone.so\n" + permit, prepare: enroll,
      examined: { $0.missingModules = ["pam_gone.so"] }, expected: ("asked", "factor")),
    Row(
      number: 113, sshd: common + ours + "account required pam_deny.so\n", prepare: enroll,
      expected: ("denied", "the account lines of the service fail")),
    Row(
      number: 114, sshd: common + ours + "account required pam_gone.so\n", prepare: enroll,
      examined: { $0.missingModules = ["pam_gone.so"] },
      expected: ("denied", "cannot load pam_gone.so for /pam/sshd:3")),
    // A user whose password has expired does not get to the second line.
    Row(
      number: 123,
      sshd: common + ours
        + "account [success=ok new_authtok_reqd=done default=ignore] pam_unix.so\n"
        + "account required pam_gone.so\n", prepare: enroll,
      examined: { $0.missingModules = ["pam_gone.so"] },
      expected: ("denied", "cannot load pam_gone.so for /pam/sshd:4")),
    Row(
      number: 115, sshd: common + "account required pam_deny.so\n", prepare: enroll,
      expected: ("denied", "the account lines of the service fail")),
    // sshd decides whether it uses PAM.
    Row(
      number: 116, prepare: enroll,
      examined: sshdWithKey("usepam", "no\nauthenticationmethods publickey"),
      expected: ("allowed", "sshd does not use PAM: /etc/ssh/sshd_config")),
    Row(
      number: 124, prepare: enroll,
      examined: sshd("usepam", "no\nauthenticationmethods keyboard-interactive"),
      expected: ("denied", "which the methods require: /etc/ssh/sshd_config.d/00-mfa.conf:4")),
    Row(
      number: 125, prepare: enroll, examined: sshd("refuseconnection", "yes"),
      expected: ("denied", "sshd ends the connection: /etc/ssh/sshd_config")),
    Row(
      number: 126, prepare: enroll,
      examined: sshd("passwordauthentication", "yes\nauthenticationmethods password"),
      expected: ("denied", "takes it for the code")),
    // Users without a factor are asked for no code.
    Row(
      number: 127, examined: sshd("passwordauthentication", "yes\nauthenticationmethods password"),
      expected: ("allowed", "no factor")),
    // sshd uses another PAM service, which asks for a code, or denies.
    Row(
      number: 128,
      prepare: { host in
        host.stacks.files["codes"] = ours + common + permit
        try enroll(host)
      }, examined: sshd("pamservicename", "/etc/pam.d/Codes"), expected: ("asked", "factor")),
    Row(
      number: 129, prepare: enroll, examined: sshd("pamservicename", "plain"),
      expected: ("denied", "sshd uses the PAM service plain: /etc/ssh/sshd_config, and")),
    Row(
      number: 130,
      prepare: { host in
        host.stacks.files["plain"] = common + permit
        try enroll(host)
      }, examined: sshd("pamservicename", "plain"),
      expected: ("allowed", "sshd uses the PAM service plain: /etc/ssh/sshd_config")),
    Row(
      number: 117, prepare: enroll, examined: sshdWithKey("authenticationmethods", "publickey"),
      expected: ("allowed", "sshd requires only publickey")),
    Row(
      number: 131, prepare: enroll, examined: sshd("authenticationmethods", "publickey"),
      expected: ("denied", "sshd requires a key, and the account has none")),
    Row(
      number: 118, prepare: enroll,
      examined: sshd("authenticationmethods", "publickey keyboard-interactive"),
      expected: ("asked", "factor or a bypass code, but publickey is enough without it")),
    Row(
      number: 132, prepare: enroll, examined: sshd("authenticationmethods", "any"),
      expected: ("asked", "factor or a bypass code, but a key is enough without it")),
    Row(
      number: 119, prepare: enroll, examined: sshd("kbdinteractiveauthentication", "no"),
      expected: ("denied", "sshd cannot ask for a code")),
    Row(
      number: 120, user: "root",
      prepare: { host in
        host.account = Account(name: Array("root".utf8), uid: 0)
        try enroll(host)
      }, expected: ("denied", "sshd lets root sign in with a key only")),
    Row(
      number: 121, user: "root",
      prepare: { host in
        host.account = Account(name: Array("root".utf8), uid: 0)
        try enroll(host)
      }, examined: sshd("permitrootlogin", "yes"), expected: ("asked", "factor")),
    Row(
      number: 122, service: "sudo", prepare: enroll, examined: sshd("usepam", "no"),
      expected: ("asked", "factor")),
  ]

  @Test("the decision is that of the host, with its modules, lines and sshd", arguments: hostRows)
  func agreesWithTheHost(row: Row) throws {
    let explanation = try explanation(row, on: try machine(row))
    let text = explanation.text(columns: nil)
    #expect(explanation.decision.kind.rawValue == row.expected.0, "\(text)")
    #expect(explanation.decision.reason.contains(row.expected.1), "\(text)")
  }

  @Test(
    "settings of sshd and misread lines are shown",
    arguments: [
      (103, ["module-misnamed"]), (105, ["carriage-return"]), (106, ["carriage-return"]),
      (116, ["use-pam-off"]), (118, ["methods-without-code"]),
      (119, ["keyboard-interactive-off"]),
    ])
  func hostFindings(number: Int, codes: [String]) throws {
    let row = try #require(Self.hostRows.first { $0.number == number })
    #expect(try explanation(row, on: try machine(row)).exceptions.map(\.code) == codes)
  }

  @Test("no line is wider than the terminal", arguments: rows + hostRows)
  func width(row: Row) throws {
    var row = row
    row.configuration +=
      "\n[tenant a-tenant-with-a-rather-long-name]\n"
      + "users = alice, bob, carol, dave, erin, frank, grace, heidi\nthrottle_after = 4\n"
    let text = try explanation(row, on: try machine(row)).text(columns: 80)
    for line in text.split(separator: "\n") {
      #expect(TextWidth.of(String(line)) <= 80, "\(text)")
    }
  }

  private func machine(_ row: Row) throws -> ScriptedHost {
    let host = ScriptedHost()
    host.configuration = row.configuration
    host.stacks.files["sshd"] = row.sshd
    let switching =
      "auth required pam_mfa.so\nauth required pam_unix.so\naccount sufficient pam_rootok.so\naccount required pam_mfa.so\n"
    host.stacks.files["samba"] = row.sshd
    host.stacks.files["proftpd"] = row.sshd
    host.stacks.files["su"] = switching
    host.stacks.files["sudo"] = switching
    host.stacks.files["cron"] = switching
    try row.prepare(host)
    return host
  }

  private func explanation(
    _ row: Row, on host: ScriptedHost, sudo: [Finding] = []
  ) throws -> Explanation {
    Explanation(
      Explanation.Question(
        try userName(row.user), at: Array(row.service.utf8),
        from: row.address.map { Array($0.utf8) }),
      sudo: sudo, rules: HostRules(of: Self.examined(host, row.examined)), on: host)
  }

  /// Returns the examined host with the same service files.
  private static func examined(
    _ host: ScriptedHost, _ prepare: (inout MemoryHost) -> Void
  ) -> MemoryHost {
    var examined = MemoryHost()
    examined.stacks = MemoryHost.Stacks(files: host.stacks.files)
    prepare(&examined)
    return examined
  }

  @Test("the explanation agrees with the sign-in", arguments: rows)
  func agreesWithTheSignIn(row: Row) throws {
    let host = try machine(row)
    let explanation = try explanation(row, on: host)
    #expect(explanation.decision.kind.rawValue == row.expected.0, "\(explanation.decision)")
    #expect(explanation.decision.reason.contains(row.expected.1), "\(explanation.decision)")

    let application = ScriptedApplication([.text("123456")])
    application.earlier = .text("123456")
    host.isCalledByRoot = row.service != "su"
    let request = SignInRequest(
      user: Array(row.user.utf8), service: Array(row.service.utf8),
      remoteHost: row.address.map { Array($0.utf8) }, arguments: explanation.module.arguments)
    let verdict = SignInRun(request, host: host, application: application).authenticate()
    let logged = application.logged.first ?? ""
    if explanation.state == .observe {
      #expect(verdict == .pass)
    } else {
      switch explanation.decision.kind {
      case .asked:
        // The typed text cannot be a bypass code.
        let result = row.number == 12 ? "result=not-a-code" : "result=wrong"
        #expect(verdict == .deny && logged.contains(result))
      case .allowed:
        // The note of a user who may enrol leads to the offer in the `account` line.
        #expect(verdict == .pass && (application.noted != nil) == (row.number == 10))
      case .hasToEnroll: #expect(verdict == .pass && application.noted != nil)
      case .denied where explanation.decision.reason.contains("no factor can be enrolled"):
        // The `account` line denies.
        #expect(verdict == .pass && application.noted != nil)
      case .denied: #expect(verdict == .deny || logged.contains("result=locked"))
      case .throttled:
        #expect(verdict == .tooManyAttempts)
        #expect(explanation.decision.wait == 20 && logged.contains("wait=20"))
      case .unknown: Issue.record("row \(row.number)")
      }
    }
  }

  @Test("an explanation changes nothing", arguments: rows)
  func changesNothing(row: Row) throws {
    let host = try machine(row)
    let attempts = host.memory.attempts
    let record = host.memory.record
    let count = host.memory.steps.count
    _ = try explanation(row, on: host)
    #expect(host.memory.attempts == attempts && host.memory.record == record)
    for step in host.memory.steps.dropFirst(count) {
      #expect([.snapshot, .decoy, .lock, .unlock].contains(step))
    }
    #expect(!host.memory.isLocked && host.delivered.isEmpty)
  }

  @Test("text and JSON contain no control characters, and the JSON is valid", arguments: rows)
  func texts(row: Row) throws {
    let explanation = try explanation(row, on: try machine(row))
    #expect(
      isHarmless(explanation.text(columns: nil)) && explanation.text(columns: nil).hasSuffix("\n"))
    let data = Data(explanation.json.text.utf8)
    let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    #expect(object?["decision"] as? String == row.expected.0)
    #expect(object?["reason"] as? String == explanation.decision.reason)
  }

  @Test("the whole text")
  func sheet() throws {
    let row = Row(
      number: 0,
      configuration: """
        [project]
        enrollment = required
        [tenant staff]
        groups = staff
        services = sshd
        state = observe
        [tenant away]
        networks = 192.0.2.0/24
        adjacent_intervals = 2

        """,
      address: nil, prepare: Self.enroll, expected: ("", ""))
    let host = try machine(row)
    host.groups = ["staff"]
    let expected = """
      decision     asked for a code: the user has a factor or a bypass code
      because      state = observe                        tenant staff, /etc/mfa/mfa.conf:6
                   the policy only observes: no sign-in is denied
      account      alice (uid 1000)
      service      sshd: pam_mfa.so is called by /pam/sshd:1
                   account line: certain to be reached, /pam/sshd:3
      from         unknown; tenants that name networks apply where they are stricter
      stored       Phone; 0 recovery codes; 0 wrong codes in a row
      policy       /etc/mfa/mfa.conf
      tenant       staff: matches
                   groups = staff: yes                    /etc/mfa/mfa.conf:4
                   services = sshd: yes                   /etc/mfa/mfa.conf:5
      tenant       away: may match; applies where it is stricter
                   networks = 192.0.2.0/24: unknown       /etc/mfa/mfa.conf:8
      setting      state = observe                        tenant staff, /etc/mfa/mfa.conf:6
      setting      adjacent_intervals = 2                 tenant away, in doubt, /etc/mfa/mfa.conf:9
      setting      issuer = not set                       default
      setting      language = en                          default
      setting      enrollment = required                  project, /etc/mfa/mfa.conf:2
      setting      offer_sign_ins = 0                     default
      setting      offer_until = not set                  default
      setting      prompt = not set                       default
      setting      prompt_hints = off                     default
      setting      tries = 3                              default
      setting      end_sessions_on_unenroll = off         default
      setting      remember = off                         default
      setting      remember_services = not set            default
      setting      fresh_for = off                        default
      setting      program_passwords = not set            default
      setting      throttle_after = 5                     default
      setting      throttle_first_wait = 30s              default
      setting      throttle_longest_wait = 15m            default
      setting      disable_after = 100                    default
      setting      recovery_unlocks = off                 default
      setting      factors = totp, phone                  default
      setting      gateway = not set                      default
      setting      regions = not set                      default
      setting      phone_test_numbers = not set           default
      setting      phone_waiting_time = 24h               default
      setting      phone_interval = 30s                   default
      setting      phone_per_ten_minutes = 3              default
      setting      phone_per_day = 10                     default
      setting      phone_number_hourly = 5                default
      setting      phone_host_daily = 200                 default
      setting      phone_breaker = 20                     default

      """
    #expect(try explanation(row, on: host).text(columns: nil) == expected)
  }

  @Test("the JSON contains the files and lines")
  func places() throws {
    let row = Row(
      number: 0, configuration: Self.required + "[tenant staff]\ngroups = staff\nstate = observe\n",
      sshd: "auth required pam_mfa.so config=/etc/mfa/other.conf debug\n", expected: ("", ""))
    let host = try machine(row)
    host.groups = ["staff"]
    let data = Data(try explanation(row, on: host).json.text.utf8)
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(object["configuration"] as? [String] == ["/etc/mfa/other.conf"])
    #expect(object["authLine"] as? String == "/pam/sshd:1")
    #expect(object["arguments"] as? [String] == ["config=/etc/mfa/other.conf", "debug"])
    func place(_ setting: Any?) -> String? {
      let from = (setting as? [String: Any])?["from"] as? [String: Any]
      return from?["place"] as? String
    }
    let settings = try #require(object["settings"] as? [[String: Any]])
    for (key, expected) in [
      ("state", "/etc/mfa/other.conf:5"), ("enrollment", "/etc/mfa/other.conf:2"),
      ("disable_after", nil),
    ] {
      #expect(place(settings.first { $0["key"] as? String == key }) == expected, "\(key)")
    }
    let because = try #require(object["because"] as? [[String: Any]])
    #expect(because.map { $0["key"] as? String } == ["enrollment"])
    #expect(place(because.first) == "/etc/mfa/other.conf:2")
    let tenant = (object["tenants"] as? [[String: Any]])?.first
    let selectors = tenant?["because"] as? [[String: Any]]
    #expect(selectors?.map { $0["place"] as? String } == ["/etc/mfa/other.conf:4"])
  }

  @Test(
    "a decision names the settings that it depends on",
    arguments: [
      (1, ["state"]), (2, ["enrollment"]), (3, ["state"]), (5, ["enrollment"]),
      (6, ["enrollment"]), (7, []),
      (8, ["throttle_after", "throttle_first_wait", "throttle_longest_wait"]),
      (9, ["disable_after"]), (10, ["enrollment", "offer_sign_ins", "offer_until"]),
      (11, ["enrollment", "offer_sign_ins", "offer_until"]), (13, []), (14, []),
    ])
  func rules(number: Int, expected: [String]) throws {
    let row = try #require(Self.rows.first { $0.number == number })
    let explanation = try explanation(row, on: try machine(row))
    #expect(explanation.decision.rules.map { $0.name } == expected, "row \(number)")
  }

  @Test("a service that does not use the module allows all sign-ins")
  func notAsked() throws {
    let row = Row(
      number: 0, sshd: "auth required pam_unix.so\n", prepare: Self.enroll, expected: ("", ""))
    let explanation = try explanation(row, on: try machine(row))
    #expect(explanation.decision.kind == .allowed)
    #expect(
      explanation.text(columns: nil).contains(
        "service      sshd: pam_mfa.so is not called by /pam/sshd\n"))
  }

  @Test("if a stack does not use the module, all files that were read are named, and no others")
  func filesOfAStackThatDoesNotAsk() throws {
    let row = Row(
      number: 0, configuration: "[project]\nstate = observe\n",
      sshd: "@include common-auth\n", expected: ("", ""))
    let host = try machine(row)
    host.stacks.files["common-auth"] = "auth required pam_unix.so\n"
    host.stacks.files["other"] = "@include common-auth\n"
    let text = try explanation(row, on: host).text(columns: nil)
    #expect(
      text.contains("sshd: pam_mfa.so is not called by /pam/sshd, /pam/common-auth\n"), "\(text)")
    // A tenant in `observe` state for other services does not deny sign-ins here either.
    #expect(!text.contains("only observes"))
    var other = row
    other.service = "no-such-service"
    let absent = try explanation(other, on: host).text(columns: nil)
    #expect(
      absent.contains(
        "no-such-service: has no file: pam_mfa.so is not called by /pam/other, /pam/common-auth\n"),
      "\(absent)")
  }

  @Test(
    "lines that skip the code or make it ineffective are named",
    arguments: [
      (
        1, "auth sufficient pam_unix.so\nauth required pam_mfa.so\n",
        ["auth-skippable", "first-factor-missing"]
      ),
      (
        2, "auth optional pam_mfa.so\nauth required pam_permit.so\n",
        ["auth-denial-ignored", "first-factor-missing"]
      ),
      (3, sound, []), (4, "auth required pam_unix.so\n", []), (5, "auth include x\n", []),
    ])
  func exceptions(number: Int, sshd: String, codes: [String]) throws {
    let row = Row(number: number, sshd: sshd, prepare: Self.enroll, expected: ("", ""))
    let explanation = try explanation(row, on: try machine(row))
    #expect(explanation.exceptions.map(\.code) == codes)
    // The first line is the effect.
    if !codes.isEmpty { #expect(explanation.decision.kind == .allowed) }
    #expect(
      explanation.text(columns: nil).contains("             but /pam/sshd:1: ") != codes.isEmpty)
    let object = try JSONSerialization.jsonObject(with: Data(explanation.json.text.utf8))
    let found = try #require((object as? [String: Any])?["exceptions"] as? [[String: Any]])
    #expect(found.map { $0["finding"] as? String } == codes)
  }

  @Test(
    "what sudo's rules say is shown, and decides if sudo asks for nothing",
    arguments: [
      (1, Finding.Severity.error, Doctor.sudoWithoutCode, Decision.Kind.allowed),
      (2, .warning, Doctor.sudoWithoutCode, .asked),
      (3, .error, "sudo-other-account", .allowed), (4, .error, "sudo-other-service", .allowed),
      (5, .warning, "sudo-other-account", .asked),
    ])
  func rulesOfSudo(
    number: Int, severity: Finding.Severity, code: String, expected: Decision.Kind
  ) throws {
    let row = Row(number: number, service: "sudo", prepare: Self.enroll, expected: ("", ""))
    let finding = Finding(
      severity: severity, code: code, place: "/etc/sudoers:3", message: "sudo asks for less",
      hint: "x")
    let explanation = try explanation(row, on: try machine(row), sudo: [finding])
    #expect(explanation.decision.kind == expected, "row \(number)")
    #expect(explanation.exceptions == [finding])
    #expect(
      explanation.text(columns: nil).contains(
        "             but /etc/sudoers:3: sudo asks for less\n"))
    if number != 2 {
      #expect(explanation.decision.reason == "/etc/sudoers:3: sudo asks for less")
    }
  }

  @Test("a program that runs no auth line is not said to ask for a code")
  func programWithoutUsers() throws {
    for service in ["cron", "sudo"] {
      let row = Row(number: 1, service: service, prepare: Self.enroll, expected: ("", ""))
      let explanation = try explanation(row, on: try machine(row))
      #expect(explanation.policyDecision.kind == .asked)
      #expect(explanation.decision.kind == (service == "cron" ? .allowed : .asked), "\(service)")
    }
  }

  @Test(
    "only service names that PAM accepts are accepted, in lower case",
    arguments: [
      (1, "sshd", "sshd"), (2, "SSHD", "sshd"), (3, "sudo-i", "sudo-i"), (4, "../sshd", nil),
      (5, "", nil), (6, "ss hd", nil), (7, ".sshd", nil), (8, "/etc/pam.d/sshd", nil),
    ])
  func serviceNames(number: Int, service: String, expected: String?) {
    let name = PAMServiceName(service)
    #expect(name.map { String(decoding: $0.bytes, as: UTF8.self) } == expected, "row \(number)")
  }
}
