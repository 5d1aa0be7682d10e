import MFAAttempt
import MFAMessages
import MFAWire
import MFAStore
import MFAModel
import MFASignIn
import MFASignInTestSupport
import MFABase
import Testing

@Suite("Pending notices")
struct NewsTests {
  let host = ScriptedHost()

  init() throws { try host.enroll() }
  let account = Account(name: Array("alice".utf8), uid: 1000)

  private func signIn(_ code: String, from address: String? = nil, listening: Bool = true)
    -> (Verdict, told: [String])
  {
    let request = SignInRequest(remoteHost: address, terminal: "tty1")
    let application = ScriptedApplication([.text(code)])
    application.showsMessages = listening
    let verdict = SignInRun(request, host: host, application: application).authenticate()
    return (verdict, application.told)
  }

  private func right(_ steps: Int64 = 0) throws -> String {
    try host.code(steps)
  }

  @Test("wrong codes are shown once, with the source of the last one")
  func wrongCodes() throws {
    #expect(signIn(try host.wrongCode(), from: "203.0.113.9").0 == .deny)
    #expect(signIn(try host.wrongCode(), from: "203.0.113.9").0 == .deny)
    #expect(signIn(try host.wrongCode()).0 == .deny)
    let (verdict, told) = signIn(try right(), from: "192.0.2.7")
    #expect(verdict == .allow)
    #expect(
      told == [
        "3 failed codes since your last sign-in, most recently from tty1 on 14 November 2023, 22:13 UTC."
      ])
    #expect(signIn(try right(1)).told == [])
    #expect(signIn(try host.wrongCode(), from: "2001:db8::1").0 == .deny)
    #expect(
      signIn(try right(2)).told == [
        "1 failed code since your last sign-in, from 2001:db8::1 on 14 November 2023, 22:13 UTC."
      ])
  }

  @Test("only a line behind the prefix of ssh is short", arguments: [("login", 79), ("sshd", 60)])
  func columns(service: String, columns: Int) throws {
    host.memory.record?.note(
      .ticketMade, Array("the phone of the user was lost on the way to the office".utf8),
      about: .account, from: .unknown, at: host.time)
    let request = SignInRequest(service: service, terminal: service == "login" ? "tty1" : "ssh")
    let application = ScriptedApplication([.text(try right())])
    #expect(SignInRun(request, host: host, application: application).authenticate() == .allow)
    let lines = try #require(application.toldLines.first)
    #expect(lines.count == 2 && lines[0].count <= columns && lines[0].count > columns - 19)
    #expect(lines[1].count <= 79)
  }

  @Test("if messages are not shown, notices stay pending")
  func noticesStayPendingWhenSilent() throws {
    host.memory.record?.note(
      .enrolled, Array("Pixel".utf8), about: .account, from: Source(Array("mfa-enroll".utf8)),
      at: host.time - 900)
    _ = signIn(try host.wrongCode())
    #expect(signIn(try right(), listening: false).told == [])
    #expect(host.memory.attempts.failures == 0)
    #expect(
      signIn(try right(1)).told == [
        "1 failed code since your last sign-in, from tty1 on 14 November 2023, 22:13 UTC.",
        "New device 'Pixel' was added on 14 November 2023, 21:58 UTC.",
      ])
    #expect(signIn(try right(2)).told == [])
  }

  @Test("unlocking by an administrator does not hide failed attempts")
  func unlocking() throws {
    _ = signIn(try host.wrongCode(), from: "203.0.113.9")
    host.memory.attempts = host.memory.attempts.unlocked()
    #expect(
      signIn(try right()).told == [
        "1 failed code since your last sign-in, from 203.0.113.9 on 14 November 2023, 22:13 UTC."
      ])
  }

  @Test("in the observe state nothing is shown, and everything stays pending")
  func observing() throws {
    _ = signIn(try host.wrongCode())
    host.configuration = "[project]\nstate = observe\n"
    #expect(signIn(try right()).told == [])
    host.configuration = "[project]\n"
    #expect(signIn(try right(1)).told.count == 1)
  }

  @Test("an attempt without a result counts as a wrong code")
  func killed() throws {
    host.memory.failure = (.secret, .busy)
    _ = signIn(try right(), from: "203.0.113.9")
    host.memory.failure = nil
    // Its code may be right, so that it is compared again.
    #expect(
      signIn(try right()).told == [
        "1 failed code since your last sign-in, from 203.0.113.9 on 14 November 2023, 22:13 UTC."
      ])
  }

  @Test(
    "the text of each notice",
    arguments: [
      (1, .enrolled, "Pixel", "New device 'Pixel' was added"),
      (2, .imported, "Old", "Device 'Old' was imported from another program"),
      (3, .unenrolled, "Pixel", "Device 'Pixel' was removed"),
      (4, .recoveryCodeUsed, "", "A recovery code was used"),
      (5, .recoveryCodesMade, "", "New recovery codes were made"),
      (6, .ticketMade, "", "An enrolment ticket was made"),
      (7, .ticketMade, "new phone", "An enrolment ticket was made ('new phone')"),
      (8, .ticketUsed, "Pixel", "New device 'Pixel' was added with a ticket"),
      (9, .bypassMade, "lost", "A bypass code was made ('lost')"),
      (10, .bypassUsed, "lost", "A bypass code was used ('lost')"),
      (11, .resynchronized, "Pixel", "The clock of device 'Pixel' was corrected"),
      (12, .revoked, "", "All your devices were removed"),
      (13, .programPasswordMade, "mail", "A password for the program 'mail' was made"),
    ] as [(Int, Notice.Kind, String, String)])
  func sentences(row: Int, kind: Notice.Kind, detail: String, expected: String) throws {
    host.memory.record?.note(
      kind, Array(detail.utf8), about: .account, from: Source(Array("\u{1B}[2J é".utf8)), at: 0)
    #expect(signIn(try right()).told == ["\(expected) from ?[2J???."], "row \(row)")
  }

  @Test("a used recovery code is shown until a factor signs in, and mailed at once")
  func recoveryCode() throws {
    try host.memory.keep(recoveryCodes: [(Array("0123456789".utf8), .generated)])
    _ = signIn(try host.wrongCode())
    let (verdict, told) = signIn("gayt-emzu-gu3d-oobz")
    #expect(verdict == .allow)
    #expect(told.count == 2)
    #expect(host.delivered == ["alice"])
    #expect(host.memory.record?.notices.map(\.kind) == [.recoveryCodeUsed])
    #expect(
      signIn(try right()).told == [
        "1 failed code since your last sign-in, from tty1 on 14 November 2023, 22:13 UTC.",
        "A recovery code was used from tty1 on 14 November 2023, 22:13 UTC.",
      ])
    #expect(signIn(try right(1)).told == [])
  }

  @Test("without a helper to mail it, a notice is logged as not mailed, and the sign-in continues")
  func noHelper() throws {
    host.delivers = false
    try host.memory.keep(recoveryCodes: [(Array("0123456789".utf8), .generated)])
    let request = SignInRequest()
    let application = ScriptedApplication([.text("gayt-emzu-gu3d-oobz")])
    #expect(SignInRun(request, host: host, application: application).authenticate() == .allow)
    #expect(
      application.logged.first == "result=notice-not-mailed user=alice reason=helper-not-started")
  }

  @Test("a user whose last factor was removed is notified once, in the account phase")
  func unenrolled() throws {
    var record = try #require(host.memory.record)
    _ = try record.remove(try #require(record.factors.first).id)
    record.note(.unenrolled, Array("Phone".utf8), about: .account, from: .unknown, at: 0)
    host.memory.record = record
    let request = SignInRequest()
    host.configuration = "[project]\nstate = observe\n"
    let observed = ScriptedApplication()
    #expect(SignInRun(request, host: host, application: observed).checkAccount() == .pass)
    #expect(observed.told == [], "in the observe state no notice is shown")
    host.configuration = "[project]\n"
    let first = ScriptedApplication()
    #expect(SignInRun(request, host: host, application: first).checkAccount() == .pass)
    #expect(first.told == ["Device 'Phone' was removed."])
    let second = ScriptedApplication()
    #expect(SignInRun(request, host: host, application: second).checkAccount() == .pass)
    #expect(second.told == [])
  }

  @Test("a notice that cannot be shown in the account phase denies no sign-in")
  func accountPhaseGoesOn() throws {
    host.memory.record?.removeEverything()
    host.memory.record?.note(.revoked, about: .account, from: .unknown, at: 0)
    let request = SignInRequest()
    for step in [MemoryStore.Step.lock, .write(failures: 0), .sync] {
      host.memory.failure = (step, .busy)
      let application = ScriptedApplication()
      #expect(SignInRun(request, host: host, application: application).checkAccount() == .pass)
      #expect(application.told == [], "\(step)")
    }
  }

  // MARK: Confirmation

  private static let question = "Type yes if you have read this: (echo)"
  private static let pixel =
    "New device 'Pixel' was added on 14 November 2023, 22:13 UTC."
  private static let stays =
    "These notices are shown until you sign in with 'Phone' and answer yes."

  /// Enrols a second factor, as an attacker would.
  private func enrollPixel() throws -> Factor {
    let pixel = try host.memory.enroll("Pixel", secret: Self.pixelSecret, for: account)
    host.memory.record?.note(
      .enrolled, Array("Pixel".utf8), about: .factor(pixel.id),
      from: Source(Array("mfa-enroll".utf8)), at: host.time)
    return pixel
  }

  private static let pixelSecret = Array("another secret......".utf8)

  private func pixelCode(_ steps: Int64 = 0) throws -> String {
    try KnownFactor.code(at: host.time, steps: steps, secret: Self.pixelSecret)
  }

  /// Signs in through sshd: PAM_TTY is "ssh", whether or not there is a terminal.
  private func signInRemotely(
    _ answers: [String], arguments: [String] = [], earlier: String? = nil
  ) -> ScriptedApplication {
    let request = SignInRequest(remoteHost: "192.0.2.7", terminal: "ssh", arguments: arguments)
    let application = ScriptedApplication(answers.map { .text($0) })
    if let earlier { application.earlier = .text(earlier) }
    #expect(SignInRun(request, host: host, application: application).authenticate() == .allow)
    #expect(application.isUsedUp)
    return application
  }

  @Test("through sshd a notice is shown until the user confirms it")
  func confirmation() throws {
    _ = try enrollPixel()
    for answers in [[], [""], ["no"], ["oui"], ["yes and no"]] {
      let application = signInRemotely([try right()] + answers)
      #expect(application.told == [Self.pixel] + (answers.isEmpty ? [] : [Self.stays]))
      #expect(application.prompts.last == Self.question)
      host.time += 30
    }
    #expect(signInRemotely([try right(), "yes"]).told == [Self.pixel])
    host.time += 30
    let after = signInRemotely([try right()])
    #expect(after.told == [] && after.prompts.count == 1)
  }

  @Test(
    "a notice is confirmed in the words of each language",
    arguments: [
      (1, "en", "Yes"), (2, "fr", "oui"), (3, "es", "s\u{ED}"), (4, "ja", "\u{306F}\u{3044}"),
      (5, "ja", "y"), (6, "zh-TW", "\u{662F}"),
    ])
  func confirmedInWords(row: Int, language: String, yes: String) throws {
    host.configuration = "[project]\nlanguage = \(language)\n"
    _ = try enrollPixel()
    let asked = signInRemotely([try right(), yes])
    #expect(asked.told.count == 1, "row \(row)")
    host.time += 30
    #expect(signInRemotely([try right()]).told == [], "row \(row)")
  }

  @Test("the sign-in that can confirm notices is named, whatever the user still has")
  func nextStep() throws {
    let pixel = try enrollPixel()
    var record = try #require(host.memory.record)
    #expect(
      NoticeConfirmation(of: record, after: 0) == .device(name: Array("Phone".utf8)))
    let phone = try #require(record.factors.first { $0.id != pixel.id })
    _ = try record.unenroll(phone.id, from: .unknown, at: host.time)
    // The recovery codes may belong to another person than the only device, which is new.
    record.setRecoveryCodes(
      [
        try #require(
          RecoveryCodeDigest(
            kind: .generated, bytes: [UInt8](repeating: 1, count: RecoveryCodeDigest.length)))
      ], at: host.time)
    #expect(NoticeConfirmation(of: record, after: 0) == .afterRecoveryCode)
    record.note(.recoveryCodeUsed, about: .recoveryCodes, from: .unknown, at: host.time)
    #expect(
      NoticeConfirmation(of: record, after: 0) == .device(name: Array("Pixel".utf8)))
    _ = try record.remove(pixel.id)
    #expect(NoticeConfirmation(of: record, after: 0) == .any)
  }

  @Test("equal notices are one message, with the time of the last one")
  func joined() throws {
    for age in [3600, 1800, 60] as [Int64] {
      host.memory.record?.note(
        .recoveryCodeUsed, about: .account, from: Source(Array("192.0.2.7".utf8)),
        at: host.time - age)
    }
    host.memory.record?.note(
      .recoveryCodeUsed, about: .account, from: Source(Array("192.0.2.8".utf8)), at: host.time)
    host.memory.record?.note(
      .unenrolled, Array("Old".utf8), about: .account,
      from: Source(administrator: Array("root".utf8)), at: host.time)
    #expect(
      signIn(try right()).told == [
        "A recovery code was used 3 times, most recently from 192.0.2.7 on 14 November 2023, "
          + "22:12 UTC.",
        "A recovery code was used from 192.0.2.8 on 14 November 2023, 22:13 UTC.",
        "Device 'Old' was removed by root on 14 November 2023, 22:13 UTC.",
      ])
  }

  @Test("what the user did in the same session is no news there, and stays pending elsewhere")
  func ownSession() throws {
    let pixel = try enrollPixel()
    host.memory.record?.note(
      .resynchronized, Array("Pixel".utf8), about: .factor(pixel.id),
      from: Source(terminal: Array("pts/7".utf8), client: Array("192.0.2.9".utf8)),
      at: host.time)
    let corrected =
      "The clock of device 'Pixel' was corrected from 192.0.2.9 on 14 November 2023, 22:13 UTC."
    for (terminal, told) in [
      ("/dev/pts/7", [Self.pixel]), ("pts/7", []), ("pts/8", [corrected]), ("pts/8", []),
    ] {
      let application = ScriptedApplication([.text(try right())])
      let request = SignInRequest(service: "su", terminal: terminal)
      #expect(SignInRun(request, host: host, application: application).authenticate() == .allow)
      #expect(application.told == told, "\(terminal)")
      host.time += 30
    }
  }

  @Test("the client of a remote sign-in cannot pass for an administrator or for another session")
  func forgedSource() {
    for name in ["=root", "pts/7@192.0.2.9", "@", "pts/7"] {
      let source = Source(remoteHost: Array(name.utf8), terminal: nil)
      #expect(source.place == .named(source.text))
      #expect(!source.isSameSession(as: Source(terminal: Array("pts/7".utf8), client: nil)))
    }
  }

  @Test("a factor confirms no notice about itself, however it signs in")
  func changedFactor() throws {
    _ = try enrollPixel()
    let remote = signInRemotely([try pixelCode()])
    #expect(remote.told == [Self.pixel, Self.stays] && remote.prompts.count == 1)
    #expect(signIn(try pixelCode(1)).told == [Self.pixel, Self.stays])
    host.memory.record?.note(
      .recoveryCodesMade, about: .recoveryCodes, from: .unknown, at: host.time)
    try host.memory.keep(recoveryCodes: [(Array("0123456789".utf8), .generated)])
    host.time += 60
    let recovered = signInRemotely(["gayt-emzu-gu3d-oobz"])
    #expect(recovered.told.contains(Self.pixel) && recovered.prompts.count == 1)
    #expect(signIn(try pixelCode()).told.contains(Self.pixel))
    // Finally, the owner signs in.
    let owner = signInRemotely([try right(), "yes"])
    #expect(owner.told.first == Self.pixel && owner.told.count == 3)
    host.time += 30
    #expect(signInRemotely([try pixelCode(1)]).told == [])
  }

  @Test("wrong codes are not cleared by a factor that the user has not confirmed")
  func failuresStay() throws {
    _ = try enrollPixel()
    #expect(signIn(try host.wrongCode()).0 == .deny)
    _ = signIn(try pixelCode())
    #expect(signIn(try right()).told.count == 2)
    #expect(signIn(try right(1)).told == [])
  }

  @Test("events during the prompt stay pending")
  func meanwhile() throws {
    let pixel = try enrollPixel()
    let request = SignInRequest(remoteHost: "192.0.2.7")
    let application = ScriptedApplication([.text(try right()), .text("yes")])
    application.atPrompt = { [host] in
      guard application.prompts.count == 2 else { return }
      #expect(!host.memory.isLocked, "no lock is held during the prompt")
      host.memory.record?.note(
        .resynchronized, about: .factor(pixel.id), from: .unknown, at: host.time)
      guard case .counted(let counted) = host.memory.attempts.begin(.init(), now: host.time)
      else { return }
      host.memory.attempts = counted
    }
    #expect(SignInRun(request, host: host, application: application).authenticate() == .allow)
    #expect(host.memory.attempts.unreported.lastShownNotice == 1)
    #expect(host.memory.attempts.unreported.failures == 1)
    #expect(host.memory.attempts.failures == 1)
  }

  @Test("if a confirmation cannot be written, the result is unchanged and the notice stays pending")
  func storeFails() throws {
    _ = try enrollPixel()
    for (row, step) in [MemoryStore.Step.lock, .write(failures: 0), .sync].enumerated() {
      let request = SignInRequest(remoteHost: "192.0.2.7")
      let application = ScriptedApplication([.text(try right()), .text("yes")])
      application.atPrompt = { [host] in
        if application.prompts.count == 2 { host.memory.failure = (step, .busy) }
      }
      let verdict = SignInRun(request, host: host, application: application).authenticate()
      host.memory.failure = nil
      #expect(verdict == .allow, "\(step)")
      #expect(application.told == [Self.pixel], "\(step)")
      host.time += 30
      if row == 2 {
        // The write itself succeeded.
        #expect(host.memory.attempts.unreported.lastShownNotice == 1)
      } else {
        #expect(host.memory.attempts.unreported.lastShownNotice == 0, "\(step)")
      }
    }
  }

  @Test("with use_first_pass there is no prompt, and the notice stays pending")
  func useFirstPass() throws {
    _ = try enrollPixel()
    let application = signInRemotely([], arguments: ["use_first_pass"], earlier: try right())
    #expect(application.told == [Self.pixel] && application.prompts == [])
    #expect(signIn(try right(1)).told == [Self.pixel])
  }

  @Test(
    "notices on the user's own terminal need no confirmation",
    arguments: [
      (1, "tty1", nil, true), (2, "/dev/tty1", nil, true), (3, "/dev/pts/7", "", true),
      (4, "pts/7", nil, true), (5, "ssh", nil, false), (6, nil, nil, false),
      (7, "pts/7", "192.0.2.7", false), (8, "cron", nil, false), (9, ":0", nil, false),
      (10, "", nil, false),
    ] as [(Int, String?, String?, Bool)])
  func terminals(row: Int, terminal: String?, address: String?, isShown: Bool) throws {
    _ = try enrollPixel()
    let request = SignInRequest(service: "login", remoteHost: address, terminal: terminal)
    let application = ScriptedApplication([.text(try right())])
    #expect(SignInRun(request, host: host, application: application).authenticate() == .allow)
    #expect(application.prompts.count == (isShown ? 1 : 2), "row \(row)")
    #expect(host.memory.attempts.unreported.lastShownNotice == (isShown ? 1 : 0), "row \(row)")
  }

  @Test("a user without a factor confirms notices in the account phase")
  func confirmedWithoutFactor() throws {
    let pixel = try enrollPixel()
    var record = try #require(host.memory.record)
    for factor in record.factors { _ = try record.remove(factor.id) }
    #expect(record.subject(of: pixel.id) == .account)
    host.memory.record = record
    let request = SignInRequest(remoteHost: "192.0.2.7")
    for (answers, count) in [([ScriptedApplication.Answer.none], 1), ([.text("yes")], 1), ([], 0)] {
      let application = ScriptedApplication(answers)
      #expect(SignInRun(request, host: host, application: application).checkAccount() == .pass)
      #expect(application.told.count == count && application.prompts.count == count)
      #expect(application.isUsedUp)
    }
  }

  @Test("a notice that was not mailed is mailed at the next sign-in")
  func mailedLater() throws {
    _ = try enrollPixel()
    #expect(signIn(try right()).0 == .allow)
    #expect(host.delivered == ["alice"])
    host.memory.record?.mailed(upTo: 1)
    #expect(signIn(try right(1)).0 == .allow)
    #expect(host.delivered == ["alice"])
  }

  @Test("the mail is sent before anything is shown")
  func mailFirst() throws {
    _ = try enrollPixel()
    let request = SignInRequest(remoteHost: "192.0.2.7")
    let application = ScriptedApplication([.text(try right()), .none])
    application.atPrompt = { [host] in
      #expect(host.delivered.count == application.prompts.count - 1)
    }
    #expect(SignInRun(request, host: host, application: application).authenticate() == .allow)
  }
}
