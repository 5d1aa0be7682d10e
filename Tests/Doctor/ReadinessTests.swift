import Foundation
@testable import MFAAdmin
import MFAAdminTestSupport
import MFABase
@testable import MFADoctor
import MFAModel
import MFASignInTestSupport
import MFATestSupport
import Testing

/// Readiness reports with a real store, whose folder must belong to root.
@Suite(.privateMachine) struct ReadinessTests {
  static let names = ["alice", "bob", "carol", "dave", "erin"]

  /// Five users: alice is ready, bob is throttled, carol is locked, dave has no factor, and erin's
  /// record is damaged. There is also an account that is not a personal one.
  private func store() throws -> TemporaryStore {
    let store = try TemporaryStore()
    try store.enroll("alice", uid: 1000, ["phone"])
    try store.enroll("bob", uid: 1001, ["phone"], failures: 5, lastFailure: TemporaryStore.now - 10)
    try store.enroll("carol", uid: 1002, ["phone"], failures: 100, lastFailure: 1)
    store.accounts["dave"] = 1003
    try store.enroll("erin", uid: 1004, ["phone"])
    try store.write([1], to: store.recordPath("erin"))
    store.listed = Self.names.enumerated().map { index, name in
      KnownAccount(
        account: Account(name: Array(name.utf8), uid: 1000 + UInt32(index)),
        shell: Array("/bin/bash".utf8))
    }
    store.listed.append(
      KnownAccount(
        account: Account(name: Array("daemon".utf8), uid: 1), shell: Array("/bin/sh".utf8)))
    return store
  }

  /// Returns lines such as `host 2/5: bob throttled; carol locked`.
  private func shown(
    _ store: TemporaryStore, _ text: String, tenant: String? = nil,
    isMember: @escaping (Account, [UInt8]) -> Bool? = { _, _ in false }
  ) throws -> [String] {
    let readiness = try readiness(store, text, tenant: tenant, isMember: isMember)
    #expect(isHarmless(readiness.text(columns: nil)))
    let data = Data(readiness.json.text.utf8)
    #expect(try JSONSerialization.jsonObject(with: data) is [String: Any])
    return readiness.scopes.map { scope in
      let locked = scope.lockedOut.map {
        "\(String(decoding: $0.account.name, as: UTF8.self)) \($0.obstacle.code)"
      }
      return
        "\(scope.name) \(scope.accounts.count - scope.lockedOut.count)/\(scope.accounts.count): "
        + locked.joined(separator: "; ")
    }
  }

  /// Surveys the accounts of a store at services with these files.
  private func readiness(
    _ store: TemporaryStore, _ text: String, tenant: String? = nil,
    services: [String: String] = [:], examined: (inout MemoryHost) -> Void = { _ in },
    isMember: @escaping (Account, [UInt8]) -> Bool? = { _, _ in false }
  ) throws -> Readiness {
    let rest = ScriptedHost()
    rest.configuration = text
    rest.stacks.files.merge(services) { $1 }
    var host = MemoryHost()
    host.stacks = MemoryHost.Stacks(files: rest.stacks.files)
    examined(&host)
    let survey = ReadinessSurvey(
      of: try HostSnapshot(of: host), under: try Configuration.parse(Array(text.utf8).span),
      on: StoreHost(files: store, rest: rest, isMemberOf: isMember))
    return try survey.readiness(
      of: try store.administration.loginAccounts(), tenant: tenant.map { Array($0.utf8) })
  }

  static let asking =
    "auth requisite pam_unix.so\nauth requisite pam_mfa.so\naccount required pam_permit.so\n"

  /// A stack, and the users whom it denies, with a part of the reason.
  struct StackRow: CustomTestStringConvertible {
    let number: Int
    var configuration = "[project]\n"
    var service = "sshd"
    var lines = asking
    var tenant: String?
    var examined: @Sendable (inout MemoryHost) -> Void = { _ in }
    /// The users who are denied, without those whom policy alone locks out.
    var denied: [String] = []
    var reason = ""
    var testDescription: String { "\(number)" }
  }

  static let stackRows = [
    StackRow(number: 1),
    StackRow(
      number: 2, lines: asking.replacing("\n", with: "\r\n"),
      examined: { $0.missingModules = ["pam_unix.so\r", "pam_mfa.so\r", "pam_permit.so\r"] },
      denied: names, reason: "denied: libpam cannot load"),
    StackRow(
      number: 3, lines: asking + "auth reqired pam_env.so\n", denied: names,
      reason: "cannot be predicted"),
    StackRow(
      number: 4, lines: asking.replacing("pam_mfa.so", with: "pam_mfa"),
      examined: { $0.missingModules = ["pam_mfa"] }, denied: names,
      reason: "denied: libpam cannot load pam_mfa"),
    // The service has nothing to do with the module.
    StackRow(number: 5, lines: "auth reqired pam_env.so\n"),
    // A tenant applies at its services and from its networks only.
    StackRow(
      number: 6,
      configuration: "[project]\n[tenant x]\nservices = vsftpd\nenrollment = required\n"),
    StackRow(
      number: 7,
      configuration: "[project]\n[tenant x]\nnetworks = 192.0.2.0/24\nenrollment = required\n",
      tenant: "x", denied: ["bob", "carol", "dave", "erin"],
      reason: "a factor is required, but none is enrolled"),
    StackRow(
      number: 8,
      configuration: "[project]\n[tenant x]\nnetworks = 192.0.2.0/24\nthrottle_first_wait = 10s\n",
      tenant: "x", denied: ["carol", "erin"], reason: "have locked the factors"),
    StackRow(
      number: 9,
      configuration: "[project]\n[tenant x]\nnetworks = 192.0.2.0/24\nstate = disabled\n",
      tenant: "x"),
    // sshd decides whether it uses PAM.
    StackRow(
      number: 10, configuration: "[project]\nenrollment = required\n",
      examined: {
        $0.sshdOfOthers = MemoryHost.sshdSettings.replacing("usepam yes", with: "usepam no")
          .replacing("keyboard-interactive\n", with: "password\n")
          .replacing("passwordauthentication no", with: "passwordauthentication yes")
      }),
    StackRow(
      number: 12,
      examined: {
        $0.sshdOfOthers = MemoryHost.sshdSettings.replacing("usepam yes", with: "usepam no")
      }, denied: names, reason: "sshd does not use PAM"),
    // The address from which users connect is not known.
    StackRow(
      number: 13,
      examined: { $0.sshdOfOthers += "allowusers *@10.0.0.0/8\ndenyusers dave@192.0.2.0/24\n" }),
    StackRow(
      number: 11, service: "sudo", lines: asking + "account required pam_deny.so\n", denied: names,
      reason: "the account lines of the service fail"),
  ]

  @Test("the sign-ins at services are predicted as explain does", arguments: stackRows)
  func services(row: StackRow) throws {
    let found = try readiness(
      try store(), row.configuration, tenant: row.tenant, services: [row.service: row.lines],
      examined: row.examined)
    // Bob, Carol and Erin are locked out by policy alone.
    let names = found.denied.map { String(decoding: $0.account.name, as: UTF8.self) }
    if row.denied.isEmpty {
      #expect(Set(names).isSubset(of: ["bob", "carol", "dave", "erin"]), "\(found.denied)")
      #expect(!names.contains("dave"), "\(found.denied)")
    } else {
      #expect(names == row.denied, "\(found.denied)")
      #expect(
        found.denied.contains { $0.obstacle.sentence.contains(row.reason) }, "\(found.denied)")
    }
    for line in found.text(columns: 80).split(separator: "\n") {
      #expect(TextWidth.of(String(line)) <= 80, "\(found.text(columns: 80))")
    }
  }

  @Test("who is denied at services is listed once, with the services and the reason")
  func denied() throws {
    var readiness = try readiness(try store(), "[project]\n")
    #expect(readiness.lockedOut.count == 3)
    let dave = Account(name: Array("dave".utf8), uid: 1003)
    let bob = Account(name: Array("bob".utf8), uid: 1001)
    for service in ["login", "su"] {
      for account in [dave, bob] {
        readiness.denied.append(
          Readiness.LockedOut(account: account, obstacle: .denied(at: [service], "denied: x")))
      }
    }
    #expect(readiness.lockedOut.count == 4)
    let text = readiness.text(columns: nil)
    #expect(text.hasPrefix("1 of 5 ready, these 4 would be locked out:\n"))
    #expect(text.contains("  dave at login, su: denied: x\n"), "\(text)")
    #expect(text.contains("  bob is throttled"), "\(text)")
    #expect(readiness.json.text.contains("\"reason\": \"denied\""), "\(readiness.json.text)")
  }

  @Test("a user who can enrol at one service is not locked out at another one")
  func enrolls() throws {
    let both = try readiness(
      try store(), "[project]\nenrollment = required\n",
      services: ["sshd": Self.asking + "account required pam_mfa.so\n", "sudo": Self.asking])
    #expect(both.hasToEnroll.map(\.name) == [Array("dave".utf8)], "\(both.text(columns: nil))")
    #expect(!both.lockedOut.contains { $0.who.account.name == Array("dave".utf8) })
    #expect(
      both.text(columns: nil).hasPrefix(
        "1 of 5 ready, 1 has to enrol at a sign-in, these 3 would be locked out:\n"),
      "\(both.text(columns: nil))")
    let none = try readiness(
      try store(), "[project]\nenrollment = required\n", services: ["sudo": Self.asking])
    #expect(none.hasToEnroll.isEmpty)
    #expect(none.lockedOut.contains { $0.who.account.name == Array("dave".utf8) })
  }

  /// A service, its lines, and the beginning of the decision about root, who has no factor and must have one.
  static let rootRows: [(service: String, lines: String, expected: String)] = [
    ("sudo", asking + "account required pam_mfa.so\n", "denied: "),
    ("sudo", asking, "let through: the program of this service runs no auth line for root"),
    ("su", asking, "denied: "), ("vsftpd", asking, "denied: "),
    ("chsh", "auth sufficient pam_rootok.so\n" + asking, "let through: the lines of the service"),
    (
      "chsh", "auth sufficient pam_rootok.so\n" + asking + "account required pam_mfa.so\n",
      "denied: "
    ),
    ("cron", asking, "let through: the program of this service runs no auth line"),
    ("cron", asking + "account required pam_mfa.so\n", "denied: "),
  ]

  @Test("root is denied where root's sign-ins and commands are", arguments: rootRows)
  func root(service: String, lines: String, expected: String) throws {
    let store = try TemporaryStore()
    store.accounts["root"] = 0
    let root = Account(name: Array("root".utf8), uid: 0)
    store.listed = [KnownAccount(account: root, shell: Array("/bin/sh".utf8))]
    let text = "[project]\nenrollment = required\n"
    let found = try readiness(store, text, services: [service: lines])
    #expect(
      found.lockedOut.isEmpty == expected.hasPrefix("let"), "\(found.text(columns: nil))")
    // A command that asks nothing does not make up for a sign-in that is denied.
    let both = try readiness(
      store, "[project]\n", services: [service: lines, "login": Self.asking],
      examined: { $0.withoutPassword = ["root"] })
    #expect(
      both.excluded.isEmpty == (service == "chsh"), "\(service): \(both.text(columns: nil))")
    let rest = ScriptedHost()
    rest.configuration = text
    rest.stacks.files[service] = lines
    var host = MemoryHost()
    host.stacks = MemoryHost.Stacks(files: rest.stacks.files)
    let explanation = Explanation(
      Explanation.Question(try #require(UserName(root.name)), at: Array(service.utf8)),
      rules: HostRules(of: host),
      on: StoreHost(files: store, rest: rest, isMemberOf: { _, _ in false }))
    #expect(
      explanation.decision.sentence.hasPrefix(expected), "\(explanation.decision.sentence)")
  }

  @Test("modules that can refuse users by rules of their own are not examined, which is said")
  func unknownModules() throws {
    let found = try readiness(
      try store(), "[project]\n",
      services: [
        "sudo": Self.asking + "account required pam_access.so\naccount optional pam_time.so\n"
          + "account [default=bad success=ok user_unknown=ignore] pam_sss.so\n"
          + "account sufficient pam_x.so\naccount requisite pam_y.so\n",
        "login": Self.asking + "account required pam_access.so\n",
      ])
    #expect(
      found.notExamined == [
        "whom pam_access.so refuses (/pam/login:4, /pam/sudo:4)",
        "whom pam_sss.so refuses (/pam/sudo:6)", "whom pam_y.so refuses (/pam/sudo:8)",
      ], "\(found.notExamined)")
  }

  @Test("users are let in whose lines are left out, or whose denial is ignored")
  func exempt() throws {
    for line in [
      "auth [success=1 default=ignore] pam_succeed_if.so user in bob:carol:dave:erin\n"
        + "auth requisite pam_mfa.so\nauth required pam_permit.so\n",
      "auth optional pam_mfa.so\n",
    ] {
      let found = try readiness(
        try store(), "[project]\nenrollment = required\n",
        services: [
          "sudo": "auth requisite pam_unix.so\n" + line + "account required pam_permit.so\n"
        ])
      #expect(found.text(columns: nil).hasPrefix("5 of 5 ready\n"), "\(found.text(columns: nil))")
    }
  }

  @Test("a user of whose factors no code is accepted, because the clock was ahead, is not ready")
  func codesUsedAhead() throws {
    let store = try store()
    let end = TemporaryStore.now / 30 + 1000
    try store.enroll("alice", uid: 1000, ["phone"], step: end)
    let found = try readiness(store, "[project]\n", services: ["sudo": Self.asking])
    #expect(
      found.text(columns: nil).contains("  alice at sudo: denied: no factor accepts a code before"),
      "\(found.text(columns: nil))")
  }

  @Test("a tenant whose services never ask is not examined, which is said")
  func tenantWithoutService() throws {
    let found = try readiness(
      try store(), "[project]\n[tenant x]\nservices = vsftpd\nenrollment = required\n",
      services: ["sudo": Self.asking])
    #expect(found.notExamined == ["tenant x: none of its services calls pam_mfa.so"])
    #expect(!found.lockedOut.contains { $0.who.account.name == Array("dave".utf8) })
  }

  static let others = "bob throttled; carol locked; erin unusable"

  static let rows: [(Int, String, [String])] = [
    (1, "[project]\n", ["host 2/5: \(others)"]),
    (
      2, "[project]\nenrollment = required\n",
      ["host 1/5: bob throttled; carol locked; dave not-enrolled; erin unusable"]
    ),
    // The report shows what would happen if observe mode ended.
    (
      3, "[project]\nstate = observe\nenrollment = required\n",
      ["host 1/5: bob throttled; carol locked; dave not-enrolled; erin unusable"]
    ),
    (4, "[project]\nstate = disabled\nenrollment = required\n", ["host 5/5: "]),
    (
      5, "[project]\nenrollment = offered\noffer_sign_ins = 3\n", ["host 2/5: \(others)"]
    ),
    (
      6, "[project]\nenrollment = offered\noffer_until = 2020-01-01\n",
      ["host 1/5: bob throttled; carol locked; dave offer-over; erin unusable"]
    ),
    // A tenant with users takes these users from the host.
    (
      7, "[project]\n[tenant x]\nusers = dave, alice\nenrollment = required\n",
      ["host 0/3: \(others)", "tenant x 1/2: dave not-enrolled"]
    ),
    // A tenant with services applies to all users of these services.
    (
      8, "[project]\n[tenant x]\nservices = sshd\nenrollment = required\n",
      [
        "host 2/5: \(others)",
        "tenant x 1/5: bob throttled; carol locked; dave not-enrolled; erin unusable",
      ]
    ),
    // If two tenants match, the later one applies.
    (
      9,
      """
      [project]
      [tenant x]
      services = sshd
      enrollment = required
      [tenant y]
      users = dave
      services = sshd
      enrollment = self-service

      """,
      [
        "host 2/5: \(others)", "tenant x 2/5: \(others)", "tenant y 1/1: ",
      ]
    ),
    // The tenant has its own throttle settings.
    (
      10, "[project]\n[tenant x]\nnetworks = 192.0.2.0/24\nthrottle_first_wait = 10s\n",
      ["host 2/5: \(others)", "tenant x 3/5: carol locked; erin unusable"]
    ),
  ]

  @Test("users who would be locked out are reported for the host and each tenant", arguments: rows)
  func table(row: Int, configuration: String, expected: [String]) throws {
    #expect(try shown(try store(), configuration) == expected, "row \(row)")
  }

  @Test("groups are looked up once, and a failed lookup counts for the stricter rule")
  func groups() throws {
    let text = """
      [project]
      [tenant x]
      groups = staff
      enrollment = required
      [tenant y]
      groups = staff, others
      throttle_after = 4

      """
    var asked: [String] = []
    let shown = try shown(try store(), text) { account, group in
      let name = String(decoding: account.name, as: UTF8.self)
      asked.append("\(name) \(String(decoding: group, as: UTF8.self))")
      return name == "dave" ? nil : name == "alice"
    }
    #expect(asked.count == Set(asked).count)
    #expect(
      shown == [
        "host 0/3: \(Self.others)", "tenant x 1/2: dave not-enrolled",
        "tenant y 1/2: dave not-enrolled",
      ])
  }

  @Test("a single tenant can be reported, and an unknown tenant is refused")
  func oneTenant() throws {
    let store = try store()
    let text = "[project]\n[tenant x]\nusers = dave\nenrollment = required\n"
    #expect(try shown(store, text, tenant: "x") == ["tenant x 0/1: dave not-enrolled"])
    #expect(throws: AdminError.noSuchTenant("y")) {
      try self.shown(store, text, tenant: "y")
    }
  }

  /// Counts sign-ins of dave without a factor. The lock on his entry is released at the end.
  private func putOff(_ count: UInt32, _ store: TemporaryStore) throws {
    let entry = try store.store.entry(
      of: Account(name: Array("dave".utf8), uid: 1003), creating: true)
    try entry.write(AttemptState(record: .zero, postponedSignIns: count))
    try entry.sync()
  }

  @Test("a bypass code or the rest of an offer lets users without a factor sign in")
  func unenrolled() throws {
    let store = try store()
    try putOff(3, store)
    let offered = "[project]\nenrollment = offered\noffer_sign_ins = 4\n"
    #expect(try shown(store, offered) == ["host 2/5: \(Self.others)"])
    let over = "[project]\nenrollment = offered\noffer_sign_ins = 3\n"
    #expect(try shown(store, over)[0].contains("dave offer-over"))
    _ = try store.administration.grant(
      .bypass, to: "dave", for: .minutes(30), uses: 1, reason: Grant.Reason([0x78]))
    #expect(try shown(store, over) == ["host 2/5: \(Self.others)"])
    #expect(try shown(store, "[project]\nenrollment = required\n") == ["host 2/5: \(Self.others)"])
  }

  @Test("the text for administrators")
  func text() throws {
    let readiness = try readiness(
      try store(), "[project]\n[tenant x]\nusers = dave\nenrollment = required\n")
    #expect(
      readiness.text(columns: nil) == """
        1 of 5 ready, these 4 would be locked out:
          bob is throttled for 20 s after too many wrong codes (host)
          carol is locked after too many wrong codes (host)
          dave has no factor, but must have one (tenant x)
          erin has a record that cannot be used: \(RecordProblem.store(.damaged(.record)).sentence) (host)
        not examined: the stacks of services, because none calls pam_mfa.so: this is what policy alone says
        host: 1 of 4 ready
        tenant x: 0 of 1 ready

        """)
  }

  @Test("all users without a factor are listed, and no others")
  func notEnrolled() throws {
    let reports = try store().administration.notEnrolled()
    #expect(reports.map(\.visibleName) == ["dave"])
    #expect(reports.map(\.standing) == ["not enrolled"])
  }
}
