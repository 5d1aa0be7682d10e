import MFAAttempt
import MFABase
import MFASignInTestSupport
import MFAWire
import Testing

@testable import MFAModel
@testable import MFASignIn

@Suite("The client's address")
struct AddressTests {
  struct Row {
    /// PAM_RHOST.
    let host: String?
    var service = "sshd"
    /// The peer address of the connection.
    var peer: String?
    /// The address used for the sign-in.
    let expected: String?
  }

  static let rows = [
    // A numeric address is used as given, and the connection is not examined.
    Row(host: "192.0.2.1", peer: "198.51.100.1", expected: "192.0.2.1"),
    Row(host: "2001:db8::1", peer: "198.51.100.1", expected: "2001:db8::1"),
    Row(host: "::ffff:192.0.2.1", peer: "198.51.100.1", expected: "192.0.2.1"),
    // A name, even if it resembles an address.
    Row(host: "host.example", peer: "198.51.100.1", expected: "198.51.100.1"),
    Row(host: "192.0.2.1.example", peer: "198.51.100.1", expected: "198.51.100.1"),
    Row(host: "192.0.2.1.", peer: "198.51.100.1", expected: "198.51.100.1"),
    Row(host: "192.0.2.01", peer: "2001:db8::2", expected: "2001:db8::2"),
    Row(host: "192.513", peer: "2001:db8::2", expected: "2001:db8::2"),
    Row(host: "0xC0000201", peer: "2001:db8::2", expected: "2001:db8::2"),
    Row(host: "fe80::1%eth0", peer: "fe80::1", expected: "fe80::1"),
    Row(host: "UNKNOWN", peer: "::ffff:192.0.2.9", expected: "192.0.2.9"),
    // No connection, or several.
    Row(host: "host.example", expected: nil),
    Row(host: "192.0.2.1.example", expected: nil),
    // Without PAM_RHOST, the connection belongs to a different client.
    Row(host: nil, peer: "198.51.100.1", expected: nil),
    Row(host: "", peer: "198.51.100.1", expected: nil),
    // Other services have other kinds of connections.
    Row(host: "host.example", service: "login", peer: "198.51.100.1", expected: nil),
    Row(host: "host.example", service: "sshd2", peer: "198.51.100.1", expected: nil),
    Row(host: "192.0.2.1", service: "login", expected: "192.0.2.1"),
  ]

  private func address(_ text: String?) -> IPAddress? {
    text.flatMap { IPAddress(Array($0.utf8).span) }
  }

  private func request(_ row: Row) -> SignInRequest {
    SignInRequest(service: row.service, remoteHost: row.host)
  }

  @Test("the address is a numeric PAM_RHOST, the peer address, or unknown", arguments: rows)
  func numericAddress(row: Row) throws {
    let host = ScriptedHost()
    host.peerAddress = address(row.peer)?.bits
    let signIn = SignInRun(request(row), host: host, application: ScriptedApplication())
    #expect(try signIn.prepared().numericAddress() == address(row.expected))
  }

  /// If the address is unknown, the stricter state applies, whichever that is.
  @Test("a tenant's networks are compared only with this address", arguments: rows)
  func tenants(row: Row) throws {
    for state in ["disabled", "enabled"] {
      let host = ScriptedHost()
      host.peerAddress = address(row.peer)?.bits
      let network = row.expected.map { $0 + ($0.contains(":") ? "/128" : "/32") } ?? "::/0"
      host.configuration = """
        [project]
        state = \(state == "disabled" ? "enabled" : "disabled")
        [tenant here]
        networks = \(network)
        state = \(state)

        """
      let known = try #require(host.account)
      _ = try host.memory.enroll("Phone", secret: KnownFactor.secret, for: known)
      let application = ScriptedApplication([.text("")])
      let verdict = SignInRun(request(row), host: host, application: application).authenticate()
      let isOn = state == "enabled" || row.expected == nil
      #expect(verdict == (isOn ? .deny : .pass), "\(state)")
    }
  }

  @Test("the connection is examined only if a tenant has networks")
  func onlyWhereItMatters() {
    let named = Row(host: "host.example", peer: "192.0.2.1", expected: nil)
    let numeric = Row(host: "192.0.2.1", expected: nil)
    let networks = "[tenant here]\nnetworks = 192.0.2.0/24\nstate = enabled\n"
    for (configuration, row, questions) in [
      ("", named, 0), ("[tenant here]\nservices = sshd\n", named, 0), (networks, numeric, 0),
      (networks, named, 1),
    ] {
      let host = ScriptedHost()
      host.configuration = "[project]\n" + configuration
      let application = ScriptedApplication([.text("")])
      _ = SignInRun(request(row), host: host, application: application).authenticate()
      #expect(host.factQuestions == questions, "\(configuration)")
    }
  }
}

/// `alice` signs in; `bob` has the same uid.
@Suite("Sign-ins of accounts whose uid has several names")
struct SharedIdentityTests {
  let host = ScriptedHost()
  let bob = Account(name: Array("bob".utf8), uid: 1000)

  init() { host.others = [Account(name: Array("carol".utf8), uid: 1000), bob] }

  private func request(_ arguments: [String] = []) -> SignInRequest {
    SignInRequest(service: "login", arguments: arguments)
  }

  private func signIn(_ answers: [String]) -> (Verdict, ScriptedApplication) {
    let application = ScriptedApplication(answers.map { .text($0) })
    let verdict = SignInRun(request(), host: host, application: application).authenticate()
    return (verdict, application)
  }

  private func enroll(_ account: Account) throws {
    _ = try host.memory.enroll("Phone", secret: KnownFactor.secret, for: account)
  }

  @Test("codes of a factor under another name are required, and accepted once")
  func anotherNamesCode() throws {
    try enroll(bob)
    let code = try host.code()
    let (wrong, asked) = signIn([try host.wrongCode()])
    #expect(wrong == .deny && asked.prompts == ["Verification code: "])
    #expect(host.memory.attempts.failures == 1, "the attempt counts")
    #expect(signIn([code]).0 == .allow)
    #expect(signIn([code]).0 == .deny, "the code is used")
  }

  @Test(
    "enrolment during a sign-in is for users without a factor under any name",
    arguments: ["self-service", "required"])
  func account(enrollment: String) throws {
    host.configuration = "[project]\nenrollment = \(enrollment)\n"
    try enroll(bob)
    let application = ScriptedApplication()
    let signIn = SignInRun(request(), host: host, application: application)
    #expect(signIn.checkAccount() == .allow)
    #expect(application.prompts.isEmpty)
  }

  @Test("an account's own factors take precedence")
  func ownFactors() throws {
    try enroll(try #require(host.account))
    host.othersFailure = SystemError(.lookUpAccount, number: 5)
    #expect(signIn([try host.code()]).0 == .allow, "no other name is looked up")
  }

  @Test("if no name has a factor, there is no prompt")
  func nobodyIsEnrolled() throws {
    let (verdict, application) = signIn([])
    #expect(verdict == .pass && application.prompts.isEmpty)
  }

  @Test("if the other names cannot be looked up, the sign-in is denied")
  func failure() throws {
    host.othersFailure = SystemError(.lookUpAccount, number: 5)
    #expect(signIn([]).0 == .deny)
    let application = ScriptedApplication()
    #expect(SignInRun(request(), host: host, application: application).checkAccount() == .deny)
  }
}

@Suite("Names of drop-ins")
struct DropInNameTests {
  @Test(
    "only plain names that end in .conf are drop-ins",
    arguments: [
      ("a.conf", true), ("10-site_2.conf", true), ("a.b.conf", true), ("a.conf.conf", true),
      (".conf", false), (".a.conf", false), ("", false), ("conf", false), ("aconf", false),
      ("a.conf~", false), ("a.conf.bak", false), ("a b.conf", false), ("a.confa.con", false),
    ])
  func dropIns(name: String, isDropIn: Bool) {
    #expect(Configuration.isDropIn(Array(name.utf8)) == isDropIn)
  }
}

@Suite("How sshd ends a sign-in")
struct SecureShellEndTests {
  let host = ScriptedHost()

  private func signIn(_ service: String, _ arguments: [String] = [], methods: String? = "") throws
    -> Verdict
  {
    if host.memory.record == nil {
      try host.enroll()
    }
    host.memory.attempts = AttemptState(
      record: host.memory.attempts.record, failures: 100, lastFailure: 0,
      watermarks: host.memory.attempts.watermarks)
    let request = SignInRequest(service: service, arguments: arguments)
    let application = ScriptedApplication([.text("000000")])
    application.methods = methods
    return SignInRun(request, host: host, application: application).authenticate()
  }

  @Test("if another method is left, sshd withdraws the methods of PAM")
  func otherMethod() throws {
    #expect(try signIn("sshd") == .tooManyAttempts)
  }

  @Test("if another method has succeeded, or none may be left, sshd only starts PAM no more")
  func noOtherMethod() throws {
    #expect(try signIn("sshd", methods: "publickey ssh-ed25519 AAAA") == .endSignIn)
    #expect(try signIn("sshd", methods: nil) == .endSignIn)
    host.secureShell = .unknown
    #expect(try signIn("sshd") == .endSignIn)
  }

  @Test("other services and hidden refusals do not depend on sshd")
  func otherServices() throws {
    host.secureShell = .unknown
    for service in ["login", "remote"] { #expect(try signIn(service) == .tooManyAttempts) }
    #expect(try signIn("sshd", ["forward_pass"]) == .deny)
  }

  @Test("a program that may not end after PAM_MAXTRIES is told that the user is denied")
  func otherEnds() throws {
    for service in ["cockpit", "gdm-password", "sudo", "su", "polkit-1", "unknown", "sshd2", ""] {
      #expect(try signIn(service) == .deny, "\(service)")
    }
  }

  @Test("sshd's client reads why a sign-in ends as a question, and others as a message")
  func closing() throws {
    host.configuration = "[project]\nlanguage = fr\n"
    try host.enroll()
    host.memory.attempts = AttemptState(
      record: host.memory.attempts.record, failures: 100, lastFailure: 0,
      watermarks: host.memory.attempts.watermarks)
    func signIn(_ service: String, _ arguments: [String] = []) -> ScriptedApplication {
      let request = SignInRequest(service: service, arguments: arguments)
      let application = ScriptedApplication([.text("")])
      application.answersClosing = true
      _ = SignInRun(request, host: host, application: application).authenticate()
      return application
    }
    let sshd = signIn("sshd")
    #expect(sshd.told.isEmpty && sshd.isUsedUp)
    #expect(
      sshd.prompts == [
        "\nTrop de codes incorrects. Vos appareils sont verrouillés.\nDemandez à un administrateur "
          + "de les déverrouiller.\nCette connexion n’accepte plus ni mot de passe ni code.\n"
          + "Appuyez sur Entrée : (echo)"
      ])
    let login = signIn("login")
    #expect(login.prompts.isEmpty && login.told.count == 1)
    #expect(login.told.first?.hasSuffix("de les déverrouiller.") == true, "\(login.told)")
    // The application can ask only once.
    let once = signIn("sshd", ["use_first_pass"])
    #expect(once.prompts.isEmpty && once.told.count == 1)
  }

  @Test("the seconds that are left begin with the connection")
  func secondsLeft() throws {
    func left(_ service: String = "sshd") throws -> Int64? {
      let request = SignInRequest(service: service)
      return try SignInRun(request, host: host, application: ScriptedApplication()).prepared()
        .secondsLeft()
    }
    #expect(try left() == nil)
    // The connection began 970 s after the machine was started.
    let ticks: [UInt8] = [0, 0, 0, 0, 0, 1, 0x7A, 0xE8]
    host.session = SignInOrigin(
      .session, Array(repeating: UInt8(ascii: "b"), count: 36) + [0, 0, 0, 7] + ticks)
    #expect(try left() == 90)
    #expect(try left("login") == nil)
    host.sinceBoot = 1300
    #expect(try left() == 0)
    host.sinceBoot = 900
    #expect(try left() == nil)
    host.sinceBoot = nil
    #expect(try left() == nil)
  }
}
