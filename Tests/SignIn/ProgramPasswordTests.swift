import MFABase
import MFAModel
import MFAPAMStack
import MFASignIn
import MFASignInTestSupport
import MFAStore
import MFAWire
import Testing

/// Lines with the option `program_password`.
@Suite("Program passwords")
struct ProgramPasswordTests {
  let host = ScriptedHost()
  static let configuration = "[project]\nprogram_passwords = dovecot, smtp\n"

  init() { host.configuration = Self.configuration }

  private func signIn(
    _ application: ScriptedApplication, service: String = "dovecot", from address: String? = nil,
    _ arguments: [String] = ["program_password"]
  ) -> SignInRun<ScriptedHost> {
    SignInRun(
      SignInRequest(
        service: service, remoteHost: address, terminal: nil, arguments: arguments), host: host,
      application: application)
  }

  private func typing(_ text: String) -> ScriptedApplication { ScriptedApplication([.text(text)]) }

  @Test("it signs its user in, again and again, and is logged by its name")
  func accepted() throws {
    try host.enroll()
    let password = try host.memory.makeProgramPassword("Mail on the laptop", madeAt: host.time)
    let id = String(
      decoding: try #require(host.memory.record?.grants.first).id.hexadecimal, as: UTF8.self)
    let attempts = host.memory.attempts
    for text in [password, password.uppercased(), password.replacing("-", with: "")] {
      let application = typing(text)
      #expect(signIn(application, from: "203.0.113.9").authenticate() == .allow)
      #expect(application.prompts == ["Password and verification code: "])
      #expect(application.told.isEmpty)
      #expect(
        application.logged == [
          "result=program-password user=alice service=dovecot rhost=203.0.113.9 tty=- "
            + "grant=\(id) name=Mail\\x20on\\x20the\\x20laptop"
        ])
      #expect(signIn(application).checkAccount() == .allow)
    }
    #expect(host.memory.attempts == attempts, "nothing is counted or written")
    host.configuration += "state = observe\n"
    #expect(signIn(typing(password)).authenticate() == .allow)
  }

  @Test(
    "an answer in another form is left to the lines that follow, and is neither logged nor counted",
    arguments: ["Secret123456", "Secret", "", "123456", "abcd-efgh-ijkl-mnop", "mfa-abcde"])
  func others(text: String) throws {
    try host.enroll()
    _ = try host.memory.makeProgramPassword(madeAt: host.time)
    let attempts = host.memory.attempts
    let application = typing(text)
    #expect(signIn(application).authenticate() == .pass)
    #expect(application.logged.isEmpty)
    #expect(application.told.isEmpty)
    #expect(application.forwarded.isEmpty)
    #expect(host.memory.attempts == attempts)
  }

  /// A password that is not accepted, and what the log says about it.
  struct Refusal: Sendable {
    var services = "dovecot"
    var networks = ""
    var address: String?
    var service = "dovecot"
    var configuration = Self.configuration
    var seconds: Int64 = 0
    var groups: [String]? = ["staff"]
    let reason: String
    static let configuration = ProgramPasswordTests.configuration
  }

  @Test(
    "it signs in nobody elsewhere, and the answer is not tried as a code",
    arguments: [
      Refusal(services: "smtp", reason: "other-service"),
      Refusal(configuration: "", reason: "service-not-accepted"),
      Refusal(services: "dovecot sshd", service: "sshd", reason: "service-not-accepted"),
      Refusal(
        configuration: configuration + "[tenant staff]\ngroups = staff\nprogram_passwords = smtp\n",
        reason: "service-not-accepted"),
      Refusal(
        configuration: configuration
          + "[tenant staff]\ngroups = staff\nprogram_passwords = smtp, dovecot\n",
        groups: nil, reason: "service-not-accepted"),
      Refusal(seconds: 86_400, reason: "ended"),
      Refusal(networks: "192.0.2.0/24", address: "203.0.113.9", reason: "other-network"),
      Refusal(networks: "192.0.2.0/24", address: "mail.example.org", reason: "other-network"),
      Refusal(networks: "192.0.2.0/24", reason: "other-network"),
    ])
  func refused(row: Refusal) throws {
    try host.enroll()
    host.configuration = row.configuration
    host.groups = row.groups
    let password = try host.memory.makeProgramPassword(
      services: row.services, networks: row.networks, madeAt: host.time)
    host.time += row.seconds
    let attempts = host.memory.attempts
    let application = typing(password)
    #expect(
      signIn(application, service: row.service, from: row.address).authenticate() == .deny)
    #expect(
      application.logged.first?.hasPrefix("result=wrong-program-password user=alice ") == true)
    #expect(application.logged.first?.hasSuffix(" reason=\(row.reason)") == true)
    #expect(application.told.isEmpty)
    #expect(host.memory.attempts == attempts)
  }

  @Test("it is accepted from the networks that it names")
  func network() throws {
    try host.enroll()
    let password = try host.memory.makeProgramPassword(
      networks: "192.0.2.0/24 2001:db8::/32", madeAt: host.time)
    for address in ["192.0.2.9", "2001:db8::9"] {
      #expect(signIn(typing(password), from: address).authenticate() == .allow)
    }
  }

  @Test("a user without such a password, or without an account, is denied alike")
  func unknown() throws {
    try host.enroll()
    let password = try host.memory.makeProgramPassword(madeAt: host.time)
    host.memory.record = nil
    for account in [host.account, nil] {
      host.account = account
      let application = typing(password)
      #expect(signIn(application).authenticate() == .deny)
      #expect(application.prompts.count == 1)
      #expect(application.logged.first?.contains(" reason=unknown") == true)
    }
  }

  @Test("wrong codes do not stop it")
  func locked() throws {
    try host.enroll()
    let password = try host.memory.makeProgramPassword(madeAt: host.time)
    host.configuration += "disable_after = 5\n"
    for _ in 0..<5 {
      _ = signIn(typing("000000"), service: "sshd", []).authenticate()
      host.time += 3600
    }
    #expect(signIn(typing(try host.code()), service: "sshd", []).authenticate() != .allow)
    #expect(signIn(typing(password)).authenticate() == .allow)
  }

  @Test(
    "without the store, the sign-in is denied, and when the second factor is off, it is left to other lines"
  )
  func failures() throws {
    try host.enroll()
    let password = try host.memory.makeProgramPassword(madeAt: host.time)
    host.memory.failure = (.digest, .busy)
    #expect(signIn(typing(password)).authenticate() == .deny)
    host.memory.failure = nil
    host.configuration = "[project]\nstate = disabled\n"
    #expect(signIn(typing(password)).authenticate() == .pass)
  }

  @Test("a daemon signs in the users whom its section names, from every address")
  func daemon() throws {
    try host.enroll()
    let anywhere = try host.memory.makeProgramPassword(madeAt: host.time)
    let near = try host.memory.makeProgramPassword(
      "Near", networks: "192.0.2.0/24", madeAt: host.time)
    host.systemUsers = ["mail": 120]
    host.identity = ProcessIdentity(user: 120, actsAsRoot: false, isConfined: false)
    #expect(signIn(typing(anywhere)).authenticate() == .deny)
    host.configuration += "[daemon mail]\nuser = mail\nservices = dovecot\nusers = alice\n"
    #expect(signIn(typing(anywhere)).authenticate() == .allow)
    #expect(signIn(typing(near), from: "192.0.2.9").authenticate() == .deny)
  }

  @Test("a user's own program cannot use it")
  func ownProcess() throws {
    try host.enroll()
    let password = try host.memory.makeProgramPassword(madeAt: host.time)
    host.identity = ProcessIdentity(user: 1000, actsAsRoot: false, isConfined: false)
    #expect(signIn(typing(password)).authenticate() == .deny)
  }

  @Test(
    "the option stands alone",
    arguments: [
      "after_password", "after_key", "try_first_pass", "use_first_pass", "forward_pass",
    ])
  func contradictions(argument: String) {
    let arguments = [Array("program_password".utf8), Array(argument.utf8)]
    #expect(throws: ModuleOptions.Refusal.programPasswordWithCode) {
      _ = try ModuleOptions(arguments)
    }
  }
}
