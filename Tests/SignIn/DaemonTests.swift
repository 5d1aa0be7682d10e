import MFABase
import MFAModel
import MFASignIn
import MFASignInTestSupport
import MFAStore
import MFAWire
import Testing

/// Sign-ins in a program that does not act as root and that a section `[daemon NAME]` names, such as a RADIUS server.
@Suite("Sign-ins in daemons")
struct DaemonTests {
  let host: ScriptedHost
  let account = Account(name: Array("alice".utf8), uid: 1000)
  static let configuration =
    "[daemon radiusd]\nuser = freerad\nservices = radiusd\nusers = alice, bob\n"

  init() {
    host = ScriptedHost()
    host.systemUsers = ["freerad": 120, "other": 121]
    host.identity = ProcessIdentity(user: 120, actsAsRoot: false, isConfined: false)
    host.configuration = Self.configuration
  }

  private func signIn(
    _ application: ScriptedApplication, _ arguments: [String] = ["forward_pass"],
    service: String = "radiusd"
  ) -> SignInRun<ScriptedHost> {
    SignInRun(
      SignInRequest(service: service, terminal: nil, arguments: arguments), host: host,
      application: application)
  }

  private func enroll() throws {
    _ = try host.memory.enroll("Phone", secret: KnownFactor.secret, for: account)
  }

  private func answer(_ code: String) -> ScriptedApplication {
    ScriptedApplication([.text("Secret" + code)])
  }

  @Test("the daemon signs in a user whom the section names, and a code is accepted once")
  func namedUser() throws {
    try enroll()
    let application = answer(try host.code())
    #expect(signIn(application).authenticate() == .allow)
    #expect(signIn(application).checkAccount() == .allow)
    #expect(signIn(answer(try host.code())).authenticate() == .deny)
  }

  @Test("users who are not enrolled sign in as policy says")
  func notEnrolled() {
    let application = answer("")
    #expect(signIn(application).authenticate() == .pass)
    #expect(signIn(application).checkAccount() == .pass)
    host.configuration += "[tenant all]\nservices = radiusd\nenrollment = required\n"
    #expect(signIn(answer("123456")).authenticate() == .deny)
  }

  /// A way in which the section does not apply, and what it is.
  struct Other: Sendable {
    let change: @Sendable (ScriptedHost) -> Void
    var service = "radiusd"
    let isTheDaemon: Bool
  }

  @Test(
    "nobody else is signed in, and nothing is counted",
    arguments: [
      Other(
        change: {
          $0.configuration = $0.configuration.replacing("alice", with: "carol")
        }, isTheDaemon: true),
      Other(
        change: {
          $0.configuration = $0.configuration.replacing("users = alice, bob", with: "groups = vpn")
        }, isTheDaemon: true),
      Other(
        change: {
          $0.configuration = $0.configuration.replacing("users = alice, bob", with: "groups = vpn")
          $0.groups = nil
        }, isTheDaemon: true),
      Other(change: { _ in }, service: "sshd", isTheDaemon: false),
      Other(
        change: {
          $0.identity = ProcessIdentity(user: 121, actsAsRoot: false, isConfined: false)
        }, isTheDaemon: false),
      Other(change: { $0.systemUsers = [:] }, isTheDaemon: false),
      Other(change: { $0.configuration = "" }, isTheDaemon: false),
    ])
  func others(_ other: Other) throws {
    try enroll()
    other.change(host)
    let application = answer(try host.code())
    let run = signIn(application, service: other.service)
    #expect(run.authenticate() == .deny)
    // Users whom the section does not name are asked as if they did not exist.
    #expect(application.prompts.isEmpty != other.isTheDaemon)
    #expect(application.logged.first?.contains("reason=anothers-account") == true)
    #expect(run.checkAccount() == .deny)
    #expect(host.memory.attempts.daemonFailures == FailureCount())
    host.configuration = Self.configuration
    host.identity = ProcessIdentity(user: 0, actsAsRoot: true, isConfined: false)
    #expect(signIn(answer(try host.code()), service: "sshd").authenticate() == .allow)
  }

  @Test("a member of a group that the section names is signed in")
  func group() throws {
    try enroll()
    host.configuration = Self.configuration.replacing("users = alice, bob", with: "groups = vpn")
    host.groups = ["vpn"]
    #expect(signIn(answer(try host.code())).authenticate() == .allow)
  }

  @Test("a configuration that the program names itself lets it sign in nobody")
  func fileOfItsOwn() throws {
    try enroll()
    host.publicFiles = ["/srv/mfa.conf"]
    let application = answer(try host.code())
    #expect(signIn(application, ["forward_pass", "config=/srv/mfa.conf"]).authenticate() == .deny)
    #expect(application.logged.first?.contains("reason=anothers-account") == true)
  }

  @Test("wrong codes in daemons have a limit of their own")
  func limit() throws {
    try enroll()
    var attempts = 0
    while attempts < 100 {
      let application = answer(try host.wrongCode())
      #expect(signIn(application).authenticate() == .deny)
      guard application.logged.first?.contains("result=locked") != true else { break }
      #expect(application.told.isEmpty)
      attempts += 1
      host.time += 900
    }
    #expect(attempts == 20)
    #expect(host.memory.attempts.daemonFailures.failures == 20)
    #expect(host.memory.attempts.failures == 0)
    #expect(host.memory.attempts.ownProcessFailures.failures == 0)
    #expect(signIn(answer(try host.code())).authenticate() == .deny)
    // The user's other sign-ins are not delayed, and end the limit.
    host.identity = ProcessIdentity(user: 0, actsAsRoot: true, isConfined: false)
    #expect(signIn(answer(try host.code(1)), service: "sshd").authenticate() == .allow)
    host.identity = ProcessIdentity(user: 120, actsAsRoot: false, isConfined: false)
    #expect(signIn(answer(try host.code(2))).authenticate() == .allow)
  }
}
