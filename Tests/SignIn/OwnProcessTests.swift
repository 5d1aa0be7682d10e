import MFAAttempt
import MFABase
import MFAModel
import MFASignIn
import MFASignInTestSupport
import MFAStore
import MFAWire
import Testing

/// Sign-ins of an application that does not act as root, such as a screen locker that runs as the user. What
/// its request states about the process and the transaction is the user's own word.
@Suite("Sign-ins of a user's own process")
struct OwnProcessTests {
  let host: ScriptedHost
  let account = Account(name: Array("alice".utf8), uid: 1000)

  init() {
    host = ScriptedHost()
    host.identity = ProcessIdentity(user: 1000, actsAsRoot: false, isConfined: false)
  }

  private func signIn(
    _ application: ScriptedApplication, _ arguments: [String] = [], service: String = "swaylock",
    terminal: String? = nil
  ) -> SignInRun<ScriptedHost> {
    let request = SignInRequest(service: service, terminal: terminal, arguments: arguments)
    return SignInRun(request, host: host, application: application)
  }

  private func enroll(
    _ name: String = "Phone", parameters: TOTPParameters = .standard
  ) throws -> Factor {
    try host.memory.enroll(name, secret: KnownFactor.secret, for: account, parameters: parameters)
  }

  private func hexadecimal(_ factor: Factor) -> String {
    String(decoding: factor.id.hexadecimal, as: UTF8.self)
  }

  /// Runs the function that decides once, with a request that only an attacker sends.
  private func reply(
    _ line: ModuleLine, service: String = "swaylock",
    _ change: (inout SignInCall) -> Void = { _ in }
  ) -> SignIn<ScriptedHost>.Step {
    var call = SignInCall()
    call.line = line
    call.request = SignInRequest(service: service)
    call.showsMessages = true
    change(&call)
    return SignIn(call, host: host, identity: host.identity).step()
  }

  // MARK: Codes

  @Test("a correct code is accepted once")
  func rightCode() throws {
    let factor = try enroll()
    let application = ScriptedApplication([
      .text("\(try host.code().prefix(3)) \(try host.code().suffix(3))")
    ]
    )
    #expect(signIn(application).authenticate() == .allow)
    #expect(application.prompts == ["Verification code: "])
    #expect(application.told.isEmpty)
    #expect(
      application.logged == [
        "result=accepted user=alice service=swaylock rhost=- tty=- factor=\(hexadecimal(factor))"
      ])
    let again = ScriptedApplication([.text(try host.code())])
    #expect(signIn(again).authenticate() == .deny)
    #expect(again.told == ["That code has already been used. Use the next one."])
  }

  @Test("no lock is held while the user is asked")
  func noLockAtThePrompt() throws {
    _ = try enroll()
    let application = ScriptedApplication([.text(try host.code())])
    var locked: [Bool] = []
    application.atPrompt = { [host] in locked.append(host.memory.isLocked) }
    #expect(signIn(application).authenticate() == .allow)
    #expect(locked == [false])
  }

  @Test("failures count for the user's own processes, and do not delay the user's sign-ins")
  func ownFailures() throws {
    _ = try enroll()
    for attempt in 1...5 {
      let application = ScriptedApplication([.text(try host.wrongCode())])
      #expect(
        signIn(application).authenticate() == .deny, "\(attempt)")
    }
    #expect(host.memory.attempts.failures == 0)
    #expect(host.memory.attempts.ownProcessFailures.failures == 5)
    let waiting = ScriptedApplication([.text(try host.code())])
    #expect(signIn(waiting).authenticate() == .deny)
    #expect(waiting.prompts.isEmpty)
    #expect(waiting.logged.first?.hasPrefix("result=throttled ") == true)
    // The sign-in of the same user through a program of root is not delayed.
    host.identity = ProcessIdentity(user: 0, actsAsRoot: true, isConfined: false)
    #expect(signIn(ScriptedApplication([.text(try host.code())])).authenticate() == .allow)
  }

  @Test("failures of sign-ins do not delay the user's own processes")
  func failuresOfSignIns() throws {
    _ = try enroll()
    host.memory.attempts = AttemptState(
      record: host.memory.attempts.record, failures: 5, lastFailure: host.time,
      watermarks: host.memory.attempts.watermarks)
    #expect(signIn(ScriptedApplication([.text(try host.code())])).authenticate() == .allow)
  }

  @Test("a user's own process cannot say that failures were the user's own")
  func failedTries() throws {
    _ = try enroll()
    let application = ScriptedApplication([
      .text(try host.wrongCode()), .text(try host.code()),
    ])
    application.tryNumber = 1
    #expect(signIn(application, ["tries=2"]).authenticate() == .allow)
    host.identity = ProcessIdentity(user: 0, actsAsRoot: true, isConfined: false)
    let next = ScriptedApplication([.text(try host.code(1))])
    #expect(signIn(next).authenticate() == .allow)
    #expect(next.told.first?.contains("failed code") == true, "\(next.told)")
  }

  @Test("a recovery code is accepted once")
  func recoveryCode() throws {
    _ = try enroll()
    try host.memory.keep(recoveryCodes: [(Array("0123456789".utf8), .generated)])
    let application = ScriptedApplication([.text("gayt-emzu-gu3d-oobz")])
    #expect(signIn(application).authenticate() == .allow)
    #expect(application.logged.first?.hasPrefix("result=recovery-code ") == true)
    #expect(signIn(ScriptedApplication([.text("gayt-emzu-gu3d-oobz")])).authenticate() == .deny)
  }

  @Test("a bypass code is accepted once, with or without a factor")
  func bypassCode() throws {
    for isEnrolled in [true, false] {
      let other = OwnProcessTests()
      other.host.configuration = "[project]\nenrollment = required\n"
      if isEnrolled { _ = try other.enroll() }
      _ = try other.host.memory.grant(
        .bypass, Array("0123456789".utf8), to: account, madeAt: host.time, uses: 1)
      let bypass = ScriptedApplication([.text("gayt-emzu-gu3d-oobz")])
      #expect(other.signIn(bypass).authenticate() == .allow)
      #expect(bypass.logged.first?.hasPrefix("result=bypass-code ") == true)
      #expect(other.signIn(bypass).checkAccount() == .allow)
      let again = ScriptedApplication([.text("gayt-emzu-gu3d-oobz")])
      #expect(other.signIn(again).authenticate() == .deny)
    }
  }

  @Test("an answer that cannot be a code is not counted")
  func notACode() throws {
    _ = try enroll()
    let before = host.memory.attempts
    for answer in ["", "password", "12345", "12345678"] {
      #expect(signIn(ScriptedApplication([.text(answer)])).authenticate() == .deny)
    }
    #expect(host.memory.attempts == before)
  }

  @Test("with the factor list, only the selected factor's code is accepted")
  func hints() throws {
    host.configuration = "[project]\nprompt_hints = on\n"
    _ = try enroll()
    let tablet = try enroll("Tablet")
    let application = ScriptedApplication([.text("2"), .text(try host.code())])
    #expect(signIn(application).authenticate() == .allow)
    #expect(application.prompts.count == 2)
    #expect(application.logged.first?.contains("factor=\(hexadecimal(tablet))") == true)
  }

  @Test("with forward_pass, the code is taken from the end and the rest is forwarded")
  func forwardPass() throws {
    _ = try enroll()
    let application = ScriptedApplication([.text("pass 123word" + (try host.code()))])
    #expect(signIn(application, ["forward_pass"]).authenticate() == .allow)
    #expect(application.forwarded == ["pass 123word"])
    // A locker serves only its own user, so the result may be shown.
    let wrong = ScriptedApplication([.text("pass" + (try host.wrongCode()))])
    #expect(signIn(wrong, ["forward_pass"]).authenticate() == .deny)
    #expect(wrong.told == ["Wrong code."])
  }

  @Test("every failure denies and is logged")
  func everythingFailsClosed() throws {
    _ = try enroll()
    let error = SystemError(.read, number: 5)
    let failures: [(Int, (ScriptedHost) -> Void)] = [
      (1, { $0.accountFailure = error }), (2, { $0.storeFailure = .system(.directory, error) }),
      (3, { $0.clockFailure = error }),
      (4, { $0.configurationFailure = ConfigurationError(in: [], .system(error)) }),
      (5, { $0.memory.failure = (.snapshot, .damaged(.record)) }),
      (6, { $0.memory.failure = (.lock, .busy) }),
      (7, { $0.memory.failure = (.sync, .system(.attempts, error)) }),
    ]
    for (number, fail) in failures {
      let other = OwnProcessTests()
      other.host.memory.record = host.memory.record
      other.host.memory.attempts = host.memory.attempts
      fail(other.host)
      let application = ScriptedApplication([.text(try host.code())])
      #expect(other.signIn(application).authenticate() == .deny, "row \(number)")
      #expect(application.logged.first?.hasPrefix("result=error ") == true, "row \(number)")
      #expect(application.essentials.count == 1, "row \(number)")
    }
  }

  @Test("in the observe state, every sign-in passes")
  func observing() throws {
    host.configuration = "[project]\nstate = observe\n"
    _ = try enroll()
    #expect(signIn(ScriptedApplication([.text("123456")])).authenticate() == .pass)
  }

  // MARK: Only the user's own account

  @Test("a different user's account is refused without a question")
  func accountMismatch() throws {
    _ = try enroll()
    host.identity = ProcessIdentity(user: 1001, actsAsRoot: false, isConfined: false)
    let application = ScriptedApplication([.text(try host.code())])
    #expect(signIn(application).authenticate() == .deny)
    #expect(signIn(application).checkAccount() == .deny)
    #expect(application.prompts.isEmpty)
    #expect(host.memory.attempts.ownProcessFailures.failures == 0)
    let line =
      "result=error user=alice service=swaylock rhost=- tty=- part=account reason=anothers-account"
    #expect(application.logged == [line, line])
  }

  @Test("the caller in a request does not count")
  func statedCaller() throws {
    _ = try enroll()
    host.identity = ProcessIdentity(user: 1001, actsAsRoot: false, isConfined: false)
    for caller in [0, 1000] as [UInt32] {
      for line in [ModuleLine.auth, .account] {
        #expect(reply(line) { $0.caller = caller }.verdict == .deny)
      }
    }
  }

  // MARK: Facts and notes

  @Test("no code is remembered, and none that was remembered counts, whatever facts are stated")
  func remembering() throws {
    host.configuration = "[project]\nremember = 8h\nremember_services = sshd, login, sudo\n"
    _ = try enroll()
    var facts = ApplicationFacts()
    facts.session = [1]
    facts.enclosingSessions = [[1], [2]]
    facts.terminal = Array("pts/3".utf8)
    host.session = SignInOrigin(.session, [1])
    host.enclosingSessions = [SignInOrigin(.session, [1])]
    for service in ["sshd", "login", "sudo"] {
      let application = ScriptedApplication([.text(try host.code())])
      host.memory.attempts = host.memory.attempts.unlocked()
      _ = signIn(application, service: service, terminal: "pts/3").authenticate()
      #expect(application.prompts.count == 1, "\(service)")
      #expect(host.memory.attempts.remembered.entries.isEmpty, "\(service)")
    }
    // A code that a program of root has remembered for the same session.
    let digests = try host.memory.digests(
      of: [SignInOrigin(.session, [1])], in: try #require(host.memory.record))
    for digest in digests {
      host.memory.attempts = host.memory.attempts.remembering(digest, at: host.time)
    }
    let step = reply(.auth, service: "sudo") { call in
      call.request.terminal = Array("pts/3".utf8)
      call.facts = facts
    }
    guard case .question = step.reply.end else {
      Issue.record("the user is not asked: \(String(describing: step.verdict))")
      return
    }
    #expect(host.factQuestions == 0)
  }

  @Test("no code is sent to a phone, whatever facts are stated")
  func phones() throws {
    host.configuration =
      "[project]\nstate = enabled\ngateway = /usr/lib/mfa/gateways/test\nregions = +1\n"
    _ = try enroll()
    _ = try host.memory.enrollPhone("Mobile", number: "+15105551234", for: account)
    var facts = ApplicationFacts()
    facts.enclosingSessions = [[1]]
    let step = reply(.auth) { $0.facts = facts }
    guard case .question(let prompt, _, let continuation) = step.reply.end else {
      Issue.record("the user is not asked")
      return
    }
    #expect(String(decoding: prompt.copy().span.copied(), as: UTF8.self) == "Verification code: ")
    _ = reply(.auth) { call in
      call.facts = facts
      call.continuation = continuation
      call.answer = .text(SecretBytes(copying: Array("s".utf8).span))
    }
    #expect(host.codeSender.messages.isEmpty && host.codeSender.requested.isEmpty)
  }

  @Test("a user cannot enrol in an own process, whatever note is stated")
  func enrollment() throws {
    host.configuration = "[project]\nenrollment = required\n"
    let application = ScriptedApplication([.text("3"), .text("123456")])
    #expect(signIn(application).authenticate() == .deny)
    #expect(application.prompts == ["Verification code: "])
    for note in [nil, Array("ealice".utf8)] {
      let step = reply(.account) { $0.note = note }
      #expect(step.verdict == .deny)
      guard case .verdict = step.reply.end else {
        Issue.record("the user is asked how the key is shown")
        continue
      }
    }
    #expect(host.memory.record == nil)
  }

  @Test("the account line allows an enrolled user")
  func accountLine() throws {
    _ = try enroll()
    #expect(signIn(ScriptedApplication()).checkAccount() == .allow)
  }

  // MARK: Notices

  @Test("no notice is shown in any line, and none is marked as read")
  func notices() throws {
    _ = try enroll()
    host.memory.record?.note(
      .enrolled, Array("Pixel".utf8), about: .account, from: Source(Array("mfa-enroll".utf8)),
      at: host.time - 900)
    let before = host.memory.attempts
    let application = ScriptedApplication([.text(try host.code()), .text("yes")])
    #expect(signIn(application, service: "sshd", terminal: "pts/3").authenticate() == .allow)
    signIn(application, service: "sshd").beginSession()
    #expect(application.told.isEmpty && application.prompts.count == 1)
    #expect(host.memory.attempts.unreported == before.unreported)
    // The sign-in through a program of root shows it.
    host.identity = ProcessIdentity(user: 0, actsAsRoot: true, isConfined: false)
    let next = ScriptedApplication([.text(try host.code(1))])
    #expect(signIn(next, terminal: "tty1").authenticate() == .allow)
    #expect(next.told.first?.contains("Pixel") == true, "\(next.told)")
  }

  @Test("a user without a factor is not shown what happened to earlier ones")
  func noticesWithoutFactor() throws {
    let factor = try enroll()
    _ = try host.memory.record?.unenroll(
      factor.id, from: Source(Array("mfa-admin".utf8)), at: host.time - 900)
    host.memory.attempts = host.memory.attempts.keeping(try #require(host.memory.record))
    let before = host.memory.attempts
    let application = ScriptedApplication()
    #expect(signIn(application, terminal: "tty1").checkAccount() == .pass)
    #expect(application.told.isEmpty && application.prompts.isEmpty)
    #expect(host.memory.attempts == before)
    host.identity = ProcessIdentity(user: 0, actsAsRoot: true, isConfined: false)
    let next = ScriptedApplication()
    #expect(signIn(next, terminal: "tty1").checkAccount() == .pass)
    #expect(next.told.first?.contains("Phone") == true, "\(next.told)")
  }

  // MARK: Users without a factor

  @Test(
    "a user without a factor passes or is denied according to the policy",
    arguments: [
      (1, "self-service", Verdict.pass, "not-enrolled"),
      (2, "required", .deny, "enrollment-required"),
      (3, "offered\noffer_until = 2030-01-01", .pass, "not-enrolled"),
      (4, "offered\noffer_until = 2020-01-01", .deny, "enrollment-required"),
      // The sign-in that started the user's session was counted, so the offer holds here.
      (5, "offered\noffer_sign_ins = 1", .pass, "not-enrolled"),
      (6, "offered\noffer_sign_ins = 5\noffer_until = 2020-01-01", .deny, "enrollment-required"),
    ])
  func notEnrolled(row: Int, enrollment: String, verdict: Verdict, result: String) throws {
    host.configuration = "[project]\nenrollment = \(enrollment)\n"
    for _ in 1...3 {
      let application = ScriptedApplication([.text("123456")])
      #expect(signIn(application).authenticate() == verdict, "row \(row)")
      #expect(application.isUsedUp == (verdict == .deny), "row \(row)")
      #expect(application.logged.first?.hasPrefix("result=\(result) ") == true, "row \(row)")
      #expect(signIn(application).checkAccount() == verdict, "row \(row)")
      #expect(application.logged.last?.hasPrefix("result=\(result) ") == true, "row \(row)")
    }
    #expect(host.memory.attempts.postponedSignIns == 0, "row \(row)")
  }

  @Test("with forward_pass, a user without a factor types only the password")
  func notEnrolledForwardPass() throws {
    let application = ScriptedApplication([.text("password")])
    #expect(signIn(application, ["forward_pass"]).authenticate() == .pass)
    #expect(application.forwarded == ["password"])
  }

  // MARK: Configuration files

  @Test("only a configuration file that every user can read may be named")
  func configurationFile() throws {
    _ = try enroll()
    for (isPublic, isRoot) in [(false, false), (true, false), (false, true)] {
      host.publicFiles = isPublic ? ["/etc/other.conf"] : []
      host.identity = ProcessIdentity(
        user: isRoot ? 0 : 1000, actsAsRoot: isRoot, isConfined: false)
      host.time += 30
      let application = ScriptedApplication([.text(try host.code())])
      let verdict = signIn(application, ["config=/etc/other.conf"]).authenticate()
      #expect(verdict == (isPublic || isRoot ? .allow : .deny))
      guard !isPublic, !isRoot else { continue }
      #expect(application.prompts.isEmpty)
      #expect(
        application.logged.first?.hasSuffix("file=/etc/other.conf errno=EACCES") == true,
        "\(application.logged)")
    }
  }
}
