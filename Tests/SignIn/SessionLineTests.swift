import MFABase
import MFAModel
import MFASignIn
import MFASignInTestSupport
import MFAStore
import MFAWire
import Testing

@Suite("The session line of sshd")
struct SessionLineTests {
  let host = ScriptedHost()

  init() throws {
    host.stacks.files["sshd"] = "account required pam_mfa.so\nsession optional pam_mfa.so\n"
    try host.enroll()
  }

  private func signIn(
    _ application: ScriptedApplication, _ service: String = "sshd"
  ) -> SignInRun<ScriptedHost> {
    let request = SignInRequest(service: service, terminal: "ssh")
    return SignInRun(request, host: host, application: application)
  }

  private func fail() throws {
    let guess = ScriptedApplication([.text(try host.wrongCode())])
    #expect(signIn(guess).authenticate() == .deny)
  }

  private static let notice =
    "1 failed code since your last sign-in, from ssh on 14 November 2023, 22:13 UTC."

  @Test("the auth line leaves notices to the session, which shows them and changes nothing")
  func kept() throws {
    try fail()
    let right = ScriptedApplication([.text(try host.code())])
    #expect(signIn(right).authenticate() == .allow)
    #expect(right.told.isEmpty)
    let before = host.memory.attempts
    for _ in 0..<2 {
      let shell = ScriptedApplication()
      signIn(shell).beginSession()
      #expect(
        shell.told == [Self.notice, "These notices are shown until you run mfa-enroll notices."])
      #expect(shell.noted == nil)
    }
    #expect(host.memory.attempts == before)
  }

  @Test("a notice that has to be confirmed is shown by the auth line alone")
  func confirmed() throws {
    let account = try #require(host.account)
    let secret = Array("another secret......".utf8)
    let pixel = try host.memory.enroll("Pixel", secret: secret, for: account)
    host.memory.record?.note(
      .enrolled, Array("Pixel".utf8), about: .factor(pixel.id), from: .unknown, at: host.time)
    let code = try KnownFactor.code(at: host.time, secret: secret)
    let new = ScriptedApplication([.text(code)])
    #expect(signIn(new).authenticate() == .allow)
    #expect(
      new.told == [
        "New device 'Pixel' was added on 14 November 2023, 22:13 UTC.",
        "These notices are shown until you sign in with 'Phone' and answer yes.",
      ])
    let old = ScriptedApplication([.text(try host.code()), .text("no")])
    #expect(signIn(old).authenticate() == .allow)
    #expect(old.told.count == 2)
    let session = ScriptedApplication()
    signIn(session).beginSession()
    #expect(session.told.isEmpty)
  }

  @Test("without a session line, or in another service, the auth line shows the notices")
  func withoutLine() throws {
    for (service, lines) in [("sshd", ""), ("login", "session optional pam_mfa.so\n")] {
      host.stacks.files[service] = "account required pam_mfa.so\n" + lines
      try fail()
      let right = ScriptedApplication([.text(try host.code())])
      #expect(signIn(right, service).authenticate() == .allow)
      #expect(right.told.count == 1 && right.told[0].hasPrefix("1 failed code"))
      host.time += 60
    }
    try fail()
    let session = ScriptedApplication()
    signIn(session, "login").beginSession()
    #expect(session.told.isEmpty)
  }

  @Test("a session in silence shows nothing, and an error does no harm")
  func silence() throws {
    try fail()
    let silent = ScriptedApplication()
    silent.showsMessages = false
    signIn(silent).beginSession()
    #expect(silent.told.isEmpty && silent.noted == nil)
    host.storeFailure = .busy
    let broken = ScriptedApplication()
    signIn(broken).beginSession()
    #expect(broken.told.isEmpty && broken.logged.isEmpty)
  }

  @Test("the user's own first enrolment is no news for a while")
  func ownEnrollment() throws {
    host.memory.record?.note(
      .enrolled, Array("Pixel".utf8), about: .account, from: Source(Array("mfa-enroll".utf8)),
      at: host.time)
    let first = ScriptedApplication()
    signIn(first).beginSession()
    #expect(first.told.isEmpty)
    host.time += 900
    let later = ScriptedApplication()
    signIn(later).beginSession()
    #expect(later.told.count == 2)
  }
}

@Suite("A configuration that was changed with an editor")
struct ConfigurationChangeTests {
  let host = ScriptedHost()

  init() throws {
    host.memory.followsConfigurations = true
    let account = try #require(host.account)
    _ = try host.memory.enroll("Phone", secret: KnownFactor.secret, for: account)
  }

  private func signIn(
    _ application: ScriptedApplication, user: String = "alice", _ arguments: [String] = [],
    account: Bool = false
  ) -> Verdict {
    let request = SignInRequest(user: user, service: "sudo", arguments: arguments)
    let signIn = SignInRun(request, host: host, application: application)
    return account ? signIn.checkAccount() : signIn.authenticate()
  }

  private func changes(_ application: ScriptedApplication) -> [String] {
    application.logged.filter { $0.hasPrefix("result=policy-changed ") }
  }

  private var names: [String] {
    host.memory.events.map { String(decoding: $0.kind.name.bytes, as: UTF8.self) }
  }

  @Test("only the first sign-in that uses a new configuration records it")
  func entered() throws {
    let first = ScriptedApplication([.text(try host.code())])
    #expect(signIn(first) == .allow)
    let event = try #require(host.memory.events.first)
    #expect(names == ["policy-changed"])
    #expect(event.actor.name.isEmpty && event.actor.uid == nil)
    #expect(event.actor.program == Array("sudo".utf8) && event.time == host.time)
    #expect(event.ids.count == 16)
    #expect(event.detail == Array("/etc/mfa/mfa.conf@1970-01-01T00:00:00Z".utf8))
    let id = String(decoding: event.ids, as: UTF8.self)
    #expect(
      changes(first) == [
        "result=policy-changed configuration=\(id) "
          + "newest=/etc/mfa/mfa.conf@1970-01-01T00:00:00Z checkpoint=1:00c0ffee"
      ])
    // The change is logged before any message or result.
    #expect(first.logged.first == changes(first).first)
    let second = ScriptedApplication([.text("000000")])
    #expect(signIn(second) == .deny)
    #expect(changes(second).isEmpty && names.count == 1)
    host.configuration += "# a comment\n"
    let third = ScriptedApplication([.text("000000")])
    #expect(signIn(third) == .deny)
    #expect(changes(third).count == 1 && names.count == 2)
  }

  @Test(
    "the configuration of a sign-in is recorded, whatever the result",
    arguments: [
      (1, "[project]\nstate = disabled\n", "alice", [], false, .pass, 1),
      (2, "[project]\nstate = observe\n", "alice", [], false, .pass, 1),
      (
        3, "[project]\n[tenant all]\nservices = sudo\nstate = disabled\n", "alice", [], false,
        .pass, 1
      ),
      (4, "[project]\n", "alice", [], true, .allow, 1),
      (5, "[project]\nstate = disabled\n", "alice", [], true, .pass, 1),
      (6, "[project]\n", "nobody", [], true, .deny, 0),
      (7, "[project]\n", "alice", ["config=/etc/other.conf"], false, .deny, 0),
      (8, "[project]\nstate = off\n", "alice", [], false, .deny, 0),
    ] as [(Int, String, String, [String], Bool, Verdict, Int)])
  func outcomes(
    row: Int, text: String, user: String, arguments: [String], account: Bool, verdict: Verdict,
    count: Int
  ) {
    host.configuration = text
    let application = ScriptedApplication([.text("000000")])
    #expect(signIn(application, user: user, arguments, account: account) == verdict, "row \(row)")
    #expect(changes(application).count == count && names.count == count, "row \(row)")
  }

  @Test(
    "an audit log or clock that fails changes nothing else",
    arguments: [
      (1, .knows, .damaged(.auditLogHead)), (2, .enterConfiguration, .damaged(.auditLog)),
      (3, .enterConfiguration, .system(.auditLog, SystemError(.write, number: 28))),
    ] as [(Int, MemoryStore.Step, FactorStoreError)])
  func unwritable(row: Int, step: MemoryStore.Step, error: FactorStoreError) throws {
    host.memory.failure = (step, error)
    for time in [host.time, host.time + 60] {
      host.time = time
      let application = ScriptedApplication([.text(try KnownFactor.code(at: time))])
      #expect(signIn(application) == .allow, "row \(row)")
      #expect(changes(application).count == 1 && names.isEmpty, "row \(row)")
      #expect(changes(application).first?.contains(" part=audit-log") == true, "row \(row)")
    }
    host.configuration = "[project]\nstate = disabled\n"
    host.storeFailure = .damaged(.directory)
    let application = ScriptedApplication([])
    #expect(signIn(application) == .pass && application.logged.isEmpty, "row \(row)")
  }

  @Test("an explanation records nothing")
  func forecast() throws {
    let request = SignInRequest(service: "sudo")
    _ = SignInRun(request, host: host, application: ScriptedApplication([.none])).forecast()
    #expect(names.isEmpty)
  }
}
