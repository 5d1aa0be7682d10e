import MFAWire
import MFAModel
import MFAPAMStack
import MFASignIn
import MFASignInTestSupport
import MFABase
import Testing

@Suite("Further tries after a code that was not accepted")
struct TryTests {
  let host = ScriptedHost()

  init() throws { try host.enroll() }

  private func signIn(
    _ answers: [ScriptedApplication.Answer], _ arguments: [String] = []
  ) -> (verdict: Verdict, application: ScriptedApplication) {
    let request = SignInRequest(service: "login", arguments: arguments)
    let application = ScriptedApplication(answers)
    application.tryNumber = 1
    let verdict = SignInRun(request, host: host, application: application).authenticate()
    return (verdict, application)
  }

  private func right() throws -> String { try host.code() }
  private func guesses(_ count: Int) throws -> [ScriptedApplication.Answer] {
    try (0..<count).map { _ in .text(try host.wrongCode()) }
  }

  @Test("after a wrong code, a used code and an answer that is no code, only the code is asked for")
  func again() throws {
    let code = try right()
    #expect(signIn([.text(code)]).verdict == .allow)
    let next = try host.code(1)
    let (verdict, application) = signIn(
      [.text(try host.wrongCode()), .text(code), .text("abc"), .text(next)], ["tries=4"])
    #expect(verdict == .allow)
    #expect(application.prompts == Array(repeating: "Verification code: ", count: 4))
    #expect(
      application.told.prefix(3) == [
        "Wrong code. Try again.", "That code has already been used. Use the next one.",
        "That is not a code. Type the digits that your authenticator app shows, or a recovery "
          + "code.",
      ])
    #expect(application.essentials == application.told)
    #expect(
      application.logged.map { $0.prefix { $0 != " " } } == [
        "result=wrong", "result=replayed", "result=not-a-code", "result=accepted",
      ])
  }

  @Test("a user's own tries are no news at the end of the same sign-in")
  func ownTries() throws {
    #expect(
      signIn([.text(try host.wrongCode()), .text("abc"), .text(try right())]).verdict == .allow)
    #expect(host.memory.attempts.unreported == AttemptState.Unreported())
    // Somebody else's attempt stays news. Its source is not known any more.
    _ = signIn([.text(try host.wrongCode())])
    let next = try host.code(1)
    let (verdict, application) = signIn([.text("abc"), .text(try host.wrongCode()), .text(next)])
    #expect(verdict == .allow)
    #expect(
      application.told == [
        "That is not a code. Type the digits that your authenticator app shows, or a recovery "
          + "code.",
        "Wrong code. Try again.", "1 failed code since your last sign-in.",
      ])
  }

  @Test("a recovery code after wrong codes leaves only the attempts of others pending")
  func ownTriesBeforeRecoveryCode() throws {
    try host.memory.keep(recoveryCodes: [(Array("0123456789".utf8), .generated)])
    _ = signIn([.text(try host.wrongCode())])
    let (verdict, _) = signIn([.text(try host.wrongCode()), .text("gayt-emzu-gu3d-oobz")])
    #expect(verdict == .allow)
    #expect(host.memory.attempts.unreported.failures == 1)
  }

  @Test("every try is a counted attempt", arguments: 1...5)
  func everyTryIsCounted(tries: Int) throws {
    host.configuration = "[project]\nthrottle_after = 50\n"
    let (verdict, application) = signIn(try guesses(6), ["tries=\(tries)"])
    #expect(verdict == .deny)
    #expect(application.prompts.count == tries)
    #expect(host.memory.attempts.failures == UInt32(tries))
    #expect(application.told.last == "Wrong code.")
    #expect(application.logged.count == tries)
  }

  @Test("the key `tries` counts for every user of a service, and the option overrides it")
  func key() throws {
    host.configuration =
      "[project]\ntries = 5\nthrottle_after = 50\n[tenant vpn]\nservices = login\ntries = 1\n"
    #expect(signIn(try guesses(6)).application.prompts.count == 1)
    #expect(host.memory.attempts.failures == 1)
    #expect(signIn(try guesses(6), ["tries=4"]).application.prompts.count == 4)
    host.account = nil
    #expect(signIn(try guesses(6)).application.prompts.count == 1)
  }

  @Test("the key `tries` and the option accept the same numbers", arguments: 0...9)
  func sameLimits(number: Int) {
    let isOption = (try? ModuleOptions([Array("tries=\(number)".utf8)])) != nil
    let isValue =
      (try? Configuration.parse(Array("[project]\ntries = \(number)\n".utf8).span)) != nil
    #expect(isOption == isValue)
  }

  @Test("the same answer again is no attempt, but the user is asked as often")
  func sameAnswer() throws {
    let guess = try host.wrongCode()
    let next = try right()
    let (verdict, application) = signIn([.text(guess), .text(guess), .text(next)])
    #expect(verdict == .allow)
    #expect(application.told == ["Wrong code. Try again.", "Wrong code. Try again."])
    #expect(
      application.logged.map { $0.hasSuffix("counted=no") } == [false, true, false],
      "\(application.logged)")
    #expect(host.memory.attempts.unreported == AttemptState.Unreported())
    // The failure of another sign-in stays pending.
    _ = signIn([.text(try host.wrongCode())], ["tries=1"])
    let used = signIn([
      .text(next), .text(next), .text(try host.code(1)),
    ])
    #expect(used.verdict == .allow)
    #expect(host.memory.attempts.unreported.failures == 0)
    #expect(used.application.told.last?.hasPrefix("1 failed code since") == true)
  }

  @Test("three codes may be tried without an argument, and none after a wait begins")
  func waits() throws {
    #expect(signIn(try guesses(9)).application.prompts.count == 3)
    let (verdict, application) = signIn(try guesses(9))
    #expect(verdict == .tooManyAttempts)
    #expect(
      application.told == [
        "Wrong code. Try again.", "Too many wrong codes. Try again in 30 seconds.",
      ])
  }

  @Test("a user whose factors a wrong code has locked is told that, and not to try again")
  func locked() throws {
    host.configuration = "[project]\nthrottle_after = 2\ndisable_after = 2\n"
    let (verdict, application) = signIn(try guesses(9))
    #expect(verdict == .tooManyAttempts)
    #expect(
      application.told == [
        "Wrong code. Try again.",
        "Too many wrong codes. Your devices are locked. Ask an administrator to unlock them.",
      ])
    #expect(application.logged.last?.hasPrefix("result=wrong") == true)
    #expect(application.logged.last?.contains("locked=yes") == true)
  }

  @Test("an unknown user is asked as often, with the same words")
  func unknownUser() throws {
    let known = signIn(try guesses(9)).application
    host.account = nil
    let unknown = signIn(try guesses(9)).application
    #expect(unknown.prompts == known.prompts)
    #expect(unknown.told == known.told)
    #expect(unknown.essentials == known.essentials)
  }

  @Test("who gives no answer to a further question is not told about it")
  func noAnswer() throws {
    for isKnown in [true, false] {
      if !isKnown { host.account = nil }
      let (verdict, application) = signIn([.text(try host.wrongCode())])
      #expect(verdict == .deny)
      #expect(application.prompts.count == 2)
      #expect(application.told == ["Wrong code. Try again."])
      #expect(application.logged.count == 1)
    }
  }

  @Test(
    "where one answer is all that there is, there is one try",
    arguments: ["forward_pass", "use_first_pass"])
  func oneAnswer(argument: String) throws {
    let (verdict, application) = signIn(
      [.text(try host.wrongCode()), .text(try right())], [argument])
    #expect(verdict == .deny)
    #expect(application.prompts.count <= 1)
  }

  @Test("with try_first_pass, the earlier answer is tried once")
  func firstPass() throws {
    let request = SignInRequest(service: "login", arguments: ["try_first_pass"])
    let application = ScriptedApplication([.text(try host.wrongCode()), .text(try right())])
    application.tryNumber = 1
    application.earlier = .text("password" + (try host.wrongCode()))
    #expect(SignInRun(request, host: host, application: application).authenticate() == .allow)
    #expect(application.logged.count == 3)
  }
}
