import MFAAttempt
import MFABase
import MFAMessages
import MFAModel
import MFAPAMStack
import MFASignIn
import MFASignInTestSupport
import MFAStore
import MFAWire
import Testing

@Suite("The factor list in the prompt")
struct HintsTests {
  static let tabletsSecret = Array("a tablet's own secret".utf8)

  let host = ScriptedHost()

  init() throws {
    host.configuration = "[project]\nprompt_hints = on\n"
    try enroll("Pixel", KnownFactor.secret)
    try enroll("Tablet", Self.tabletsSecret)
  }

  private func enroll(_ name: String, _ secret: [UInt8]) throws {
    let account = try #require(host.account)
    _ = try host.memory.enroll(name, secret: secret, for: account)
  }

  private func signIn(
    _ application: ScriptedApplication, user: String = "alice", _ arguments: [String] = []
  ) -> Verdict {
    let request = SignInRequest(user: user, arguments: arguments)
    return SignInRun(request, host: host, application: application).authenticate()
  }

  private func pixelsCode(_ steps: Int64 = 0) throws -> String {
    try host.code(steps)
  }

  private func tabletsCode(_ steps: Int64 = 0) throws -> String {
    try KnownFactor.code(at: host.time, steps: steps, secret: Self.tabletsSecret)
  }

  static let list = "Your devices:\n 1: Pixel\n 2: Tablet\n"
  static let question = list + "Type a code, or the number of a device. Verification code: "

  @Test("a code of any factor is accepted without a selection")
  func codeAtOnce() throws {
    for code in [try pixelsCode(), try tabletsCode()] {
      let application = ScriptedApplication([.text(code)])
      #expect(signIn(application) == .allow)
      #expect(application.prompts == [Self.question])
    }
  }

  @Test(
    "a number selects a factor, whose code is then requested",
    arguments: [(1, "1", "Pixel"), (2, "2", "Tablet"), (3, " 2 ", "Tablet")])
  func choice(row: Int, number: String, name: String) throws {
    let code = name == "Pixel" ? try pixelsCode() : try tabletsCode()
    let application = ScriptedApplication([.text(number), .text(code)])
    #expect(signIn(application) == .allow, "row \(row)")
    #expect(
      application.prompts == [Self.question, "Device '\(name)'. Verification code: "], "row \(row)")
    #expect(application.isUsedUp)
  }

  @Test("after a selection, a different factor's code is wrong and counted")
  func anothersCode() throws {
    let application = ScriptedApplication([.text("2"), .text(try pixelsCode())])
    #expect(signIn(application) == .deny)
    #expect(application.told == ["Wrong code."])
    #expect(host.memory.attempts.failures == 1)
  }

  @Test("after a selection, recovery codes and numbers are not codes")
  func noCodeOfTheChosen() throws {
    try host.memory.keep(recoveryCodes: [(Array("0123456789".utf8), .generated)])
    for answer in ["gayt-emzu-gu3d-oobz", "1", "12345678"] {
      let application = ScriptedApplication([.text("1"), .text(answer)])
      #expect(signIn(application) == .deny)
      #expect(application.logged.first?.contains("answer=something-else") == true)
    }
    #expect(host.memory.attempts.failures == 0)
    #expect(host.memory.record?.recoveryCodes.count == 1)
    let atOnce = ScriptedApplication([.text("gayt-emzu-gu3d-oobz")])
    #expect(signIn(atOnce) == .allow)
  }

  @Test("a number without a factor is reported and not counted", arguments: ["3", "8"])
  func noSuchFactor(number: String) throws {
    let application = ScriptedApplication([.text(number), .text(try pixelsCode())])
    #expect(signIn(application) == .deny)
    #expect(application.told == ["No device has that number."])
    #expect(application.logged.first?.contains("answer=no-such-factor") == true)
    #expect(application.prompts.count == 1)
    #expect(host.memory.attempts.failures == 0)
    #expect(!host.memory.steps.contains(.lock))
  }

  @Test("only numbers from 1 to 8 select a factor", arguments: ["0", "9", "12", "1 2", "", "x"])
  func noNumber(answer: String) {
    let application = ScriptedApplication([.text(answer)])
    #expect(signIn(application) == .deny)
    #expect(application.logged.first?.contains("answer=something-else") == true)
  }

  @Test("a custom prompt follows the list, and a number selects a factor there too")
  func ownQuestion() throws {
    let application = ScriptedApplication([.text("1"), .text(try pixelsCode())])
    #expect(signIn(application, ["prompt=Token: ", "echo"]) == .allow)
    #expect(
      application.prompts == [
        Self.list + "Token: (echo)", "Device 'Pixel'. Verification code: (echo)",
      ])
  }

  @Test("a prompt of the configuration follows the list, and a chosen device keeps its question")
  func ownQuestionOfConfiguration() throws {
    host.configuration = "[project]\nprompt_hints = on\nprompt = Token:\n"
    let application = ScriptedApplication([.text("1"), .text(try pixelsCode())])
    #expect(signIn(application) == .allow)
    #expect(
      application.prompts == [Self.list + "Token: ", "Device 'Pixel'. Verification code: "])
  }

  @Test("with forward_pass the list precedes the single prompt, and a number selects nothing")
  func forwardPass() throws {
    let application = ScriptedApplication([.text("password" + (try tabletsCode()))])
    #expect(signIn(application, ["forward_pass"]) == .allow)
    #expect(application.prompts == [Self.list + "Password and verification code: "])
    #expect(application.forwarded == ["password"])
    let number = ScriptedApplication([.text("1"), .text("password" + (try pixelsCode()))])
    #expect(signIn(number, ["forward_pass"]) == .deny)
    #expect(number.prompts.count == 1)
  }

  @Test("use_first_pass shows no list; try_first_pass does if it prompts")
  func firstPass() throws {
    let used = ScriptedApplication()
    used.earlier = .text("password1")
    #expect(signIn(used, ["use_first_pass"]) == .deny)
    #expect(used.prompts.isEmpty)
    let tried = ScriptedApplication([.text("1"), .text(try pixelsCode())])
    tried.earlier = .text("password")
    #expect(signIn(tried, ["try_first_pass"]) == .allow)
    #expect(tried.prompts.first == Self.question)
  }

  @Test("no list is shown without the policy, or to unknown, unenrolled or throttled users")
  func nothingListed() throws {
    let stranger = ScriptedApplication([.text("1")])
    #expect(signIn(stranger, user: "mallory") == .deny)
    #expect(stranger.prompts == ["Verification code: "])
    host.configuration = "[project]\nprompt_hints = on\nenrollment = required\n"
    let record = host.memory.record
    host.memory.record = nil
    let none = ScriptedApplication([.text("1")])
    #expect(signIn(none) == .pass)
    #expect(none.prompts.isEmpty)
    host.memory.record = record
    host.memory.attempts = AttemptState(
      record: host.memory.attempts.record, failures: 5, lastFailure: host.time,
      watermarks: host.memory.attempts.watermarks)
    let waiting = ScriptedApplication()
    #expect(signIn(waiting) == .tooManyAttempts)
    #expect(waiting.prompts.isEmpty)
    host.time += 3600
    host.configuration = "[project]\n"
    let off = ScriptedApplication([.text("1")])
    #expect(signIn(off) == .deny)
    #expect(off.prompts == ["Verification code: "])
  }

  @Test("eight long names are shortened between characters to fit PAM's longest message")
  func longNames() throws {
    for number in 3...8 {
      let name = "\(number)" + String(repeating: "é", count: 63)
      try enroll(name, [UInt8(number)] + Self.tabletsSecret)
    }
    let prompt = String(repeating: "?", count: ModuleOptions.longestPrompt)
    let longest = String(repeating: "\u{1F511}", count: 63)
    for arguments in [[], ["prompt=" + prompt], ["forward_pass"], ["config"]] {
      var arguments = arguments
      if arguments == ["config"] {
        host.configuration = "[project]\nprompt_hints = on\nprompt = \(longest)\n"
        arguments = []
      }
      let application = ScriptedApplication([.text("0")])
      #expect(signIn(application, arguments) == .deny)
      let question = try #require(application.prompts.first)
      #expect(question.utf8.count <= 511)
      #expect(!question.contains("\u{FFFD}"))
      let lines = question.split(separator: "\n")
      #expect(lines.count == 10)
      #expect(lines[1] == " 1: Pixel")
      #expect(lines[8].hasPrefix(" 8: 8é") && lines[8].hasSuffix("é..."), "\(lines[8])")
    }
  }

  @Test("a long name is shown in full if there is space")
  func longName() throws {
    let name = String(repeating: "é", count: 64)
    try enroll(name, [1] + Self.tabletsSecret)
    let application = ScriptedApplication([.text("0")])
    _ = signIn(application)
    #expect(application.prompts.first?.contains(" 3: \(name)\n") == true)
  }
}

@Suite("The hint that a clock may be wrong")
struct ClockHintTests {
  let host = ScriptedHost()

  private static let hint = SignInMessage.clockMayBeWrong.text(in: .english).string

  /// Signs in with a code, and returns the messages.
  private func signIn(
    _ code: String, silently: Bool = false, arguments: [String] = []
  ) -> [String] {
    let request = SignInRequest(arguments: arguments)
    let application = ScriptedApplication([.text(code)])
    application.showsMessages = !silently
    _ = SignInRun(request, host: host, application: application).authenticate()
    return application.told
  }

  @Test(
    "after an accepted code, a code outside the window that was rejected before causes the hint",
    arguments: [
      (1, 6, true), (2, 15, true), (3, -6, true), (4, -15, true), (5, 16, false), (6, -16, false),
    ] as [(Int, Int64, Bool)])
  func outside(row: Int, steps: Int64, isHinted: Bool) throws {
    try host.enroll()
    let rejected = signIn(try host.code(steps))
    #expect(rejected == ["Wrong code."], "row \(row)")
    #expect(host.memory.attempts.recentAnswers.clockHint != nil, "row \(row)")
    let accepted = signIn(try host.code())
    #expect(accepted.contains(Self.hint) == isHinted, "row \(row)")
    #expect(host.memory.attempts.recentAnswers.clockHint == nil, "row \(row)")
    // The hint is given once.
    #expect(!signIn(try host.code(1)).contains(Self.hint))
  }

  @Test("a wrong code, or a used code, causes no hint")
  func noHint() throws {
    try host.enroll()
    _ = signIn(try host.wrongCode())
    #expect(!signIn(try host.code()).contains(Self.hint))
    _ = signIn(try host.code())
    #expect(!signIn(try host.code(1)).contains(Self.hint))
  }

  @Test("an attempt that fails never gives the hint")
  func toldOnlyAfterAcceptedCode() throws {
    try host.enroll()
    for code in [
      try host.code(8), try host.code(8),
      try host.wrongCode(),
    ] {
      #expect(signIn(code) == ["Wrong code."])
    }
  }

  @Test("a sign-in that shows no messages leaves the hint to a later one")
  func silent() throws {
    try host.enroll()
    _ = signIn(try host.code(8))
    #expect(!signIn(try host.code(), silently: true).contains(Self.hint))
    #expect(signIn(try host.code(1)).contains(Self.hint))
  }

  // MARK: Two codes of another time

  /// Two wrong codes, and what the user is told after the second one.
  struct Pair: CustomTestStringConvertible {
    let title: String
    /// The time steps of the codes, from the step in which each is typed.
    let steps: [Int64]
    /// The seconds between them.
    var pause: Int64 = 30
    let told: SignInMessage
    var arguments = ["after_password"]
    var testDescription: String { title }
  }

  static let pairs: [Pair] = [
    Pair(
      title: "4 minutes behind", steps: [-8, -8],
      told: .codeOfAnotherTime(isAhead: false, seconds: 240)),
    Pair(
      title: "4 minutes ahead", steps: [8, 8], told: .codeOfAnotherTime(isAhead: true, seconds: 240)
    ),
    Pair(
      title: "one hour behind", steps: [-120, -120],
      told: .codeOfAnotherTime(isAhead: false, seconds: 3600)),
    Pair(title: "more than an hour behind", steps: [-121, -121], told: .wrongCode),
    Pair(
      title: "the second code typed late", steps: [-8, -9], pause: 60,
      told: .codeOfAnotherTime(isAhead: false, seconds: 270)),
    Pair(
      title: "the first code typed late", steps: [-9, -8], pause: 60,
      told: .codeOfAnotherTime(isAhead: false, seconds: 240)),
    Pair(title: "codes of different distances", steps: [-8, -10], pause: 90, told: .wrongCode),
    Pair(title: "one behind and one ahead", steps: [-8, 8], told: .wrongCode),
    Pair(title: "the same code again", steps: [-8, -9], told: .wrongCode),
    Pair(
      title: "a quarter of an hour later", steps: [-8, -8], pause: 900,
      told: .codeOfAnotherTime(isAhead: false, seconds: 240)),
    Pair(title: "later than that", steps: [-8, -8], pause: 930, told: .wrongCode),
    Pair(
      title: "before the first factor is certain", steps: [-8, -8], told: .wrongCode,
      arguments: []),
  ]

  @Test("two codes of the same other time explain themselves, and no others do", arguments: pairs)
  func onlyTwoCodes(pair: Pair) throws {
    try host.enroll()
    let told = try pair.steps.map { steps in
      defer { host.time += pair.pause }
      return signIn(try host.code(steps), arguments: pair.arguments)
    }
    #expect(told == [["Wrong code."], [pair.told.text(in: .english).string]])
    #expect(host.memory.attempts.failures == 2)
    // The explanation is given once for a pair.
    #expect(signIn(try host.code(-20), arguments: pair.arguments) == ["Wrong code."])
  }

  @Test("a guess, and a code of another time after a guess, are wrong codes like any other")
  func guesses() throws {
    try host.enroll()
    for code in [try host.wrongCode(), try host.code(-8)] {
      #expect(signIn(code, arguments: ["after_password"]) == ["Wrong code."])
      host.time += 30
    }
  }

  @Test("the log has the time by which the clock is ahead")
  func logged() throws {
    try host.enroll()
    let application = ScriptedApplication([
      .text(try host.code(-8)), .text(try host.code(-7)),
    ])
    let request = SignInRequest(arguments: ["after_password", "tries=2"])
    _ = SignInRun(request, host: host, application: application).authenticate()
    #expect(application.logged.last?.contains("result=wrong user=alice") == true)
    #expect(application.logged.last?.contains(" clock-ahead=-210") == true)
  }

  @Test("the time of the rejected code counts, not that of the accepted one")
  func later() throws {
    try host.enroll()
    _ = signIn(try host.code(8))
    host.time += 86_400
    #expect(signIn(try host.code()).contains(Self.hint))
  }
}
