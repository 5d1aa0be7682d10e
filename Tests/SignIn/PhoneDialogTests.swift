import MFAAttempt
import MFABase
import MFAModel
import MFASignIn
import MFASignInTestSupport
import MFAStore
import MFAWire
import Testing

/// The enrolment of a phone during a sign-in.
@Suite struct PhoneDialogTests {
  static let number = "+15105551234"
  static let onlyPhones = PhoneSignInTests.settings + "factors = phone\nenrollment = required\n"
  static let codePrompt = "Code from the message (s: send another one): (echo)"

  let host = ScriptedHost()

  init() { host.configuration = Self.onlyPhones }

  func signIn(
    _ application: ScriptedApplication, _ host: ScriptedHost, service: String = "sshd"
  ) -> Verdict {
    let request = SignInRequest(service: service, remoteHost: "203.0.113.9")
    let signIn = SignInRun(request, host: host, application: application)
    #expect(signIn.authenticate() == .pass)
    #expect(application.prompts.isEmpty)
    return signIn.checkAccount()
  }

  func signIn(
    _ script: [ScriptedApplication.Answer], service: String = "sshd"
  ) -> (verdict: Verdict, application: ScriptedApplication) {
    let application = ScriptedApplication(script)
    return (signIn(application, host, service: service), application)
  }

  var code: ScriptedApplication.Answer { .seeing { [host] _ in host.codeSender.lastCode } }

  private static let wrong = ScriptedApplication.Answer.text("12345")

  @Test(
    "after the number, the code and the name, the user is signed in and has a phone",
    arguments: ["sshd", "sudo"])
  func enrolls(service: String) throws {
    let (verdict, application) = signIn(
      [.text(" +1 510-555-1234"), code, .text("work"), .text("")], service: service)
    #expect(verdict == .allow && application.isUsedUp)
    #expect(application.told.isEmpty && application.prompts.count == 4)
    let first = application.prompts[0].split(separator: "\n").joined(separator: " ")
    #expect(first.hasPrefix("This host requires a code that is sent to your phone."))
    #expect(first.contains("You have 10 minutes. To stop, press Enter."))
    #expect(first.contains("read your messages. The code comes by text message."))
    #expect(first.contains("Your provider may charge you for it."))
    #expect(!first.contains("use an authenticator app"))
    #expect(first.hasSuffix("Number with country code, such as +15105551234: (echo)"))
    #expect(
      application.prompts[1]
        == "\nA code was sent to +1 *** *** **34. It is valid for 10 minutes.\n" + Self.codePrompt)
    #expect(application.prompts[2] == "Name for this device [phone 2023-11-14]: (echo)")
    #expect(application.prompts[3].hasPrefix("\nYour phone is added. At your next sign-in, type s"))
    let message = try #require(host.codeSender.messages.first)
    #expect(message.hasPrefix("To: \(Self.number)\n") && host.codeSender.messages.count == 1)
    #expect(message.contains(" is the code that adds this phone to your account at host.example."))
    #expect(host.codeSender.causes.map(\.purpose) == [.enrolment])
    #expect(host.codeSender.returned == [SendID(number: 1)])

    let record = try #require(host.memory.record)
    #expect(record.factors.count == 1 && record.factors[0].parameters == nil)
    #expect(record.factors[0].displayName.utf8 == Array("work".utf8))
    #expect(record.factors[0].origin == .enrolled && record.recoveryCodes.count == 10)
    guard case .phone(_, let usableFrom, _) = record.factors[0].kind else { return }
    #expect(usableFrom == host.time)
    #expect(record.notices.map(\.kind) == [.enrolled] && host.delivered == ["alice"])
    #expect(
      application.logged.map { $0.prefix { $0 != " " } } == [
        "result=enrollment-pending", "result=code-sent", "result=enrolled",
      ])
    for line in application.logged {
      #expect(!line.contains("5105551234") && !line.contains(host.codeSender.lastCode), "\(line)")
    }

    // The code that confirmed the number is no code for a sign-in; one that is sent there is.
    host.enclosingSessions = [SignInOrigin(.session, [1])]
    host.time += 30
    let script: [ScriptedApplication.Answer] = [.text("s"), code]
    let next = ScriptedApplication(script)
    let request = SignInRequest(arguments: ["after_password"])
    #expect(SignInRun(request, host: host, application: next).authenticate() == .allow)
  }

  @Test("where both types are allowed, an app is the usual choice, and a phone can be chosen")
  func choice() throws {
    host.configuration = PhoneSignInTests.settings + "enrollment = required\n"
    let (verdict, application) = signIn(
      [.text("4"), .text(Self.number), code, .text(""), .text("")])
    #expect(verdict == .allow && application.isUsedUp)
    #expect(
      application.prompts[0].contains("\n4  No app: codes by text message, which are less safe\n"))
    #expect(application.prompts[0].hasSuffix("Type 1, 2, 3 or 4: (echo)"))
    let restricted = application.prompts[1].split(separator: "\n").joined(separator: " ")
    #expect(restricted.contains("If you can, use an authenticator app. The code comes by text"))
    #expect(host.memory.record?.hasPhone == true)
    // Where no code can be sent, a phone is not offered.
    host.memory.record = nil
    host.configuration = "[project]\nenrollment = required\n"
    let other = signIn([.text("4"), .none])
    #expect(other.application.prompts[0].hasSuffix("Type 1, 2 or 3: (echo)"))
    #expect(other.application.secretPrompts[0].contains("Type this key"))
  }

  struct Failing {
    let script: [ScriptedApplication.Answer]
    let reason: String
    let told: String
    var sends = 0
  }

  static let failing = [
    Failing(script: [], reason: "no-conversation", told: "run mfa-enroll phone --ticket"),
    Failing(script: [.none], reason: "no-conversation", told: "keyboard-interactive"),
    Failing(
      script: [.bytes([8, 10, 13, 127] + Array("INCORRECT".utf8))], reason: "no-conversation",
      told: "keyboard-interactive"),
    Failing(script: [.text("")], reason: "abandoned", told: "with your phone at hand"),
    Failing(
      script: [.text(number), .text("")], reason: "abandoned", told: "Sign in again", sends: 1),
    Failing(script: [.text(number), .none], reason: "abandoned", told: "Sign in again", sends: 1),
    Failing(
      script: [.text(number), wrong, .text("no code"), wrong], reason: "wrong-codes",
      told: "Too many wrong codes. No device was added. Sign in again.", sends: 1),
    Failing(
      script: Array(repeating: .text("0510"), count: 6), reason: "abandoned", told: "Sign in again"),
  ]

  @Test(
    "after interruption, three wrong codes or wrong numbers nothing is enrolled", arguments: failing
  )
  func nothingEnrolled(row: Failing) {
    let (verdict, application) = signIn(row.script)
    #expect(verdict == .deny && application.isUsedUp)
    #expect(host.memory.record == nil && host.codeSender.messages.count == row.sends)
    #expect(host.memory.hasPlace == (row.sends > 0))
    #expect(
      application.told.count == 1 && application.told[0].contains(row.told), "\(application.told)")
    #expect(application.logged.last?.hasSuffix("reason=\(row.reason)") == true)
  }

  @Test("a number that is refused is asked for again, with the reason")
  func numbers() {
    let (verdict, application) = signIn([
      .text("5105551234"), .text("+44 20 7946 0000"), .tooLong, .text(Self.number), code, .text(""),
      .text(""),
    ])
    #expect(verdict == .allow && application.isUsedUp)
    #expect(
      application.prompts[1].hasPrefix(
        "\nThe phone number does not begin with a plus sign.\nType + "))
    #expect(application.prompts[2].contains("does not send codes to phone numbers of this"))
    #expect(!application.prompts[2].contains("mfa-enroll"))
    #expect(application.prompts[3].hasPrefix("\nThe phone number is too long."))
    #expect(host.codeSender.requested == [Self.number])
  }

  /// MUST 1.
  @Test("messages count for the limits of mfa-enroll, and abandoned enrolments give none back")
  func limits() {
    let (_, first) = signIn([.text(Self.number), .text("s"), .text("")])
    #expect(
      first.prompts[2].contains(
        "Too many codes have been sent.\nRequest another one in 30 seconds."))
    #expect(host.codeSender.messages.count == 1)
    // The code that was sent before stays valid.
    host.time += 30
    let application = ScriptedApplication([
      .text(Self.number), .text("s"), code, .text(""), .text(""),
    ])
    #expect(signIn(application, host) == .allow)
    #expect(host.codeSender.messages.count == 2)
    // No sequence of sign-ins sends more than the user's limits allow.
    host.memory.record = nil
    for _ in 0..<20 {
      _ = signIn([.text(Self.number), .text("s"), .text("s"), .none])
      host.time += 60
    }
    #expect(host.codeSender.messages.count <= 10)
    #expect(host.memory.attempts.failures == 0)
  }

  @Test(
    "the limits of the host and a gateway that fails are told, and the number is asked for again")
  func notSent() {
    host.codeSender.refusal = .breaker(seconds: 60)
    let refused = signIn([.text(Self.number), .text("")]).application
    #expect(refused.prompts[1].contains("could not be sent because of a problem"))
    #expect(
      refused.logged.contains { $0.contains("result=code-not-sent reason=breaker user=alice") })
    host.codeSender.refusal = nil
    host.codeSender.reply = .refused
    let failed = signIn([.text(Self.number), .text("")]).application
    #expect(failed.prompts[1].contains("could not be sent because of a problem"))
    #expect(host.codeSender.failed == [SendID(number: 2)])
  }

  /// MUST 2.
  @Test("no lock is held at a prompt or while the gateway is at work")
  func noLock() {
    host.codeSender.atWork = { [host] in #expect(!host.memory.isLocked) }
    let application = ScriptedApplication([.text(Self.number), code, .text(""), .text("")])
    application.atPrompt = { [host] in #expect(!host.memory.isLocked) }
    #expect(signIn(application, host) == .allow)
    #expect(host.codeSender.messages.count == 1)
  }

  @Test("a factor enrolled meanwhile is kept, and the sign-in is denied", arguments: [1, 2, 3])
  func enrolledMeanwhile(prompt: Int) throws {
    let account = try #require(host.account)
    let application = ScriptedApplication([.text(Self.number), code, .text("")])
    application.atPrompt = { [host] in
      guard application.prompts.count == prompt else { return }
      do {
        _ = try host.memory.enrollPhone("Other", number: "+15105550000", for: account)
      } catch {
        Issue.record("\(error)")
      }
    }
    #expect(signIn(application, host) == .deny)
    #expect(host.memory.record?.factors.map(\.displayName.utf8) == [Array("Other".utf8)])
    #expect(application.logged.last?.hasSuffix("reason=enrolled-meanwhile") == true)
  }

  @Test("enrolment must finish within ten minutes")
  func deadline() {
    let application = ScriptedApplication([.text(Self.number), code])
    application.atPrompt = { [host] in
      if application.prompts.count == 2 { host.time += 601 }
    }
    #expect(signIn(application, host) == .deny && host.memory.record == nil)
    #expect(application.logged.last?.hasSuffix("reason=too-late") == true)
  }
}
