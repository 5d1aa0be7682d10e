import FactorStore
import Factors
import Policy
import SignIn
import SignInTestSupport
import System
import Testing

@Suite("Codes that are remembered at a sign-in")
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

  /// A sign-in: from where, to what, with which methods before it, and what is typed.
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
      user: Array("alice".utf8), service: Array(attempt.service.utf8),
      remoteHost: attempt.address.map { Array($0.utf8) },
      terminal: attempt.terminal.map { Array($0.utf8) },
      arguments: attempt.arguments.map { Array($0.utf8) })
    let verdict = SignIn(request, host: host, application: application).authenticate()
    return (verdict, application.prompts)
  }

  private func prove(_ attempt: Attempt) throws {
    let (verdict, prompts) = signIn(attempt, [try KnownFactor.code(at: host.time)])
    try #require(verdict == .allow && prompts.count == 1)
  }

  /// Whether the sign-in asks nothing, and lets in.
  private func isRemembered(_ attempt: Attempt) -> Bool {
    let (verdict, prompts) = signIn(attempt)
    #expect(verdict != .allow || prompts.isEmpty)
    return verdict == .allow
  }

  struct Row: Sendable {
    let number: Int
    let what: String
    let attempt: Attempt
    let isRemembered: Bool

    init(_ number: Int, _ what: String, _ attempt: Attempt, _ isRemembered: Bool) {
      self.number = number
      self.what = what
      self.attempt = attempt
      self.isRemembered = isRemembered
    }
  }

  @Test(
    "the same address with the same keys, for a service listed",
    arguments: [
      Row(1, "the same", Attempt(), true),
      Row(2, "another service that is listed", Attempt(service: "cockpit"), true),
      Row(3, "a service that is not", Attempt(service: "vsftpd"), false),
      Row(4, "another address", Attempt(address: "192.0.2.2"), false),
      Row(5, "the address in IPv6 notation", Attempt(address: "::ffff:192.0.2.1"), true),
      Row(6, "a name", Attempt(address: "laptop.example"), false),
      Row(7, "no address", Attempt(address: nil), false),
      Row(8, "an empty one", Attempt(address: ""), false),
      Row(9, "another key", Attempt(methods: "publickey ssh-ed25519 AAAB\n"), false),
      Row(10, "no key", Attempt(methods: ""), false),
      Row(11, "methods that cannot be read", Attempt(methods: nil), false),
      Row(12, "the password with the code", Attempt(arguments: ["forward_pass"]), false),
      Row(13, "an earlier answer", Attempt(arguments: ["use_first_pass"]), false),
      Row(14, "debugging", Attempt(arguments: ["debug"]), true),
    ])
  func place(_ row: Row) throws {
    try prove(Attempt())
    #expect(isRemembered(row.attempt) == row.isRemembered, "row \(row.number): \(row.what)")
  }

  @Test("where the earlier methods cannot be read, no code is remembered")
  func unreadableMethods() throws {
    try prove(Attempt(methods: nil))
    #expect(!isRemembered(Attempt(methods: nil)))
    #expect(!isRemembered(Attempt(methods: "")))
  }

  @Test("a name counts by the address of sshd's connection")
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
    "up to the age that policy says",
    arguments: [
      (1, Int64(0), true), (2, 28_800, true), (3, 28_801, false), (4, -1, false),
    ])
  func age(row: Int, seconds: Int64, expected: Bool) throws {
    try prove(Attempt())
    host.time += seconds
    #expect(isRemembered(Attempt()) == expected, "row \(row)")
  }

  @Test("a sign-in by a remembered code makes it no younger")
  func noYounger() throws {
    try prove(Attempt())
    host.time += 20_000
    #expect(isRemembered(Attempt()))
    host.time += 20_000
    #expect(!isRemembered(Attempt()))
  }

  @Test(
    "never where policy says so",
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
    // Nobody knows whether she is in the group.
    host.groups = nil
    #expect(isRemembered(Attempt()) == expected, "row \(row)")
  }

  @Test("where no code is to be remembered, none is kept")
  func nothingKept() throws {
    host.configuration = "[project]\n"
    try prove(Attempt())
    #expect(host.memory.attempts.remembered.entries.isEmpty)
  }

  @Test("a wrong code is not remembered, nor one that was used")
  func wrongCode() throws {
    _ = signIn(Attempt(), [try KnownFactor.wrongCode(at: host.time)])
    #expect(host.memory.attempts.remembered.entries.isEmpty)
    try prove(Attempt())
    host.memory.attempts = host.memory.attempts.forgetting()
    _ = signIn(Attempt(), [try KnownFactor.code(at: host.time)])
    #expect(host.memory.attempts.remembered.entries.isEmpty)
  }

  @Test("somebody else's wrong codes make nobody wait who is remembered")
  func waiting() throws {
    try prove(Attempt())
    for _ in 0..<5 {
      _ = signIn(Attempt(address: "198.51.100.7"), [try KnownFactor.wrongCode(at: host.time)])
    }
    let failures = host.memory.attempts.failures
    #expect(failures == 5)
    #expect(isRemembered(Attempt()))
    #expect(host.memory.attempts.failures == failures, "nothing was proven")
    #expect(signIn(Attempt(address: "198.51.100.7")).0 == .tooManyAttempts)
  }

  @Test("disabled factors let nobody in")
  func disabled() throws {
    host.configuration = Self.everywhere + "\nthrottle_after = 1\ndisable_after = 1\n"
    try prove(Attempt())
    _ = signIn(Attempt(address: "198.51.100.7"), [try KnownFactor.wrongCode(at: host.time)])
    #expect(signIn(Attempt()).0 == .tooManyAttempts)
  }

  @Test("the log says how old the code was")
  func logged() throws {
    try prove(Attempt())
    host.time += 61
    let application = ScriptedApplication()
    application.methods = Attempt().methods
    let request = SignInRequest(
      user: Array("alice".utf8), service: Array("sshd".utf8), remoteHost: Array("192.0.2.1".utf8))
    _ = SignIn(request, host: host, application: application).authenticate()
    #expect(
      application.logged == [
        "result=remembered user=alice service=sshd rhost=192.0.2.1 tty=- age=61"
      ])
    #expect(application.told.isEmpty)
  }

  @Test(
    "whatever goes wrong on the way denies",
    arguments: [
      (1, MemoryStore.Step.lock), (2, .write(failures: 0)), (3, .sync),
    ])
  func failures(row: Int, step: MemoryStore.Step) throws {
    host.configuration = Self.sudo
    host.session = Place(.session, [1])
    try prove(Attempt())
    host.session = Place(.session, [2])
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

  /// A sign-in at the terminal that controls the process.
  private func local(_ service: String) -> Attempt {
    Attempt(service: service, address: nil, methods: "", terminal: "/dev/pts/3")
  }

  private func run(as user: UInt32) {
    host.identity = ProcessIdentity(user: user, actsAsRoot: true, isConfined: false)
  }

  @Test(
    "a code of the session is fresh for a while, and asked for anew then",
    arguments: [
      (1, Int64(900), [UInt8(7)], true), (2, 901, [7], false), (3, 900, [8], false),
      (4, 900, [9, 8, 7], true), (5, 900, [], false),
    ])
  func stepUp(row: Int, seconds: Int64, sessions: [UInt8], expected: Bool) throws {
    host.configuration = Self.sudo
    run(as: 1000)
    host.session = Place(.session, [7])
    try prove(Attempt())
    host.time += seconds
    host.enclosingSessions = sessions.map { Place(.session, [$0]) }
    #expect(isRemembered(sudo) == expected, "row \(row)")
  }

  @Test("a code for sudo is fresh for the next sudo of the session")
  func sudoTwice() throws {
    host.configuration = Self.sudo
    run(as: 1000)
    host.session = Place(.session, [7])
    host.enclosingSessions = [Place(.session, [7])]
    try prove(sudo)
    host.time += 600
    #expect(isRemembered(sudo))
    #expect(!isRemembered(Attempt()), "and for nobody who comes from elsewhere")
  }

  @Test("who came by a remembered code has one as old in the new session")
  func followed() throws {
    host.configuration = Self.sudo
    run(as: 1000)
    host.session = Place(.session, [7])
    try prove(Attempt())
    host.time += 600
    host.session = Place(.session, [8])
    #expect(isRemembered(Attempt()))
    host.enclosingSessions = [Place(.session, [8])]
    #expect(isRemembered(sudo))
    host.time += 301
    #expect(!isRemembered(sudo))
  }

  /// What asks, how it was started, and whether the session of the process counts.
  struct ServiceRow: Sendable {
    let number: Int
    var service = "sudo"
    var caller: UInt32 = 1000
    var address: String?
    var terminal: String? = "/dev/pts/3"
    var controllingTerminal: String? = "pts/3"
    var leadsSession = false
    /// Whether a code is kept for the session of the process.
    var keeps = true
    /// Whether a code that was typed in the same session is enough.
    var reads = true
    /// Whether a code that was typed in a session around it is enough.
    var readsEnclosing = true

    static let rows = [
      ServiceRow(number: 1),
      ServiceRow(number: 2, service: "sudo-i"),
      ServiceRow(number: 3, service: "su"),
      ServiceRow(number: 4, service: "su-l"),
      ServiceRow(number: 5, service: "doas"),
      ServiceRow(number: 6, terminal: "pts/3"),
      // Another user's su knows only what was typed in its own session.
      ServiceRow(number: 7, service: "su", caller: 1001, readsEnclosing: false),
      // A daemon that root started at a terminal, under whichever name.
      ServiceRow(number: 8, caller: 0, keeps: false, reads: false, readsEnclosing: false),
      ServiceRow(
        number: 9, service: "login", caller: 0, keeps: false, reads: false, readsEnclosing: false),
      // The true login leads the session that it begins: no earlier code belongs to it.
      ServiceRow(
        number: 10, service: "login", caller: 0, leadsSession: true, reads: false,
        readsEnclosing: false),
      ServiceRow(
        number: 11, service: "login", caller: 0, address: "192.0.2.1", leadsSession: true,
        keeps: false, reads: false, readsEnclosing: false),
      // Daemons, cron, screen lockers.
      ServiceRow(
        number: 12, service: "vsftpd", keeps: false, reads: false, readsEnclosing: false),
      ServiceRow(
        number: 13, service: "polkit-1", keeps: false, reads: false, readsEnclosing: false),
      ServiceRow(
        number: 14, service: "xscreensaver", keeps: false, reads: false, readsEnclosing: false),
      ServiceRow(number: 15, service: "", keeps: false, reads: false, readsEnclosing: false),
      // No terminal, or another one than PAM was told of.
      ServiceRow(
        number: 16, controllingTerminal: nil, keeps: false, reads: false, readsEnclosing: false),
      ServiceRow(number: 17, terminal: nil, keeps: false, reads: false, readsEnclosing: false),
      ServiceRow(number: 18, terminal: "", keeps: false, reads: false, readsEnclosing: false),
      ServiceRow(
        number: 19, terminal: "/dev/pts/4", keeps: false, reads: false, readsEnclosing: false),
      ServiceRow(
        number: 20, address: "192.0.2.9", keeps: false, reads: false, readsEnclosing: false),
      // sshd begins a session for each connection.
      ServiceRow(
        number: 21, service: "sshd", caller: 0, address: "192.0.2.9", terminal: "ssh",
        controllingTerminal: nil, reads: false, readsEnclosing: false),
      ServiceRow(
        number: 22, service: "sshd", caller: 0, terminal: "ssh", controllingTerminal: nil,
        reads: false, readsEnclosing: false),
    ]
  }

  @Test("a session counts only for a service that belongs to it", arguments: ServiceRow.rows)
  func sessionOfAService(row: ServiceRow) throws {
    host.configuration = "[project]\nfresh_for = 15m\n"
    host.controllingTerminal = row.controllingTerminal.map { Array($0.utf8) }
    host.leadsSession = row.leadsSession
    host.session = Place(.session, [7])
    host.enclosingSessions = [Place(.session, [7])]
    run(as: row.caller)
    let attempt = Attempt(
      service: row.service, address: row.address, methods: nil, terminal: row.terminal)
    try prove(attempt)
    let kept = host.memory.attempts.remembered.entries
    #expect(kept.contains { $0.place.kind == .session } == row.keeps, "row \(row.number)")

    // Another sign-in has kept a code of the session.
    for (session, expected) in [(UInt8(7), row.reads), (8, row.readsEnclosing)] {
      host.enclosingSessions = [Place(.session, [7]), Place(.session, [8])]
      let account = try #require(host.account)
      let entry = try host.memory.entry(of: account, creating: false)
      let record = try #require(host.memory.record)
      var state = entry.attempts.forgetting()
      for digest in try entry.digests(of: [Place(.session, [session])], in: record) {
        state = state.remembering(digest, at: host.time)
      }
      try entry.write(state)
      #expect(isRemembered(attempt) == expected, "row \(row.number), session \(session)")
    }
  }

  @Test("no session is looked at where policy asks for none")
  func noSession() throws {
    host.configuration = "[project]\nremember = 8h\nremember_services = sshd\n"
    host.session = Place(.session, [7])
    try prove(Attempt())
    #expect(host.memory.attempts.remembered.entries.map { $0.place.kind } == [.address])
  }

  @Test("what was forgotten while it was looked at is not followed")
  func forgottenMeanwhile() throws {
    host.configuration = Self.sudo
    host.session = Place(.session, [7])
    try prove(Attempt())
    host.session = Place(.session, [8])
    host.memory.beforeLock = { host.memory.attempts = host.memory.attempts.forgetting() }
    #expect(!isRemembered(Attempt()))
  }
}
