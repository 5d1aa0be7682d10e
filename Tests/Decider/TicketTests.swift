import MFAMessages
import MFAModel
import MFABase
import MFASignIn
import MFADecider
import MFAWire
import MFASignInTestSupport
import Testing

/// Authentication that always fails: a ticket is for users without a password.
private struct NoProof: AccountProof {
  func prove(_ account: Account, by prompter: some Prompter) -> ProofResult { .wrong }
}

/// The mails passed to the mailer.
private final class Mailbox: @unchecked Sendable {
  var mailing = Mailing.sent
  private(set) var mails: [(to: String, text: String)] = []

  func take(_ message: [UInt8], _ recipient: [UInt8]) -> Mailing {
    mails.append(
      (String(decoding: recipient, as: UTF8.self), String(decoding: message, as: UTF8.self)))
    return mailing
  }
}

@Suite("Tickets and notices in the helper")
struct TicketTests: ScriptedConversations {
  static let code = Array("0123456789".utf8)
  static let written = "gayt-emzu-gu3d-oobz"

  let host = ScriptedHost()
  private let mailbox = Mailbox()
  private let log = Lines()

  private final class Lines: @unchecked Sendable { var text: [String] = [] }

  private func run(_ script: [Line], servesAllUsers: Bool = false) throws -> ScriptedClient {
    try run(script) { client in
      try host.converse(
        with: client, servesAllUsers: servesAllUsers, proof: NoProof(),
        log: { [log] _, line in log.text.append(String(decoding: line.text, as: UTF8.self)) },
        mail: { [mailbox] in mailbox.take($0, $1) })
    }
  }

  private func answers(_ client: ScriptedClient) -> [ScriptedClient.Heard] {
    Array(client.heard.dropFirst())
  }

  var session: Line { { _ in try HelperRequestBox(.ticketSession) } }

  private func grant(_ kind: Grant.Kind = .ticket) throws {
    _ = try host.memory.grant(kind, Self.code, to: try #require(host.account), madeAt: host.time)
  }

  private static let prompt = ScriptedClient.Heard.prompt("Enrolment ticket: ", echo: false)

  @Test("a ticket enrols one factor and its recovery codes, which uses the ticket")
  func oneFactor() throws {
    try grant()
    let client = try run([
      session, answer(Self.written.uppercased()), makeCodes, generate, enroll("Pixel"), makeCodes,
      { _ in try HelperRequestBox(.unenroll(factor: .zero)) },
      generate,
    ])
    #expect(
      answers(client) == [
        Self.prompt, .sessionStarted(600), .failed(.requiresRecentLogin), .secret, .enrolled,
        .recoveryCodes(10), .failed(.requiresRecentLogin), .failed(.ticketInvalid),
      ])
    #expect(host.memory.record?.grants == [])
    #expect(host.memory.record?.notices.map(\.kind) == [.ticketUsed, .recoveryCodesMade])
    #expect(host.delivered == ["alice"], "the recovery codes are part of the enrolment")
    let again = try run([session, answer(Self.written)])
    #expect(answers(again).last == .failed(.ticketInvalid))
  }

  @Test("an interrupted enrolment does not use the ticket")
  func interrupted() throws {
    try grant()
    _ = try run([session, answer(Self.written), generate])
    #expect(host.memory.record?.grants.count == 1)
    #expect(host.memory.record?.isEnrolled == false)
    let client = try run([session, answer(Self.written), generate, enroll("Pixel")])
    #expect(answers(client).last == .enrolled)
  }

  @Test(
    "a ticket that is invalid by the time of the commit enrols nothing",
    arguments: [1, 2, 3])
  func goneMeanwhile(row: Int) throws {
    try grant()
    if row == 2 { host.time += 1500 }
    let client = try run([
      session, answer(Self.written), generate,
      { [host] client in
        switch row {
        case 1: host.memory.record?.removeEverything()
        case 2: host.time += 300
        case _: _ = host.memory.record?.grants.first.map { host.memory.record?.use($0.id) }
        }
        return try self.enroll("Pixel")(client)
      },
    ])
    #expect(answers(client).last == .failed(.ticketInvalid), "row \(row)")
    #expect(host.memory.record?.isEnrolled != true)
  }

  @Test("if the user has a factor, its code is required in addition to the ticket")
  func presentFactor() throws {
    try host.enroll("Old")
    try grant()
    let client = try run([
      session, answer(Self.written), answer(try host.code()), generate,
    ])
    #expect(
      answers(client) == [
        Self.prompt, .prompt("Code from a device you have already enrolled: ", echo: true),
        .sessionStarted(600), .secret,
      ])
    let without = try run([session, answer(Self.written), answer(""), generate])
    #expect(answers(without).last == .failed(.secondFactorRequired))
  }

  @Test("wrong tickets have their own throttle count, and a bypass code is not a ticket")
  func guesses() throws {
    try grant(.bypass)
    #expect(answers(try run([session, answer(Self.written)])).last == .failed(.ticketInvalid))
    try grant()
    for _ in 1...4 {
      #expect(
        answers(try run([session, answer("aaaa-aaaa-aaaa-aaaa")])).last == .failed(.ticketInvalid))
    }
    #expect(answers(try run([session, answer("123456")])).last == .failed(.ticketInvalid))
    #expect(
      host.memory.attempts.ownProcessFailures.failures == 4,
      "an answer that is not a ticket is not counted")
    _ = try run([session, answer("aaaa-aaaa-aaaa-aaaa")])
    #expect(
      answers(try run([session, answer(Self.written)])).last
        == .failed(.tooManyAttempts(seconds: 30)))
    #expect(host.memory.attempts.failures == 0)
  }

  @Test(
    "a valid ticket resets no failures, so it does not help to guess a present factor; sign-ins work"
  )
  func failuresStay() throws {
    try host.enroll("Old")
    try grant()
    for attempt in 1...5 {
      let wrong = try host.wrongCode()
      #expect(
        answers(try run([session, answer(Self.written), answer(wrong)])).last
          == .failed(attempt == 5 ? .tooManyAttempts(seconds: 30) : .invalidVerificationCode))
      #expect(host.memory.attempts.ownProcessFailures.failures == attempt)
      #expect(host.memory.attempts.failures == 0)
    }
    for _ in 1...20 {
      #expect(answers(try run([session])).last == .failed(.tooManyAttempts(seconds: 30)))
    }
    #expect(host.memory.attempts.ownProcessFailures.failures == 5)
  }

  @Test("redeeming a ticket is limited by the number of changes per hour")
  func redeemedOften() throws {
    try grant()
    for _ in 1...30 { #expect(answers(try run([session, answer(Self.written)])).count == 2) }
    guard
      case .failed(.tooManyChanges) = answers(try run([session, answer(Self.written)])).last
    else {
      Issue.record("the ticket was redeemed too often")
      return
    }
  }

  @Test("a ticket session that provides a code later enrols one factor, with the ticket")
  func emptyCodeThenSession() throws {
    let old = try host.enroll("Old")
    try grant()
    let client = try run([
      session, answer(Self.written), answer(""),
      session, answer(try host.code()),
      { _ in try HelperRequestBox(.unenroll(factor: old.id)) },
      generate, enroll("Pixel"), generate,
    ])
    #expect(
      answers(client).suffix(5) == [
        .sessionStarted(600), .failed(.requiresRecentLogin), .secret, .enrolled,
        .failed(.ticketInvalid),
      ])
    #expect(host.memory.record?.grants == [] && host.memory.record?.factors.count == 2)
  }

  // MARK: Mail

  private func deliver(_ user: String = "alice") -> Line {
    { _ in
      guard let name = UserName(Array(user.utf8)) else { return nil }
      return try HelperRequestBox(.deliver(user: name))
    }
  }

  @Test("a notice is mailed to the user once")
  func mailed() throws {
    try grant()
    host.memory.record?.note(
      .ticketMade, Array("new phone".utf8), about: .grant,
      from: Source(administrator: Array("root".utf8)), at: host.time)
    #expect(answers(try run([deliver()])) == [.done])
    #expect(mailbox.mails.map(\.to) == ["alice"])
    let text = try #require(mailbox.mails.first?.text)
    #expect(text.hasPrefix("To: alice\nSubject: alice on "))
    #expect(
      text.split(separator: "\n")[1].hasSuffix(": An enrolment ticket was made ('new phone')"))
    #expect(
      text.contains(
        "\n\n  An enrolment ticket was made ('new phone') by root\n  on 14 November 2023, 22:13 UTC.\n\n"
      ))
    #expect(!text.contains(Self.written))
    #expect(answers(try run([deliver()])) == [.done])
    #expect(mailbox.mails.count == 1)
    #expect(log.text.isEmpty)
  }

  @Test(
    "a notice that cannot be mailed is logged, and included in the next mail",
    arguments: [
      (1, Mailing.noMailer, nil),
      (2, .refused(75), "reason=mailer-failed status=75"),
      (3, .refused(-1), "reason=mailer-failed status=-1"),
      (4, .failed(SystemError(.process, number: 12)), "reason=mailer-not-started errno=ENOMEM"),
    ])
  func notMailed(row: Int, mailing: Mailing, reason: String?) throws {
    try grant()
    host.memory.record?.note(.revoked, about: .account, from: .unknown, at: 0)
    mailbox.mailing = mailing
    #expect(answers(try run([deliver()])) == [.done], "row \(row)")
    let lines = reason.map { ["result=notice-not-mailed user=alice \($0)"] } ?? []
    #expect(log.text == lines, "row \(row)")
    mailbox.mailing = .sent
    _ = try run([deliver()])
    #expect(mailbox.mails.count == 2, "row \(row)")
    _ = try run([deliver()])
    #expect(mailbox.mails.count == 2, "row \(row)")
  }

  @Test("only root and the helper itself can have notices of other users mailed")
  func othersNotices() throws {
    try grant()
    host.memory.record?.note(.revoked, about: .account, from: .unknown, at: 0)
    #expect(answers(try run([deliver("bob")])) == [.failed(.notPermitted)])
    #expect(mailbox.mails.isEmpty)
    #expect(answers(try run([deliver("alice")], servesAllUsers: true)) == [.done])
    #expect(mailbox.mails.count == 1)
    #expect(answers(try run([deliver("bob")], servesAllUsers: true)) == [.failed(.notPermitted)])
  }

  @Test("a user without stored data is mailed nothing")
  func nothingStored() throws {
    #expect(answers(try run([deliver()])) == [.done])
    #expect(mailbox.mails.isEmpty)
  }

  @Test("a mail is never longer than the capacity of a pipe")
  func longMail() throws {
    try grant()
    for _ in 1...8 {
      host.memory.record?.note(
        .enrolled, [UInt8](repeating: 0x6E, count: 255), about: .account,
        from: Source([UInt8](repeating: 0x6E, count: 64)), at: host.time)
    }
    _ = try run([deliver()])
    let text = try #require(mailbox.mails.first?.text)
    #expect(text.utf8.count <= Program.longestInput)
    // Equal notices are one, and a name without spaces stays on one line.
    let names = text.split(separator: "\n").filter { $0.contains("nnnn") }
    #expect(names.count == 3 && names[0].hasPrefix("Subject: "), "\(text)")
  }

  @Test("every line of a mail fits the usual window, in each language")
  func mailLines() throws {
    try grant()
    for language in Language.allCases {
      host.memory.record?.setLanguage(language)
      host.memory.record?.note(
        .ticketMade, Array("the phone of the user was lost on the way".utf8), about: .grant,
        from: Source(administrator: Array("root".utf8)), at: host.time)
      _ = try run([deliver()])
      let text = try #require(mailbox.mails.last?.text)
      let body = try #require(text.firstRange(of: "\n\n")).upperBound
      let lines = text[body...].split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= 76 }, "\(text)")
      // A paragraph is filled: only its last line may be short.
      let advice = lines.drop { !$0.contains("mfa-enroll list") && !$0.hasPrefix("If") }
      #expect(advice.count <= 3, "\(text)")
    }
  }

  @Test("an enrolment with its first recovery codes is one mail with one subject")
  func oneMail() throws {
    try grant()
    let client = try run([
      session, answer(Self.written), generate, enroll("Pixel"),
      { _ in try HelperRequestBox(.generateRecoveryCodes) },
    ])
    #expect(answers(client).last == .recoveryCodes(10))
    #expect(host.delivered == ["alice"])
    _ = try run([deliver()])
    #expect(mailbox.mails.count == 1)
    let text = try #require(mailbox.mails.first?.text)
    #expect(
      text.split(separator: "\n")[1].hasSuffix(": New device 'Pixel' was added with a ticket"))
    #expect(!text.contains("recovery codes"))
    _ = try run([deliver()])
    #expect(mailbox.mails.count == 1)
  }
}
