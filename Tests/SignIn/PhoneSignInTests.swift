import MFAWire
import MFAAttempt
import MFAModel
import MFASignIn
import MFASignInTestSupport
import MFAStore
import MFABase
import Testing

/// Sign-ins of users with a phone.
@Suite struct PhoneSignInTests {
  static let number = "+15105551234"
  static let prompt = "Type s to get a code sent to 'Phone', +1 *** *** **34. Verification code: "
  static let settings =
    "[project]\nstate = enabled\ngateway = /usr/lib/mfa/gateways/test\nregions = +1\n"

  private let host: ScriptedHost

  init() throws { host = try Self.host() }

  private static func host(
    usableFrom: Int64 = 0, origin: Factor.Origin = .enrolled
  ) throws -> ScriptedHost {
    let host = ScriptedHost()
    host.configuration = Self.settings
    host.enclosingSessions = [SignInOrigin(.session, [1])]
    _ = try host.memory.enrollPhone(
      "Phone", number: Self.number, for: try #require(host.account), usableFrom: usableFrom,
      origin: origin)
    return host
  }

  private func signIn(
    _ host: ScriptedHost, _ script: [ScriptedApplication.Answer],
    _ arguments: [String] = ["after_password"]
  ) -> (verdict: Verdict, application: ScriptedApplication) {
    let application = ScriptedApplication(script)
    return (signIn(host, application, arguments), application)
  }

  private func signIn(
    _ host: ScriptedHost, _ application: ScriptedApplication, _ arguments: [String]
  ) -> Verdict {
    let request = SignInRequest(arguments: arguments)
    return SignInRun(request, host: host, application: application).authenticate()
  }

  @Test("a code is sent on request, and signs the user in once")
  func sent() throws {
    let (verdict, application) = signIn(
      host, [.text("s"), .seeing { _ in host.codeSender.lastCode }])
    #expect(verdict == .allow && application.isUsedUp)
    #expect(application.prompts == [Self.prompt, Self.prompt])
    #expect(application.told == ["A code was sent to +1 *** *** **34. It is valid for 10 minutes."])
    let message = try #require(host.codeSender.messages.first)
    #expect(host.codeSender.messages.count == 1)
    #expect(
      message.hasPrefix("To: +15105551234\nId: 0000000000000001\nExpires: 2023-11-14T22:23:20Z\n\n")
    )
    #expect(
      message.hasSuffix(
        " is your one-time code for host.example. Do not share it with anybody.\n"))
    #expect(host.codeSender.returned == [SendID(number: 1)])
    #expect(host.memory.attempts.failures == 0 && host.memory.attempts.sentCodes.last == nil)
    let code = host.codeSender.lastCode
    #expect(signIn(host, [.text(code)]).verdict == .deny)
  }

  /// MUST 2.
  @Test("a request is no attempt, and does not reset failures")
  func requestIsNoAttempt() throws {
    #expect(signIn(host, [.text("000000")]).verdict == .deny)
    #expect(host.memory.attempts.failures == 1)
    #expect(signIn(host, [.text(" S "), .none]).verdict == .deny)
    #expect(host.memory.attempts.failures == 1 && host.codeSender.messages.count == 1)
  }

  /// MUST 1.
  @Test(
    "nothing is offered before the first factor is proven",
    arguments: [[], ["forward_pass"], ["try_first_pass"]])
  func firstFactor(arguments: [String]) throws {
    let application = signIn(host, [.text("s")], arguments).application
    #expect(application.prompts.count == 1 && !application.prompts[0].contains("send"))
    #expect(host.codeSender.messages.isEmpty && host.codeSender.requested.isEmpty)
  }

  @Test("policy, a missing gateway and an unknown session offer nothing")
  func notOffered() throws {
    for text in [
      "[project]\nregions = +1\n", Self.settings + "factors = totp\n",
    ] {
      let host = try Self.host()
      host.configuration = text
      #expect(signIn(host, [.text("s")]).application.prompts == ["Verification code: "])
    }
    host.enclosingSessions = []
    #expect(signIn(host, [.text("s")]).application.prompts == ["Verification code: "])
  }

  @Test("a code is accepted only in the session that requested it")
  func session() throws {
    _ = signIn(host, [.text("s"), .none])
    let code = host.codeSender.lastCode
    host.enclosingSessions = [SignInOrigin(.session, [2])]
    #expect(signIn(host, [.text(code)]).verdict == .deny)
    host.enclosingSessions = [SignInOrigin(.session, [1])]
    #expect(signIn(host, [.text(code)]).verdict == .allow)
  }

  @Test("a new code replaces the one before it, and a code expires after 10 minutes")
  func oneCode() throws {
    _ = signIn(host, [.text("s"), .none])
    let first = host.codeSender.lastCode
    host.time += 30
    _ = signIn(host, [.text("s"), .none])
    let second = host.codeSender.lastCode
    #expect(host.codeSender.messages.count == 2)
    if first != second { #expect(signIn(host, [.text(first)]).verdict == .deny) }
    host.time += 599
    let before = host.memory.attempts
    #expect(signIn(host, [.text(second)]).verdict == .allow)
    host.memory.attempts = before
    host.time += 1
    #expect(signIn(host, [.text(second)]).verdict == .deny)
  }

  @Test("each limit is explained, and nothing is sent")
  func limits() throws {
    let told = signIn(host, [.text("s"), .text("s"), .none]).application.told
    #expect(told.last == "No code was sent. You can request one in 30 seconds.")
    #expect(host.codeSender.messages.count == 1)
    for (refusal, message) in [
      (.numberHourly(seconds: 1800), "No code was sent. You can request one in 30 minutes."),
      (
        .hostDaily(seconds: 9),
        "No code could be sent. Use another device or a recovery code, or contact your administrator."
      ),
      (
        .breaker(seconds: 9),
        "No code could be sent. Use another device or a recovery code, or contact your administrator."
      ),
    ] as [(SendLog.Refusal, String)] {
      host.time += 86_400
      host.codeSender.refusal = refusal
      let (_, application) = signIn(host, [.text("s"), .none])
      #expect(application.told == [message])
      #expect(application.logged.contains { $0.contains("code-not-sent reason=\(refusal.name)") })
    }
    #expect(host.codeSender.messages.count == 1)
    let waiting = try Self.host(usableFrom: host.time + 7201)
    waiting.time = host.time
    #expect(
      signIn(waiting, [.text("s"), .none]).application.told == [
        "No code was sent. The number was added a short time ago, and can be used in about 3 hours."
      ])
    #expect(waiting.codeSender.messages.isEmpty)
  }

  @Test("a number outside the regions gets no code")
  func regions() throws {
    host.configuration = Self.settings.replacing("regions = +1", with: "regions = +33")
    #expect(signIn(host, [.text("s"), .none]).application.told.count == 1)
    #expect(host.codeSender.requested.isEmpty)
  }

  @Test("if the gateway fails, other factors still sign the user in")
  func gatewayFails() throws {
    let account = try #require(host.account)
    _ = try host.memory.enroll("App", secret: KnownFactor.secret, for: account)
    host.codeSender.reply = .failed(1)
    let (verdict, application) = signIn(host, [.text("s"), .text(try host.code())])
    #expect(verdict == .allow)
    #expect(host.codeSender.failed == [SendID(number: 1)] && host.codeSender.returned.isEmpty)
    #expect(
      application.logged.contains {
        $0.contains("result=code-not-sent") && $0.contains("reason=failed status=1")
      })
  }

  @Test("the code and the message are on the disk before the gateway is at work")
  func countedFirst() throws {
    var steps: [MemoryStore.Step] = []
    host.codeSender.atWork = { steps = host.memory.steps }
    _ = signIn(host, [.text("s"), .none])
    #expect(steps.suffix(4) == [.sentDigest, .write(failures: 0), .sync, .unlock])
    #expect(host.memory.attempts.sentCodes.times.count == 1)
    // If the code or the limits cannot be written, nothing is sent.
    for failed in [MemoryStore.Step.sync, .sentDigest, .write(failures: 0)] {
      let host = try Self.host()
      host.memory.failure = (failed, .system(.attempts, SystemError(.sync, number: 5)))
      #expect(signIn(host, [.text("s"), .none]).verdict == .deny)
      #expect(host.codeSender.messages.isEmpty, "\(failed)")
    }
  }

  @Test("if the limits of the host cannot be read, nothing is sent, and other factors still work")
  func limitsNotReadable() throws {
    try host.enroll("App")
    host.codeSender.failure = .damaged(.sends)
    let (verdict, application) = signIn(host, [.text("s"), .text(try host.code())])
    #expect(verdict == .allow && host.codeSender.messages.isEmpty)
    #expect(application.told.first?.contains("No code could be sent.") == true)
    #expect(
      application.logged.contains {
        $0.contains("result=code-not-sent part=sends reason=damaged")
      }, "\(application.logged)")
    #expect(host.memory.attempts.sentCodes.isEmpty)
  }

  @Test("a recovery code voids the code that was sent")
  func recoveryCodeVoids() throws {
    try host.memory.keep(recoveryCodes: [(AttemptTests.recoveryCode, .generated)])
    _ = signIn(host, [.text("s"), .none])
    #expect(host.memory.attempts.sentCodes.last != nil)
    #expect(signIn(host, [.text(AttemptTests.written)]).verdict == .allow)
    #expect(host.memory.attempts.sentCodes.last == nil)
    #expect(signIn(host, [.text(host.codeSender.lastCode)]).verdict == .deny)
  }

  @Test("wrong codes lock phones like other factors, and no code is sent after that")
  func locked() throws {
    host.configuration = Self.settings + "disable_after = 5\nthrottle_after = 4\n"
    for _ in 0..<5 {
      host.time += 3600
      let application = signIn(host, [.text("s"), .text("000000")]).application
      if host.codeSender.lastCode == "000000" { return }
      #expect(application.isUsedUp)
    }
    #expect(host.memory.attempts.failures == 5)
    host.time += 3600
    let count = host.codeSender.messages.count
    let code = host.codeSender.lastCode
    #expect(signIn(host, [.text("s")]).application.prompts.isEmpty)
    #expect(signIn(host, [.text(code)]).verdict == .tooManyAttempts)
    #expect(host.codeSender.messages.count == count)
  }

  @Test("a tenant that allows only authenticator apps offers no code and accepts none")
  func tenantWithoutPhones() throws {
    _ = signIn(host, [.text("s"), .none])
    let code = host.codeSender.lastCode
    host.configuration = Self.settings + "[tenant strict]\nservices = sshd\nfactors = totp\n"
    let (verdict, application) = signIn(host, [.text(code)])
    #expect(verdict == .deny && application.prompts == ["Verification code: "])
    // The code is used up, and the next one is accepted by services outside of the tenant.
    host.configuration = Self.settings + "[tenant other]\nservices = login\nfactors = totp\n"
    #expect(signIn(host, [.text(code)]).verdict == .deny)
    host.time += 30
    let next = signIn(host, [.text("s"), .seeing { _ in host.codeSender.lastCode }])
    #expect(next.verdict == .allow)
  }

  @Test("without a gateway, only test numbers are offered")
  func onlyTestNumbers() throws {
    host.configuration = "[project]\nphone_test_numbers = +15105550000=123456\n"
    #expect(signIn(host, [.text("s")]).application.prompts == ["Verification code: "])
    #expect(host.memory.attempts.sentCodes.isEmpty)
  }

  @Test("no lock is held while the gateway is at work")
  func noLock() throws {
    host.codeSender.atWork = { #expect(!host.memory.isLocked) }
    _ = signIn(host, [.text("s"), .none])
    #expect(host.codeSender.messages.count == 1)
  }

  @Test("wrong codes throttle requests as well")
  func throttled() throws {
    for number in 1...4 { _ = signIn(host, [.text("00000\(number)")]) }
    // The limit is reached by another sign-in, after this one has shown its prompt.
    let application = ScriptedApplication([.text("s"), .none])
    application.atPrompt = { [self] in
      if application.prompts.count == 1 { _ = signIn(host, [.text("000000")]) }
    }
    #expect(signIn(host, application, ["after_password"]) != .allow)
    #expect(application.told.first?.contains("Too many wrong codes.") == true)
    #expect(host.codeSender.messages.isEmpty)
    // After that, there is no prompt.
    #expect(signIn(host, [.text("s")]).application.prompts.isEmpty)
  }

  @Test("with several phones, the user chooses one")
  func severalPhones() throws {
    _ = try host.memory.enrollPhone("Work", number: "+33612345678", for: try #require(host.account))
    host.configuration = Self.settings.replacing("regions = +1", with: "regions = +1, +33")
    let prompt = """
      Your devices:
      s1: Phone, +1 *** *** **34
      s2: Work, +33 *** *** *78
      Type s1, s2 and so on to get a code sent. Verification code: 
      """
    #expect(signIn(host, [.text("s3")]).application.prompts == [prompt])
    let (verdict, application) = signIn(
      host, [.text("s2"), .seeing { _ in host.codeSender.lastCode }])
    #expect(verdict == .allow && application.prompts == [prompt, prompt])
    #expect(host.codeSender.requested == ["+33612345678"])
    host.time += 30
    #expect(signIn(host, [.text("s"), .none]).verdict == .deny)
    #expect(host.codeSender.requested.last == Self.number)
  }

  @Test("`prompt` replaces the question that offers a code, which can still be requested")
  func ownPrompt() throws {
    host.configuration = Self.settings + "prompt = OTP:\n"
    let (verdict, application) = signIn(
      host, [.text("s"), .seeing { _ in host.codeSender.lastCode }])
    #expect(verdict == .allow && application.prompts == ["OTP: ", "OTP: "])
  }

  @Test("a list names all devices whose codes are accepted, apps too")
  func allDevices() throws {
    try host.enroll("Tablet")
    let hinted = """
      Your devices:
      s1: Phone, +1 *** *** **34
          Tablet
      \(Self.prompt)
      """
    #expect(signIn(host, [.none]).application.prompts == [Self.prompt])
    host.configuration = Self.settings + "prompt_hints = on\n"
    let (verdict, application) = signIn(
      host, [.text("s1"), .seeing { _ in host.codeSender.lastCode }])
    #expect(verdict == .allow && application.prompts == [hinted, hinted])
    host.configuration = Self.settings + "prompt_hints = on\nfactors = phone\n"
    let phones = signIn(host, [.none]).application
    #expect(phones.prompts == [hinted.replacing("    Tablet\n", with: "")])
  }

  @Test("a right code of an app or a phone that policy does not allow has words of its own")
  func typeNotAllowed() throws {
    try host.enroll("Tablet")
    host.configuration = Self.settings + "factors = phone\n"
    let app = signIn(host, [.text(try host.code())])
    #expect(app.verdict == .deny)
    #expect(
      app.application.told[0].hasPrefix("This host does not accept codes of authenticator apps."))
    #expect(app.application.logged[0].contains("result=type-not-allowed user=alice"))
    #expect(app.application.logged[0].hasSuffix("counted=no"))
    // A code that was sent before policy changed.
    #expect(signIn(host, [.text("s"), .none]).verdict == .deny)
    let code = host.codeSender.lastCode
    host.configuration = Self.settings + "factors = totp\n"
    let phone = signIn(host, [.text(code)])
    #expect(phone.verdict == .deny)
    #expect(phone.application.told[0].hasPrefix("This host does not accept codes that are sent to"))
    #expect(host.memory.attempts.failures == 0)
    host.configuration = Self.settings
    host.memory.attempts = host.memory.attempts.forgettingAnswers()
    #expect(signIn(host, [.text(code)]).verdict == .deny)
  }

  @Test("no waiting time applies to a test number")
  func testNumberDoesNotWait() throws {
    let later = ScriptedHost().time + 86_400
    let host = try Self.host(usableFrom: later, origin: .testNumber)
    host.configuration = Self.testNumbers
    #expect(signIn(host, [.text("s"), .text("123456")]).verdict == .allow)
  }

  @Test("a test number gets no message and has the code of the configuration")
  func testNumber() throws {
    let host = try Self.host(origin: .testNumber)
    host.configuration = Self.testNumbers
    #expect(signIn(host, [.text("123456")]).verdict == .deny)
    // No limit applies, and nothing is counted for the user's other phones.
    for _ in 0..<30 {
      #expect(signIn(host, [.text("s"), .text("s"), .text("123456")]).verdict == .allow)
    }
    #expect(host.codeSender.messages.isEmpty && host.codeSender.requested.isEmpty)
    #expect(host.memory.attempts.sentCodes.isEmpty)
    // The code ends as one that was sent.
    #expect(
      signIn(
        host,
        [
          .text("s"),
          .seeing { _ in
            host.time += 600
            return "123456"
          },
        ]
      ).verdict == .deny)
  }

  private static let testNumbers = settings + "phone_test_numbers = \(number)=123456\n"

  @Test("a user's number that becomes a test number gets no code and accepts no test code")
  func numberOfAUser() throws {
    host.configuration = Self.testNumbers
    let (verdict, application) = signIn(host, [.text("s"), .text("123456")])
    #expect(verdict == .deny && application.told.first?.contains("No code could be sent.") == true)
    #expect(application.logged.first?.contains("reason=test-number") == true)
    #expect(host.codeSender.messages.isEmpty && host.codeSender.requested.isEmpty)
  }

  @Test("a test number that was enrolled gets no message when it is no test number any more")
  func testNumberNoMore() throws {
    let host = try Self.host(origin: .testNumber)
    let (verdict, application) = signIn(host, [.text("s"), .text("123456")])
    #expect(verdict == .deny && application.told.first?.contains("No code could be sent.") == true)
    #expect(host.codeSender.messages.isEmpty && host.codeSender.requested.isEmpty)
  }
}
