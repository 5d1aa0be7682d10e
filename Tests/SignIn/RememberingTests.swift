import MFAWire
import MFAAttempt
import MFAStore
import MFAModel
import MFASignIn
import MFASignInTestSupport
import MFABase
import Testing

@Suite("Remembered codes at a sign-in")
struct RememberingTests {
  static let everywhere = """
    [project]
    remember = 8h
    remember_services = sshd, cockpit
    """

  let host = ScriptedHost()

  init() throws {
    host.configuration = Self.everywhere
    let account = try #require(host.account)
    _ = try host.memory.enroll("Pixel", secret: KnownFactor.secret, for: account)
  }

  /// A sign-in: its service, address, earlier methods, arguments and terminal.
  struct Attempt: Sendable {
    var service = "sshd"
    var address: String? = "192.0.2.1"
    var methods: String? = "publickey ssh-ed25519 AAAA\n"
    var arguments: [String] = []
    var terminal: String?
  }

  private func signIn(_ attempt: Attempt, _ answers: [String] = []) -> (Verdict, [String]) {
    let application = ScriptedApplication(answers.map { .text($0) })
    application.methods = attempt.methods
    let request = SignInRequest(
      service: attempt.service, remoteHost: attempt.address, terminal: attempt.terminal,
      arguments: attempt.arguments)
    let verdict = SignInRun(request, host: host, application: application).authenticate()
    return (verdict, application.prompts)
  }

  private func prove(_ attempt: Attempt) throws {
    let (verdict, prompts) = signIn(attempt, [try host.code()])
    try #require(verdict == .allow && prompts.count == 1)
  }

  /// Returns whether the sign-in succeeds without a prompt.
  private func isRemembered(_ attempt: Attempt) -> Bool {
    let (verdict, prompts) = signIn(attempt)
    #expect(verdict != .allow || prompts.isEmpty)
    return verdict == .allow
  }

  struct Row: Sendable {
    let what: String
    let attempt: Attempt
    let isRemembered: Bool

    init(_ what: String, _ attempt: Attempt, _ isRemembered: Bool) {
      self.what = what
      self.attempt = attempt
      self.isRemembered = isRemembered
    }
  }

  @Test(
    "a code is remembered for the same address, keys and listed services",
    arguments: [
      Row("the same attempt", Attempt(), true),
      Row("another listed service", Attempt(service: "cockpit"), true),
      Row("a service that is not listed", Attempt(service: "vsftpd"), false),
      Row("another address", Attempt(address: "192.0.2.2"), false),
      Row("the address in IPv6 notation", Attempt(address: "::ffff:192.0.2.1"), true),
      Row("a host name", Attempt(address: "laptop.example"), false),
      Row("no address", Attempt(address: nil), false),
      Row("an empty address", Attempt(address: ""), false),
      Row("another key", Attempt(methods: "publickey ssh-ed25519 AAAB\n"), false),
      Row("no key", Attempt(methods: ""), false),
      Row("methods that cannot be read", Attempt(methods: nil), false),
      Row("the password with the code", Attempt(arguments: ["forward_pass"]), false),
      Row("an earlier answer", Attempt(arguments: ["use_first_pass"]), false),
      Row("debugging", Attempt(arguments: ["debug"]), true),
    ])
  func place(_ row: Row) throws {
    try prove(Attempt())
    #expect(isRemembered(row.attempt) == row.isRemembered, "\(row): \(row.what)")
  }

  @Test("if the earlier methods cannot be read, no code is remembered")
  func unreadableMethods() throws {
    try prove(Attempt(methods: nil))
    #expect(!isRemembered(Attempt(methods: nil)))
    #expect(!isRemembered(Attempt(methods: "")))
  }

  @Test("a host name is replaced by the peer address of sshd's connection")
  func name() throws {
    var attempt = Attempt(address: "laptop.example")
    host.peerAddress = 0xFFFF_C000_0201
    try prove(attempt)
    #expect(isRemembered(attempt))
    #expect(isRemembered(Attempt()), "the same address")
    host.peerAddress = 0xFFFF_C000_0202
    #expect(!isRemembered(attempt))
    attempt.service = "cockpit"
    #expect(!isRemembered(attempt))
  }

  @Test(
    "a remembered code is valid up to the age in the policy",
    arguments: [
      (1, Int64(0), true), (2, 28_800, true), (3, 28_801, false), (4, -1, false),
    ])
  func age(row: Int, seconds: Int64, expected: Bool) throws {
    try prove(Attempt())
    host.time += seconds
    #expect(isRemembered(Attempt()) == expected, "row \(row)")
  }

  @Test("a sign-in with a remembered code does not extend its validity")
  func noYounger() throws {
    try prove(Attempt())
    host.time += 20_000
    #expect(isRemembered(Attempt()))
    host.time += 20_000
    #expect(!isRemembered(Attempt()))
  }

  @Test(
    "the policy can exclude sign-ins from remembering",
    arguments: [
      (1, "[project]\n", false),
      (2, "[project]\nremember = off\nremember_services = sshd\n", false),
      (3, everywhere + "\n[tenant a]\nusers = alice\nremember = off\n", false),
      (4, everywhere + "\n[tenant a]\nusers = bob\nremember = off\n", true),
      (5, everywhere + "\n[tenant a]\ngroups = wheel\nremember = off\n", false),
      (6, everywhere + "\n[tenant a]\ngroups = wheel\nadjacent_intervals = 1\n", true),
      (7, everywhere + "\n[tenant a]\ngroups = wheel\nfresh_for = 1h\n", false),
      (8, everywhere + "\n[tenant a]\nusers = alice\nremember_services = cockpit\n", false),
      (9, everywhere + "\n[tenant a]\nusers = alice\nfresh_for = 1h\n", true),
      (10, "[project]\n[tenant a]\nusers = alice\nfresh_for = 1h\n", true),
      (11, everywhere + "\n[tenant a]\nservices = sshd\nremember = off\n", false),
    ])
  func excluded(row: Int, configuration: String, expected: Bool) throws {
    try prove(Attempt())
    host.configuration = configuration
    // The group lookup fails.
    host.groups = nil
    #expect(isRemembered(Attempt()) == expected, "row \(row)")
  }

  @Test("if the policy remembers no codes, none is stored")
  func nothingKept() throws {
    host.configuration = "[project]\n"
    try prove(Attempt())
    #expect(host.memory.attempts.remembered.entries.isEmpty)
  }

  @Test("wrong and used codes are not remembered")
  func wrongCode() throws {
    _ = signIn(Attempt(), [try host.wrongCode()])
    #expect(host.memory.attempts.remembered.entries.isEmpty)
    try prove(Attempt())
    host.memory.attempts = host.memory.attempts.forgetting()
    _ = signIn(Attempt(), [try host.code()])
    #expect(host.memory.attempts.remembered.entries.isEmpty)
  }

  @Test("wrong codes from other clients do not throttle a remembered sign-in")
  func waiting() throws {
    try prove(Attempt())
    for _ in 0..<5 {
      _ = signIn(Attempt(address: "198.51.100.7"), [try host.wrongCode()])
    }
    let failures = host.memory.attempts.failures
    #expect(failures == 5)
    #expect(isRemembered(Attempt()))
    #expect(host.memory.attempts.failures == failures, "a remembered sign-in resets no failures")
    #expect(signIn(Attempt(address: "198.51.100.7")).0 == .endSignIn)
  }

  @Test("locked factors deny remembered sign-ins too")
  func disabled() throws {
    host.configuration = Self.everywhere + "\nthrottle_after = 1\ndisable_after = 1\n"
    try prove(Attempt())
    _ = signIn(Attempt(address: "198.51.100.7"), [try host.wrongCode()])
    #expect(signIn(Attempt()).0 == .endSignIn)
  }

  @Test("the log contains the age of the code")
  func logged() throws {
    try prove(Attempt())
    host.time += 61
    let application = ScriptedApplication()
    application.methods = Attempt().methods
    let request = SignInRequest(remoteHost: "192.0.2.1")
    _ = SignInRun(request, host: host, application: application).authenticate()
    #expect(
      application.logged == [
        "result=remembered user=alice service=sshd rhost=192.0.2.1 tty=- age=61"
      ])
    #expect(application.told.isEmpty)
  }

  @Test(
    "any failure denies",
    arguments: [
      (1, MemoryStore.Step.lock), (2, .write(failures: 0)), (3, .sync),
    ])
  func failures(row: Int, step: MemoryStore.Step) throws {
    host.configuration = Self.sudo
    host.session = SignInOrigin(.session, [1])
    try prove(Attempt())
    host.session = SignInOrigin(.session, [2])
    host.memory.failure = (step, .system(.attempts, SystemError(.write, number: 28)))
    #expect(signIn(Attempt()).0 == .deny, "row \(row)")
  }

  // MARK: Sessions

  static let sudo =
    everywhere + """

      [tenant step-up]
      services = sudo
      fresh_for = 15m
      """

  private var sudo: Attempt { local("sudo") }

  /// Returns a sign-in at the controlling terminal of the process.
  private func local(_ service: String) -> Attempt {
    Attempt(service: service, address: nil, methods: "", terminal: "/dev/pts/3")
  }

  private func run(as user: UInt32) {
    host.identity = ProcessIdentity(user: user, actsAsRoot: true, isConfined: false)
  }

  @Test(
    "a code of the session is recent for the configured time, and then required again",
    arguments: [
      (1, Int64(900), [UInt8(7)], true), (2, 901, [7], false), (3, 900, [8], false),
      (4, 900, [9, 8, 7], true), (5, 900, [], false),
    ])
  func stepUp(row: Int, seconds: Int64, sessions: [UInt8], expected: Bool) throws {
    host.configuration = Self.sudo
    run(as: 1000)
    host.session = SignInOrigin(.session, [7])
    try prove(Attempt())
    host.time += seconds
    host.enclosingSessions = sessions.map { SignInOrigin(.session, [$0]) }
    #expect(isRemembered(sudo) == expected, "row \(row)")
  }

  @Test("a code for sudo is recent for the next sudo in the session")
  func sudoTwice() throws {
    host.configuration = Self.sudo
    run(as: 1000)
    host.session = SignInOrigin(.session, [7])
    host.enclosingSessions = [SignInOrigin(.session, [7])]
    try prove(sudo)
    host.time += 600
    #expect(isRemembered(sudo))
    #expect(!isRemembered(Attempt()), "not for a sign-in from a different origin")
  }

  @Test("a sign-in with a remembered code passes the code's age on to the new session")
  func followed() throws {
    host.configuration = Self.sudo
    run(as: 1000)
    host.session = SignInOrigin(.session, [7])
    try prove(Attempt())
    host.time += 600
    host.session = SignInOrigin(.session, [8])
    #expect(isRemembered(Attempt()))
    host.enclosingSessions = [SignInOrigin(.session, [8])]
    #expect(isRemembered(sudo))
    host.time += 301
    #expect(!isRemembered(sudo))
  }

  /// The service, how it was started, and whether the session of the process is used.
  struct ServiceRow: Sendable {
    var service = "sudo"
    var caller: UInt32 = 1000
    var address: String?
    var terminal: String? = "/dev/pts/3"
    var controllingTerminal: String? = "pts/3"
    var leadsSession = false
    /// Whether a code is stored for the session of the process.
    var keeps = true
    /// Whether a code of the same session is accepted.
    var reads = true
    /// Whether a code of an enclosing session is accepted.
    var readsEnclosing = true

    static let rows = [
      ServiceRow(),
      ServiceRow(service: "sudo-i"),
      ServiceRow(service: "su"),
      ServiceRow(service: "su-l"),
      ServiceRow(service: "doas"),
      ServiceRow(terminal: "pts/3"),
      // su of a different user accepts only codes of its own session.
      ServiceRow(service: "su", caller: 1001, readsEnclosing: false),
      // A daemon that root started at a terminal, under any service name.
      ServiceRow(caller: 0, keeps: false, reads: false, readsEnclosing: false),
      ServiceRow(service: "login", caller: 0, keeps: false, reads: false, readsEnclosing: false),
      // The real login is the leader of the new session, which has no earlier code.
      ServiceRow(
        service: "login", caller: 0, leadsSession: true, reads: false,
        readsEnclosing: false),
      ServiceRow(
        service: "login", caller: 0, address: "192.0.2.1", leadsSession: true,
        keeps: false, reads: false, readsEnclosing: false),
      // Daemons, cron, screen lockers.
      ServiceRow(service: "vsftpd", keeps: false, reads: false, readsEnclosing: false),
      ServiceRow(service: "polkit-1", keeps: false, reads: false, readsEnclosing: false),
      ServiceRow(service: "xscreensaver", keeps: false, reads: false, readsEnclosing: false),
      ServiceRow(service: "", keeps: false, reads: false, readsEnclosing: false),
      // No terminal, or a terminal other than PAM_TTY.
      ServiceRow(controllingTerminal: nil, keeps: false, reads: false, readsEnclosing: false),
      ServiceRow(terminal: nil, keeps: false, reads: false, readsEnclosing: false),
      ServiceRow(terminal: "", keeps: false, reads: false, readsEnclosing: false),
      ServiceRow(terminal: "/dev/pts/4", keeps: false, reads: false, readsEnclosing: false),
      ServiceRow(address: "192.0.2.9", keeps: false, reads: false, readsEnclosing: false),
      // sshd starts a session for each connection.
      ServiceRow(
        service: "sshd", caller: 0, address: "192.0.2.9", terminal: "ssh",
        controllingTerminal: nil, reads: false, readsEnclosing: false),
      ServiceRow(
        service: "sshd", caller: 0, terminal: "ssh", controllingTerminal: nil,
        reads: false, readsEnclosing: false),
    ]
  }

  @Test("sessions are used only for services that belong to them", arguments: ServiceRow.rows)
  func sessionOfAService(row: ServiceRow) throws {
    host.configuration = "[project]\nfresh_for = 15m\n"
    host.controllingTerminal = row.controllingTerminal.map { Array($0.utf8) }
    host.leadsSession = row.leadsSession
    host.session = SignInOrigin(.session, [7])
    host.enclosingSessions = [SignInOrigin(.session, [7])]
    run(as: row.caller)
    let attempt = Attempt(
      service: row.service, address: row.address, methods: nil, terminal: row.terminal)
    try prove(attempt)
    let kept = host.memory.attempts.remembered.entries
    #expect(kept.contains { $0.place.kind == .session } == row.keeps, "\(row)")

    // A different sign-in has stored a code for the session.
    for (session, expected) in [(UInt8(7), row.reads), (8, row.readsEnclosing)] {
      host.enclosingSessions = [SignInOrigin(.session, [7]), SignInOrigin(.session, [8])]
      let account = try #require(host.account)
      let entry = try host.memory.entry(of: account, creating: false)
      let record = try #require(host.memory.record)
      var state = entry.attempts.forgetting()
      for digest in try entry.digests(of: [SignInOrigin(.session, [session])], in: record) {
        state = state.remembering(digest, at: host.time)
      }
      try entry.write(state)
      #expect(isRemembered(attempt) == expected, "\(row), session \(session)")
    }
  }

  @Test("sessions are not looked up unless the policy needs them")
  func noSession() throws {
    host.configuration = "[project]\nremember = 8h\nremember_services = sshd\n"
    host.session = SignInOrigin(.session, [7])
    try prove(Attempt())
    #expect(host.memory.attempts.remembered.entries.map { $0.place.kind } == [.address])
  }

  @Test("codes that are cleared during the sign-in are not accepted")
  func forgottenMeanwhile() throws {
    host.configuration = Self.sudo
    host.session = SignInOrigin(.session, [7])
    try prove(Attempt())
    host.session = SignInOrigin(.session, [8])
    host.memory.beforeLock = { host.memory.attempts = host.memory.attempts.forgetting() }
    #expect(!isRemembered(Attempt()))
  }
}
