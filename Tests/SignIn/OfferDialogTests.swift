import MFABase
import MFAModel
import MFASignIn
import MFASignInTestSupport
import MFAStore
import MFAWire
import Testing

/// The offer of an enrolment in the `account` line.
@Suite struct OfferDialogTests {
  static let offer =
    "\nProtect your account with an authenticator app: mfa-enroll\n"
  static let prompt = "To add it now, type yes (Enter: later): (echo)"

  let host = ScriptedHost()

  init() { host.configuration = "[project]\nenrollment = offered\noffer_sign_ins = 3\n" }

  /// Runs the auth and account lines in one transaction.
  private func signIn(
    _ script: [ScriptedApplication.Answer], _ request: SignInRequest = OfferDialogTests.ssh,
    atPrompt: @escaping (Int) -> Void = { _ in }
  ) -> (verdict: Verdict, application: ScriptedApplication) {
    let application = ScriptedApplication(script)
    application.atPrompt = { [unowned application] in atPrompt(application.prompts.count) }
    let signIn = SignInRun(request, host: host, application: application)
    #expect(signIn.authenticate() == .pass)
    #expect(application.prompts.isEmpty)
    return (signIn.checkAccount(), application)
  }

  static let ssh = SignInRequest(service: "sshd", remoteHost: "203.0.113.9")
  static let sudo = SignInRequest(service: "sudo", remoteHost: nil, terminal: "/dev/pts/3")

  private var made: UInt32 { host.memory.attempts.postponedSignIns }

  private var code: ScriptedApplication.Answer {
    .seeing { [time = host.time] prompts in
      do { return try KnownFactor.code(at: time, secret: EnrollmentDialogTests.key(prompts)) } catch
      {
        return "\(error)"
      }
    }
  }

  @Test("Enter puts the enrolment off, is counted, and the offer ends")
  func later() {
    for (row, end) in [
      (1 as UInt32, "It is required after 2 more sign-ins."),
      (2, "It is required after 1 more sign-in."),
      (3, "It is required from your next sign-in."),
    ] {
      let (verdict, application) = signIn([.text("")])
      #expect(verdict == .pass && application.isUsedUp, "row \(row)")
      #expect(application.prompts == [Self.offer + end + "\n" + Self.prompt], "row \(row)")
      #expect(application.told.isEmpty && made == row, "row \(row)")
      #expect(application.logged.last?.hasSuffix("sign-ins-left=\(3 - row)") == true)
    }
    // The enrolment is required now, and the same note leads to it.
    let last = signIn([.none])
    #expect(last.verdict == .deny)
    #expect(last.application.prompts[0].contains("This host requires a code"))
  }

  @Test(
    "yes in the language of the user enrols at once, and is not counted",
    arguments: [
      ("en", "yes"), ("en", " Y "), ("fr", "oui"), ("es", "sí"), ("es", "SÍ"), ("ja", "はい"),
      ("zh-TW", "是"), ("fr", "yes"),
    ])
  func now(language: String, word: String) throws {
    host.configuration += "language = \(language)\n"
    let (verdict, application) = signIn([.text(word), .text("3"), code, .text(""), .text("")])
    #expect(verdict == .allow && application.isUsedUp)
    #expect(host.memory.record?.factors.count == 1 && made == 0)
    if language == "en" {
      #expect(
        application.prompts[1].hasPrefix("\nHave your phone ready, with an authenticator app."))
      #expect(!application.prompts[1].contains("requires"))
    }
  }

  @Test(
    "any other answer puts the enrolment off", arguments: ["n", "no", "later", "oui", "yes please"])
  func other(answer: String) {
    let (verdict, application) = signIn([.text(answer)])
    #expect(verdict == .pass && application.isUsedUp && made == 1)
  }

  @Test("a phone is enrolled where policy allows only phones")
  func phone() {
    host.configuration =
      PhoneSignInTests.settings + "factors = phone\nenrollment = offered\noffer_sign_ins = 3\n"
    let (verdict, application) = signIn([
      .text("y"), .text(PhoneDialogTests.number),
      .seeing { [host] _ in host.codeSender.lastCode }, .text(""), .text(""),
    ])
    #expect(verdict == .allow && host.memory.record?.hasPhone == true)
    #expect(
      application.prompts[0].hasPrefix(
        "\nProtect your account with codes to your phone: mfa-enroll"))
    #expect(application.prompts[1].hasPrefix("\nHave your phone ready. You have 10 minutes."))
  }

  /// MUST 2.
  @Test("an enrolment that is given up is put off, and the user is signed in")
  func givenUp() {
    for script in [
      [.text("yes"), .text("3"), .text("")], [.text("yes"), .none],
      [.text("yes"), .text("3"), .text("1234"), .text("1234"), .text("1234")],
    ] as [[ScriptedApplication.Answer]] {
      let (verdict, application) = signIn(script)
      #expect(verdict == .pass && application.isUsedUp && host.memory.record == nil)
      #expect(application.told == ["No device was added. To add one later: mfa-enroll"])
      #expect(application.logged.last?.hasPrefix("result=not-enrolled") == true)
    }
    #expect(made == 3)
  }

  /// MUST 1.
  @Test("where the application cannot ask, the user reads a text at most, and nothing counts")
  func cannotAsk() {
    let text =
      "Protect your account with an authenticator app: mfa-enroll It is required after 3 more sign-ins."
    // sshd asks no user: a password without a dialogue.
    for answer in [.none, .bytes([8, 10, 13, 127] + Array("INCORRECT".utf8))]
      as [ScriptedApplication.Answer]
    {
      let (verdict, application) = signIn([answer])
      #expect(verdict == .pass && application.told == [text] && made == 0)
    }
    // No auth line took part: sshd with a key alone, cron.
    let application = ScriptedApplication()
    #expect(SignInRun(Self.ssh, host: host, application: application).checkAccount() == .pass)
    #expect(application.prompts.isEmpty && application.told == [text] && made == 0)
    #expect(!host.memory.hasPlace)
    // On the user's terminal, Ctrl-D is an answer.
    #expect(signIn([.none], Self.sudo).verdict == .pass)
    #expect(made == 1)
  }

  @Test("the observe state asks nothing and counts nothing")
  func observe() {
    host.configuration += "state = observe\n"
    let (verdict, application) = signIn([])
    #expect(verdict == .pass && application.told.isEmpty && application.noted == nil && made == 0)
  }

  @Test("a factor enrolled meanwhile is not passed over", arguments: [1, 2])
  func enrolledMeanwhile(prompt: Int) {
    let (verdict, application) = signIn([.text("yes"), .text("3")]) { [host] number in
      guard number == prompt else { return }
      do { try host.enroll() } catch { Issue.record("\(error)") }
    }
    #expect(verdict == .deny)
    #expect(application.logged.last?.hasSuffix("reason=enrolled-meanwhile") == true)
  }

  @Test(
    "a sign-in that cannot be counted is denied",
    arguments: [MemoryStore.Step.lock, .write(failures: 0), .sync])
  func storeFails(step: MemoryStore.Step) {
    let (verdict, _) = signIn([.text("")]) { [host] _ in host.memory.failure = (step, .busy) }
    #expect(verdict == .deny)
  }

  @Test("with a last day alone, nothing is counted")
  func lastDay() {
    host.configuration = "[project]\nenrollment = offered\noffer_until = 2023-11-14\n"
    let (verdict, application) = signIn([.text("")])
    #expect(verdict == .pass && made == 0 && !host.memory.hasPlace)
    #expect(application.prompts[0].contains("It is required after 14 November 2023 (UTC)."))
  }
}
