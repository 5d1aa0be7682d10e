import MFAWire
import MFABase
import MFAStore
import MFAModel
import MFASignIn
import MFASignInTestSupport
import Testing

@Suite("Enrolment during a sign-in")
struct EnrollmentDialogTests {
  let host = ScriptedHost()

  init() { host.configuration = "[project]\nenrollment = required\n" }

  private func request(_ service: String = "sshd") -> SignInRequest {
    SignInRequest(service: service, remoteHost: "203.0.113.9")
  }

  /// Runs the auth and account lines in one transaction.
  private func signIn(_ application: ScriptedApplication) -> Verdict {
    let signIn = SignInRun(request(), host: host, application: application)
    #expect(signIn.authenticate() == .pass)
    #expect(application.prompts.isEmpty)
    return signIn.checkAccount()
  }

  /// Returns the bytes of the key in the prompts.
  static func key(_ prompts: [String]) throws -> [UInt8] {
    let match = try #require(
      prompts.lazy.compactMap { $0.firstMatch(of: /\n\n  ([A-Z2-7 ]+)\n/) }.first)
    var key: [UInt8] = []
    if let bytes = Base32.decode(Array(match.output.1.utf8).span) {
      for index in bytes.span.indices { key.append(bytes.span[index]) }
    }
    return key
  }

  /// Returns the code that the app shows `steps` steps after the host's time.
  private func code(_ steps: Int64 = 0) -> ScriptedApplication.Answer {
    let time = host.time
    return .seeing { prompts in
      do { return try KnownFactor.code(at: time, steps: steps, secret: Self.key(prompts)) } catch {
        return "\(error)"
      }
    }
  }

  private static let wrong = ScriptedApplication.Answer.seeing { prompts in
    do {
      let key = try Self.key(prompts)
      let right = Set(
        try (-20...20).map { try KnownFactor.code(at: 1_700_000_000, steps: $0, secret: key) })
      return (100_000...200_000).lazy.map(String.init).first { !right.contains($0) } ?? ""
    } catch {
      return "\(error)"
    }
  }

  @Test("after the key, URL, code and recovery codes the user is signed in and has a factor")
  func enrolls() throws {
    let application = ScriptedApplication([.text("3"), code(), .text(" tablet "), .text("")])
    #expect(signIn(application) == .allow)
    #expect(application.isUsedUp)
    #expect(application.prompts.count == 4)
    #expect(application.prompts.allSatisfy { $0.hasSuffix("(echo)") })
    // Some applications do not show messages other than prompts.
    #expect(application.told.isEmpty)
    #expect(application.prompts[0].contains("requires a code from an authenticator app"))
    #expect(application.prompts[0].contains("\nhave 10 minutes. To stop, press Enter"))
    #expect(application.prompts[0].hasSuffix("\n\nType 1, 2 or 3: (echo)"))
    #expect(application.prompts[2] == "Name for this device [phone 2023-11-14]: (echo)")
    let shown = application.secretPrompts
    #expect(shown.count == 2)
    let key = try Self.key(shown)
    #expect(key.count == 20)
    let encoded = Base32.encode(key.span)
    let text = String(decoding: (0..<encoded.count).map { encoded.span[$0] }, as: UTF8.self)
    #expect(
      shown[0].contains(
        "\n\notpauth://totp/host.example:alice?secret=\(text)&issuer=host.example\n\nCode from the app: "
      ))
    #expect(!shown[0].contains("\u{2588}"))
    #expect(
      shown[0].contains(
        "\n\n  "
          + stride(from: 0, to: 32, by: 4).map {
            text.dropFirst($0).prefix(4)
          }.joined(separator: " ") + "\n"))

    let record = try #require(host.memory.record)
    #expect(
      record.factors.map { String(decoding: $0.displayName.utf8, as: UTF8.self) } == [
        "tablet"
      ])
    #expect(record.factors[0].enrolledAt == host.time)
    #expect(record.uid == 1000 && record.user.bytes == Array("alice".utf8))
    #expect(record.recoveryCodes.count == 10 && Set(record.recoveryCodes.map(\.bytes)).count == 10)
    #expect(host.memory.steps.count { $0 == .replace } == 1)
    let codes = shown[1].matches(of: /\n  ([a-z2-7]{4}(?:-[a-z2-7]{4}){3})(?=\n)/)
    #expect(Set(codes.map { String($0.output.1) }).count == 10)

    #expect(record.notices.map(\.kind) == [.enrolled])
    #expect(host.delivered == ["alice"])

    #expect(application.logged.count == 2)
    let id = record.factors[0].id.hexadecimal.map { String(UnicodeScalar($0)) }.joined()
    #expect(
      application.logged[1]
        == "result=enrolled user=alice service=sshd rhost=203.0.113.9 tty=- factor=\(id) "
        + "name=tablet source=sign-in checkpoint=1:00c0ffee")
    for line in application.logged { #expect(!line.contains(text)) }

    // The code is used; the next one and a recovery code sign in.
    func next(_ answer: String) -> Verdict {
      let next = ScriptedApplication([.text(answer)])
      return SignInRun(request(), host: host, application: next).authenticate()
    }
    #expect(try next(KnownFactor.code(at: host.time, secret: key)) == .deny)
    #expect(try next(KnownFactor.code(at: host.time, steps: 1, secret: key)) == .allow)
    #expect(next(String(codes[3].output.1)) == .allow)
    #expect(next(String(codes[3].output.1)) == .deny)
    let line = ScriptedApplication()
    #expect(SignInRun(request(), host: host, application: line).checkAccount() == .allow)
    #expect(line.prompts.isEmpty)
  }

  @Test(
    "the QR code, its heading and the question fit a window of 80x23",
    arguments: ["1", "2"])
  func picture(answer: String) throws {
    let application = ScriptedApplication([.text(answer), .text("3"), code(), .none])
    // Without a name nothing is enrolled.
    #expect(signIn(application) == .deny)
    #expect(host.memory.record == nil)
    let shown = application.secretPrompts[0]
    #expect(!shown.contains("\u{1B}"))
    let lines = shown.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 23 && lines.allSatisfy { $0.count <= 80 })
    #expect(lines.first == "Scan this with an authenticator app.")
    #expect(lines.last == "Code from the app, or 3 for a key to type: ")
    let drawn = lines.dropFirst().dropLast()
    #expect(drawn.count > 10 && drawn.allSatisfy { $0.count == drawn.first?.count })
    // The margin is light: in a dark window it is drawn, in a light one it is empty.
    #expect(drawn.first?.allSatisfy { $0 == (answer == "1" ? "\u{2588}" : " ") } == true)
    // The key as text follows on request.
    #expect(application.secretPrompts[1].contains("Type this key"))
  }

  @Test("a long name leaves no room for a QR code, so the key is shown")
  func noRoom() {
    host.configuration += "issuer = \(String(repeating: "long ", count: 11))\n"
    let application = ScriptedApplication([.text("1"), .none])
    #expect(signIn(application) == .deny)
    #expect(
      application.secretPrompts[0].hasPrefix(
        "\nThe QR code is too large for a window of usual size.\nType this key"))
    let typed = ScriptedApplication([.text("3"), .none])
    #expect(signIn(typed) == .deny)
    #expect(typed.secretPrompts[0].hasPrefix("\nType this key"))
  }

  @Test("the form of the key can be changed a few times, which is no wrong code")
  func otherForms() {
    let changes: [ScriptedApplication.Answer] = [.text("1"), .text("3"), .text("2"), .text("3")]
    let application = ScriptedApplication(
      [.text("3")] + changes + [Self.wrong, Self.wrong, code(), .text(""), .text("")])
    #expect(signIn(application) == .allow)
    #expect(application.isUsedUp)
    let endless = ScriptedApplication(Array(repeating: .text("3"), count: 20))
    host.memory.record = nil
    #expect(signIn(endless) == .deny)
    // The first question, five changes, and three answers that count.
    #expect(endless.prompts.count == 9)
    #expect(endless.logged.last?.hasSuffix("reason=wrong-codes") == true)
  }

  @Test("the device gets the name that the user types, or one with the day")
  func names() throws {
    let rows: [(answers: [String], name: String)] = [
      ([""], "phone 2023-11-14"), (["  "], "phone 2023-11-14"), (["Pixel 8"], "Pixel 8"),
      (["a\u{7}b", "Pixel"], "Pixel"),
      ([String(repeating: "x", count: 65), "\u{1B}", "\u{202E}"], "phone 2023-11-14"),
    ]
    for row in rows {
      host.memory.record = nil
      let application = ScriptedApplication(
        [.text("3"), code()] + row.answers.map { .text($0) } + [.text("")])
      #expect(signIn(application) == .allow)
      #expect(application.isUsedUp)
      let name = try #require(host.memory.record?.factors.first?.displayName.utf8)
      #expect(String(decoding: name, as: UTF8.self) == row.name)
      if row.answers.count > 1 {
        #expect(application.prompts[3].hasPrefix("A name has 1 to 64 visible characters.\n"))
      }
    }
  }

  @Test("the user's language is the host's, in the dialogue and afterwards")
  func language() throws {
    host.configuration += "language = fr\n"
    let application = ScriptedApplication([.text("3"), code(), .text(""), .text("")])
    #expect(signIn(application) == .allow)
    #expect(application.prompts[0].contains("Cet hôte exige un code"))
    #expect(application.secretPrompts[1].contains("Codes de récupération de alice sur"))
    #expect(host.memory.record?.language == .french)
  }

  struct Failing {
    let script: [ScriptedApplication.Answer]
    let reason: String
    let told: String
  }

  static let failing = [
    Failing(script: [], reason: "no-conversation", told: "keyboard-interactive"),
    Failing(script: [.none], reason: "no-conversation", told: "mfa-enroll --ticket"),
    Failing(
      script: [.bytes([8, 10, 13, 127] + Array("INCORRECT".utf8))],
      reason: "no-conversation", told: "keyboard-interactive"),
    Failing(script: [.text("3"), .text("")], reason: "abandoned", told: "Sign in again"),
    Failing(script: [.text("3"), .none], reason: "abandoned", told: "Sign in again"),
    Failing(script: [.text("3"), .tooLong], reason: "abandoned", told: "Sign in again"),
    Failing(script: [.tooLong, wrong, .none], reason: "abandoned", told: "Sign in"),
    Failing(script: [.text("")], reason: "abandoned", told: "Sign in again"),
    Failing(
      script: [.text("0"), wrong, .text("abc"), .text("")], reason: "abandoned",
      told: "Sign in again"),
    Failing(
      script: [.text("3"), wrong, .text("no code"), wrong], reason: "wrong-codes",
      told: "No device was added"),
  ]

  @Test("after interruption or three wrong codes nothing is enrolled", arguments: failing)
  func nothingEnrolled(row: Failing) {
    let application = ScriptedApplication(row.script)
    #expect(signIn(application) == .deny)
    #expect(application.isUsedUp)
    #expect(host.memory.record == nil && !host.memory.steps.contains(.replace))
    #expect(application.told.count == 1 && application.told[0].contains(row.told))
    #expect(application.essentials == application.told)
    #expect(application.logged.last?.contains("result=enrollment-required user=alice") == true)
    #expect(application.logged.last?.hasSuffix("reason=\(row.reason)") == true)
  }

  @Test("a correct code is accepted after two wrong answers")
  func thirdTime() {
    let application = ScriptedApplication([
      .text("3"), Self.wrong, .text("12345"), code(1), .text(""), .text(""),
    ])
    #expect(signIn(application) == .allow)
    #expect(application.prompts.count == 6)
    #expect(
      application.prompts[2].hasPrefix("\nWrong code. Type the one that the app shows now.\nCode"))
  }

  @Test(
    "a code of a wrong clock is explained",
    arguments: [
      (1, -8, "That code was right 4 minutes ago. Turn on automatic time on your phone."),
      (2, 120, "That code is right only in 60 minutes. Turn on automatic time on your phone."),
      (3, -121, "Wrong code. Type the one that the app shows now."),
    ] as [(Int, Int64, String)])
  func wrongClock(row: Int, steps: Int64, text: String) {
    let application = ScriptedApplication([
      .text("3"), code(steps), code(), .text(""), .text(""),
    ])
    #expect(signIn(application) == .allow, "row \(row)")
    #expect(application.prompts[2].hasPrefix("\n\(text)"), "row \(row): \(application.prompts[2])")
  }

  @Test(
    "the policy's window applies",
    arguments: [(1, 0, 0, true), (2, 0, 1, false), (3, 2, -2, true), (4, 2, 3, false)]
      as [(Int, Int, Int64, Bool)])
  func window(row: Int, intervals: Int, steps: Int64, accepted: Bool) {
    host.configuration += "adjacent_intervals = \(intervals)\n"
    let application = ScriptedApplication([.text("3"), code(steps), .text(""), .text("")])
    #expect(signIn(application) == (accepted ? .allow : .deny), "row \(row)")
    #expect((host.memory.record != nil) == accepted, "row \(row)")
  }

  @Test(
    "enrolment must finish within ten minutes, also if the clock is set back",
    arguments: [
      (1, 600, true), (2, 601, false), (3, -1, false), (4, Int64.max - 1_700_000_000, false),
    ]
      as [(Int, Int64, Bool)])
  func deadline(row: Int, seconds: Int64, accepted: Bool) {
    let start = host.time
    let application = ScriptedApplication([
      .text("3"),
      .seeing { prompts in
        do {
          let time = start &+ seconds
          return try KnownFactor.code(at: time, secret: Self.key(prompts))
        } catch {
          return "\(error)"
        }
      }, .text(""),
    ])
    application.atPrompt = { [host] in
      if application.prompts.count == 2 { host.time = start &+ seconds }
    }
    #expect(signIn(application) == (accepted ? .allow : .deny), "row \(row)")
    #expect((host.memory.record != nil) == accepted, "row \(row)")
    if !accepted {
      #expect(application.logged.last?.hasSuffix("reason=too-late") == true, "row \(row)")
    }
  }

  /// Begins the connection `seconds` before sshd ends the sign-in.
  private func begin(secondsLeft seconds: Int64) {
    // The connection began 970 s after the machine was started, and ends after 120 s.
    let ticks: [UInt8] = [0, 0, 0, 0, 0, 1, 0x7A, 0xE8]
    host.session = SignInOrigin(
      .session, Array(repeating: UInt8(ascii: "b"), count: 36) + [0, 0, 0, 7] + ticks)
    host.sinceBoot = 970 + 120 - seconds
  }

  @Test(
    "sshd's time limit is told, and ends early enough to say why",
    arguments: [(80, true), (81, false)])
  func timeLeft(seconds: Int64, accepted: Bool) throws {
    begin(secondsLeft: 90)
    let start = host.time
    let application = ScriptedApplication([.text("3"), code(1), .text(""), .text("")])
    application.atPrompt = { [host] in
      if application.prompts.count == 2 { host.time = start + seconds }
    }
    host.configuration += "adjacent_intervals = 4\n"
    #expect(signIn(application) == (accepted ? .allow : .deny))
    #expect(application.prompts[0].contains("80 seconds."))
    if !accepted { #expect(application.logged.last?.hasSuffix("reason=too-late") == true) }
  }

  @Test("an enrolment does not begin when too little time is left", arguments: [0, 54, 55])
  func tooLittleTime(seconds: Int64) {
    begin(secondsLeft: seconds)
    let application = ScriptedApplication([.none])
    #expect(signIn(application) == .deny)
    #expect(application.isUsedUp == (seconds == 55))
    #expect(application.told.count == 1)
    guard seconds < 55 else { return }
    #expect(application.told[0].hasPrefix("Only \(max(seconds - 10, 0)) seconds left"))
    #expect(application.logged.last?.hasSuffix("reason=too-little-time") == true)
  }

  @Test("enrolment requires that the auth line passed this account")
  func onlyAfterTheFirstFactor() {
    for noted in [nil, Array("bob".utf8), []] as [[UInt8]?] {
      let application = ScriptedApplication()
      application.noted = noted
      let verdict = SignInRun(request(), host: host, application: application).checkAccount()
      #expect(verdict == .deny)
      #expect(application.prompts.isEmpty)
      #expect(application.told.count == 1 && application.told[0].contains("keyboard-interactive"))
      #expect(application.logged.last?.hasSuffix("reason=not-authenticated-here") == true)
    }
  }

  @Test("no lock is held at a prompt")
  func noLockAtThePrompt() {
    let application = ScriptedApplication([.text("3"), code(), .text(""), .text("")])
    var locked: [Bool] = []
    application.atPrompt = { [host] in locked.append(host.memory.isLocked) }
    #expect(signIn(application) == .allow)
    #expect(locked == [false, false, false, false])
  }

  @Test("a factor enrolled meanwhile is kept, and the sign-in is denied")
  func enrolledMeanwhile() throws {
    let application = ScriptedApplication([.text("3"), code()])
    let account = try #require(host.account)
    application.atPrompt = { [host] in
      guard application.prompts.count == 2 else { return }
      do {
        _ = try host.memory.enroll("Phone", secret: KnownFactor.secret, for: account)
      } catch {
        Issue.record("\(error)")
      }
    }
    #expect(signIn(application) == .deny)
    #expect(application.isUsedUp)
    #expect(host.memory.record?.factors.count == 1)
    #expect(host.memory.record?.factors[0].displayName.utf8 == Array("Phone".utf8))
    #expect(application.logged.last?.hasSuffix("reason=enrolled-meanwhile") == true)
    #expect(host.memory.steps.allSatisfy { $0 != .replace })
  }

  @Test("existing grants are kept, and an unsent mail is logged without denying the sign-in")
  func grants() throws {
    _ = try host.memory.grant(
      .ticket, Array("0123456789".utf8), to: try #require(host.account), madeAt: host.time)
    host.delivers = false
    let application = ScriptedApplication([.text("3"), code(), .text(""), .text("")])
    #expect(signIn(application) == .allow)
    #expect(host.memory.record?.grants.count == 1 && host.memory.record?.factors.count == 1)
    #expect(application.logged.contains { $0.hasPrefix("result=notice-not-mailed user=alice") })
  }

  @Test("after an offer has ended, the same enrolment takes place")
  func expiredOffer() {
    host.configuration = "[project]\nenrollment = offered\noffer_sign_ins = 1\n"
    #expect(signIn(ScriptedApplication([.text("")])) == .pass)
    let application = ScriptedApplication([.text("3"), code(), .text(""), .text("")])
    #expect(signIn(application) == .allow)
    #expect(host.memory.record?.factors.count == 1)
  }

  @Test("store failures deny the enrolment", arguments: [MemoryStore.Step.lock, .digest, .replace])
  func failures(step: MemoryStore.Step) {
    let application = ScriptedApplication([.text("3"), code(), .text("")])
    application.atPrompt = { [host] in
      if application.prompts.count == 2 { host.memory.failure = (step, .busy) }
    }
    #expect(signIn(application) == .deny)
    #expect(application.isUsedUp)
    #expect(application.prompts.count == 3)
    #expect(host.memory.record == nil)
    #expect(application.logged.last?.hasPrefix("result=error") == true)
  }
}
