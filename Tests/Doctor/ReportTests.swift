import MFAAdminTestSupport
import MFAAttempt
import MFABase
@testable import MFAStore
import MFAModel
import Testing

@testable import MFAAdmin
@testable import MFADoctor

@Suite struct ReportTests {
  static let strict = "[project]\nstate = enabled\nenrollment = required\n"

  func configuration(_ text: String) throws -> Configuration {
    var draft = ConfigurationDraft()
    try draft.add(Array(text.utf8).span, from: Array("/mfa.conf".utf8))
    return try draft.finish()
  }

  /// Facts that meet all requirements.
  static var goodFacts: ReportFacts {
    var facts = ReportFacts()
    facts.users = 2
    facts.factors = 3
    facts.longestPeriod = 30
    facts.hasMailer = true
    facts.hasSSHD = true
    facts.servicesUsingModule = ["sshd", "sudo"]
    facts.signInsWithoutCode = []
    facts.signInsWithoutFirstFactor = []
    facts.keyExposures = []
    facts.enrollmentGaps = []
    facts.auditLogProblem = nil
    facts.events = ["enrolled": 3, "bypass-made": 1]
    facts.lastEntry = "4:00c0ffee, of 2026-11-21T10:18:00Z"
    return facts
  }

  /// Returns the sections and requirements that are not met.
  func notMet(_ text: String, _ facts: ReportFacts = goodFacts) throws -> [String] {
    Report(try configuration(text), facts).items.filter { $0.status == .notMet }
      .map { "\($0.section.suffix(6)): \($0.requirement)" }
  }

  @Test func settingsThatMeetEverything() throws {
    let report = Report(try configuration(Self.strict), Self.goodFacts)
    #expect(report.notMet == 0)
    #expect(report.items.contains { $0.status == .outside })
    #expect(report.items.allSatisfy { !$0.evidence.isEmpty })
    #expect(report.text(columns: nil).contains(" met, 2 by design, 0 not met, "))
    let sections = Set(report.items.map { String($0.section.split(separator: " ").last ?? "") })
    for section in ["3.1.4", "3.2.2", "4.1", "4.2", "4.6", "8.4.1", "8.4.2", "8.4.3", "8.5.1"] {
      #expect(sections.contains(section), "\(section)")
    }
  }

  @Test func nothingIsMetWithoutEvidence() throws {
    let report = Report(try configuration("[project]\nstate = observe\n"), ReportFacts())
    let met = report.items.filter { $0.status == .met }.map(\.requirement)
    // A store without records has no weak key.
    #expect(
      met == [
        "keys have at least 112 bits",
        "the input from which a code is generated changes at least every two minutes",
        "recovery codes have at least 64 random bits",
        "a used recovery code is replaced",
      ])
  }

  @Test func byDesignNamesTests() throws {
    for facts in [Self.goodFacts, ReportFacts()] {
      let report = Report(try configuration(Self.strict), facts)
      let items = report.items.filter { $0.status == .byDesign }
      #expect(items.count == 2)
      #expect(items.allSatisfy { !$0.tests.isEmpty })
      for test in report.items.flatMap(\.tests) {
        #expect(test.wholeMatch(of: /[A-Z]\w+\.[a-z]\w+/) != nil, "\(test)")
      }
      let json = report.json.text
      #expect(json.contains("\"status\": \"by-design\""))
      #expect(json.contains("\"AttemptTests.writtenFirst\""))
    }
  }

  @Test("files that others can read, and stacks that enrol without a password, are reported")
  func hostEvidence() throws {
    func facts(_ change: (inout MemoryHost) -> Void) throws -> ReportFacts {
      var host = MemoryHost()
      change(&host)
      var facts = Self.goodFacts
      facts.add(try HostSnapshot(of: host))
      return facts
    }
    let sound = try facts { _ in }
    #expect(sound.keyExposures.isEmpty, "\(sound.keyExposures)")
    #expect(sound.enrollmentGaps.isEmpty, "\(sound.enrollmentGaps)")
    let key = "/etc/mfa/key"
    let imported = try report("alice", [try factor(try id(1), "phone", origin: .imported)])
    let leftover = "/home/alice/.google_authenticator"
    let exposures: [(Int, (inout MemoryHost) -> Void, String)] = [
      (1, { $0.statuses[key] = MemoryHost.file(999, 0o440, size: 32) }, "has mode 0440"),
      (2, { $0.statuses[key] = MemoryHost.file(0, 0o400, size: 32) }, "belongs to uid 0"),
      (3, { $0.statuses[key] = nil }, "is missing"),
      (4, { $0.unseen[key] = .notFound(.open) }, "cannot check the owner and permissions"),
      (5, { $0.owner = .success(nil) }, "the user mfa does not exist"),
      (
        6, { $0.owner = .failure(AdminError(at: "/etc/passwd", "ENOENT")) },
        "cannot check the system user mfa"
      ),
      (
        7, { $0.statuses["/var/lib/mfa/factors/alice"] = MemoryHost.file(999, 0o644) },
        "/var/lib/mfa/factors/alice: has mode 0644"
      ),
      (
        8,
        {
          $0.reports = .success([imported])
          $0.statuses[leftover] = MemoryHost.file(1000, 0o400)
        }, "google-authenticator files of alice"
      ),
    ]
    for (row, change, expected) in exposures {
      let found = try facts(change).keyExposures
      #expect(found.contains { $0.contains(expected) }, "row \(row): \(found)")
    }
    // The file matters only if the store may have its key.
    let unrelated = try facts { $0.statuses[leftover] = MemoryHost.file(1000, 0o400) }
    #expect(unrelated.keyExposures.isEmpty, "\(unrelated.keyExposures)")
    let gaps: [(Int, String?, String?)] = [
      (1, "auth required pam_unix.so\n", nil),
      (
        2, "auth sufficient pam_unix.so\nauth sufficient pam_sss.so\nauth required pam_deny.so\n",
        nil
      ),
      (3, "auth sufficient pam_rootok.so\nauth requisite pam_unix.so\n", nil),
      (4, "auth required pam_permit.so\n", "does not ask for a password"),
      (
        5, "auth sufficient x.so\nauth required pam_unix.so\n",
        "/pam/mfa-enroll:1: through this line"
      ),
      (
        6, "auth optional pam_unix.so\nauth required pam_permit.so\n",
        "/pam/mfa-enroll:2: through this line"
      ),
      (
        7,
        "auth [default=1] pam_unix.so\nauth requisite pam_deny.so\nauth required pam_permit.so\n",
        "/pam/mfa-enroll:1: through this line"
      ),
      (
        8,
        "auth required pam_unix.so\nauth [default=reset] pam_env.so\nauth required pam_permit.so\n",
        "/pam/mfa-enroll:2: through this line"
      ),
      (9, "auth include nothing\n", "/pam/mfa-enroll:1: "),
      // Without the file, PAM reads the lines of `other`, which ask for a password here.
      (10, nil, nil),
    ]
    for (row, stack, expected) in gaps {
      let found = try facts { $0.stacks.files["mfa-enroll"] = stack }.enrollmentGaps
      #expect(found.count == (expected == nil ? 0 : 1), "row \(row): \(found)")
      if let expected { #expect(found.first?.contains(expected) == true, "row \(row): \(found)") }
    }
  }

  @Test("ways to sign in without a code that are not in a stack are reported")
  func waysWithoutCode() throws {
    let key = "authenticationmethods publickey\n" + MemoryHost.sshdSettings
    let path = "/etc/ssh/sshd_config.d/00-mfa.conf"
    let ways: [(Int, (inout MemoryHost) -> Void, String?)] = [
      (1, { _ in }, nil),
      (
        2,
        {
          $0.servers = [RunningServer(options: ["-f", "/etc/ssh/backup"])]
          $0.sshdWithOptions["/etc/ssh/backup"] = key
        }, "/etc/ssh/backup: "
      ),
      (
        3, { $0.configurationText = "[project]\n[tenant a]\nservices = sudo\nstate = disabled\n" },
        "tenant a applies to every user of sudo"
      ),
      (
        4,
        {
          $0.unloadable = ["pam_mfa.so": "no such file"]
          $0.stacks.files["sudo"] =
            "@include common-auth\nauth [success=ok default=ignore] pam_mfa.so\n"
        }, "libpam cannot load this module, so users sign in without a code"
      ),
      (
        5, { $0.sshdOfOthers = "permitrootlogin yes\n" + MemoryHost.sshdSettings },
        "root signs in by ssh without a code"
      ),
      (
        6,
        {
          $0.sshd = .success(["alice": key])
          $0.texts[path] =
            MemoryHost.sshdDropIn + "Match User alice\nAuthenticationMethods publickey\n"
          $0.recorded = .success([
            RecordedService(
              name: Array("sshd".utf8),
              files: [RecordedService.File(path: path, state: .complete, isUnchanged: true)])
          ])
        }, "\(path):6: users who sign in by ssh with publickey (user alice)"
      ),
      // Root is denied, which is no way in.
      (7, { $0.configurationText = "[project]\nenrollment = required\n" }, nil),
      // Every sign-in is denied.
      (8, { $0.unloadable = ["pam_mfa.so": "no such file"] }, nil),
    ]
    for (row, change, expected) in ways {
      var host = MemoryHost()
      change(&host)
      var facts = Self.goodFacts
      facts.add(try HostSnapshot(of: host))
      let found = facts.signInsWithoutCode
      #expect(found.isEmpty == (expected == nil), "row \(row): \(found)")
      if let expected { #expect(found.contains { $0.contains(expected) }, "row \(row): \(found)") }
      let isMet = try notMet(Self.strict, facts).isEmpty
      #expect(isMet == (expected == nil), "row \(row)")
    }
  }

  /// The ends of the requirements about where a code is required.
  static let entering = [
    "its consoles", "access to that environment", "could reach that environment",
  ]

  /// Changes that make requirements fail, and the ends of these requirements.
  static let spoilings: [(Int, String, @Sendable (inout ReportFacts) -> Void, [String])] = [
    (1, strict, { $0.weakKeys = 1 }, ["keys have at least 112 bits"]),
    (2, strict, { $0.longestPeriod = 121 }, ["changes at least every two minutes"]),
    (3, strict, { $0.unlockedFactors = 1 }, ["a factor disabled this way must be bound again"]),
    (
      4, strict, { $0.recordsWithoutEntries = 1 },
      ["must be bound again", "with times and sources"]
    ),
    (
      5, strict, { $0.auditLogProblem = "the audit-log was cut" },
      ["must be bound again", "with times and sources", "limited in time"]
    ),
    (
      19, strict, { $0.events["audit-log-begun"] = 1 },
      ["must be bound again", "with times and sources"]
    ),
    (20, strict, { $0.keyExposures = ["/x: y"] }, ["components that need them"]),
    (21, strict, { $0.enrollmentGaps = ["/x: y"] }, ["and an existing factor"]),
    (
      22, strict, { $0.unusable = 1 },
      [
        "keys have at least 112 bits", "at least every two minutes", "at least 64 random bits",
        "a used recovery code is replaced", "limited in time",
      ]
    ),
    (6, strict, { $0.withShortRecoveryCodes = 1 }, ["at least 64 random bits"]),
    (23, strict, { $0.withUsedRecoveryCodes = 1 }, ["a used recovery code is replaced"]),
    (7, strict, { $0.hasMailer = false }, ["notified of binding and recovery"]),
    (
      8, "[project]\nstate = enabled\nenrollment = self-service\n", { _ in },
      entering + ["limited in time", "access is granted"]
    ),
    (
      9, "[project]\nstate = observe\nenrollment = required\n", { _ in },
      ["is accepted only once", "the factor is disabled"] + entering
        + ["be used again", "limited in time", "access is granted"]
    ),
    (
      10, strict + "[tenant guests]\nusers = g\nenrollment = self-service\n", { _ in },
      entering + ["limited in time", "access is granted"]
    ),
    (
      11, strict + "[tenant guests]\nusers = g\nstate = disabled\n", { _ in },
      ["is accepted only once", "the factor is disabled"] + entering
        + ["be used again", "limited in time", "access is granted"]
    ),
    (13, strict, { $0.servicesUsingModule = ["sudo"] }, entering),
    (
      18, strict, { $0.signInsWithoutCode = ["/x:1: a key"] },
      entering + ["limited in time", "access is granted"]
    ),
    (
      14, strict,
      {
        $0.servicesUsingModule = []; $0.hasSSHD = false
      }, entering
    ),
    (
      15, strict,
      {
        $0.servicesUsingModule = ["login"]; $0.hasSSHD = false
      }, []
    ),
    (16, strict + "remember = 8h\nremember_services = sshd\n", { _ in }, ["access is granted"]),
    (17, strict + "[tenant t]\nusers = g\nfresh_for = 15m\n", { _ in }, ["access is granted"]),
    (12, strict + "[tenant strict]\nusers = g\ndisable_after = 10\n", { _ in }, []),
  ]

  @Test(arguments: spoilings) func changesFailRequirements(
    row: Int, text: String, spoil: @Sendable (inout ReportFacts) -> Void, ends: [String]
  ) throws {
    var facts = Self.goodFacts
    spoil(&facts)
    let found = try notMet(text, facts)
    #expect(found.count == ends.count, "row \(row): \(found)")
    for (item, end) in zip(found, ends) { #expect(item.hasSuffix(end), "row \(row)") }
  }

  @Test("sign-ins that need no code, and those that cannot be evaluated, are reported")
  func signInsWithoutCode() throws {
    func facts(_ change: (inout MemoryHost) -> Void) throws -> ReportFacts {
      var host = MemoryHost()
      change(&host)
      var facts = Self.goodFacts
      facts.add(try HostSnapshot(of: host))
      return facts
    }
    let sound = try facts { _ in }
    #expect(sound.servicesUsingModule == ["login", "sshd", "su", "sudo"] && sound.hasSSHD)
    #expect(sound.signInsWithoutCode.isEmpty, "\(sound.signInsWithoutCode)")
    let rows: [(Int, (inout MemoryHost) -> Void, String)] = [
      (
        1, { $0.sshdOfOthers.replace("authenticationmethods keyboard-interactive\n", with: "") },
        "users who sign in by ssh with a key are never asked for a code"
      ),
      (2, { $0.sshdOfOthers.replace("usepam yes", with: "usepam no") }, "UsePAM is no"),
      (
        3, { $0.stacks.files["login"] = "auth sufficient x.so\n" + MemoryHost.Stacks.sound },
        "/pam/login:1: users who pass x.so are never asked"
      ),
      (
        4, { $0.stacks.files["login"] = "auth optional pam_mfa.so\nauth required pam_unix.so\n" },
        "/pam/login:1: a wrong code does not deny the sign-in"
      ),
      (
        5, { $0.sshd = .failure(AdminError(at: "/usr/sbin/sshd", "late")) },
        "cannot check sshd's settings"
      ),
      (6, { $0.stacks.files["login"] = "auth include nothing\n" }, "/pam/login:1: "),
      (
        7, { $0.stacks.files["sudo"] = "auth required pam_mfa.so config=/x.conf\n" },
        "/pam/sudo:1: sudo uses /x.conf, which is not checked here"
      ),
    ]
    for (row, change, expected) in rows {
      let found = try facts(change).signInsWithoutCode
      #expect(found.count == 1 && found[0].contains(expected), "row \(row): \(found)")
    }
    // Sign-ins that cannot prompt for a code are denied.
    let silenced = try facts {
      $0.sshdOfOthers.replace(
        "kbdinteractiveauthentication yes", with: "kbdinteractiveauthentication no")
    }
    #expect(silenced.signInsWithoutCode.isEmpty, "\(silenced.signInsWithoutCode)")
    let absent = try facts { $0.sshd = .success(nil) }
    #expect(absent.signInsWithoutCode.isEmpty, "without sshd: \(absent.signInsWithoutCode)")
    let none = try facts { host in
      for name in ["login", "sshd", "su", "sudo"] { host.stacks.files[name] = nil }
    }
    #expect(none.servicesUsingModule.isEmpty && !none.hasSSHD)
  }

  @Test func namesWhereSettingsComeFrom() throws {
    let text = Self.strict + "[tenant guests]\nusers = g\nstate = observe\n"
    let report = Report(try configuration(text), Self.goodFacts)
    let shown = report.text(columns: 80)
    #expect(shown.contains("    state = enabled  # /mfa.conf:2\n"))
    #expect(shown.contains("    [tenant guests] state = observe  # /mfa.conf:6\n"))
    #expect(shown.contains("    - [tenant guests]: no sign-in is denied\n"))
    #expect(shown.contains("    disable_after = 100  # default\n"))
    #expect(shown.contains("NIST SP 800-63B-4 3.2.2  NOT MET\n"))
    #expect(shown.hasSuffix("outside of this software\n"))
    for width in [40, 60, 80] {
      for line in report.text(columns: width).split(separator: "\n") {
        #expect(line.count <= width || !line.dropFirst(6).contains(" "), "\(width): \(line)")
      }
    }
    let json = report.json.text
    #expect(json.contains("\"place\": \"/mfa.conf:6\"") && json.contains("\"status\": \"not-met\""))
  }

  @Test func countsAreShown() throws {
    var facts = Self.goodFacts
    facts.events = [
      "enrolled": 1, "enrolled-by-ticket": 2, "imported": 4, "unenrolled": 8, "revoked": 16,
      "recovery-code-used": 32, "bypass-made": 64, "bypass-used": 128,
    ]
    facts.bypasses = 3
    let text = Report(try configuration(Self.strict + "adjacent_intervals = 2\n"), facts)
      .text(columns: 200)
    for line in [
      "bound: 7, removed: 24", "with a period of 30 s, a code is valid for 150 s in [project]",
      "bound with an administrator's ticket: 2, imported by an administrator: 4",
      "used: 32",
      "each bypass code has a reason and an expiry; created: 64, used: 128, valid now: 3",
    ] {
      #expect(text.contains("    - \(line)\n"), "\(line)")
    }
  }

  @Test func countsWhatIsStored() throws {
    var facts = ReportFacts()
    let sealed = [UInt8](repeating: 0, count: 12 + 16 + 13)
    let weak = try factor(try id(1), "old", sealedSecret: sealed)
    let good = try factor(try id(2), "new", sealedSecret: sealed + [0])
    facts.add(try report("alice", [weak, good], failures: 100, .locked), now: 0)
    facts.add(try report("bob", [good]), now: 0)
    facts.add(report("carol", .strayFile), now: 0)
    #expect(facts.users == 2 && facts.factors == 3 && facts.weakKeys == 1)
    #expect(facts.locked == 1 && facts.unusable == 1 && facts.longestPeriod == 30)
    #expect(facts.withRecoveryCodes == 0 && facts.withShortRecoveryCodes == 0)
    #expect(facts.bypasses == 0)
  }

  @Test(
    "unlocks of locked factors are counted",
    arguments: [
      (1, "event=unlocked name=locked", 1), (2, "event=restore-accepted name=locked", 1),
      (3, "event=unlocked name=throttled", 0), (4, "event=enrolled name=locked", 0),
    ])
  func unlocks(row: Int, entry: String, count: Int) {
    var facts = ReportFacts()
    facts.add(AuditLogEntry(AuditLogReading.Line(text: Array(entry.utf8), number: 1, kind: .torn)))
    #expect(facts.unlockedFactors == count, "row \(row)")
  }

  @Test func countsRecoveryCodesAndGrants() throws {
    var facts = ReportFacts()
    let digest = [UInt8](repeating: 0, count: RecoveryCodeDigest.length)
    for (number, kind) in [RecoveryCodeDigest.Kind.generated, .imported].enumerated() {
      var record = try record("user-\(number)", [try factor(try id(1), "phone")])
      record.setRecoveryCodes([try #require(RecoveryCodeDigest(kind: kind, bytes: digest))], at: 1)
      for (byte, kind, end) in [(1, .bypass, 100), (2, .bypass, 10), (3, .ticket, 100)]
        as [(UInt8, Grant.Kind, Int64)]
      {
        let grant = Grant(
          kind: kind, id: try #require(GrantID(bytes: [0, 0, 0, byte])), madeAt: 1, expiresAt: end,
          usesLeft: 1, reason: nil, digest: digest)
        #expect(record.add(try #require(grant)))
      }
      let snapshot = FactorSnapshot(record: record, attempts: AttemptState(record: record.id))
      facts.add(
        UserReport(name: record.user.bytes, content: .usable(UserSummary(snapshot, .open))), now: 50
      )
    }
    #expect(facts.withRecoveryCodes == 2 && facts.withShortRecoveryCodes == 1)
    #expect(facts.withUsedRecoveryCodes == 1)
    #expect(facts.bypasses == 2)
  }

  @Test func phonesNeedAnAlternative() throws {
    let requirement =
      ".1.3.3: users of codes by text message also have an authenticator that is not restricted"
    var facts = Self.goodFacts
    #expect(
      !Report(try configuration(Self.strict), facts).items.contains {
        $0.section.hasSuffix("3.1.3.3")
      })
    facts.phones = 1
    #expect(try notMet(Self.strict, facts) == [])
    facts.phoneOnly = ["alice"]
    #expect(try notMet(Self.strict, facts) == [requirement])
    let text = Report(try configuration(Self.strict), facts).text(columns: 200)
    #expect(text.contains("phones: 1, users with nothing but a phone: alice"))
  }
}
