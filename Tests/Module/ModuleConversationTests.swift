import Glibc
import MFABase
import MFACMFA
import MFAMessages
import MFAModule
import MFAResidentTestSupport
import MFAWire
import Testing

/// The MUSTs of ModuleConversation.swift, with a decider that replies from a script.
@Suite("The module's loop of requests and replies")
struct ModuleConversationTests {
  private let application = RecordedApplication()

  private static func text(_ language: Language) -> String {
    SignInMessage.unavailable.text(in: language).wrapped(to: MessageText.moduleColumns).string
  }

  /// What the module tells the user if no reply arrives.
  private static let apology = "tell '\(text(.english))' true"

  /// Returns a line of the system log about a failure.
  private static func failure(_ reason: String, part: String = "resident") -> String {
    "\(LOG_ERR) result=error user=alice service=sshd rhost=203.0.113.9 tty=ssh part=\(part) reason=\(reason)"
  }

  private static func question(
    _ prompt: String = "Code: ", echo: Bool = false, _ continuation: [UInt8] = [7]
  ) -> SignInReply {
    SignInReply([], ask(prompt, echo: echo, continuation))
  }

  private static func ask(
    _ prompt: String = "Code: ", echo: Bool = false, _ continuation: [UInt8] = [7]
  ) -> SignInReply.End {
    .question(
      PrivateText(MessageSamples.secret(prompt)), echo: echo, continuation: continuation)
  }

  private static func asks(_ reply: SignInReply) -> Bool {
    guard case .question = reply.end else { return false }
    return true
  }

  /// Returns the verdict for root's application.
  private static func verdict(
    _ line: ModuleLine, _ application: RecordedApplication, _ replies: ScriptedReplies
  ) -> mfa_verdict {
    ModuleConversation(
      line, MessageSamples.request, application: application,
      identity: ProcessIdentity(user: 0, actsAsRoot: true, isConfined: false), decider: replies
    ).run()
  }

  private func run(
    _ line: ModuleLine = .auth, _ request: SignInRequest = MessageSamples.request,
    _ replies: ScriptedReplies
  ) -> mfa_verdict {
    ModuleConversation(
      line, request, application: application,
      identity: ProcessIdentity(user: 1234, actsAsRoot: true, isConfined: false), decider: replies
    ).run()
  }

  private func run(_ replies: [SignInReply]) -> mfa_verdict {
    let replies = ScriptedReplies(replies)
    let verdict = run(.auth, MessageSamples.request, replies)
    #expect(replies.isUsedUp)
    return verdict
  }

  // MARK: Verdicts

  @Test("the verdict of the reply is returned, and an unknown verdict denies")
  func verdicts() {
    for number in UInt8.min...UInt8.max {
      let application = RecordedApplication()
      let replies = ScriptedReplies([SignInReply([], .verdict(number))])
      let verdict = Self.verdict(.account, application, replies)
      let expected: mfa_verdict =
        switch number {
        case 1: .allow
        case 2: .pass
        case 3: .tooManyAttempts
        case 4: .endSignIn
        case 5: .notPermitted
        default: .deny
        }
      #expect(verdict == expected, "\(number)")
      #expect(application.calls.isEmpty && application.logged.isEmpty, "\(number)")
    }
  }

  @Test("without a verdict, every end denies and is logged and told")
  func everyEnd() {
    let ends: [(SignInReply?, reason: String)] = [
      (nil, "silent"), (SignInReply([], .busy), "busy"),
      (SignInReply([MessageSamples.tell("hello")], .busy), "busy"),
    ]
    for (end, reason) in ends {
      for before in [[], [SignInReply([], .facts)], [Self.question()]] {
        // The question with which the sign-in ends has no answer.
        let application = RecordedApplication(before.first.map(Self.asks) == true ? ["1"] : [])
        let replies = ScriptedReplies(before + [end].compactMap { $0 })
        let verdict = Self.verdict(.auth, application, replies)
        #expect(verdict == .deny)
        #expect(application.logged == [Self.failure(reason)])
        #expect(application.calls.last == Self.apology)
      }
    }
  }

  @Test("a session begins without a message whatever happens")
  func sessionIsSilent() {
    #expect(run(.session, MessageSamples.request, ScriptedReplies([])) == .deny)
    #expect(application.logged == [Self.failure("silent")])
    #expect(application.calls.isEmpty)
  }

  @Test("a failure is told in the language that a reply set before")
  func failureText() {
    let text = Self.text(.japanese)
    let replies = [SignInReply([MessageSamples.failureText(text)], Self.ask())]
    application.script = ["1"]
    #expect(run(replies) == .deny)
    #expect(
      application.calls == ["ask 'Code: ' false", "tell '\(text)' true"])
  }

  @Test(
    "with a closing prompt, the text with which a sign-in ends is a question, and shown without an answer"
  )
  func closing() {
    let last = SignInEffect.tell(Array("Attendez.".utf8).span, as: .ending, essential: true)
    let prompt = SignInEffect.closingPrompt(Array("Entr\u{E9}e : ".utf8).span)
    let information = SignInEffect.tell(
      Array("news".utf8).span, as: .information, essential: false)
    struct Row {
      var effects: [SignInEffect]
      var answer = "whatever"
      let calls: [String]
    }
    let told = "tell 'Attendez.' true"
    let rows = [
      Row(effects: [last], calls: [told]),
      Row(effects: [prompt, last], calls: ["ask '\nAttendez.\nEntr\u{E9}e : ' true"]),
      Row(
        effects: [prompt, last], answer: "",
        calls: ["ask '\nAttendez.\nEntr\u{E9}e : ' true", told]),
      Row(effects: [prompt, last], answer: "*", calls: ["ask '\nAttendez.\nEntr\u{E9}e : ' true"]),
      Row(effects: [prompt, MessageSamples.tell("a")], calls: ["tell 'a' false"]),
      Row(effects: [prompt, information], calls: ["tell 'news' false information"]),
    ]
    for row in rows {
      for number: UInt8 in [0, 1, 3, 4] {
        let application = RecordedApplication([row.answer])
        let replies = ScriptedReplies([SignInReply(row.effects, .verdict(number))])
        let verdict = ModuleConversation(
          .account, MessageSamples.request, application: application,
          identity: ProcessIdentity(user: 0, actsAsRoot: true, isConfined: false),
          decider: replies
        ).run()
        #expect(verdict.rawValue == UInt32(number), "\(row)")
        #expect(application.calls == row.calls, "\(row)")
        #expect(replies.heard.count == 1)
      }
    }
  }

  // MARK: Requests

  @Test("the first request describes the sign-in")
  func firstRequest() {
    for shows in [true, false] {
      let application = RecordedApplication()
      application.storedNote = Array("bbob".utf8)
      application.showsMessages = shows
      application.methods = Array("publickey x\n".utf8)
      let replies = ScriptedReplies([SignInReply([], .verdict(2))])
      let verdict = ModuleConversation(
        .account, MessageSamples.request, application: application,
        identity: ProcessIdentity(user: 1234, actsAsRoot: true, isConfined: false),
        decider: replies
      ).run()
      #expect(verdict == .pass)
      let expected = MessageSamples.call { call in
        call.line = .account
        call.showsMessages = shows
        call.usesUTF8 = ProcessLocale.isUTF8
        call.caller = 1234
        call.note = Array("bbob".utf8)
        call.earlierMethods = Array("publickey x\n".utf8)
      }
      let text = MessageSamples.text(expected)
      #expect(replies.heard == [text])
    }
  }

  @Test("what was typed for an earlier module is sent only if an argument says that it is used")
  func earlierAnswer() {
    let rows: [([String], ModuleLine, Bool)] = [
      ([], .auth, false), (["try_first_pass"], .auth, true), (["use_first_pass"], .auth, true),
      (["debug", "use_first_pass"], .auth, true), (["use_first_pass"], .account, false),
      (["try_first_pass"], .session, false), (["xtry_first_pass"], .auth, false),
      (["try_first_pass "], .auth, false), (["forward_pass"], .auth, false),
    ]
    for (arguments, line, isSent) in rows {
      let application = RecordedApplication()
      let request = SignInRequest(
        user: [], service: [], arguments: arguments.map { Array($0.utf8) })
      let replies = ScriptedReplies([SignInReply([], .verdict(0))])
      _ = ModuleConversation(
        line, request, application: application,
        identity: ProcessIdentity(user: 0, actsAsRoot: true, isConfined: false), decider: replies
      ).run()
      #expect(application.calls == (isSent ? ["earlier answer"] : []), "\(arguments)")
      #expect(
        replies.heard.first?.contains(isSent ? "earlier='password'" : "earlier=none") == true,
        "\(arguments)")
    }
  }

  @Test("the answer comes with the continuation of its question, in a request that is the same")
  func answers() {
    application.script = ["123456", "", "*"]
    let replies = ScriptedReplies([
      Self.question("a", echo: true, [1]), Self.question("b", [2, 2]), Self.question("c", [3]),
      SignInReply([], .verdict(1)),
    ])
    #expect(run(.auth, MessageSamples.request, replies) == .allow)
    #expect(replies.isUsedUp)
    #expect(application.calls.prefix(3) == ["ask 'a' true", "ask 'b' false", "ask 'c' false"])
    let first = replies.heard[0]
    let end = "continuation=[] answer=none"
    #expect(first.hasSuffix(end))
    #expect(
      replies.heard.dropFirst() == [
        first.replacing(end, with: "continuation=[1] answer='123456'"),
        first.replacing(end, with: "continuation=[2, 2] answer=none"),
        first.replacing(end, with: "continuation=[3] answer=too long"),
      ])
  }

  @Test("facts are sent once, in every request after the reply that asks for them")
  func facts() {
    application.script = ["1"]
    let replies = ScriptedReplies([
      SignInReply([], .facts), Self.question(), SignInReply([], .verdict(1)),
    ])
    #expect(run(.auth, MessageSamples.request, replies) == .allow)
    let texts = replies.heard.map { text in
      text.contains("facts=nil") ? "none" : text.contains("facts=([1, 2, ") ? "facts" : text
    }
    #expect(texts == ["none", "facts", "facts"])
  }

  @Test("a second reply that asks for facts denies")
  func factsTwice() {
    application.script = ["1"]
    for between in [[], [Self.question()]] {
      application.logged = []
      #expect(
        run([SignInReply([], .facts)] + between + [SignInReply([], .facts)]) == .deny)
      #expect(application.logged == [Self.failure("malformed")])
    }
  }

  @Test("the effects of a reply that asks for facts are carried out")
  func effectsBeforeFacts() {
    #expect(
      run([SignInReply([MessageSamples.tell("a")], .facts), SignInReply([], .verdict(2))]) == .pass)
    #expect(application.calls == ["tell 'a' false"])
  }

  @Test("a decider that asks without end denies")
  func tooManyQuestions() {
    for (count, verdict) in [(127, mfa_verdict.allow), (128, .deny), (500, .deny)] {
      let application = RecordedApplication([String](repeating: "1", count: 1000))
      let replies = ScriptedReplies(
        [SignInReply](repeating: Self.question(), count: count)
          + [SignInReply([], .verdict(1))])
      let found = Self.verdict(.auth, application, replies)
      #expect(found == verdict, "\(count)")
      #expect(replies.heard.count <= 128)
      #expect(
        application.logged == (verdict == .deny ? [Self.failure("too-many-questions")] : []))
    }
  }

  // MARK: Effects

  private static var record: Audit.Record {
    Audit.Record(
      kind: .authentication, operation: Array("mfa:code".utf8), account: [], address: nil,
      terminal: nil, succeeded: true)
  }

  private static var logLine: LogLine {
    var line = LogLine()
    line.add("result", "deny")
    return line
  }

  @Test("the effects are carried out in order, before the question or the verdict")
  func effectsInOrder() {
    application.script = ["1"]
    let effects: [SignInEffect] = [
      MessageSamples.tell("a\nb", essential: true), .log(.information, Self.logLine),
      .audit(Self.record), .note(.bypass, of: Array("alice".utf8)),
      .forward(MessageSamples.secret("password")), MessageSamples.tell("c"),
    ]
    let calls = [
      "tell 'a\nb' true", "audit 'mfa:code' true", "note 'balice'", "forward 'password'",
      "tell 'c' false",
    ]
    #expect(
      run([SignInReply(effects, Self.ask()), SignInReply(effects.reversed(), .verdict(1))])
        == .allow)
    #expect(application.calls == calls + ["ask 'Code: ' false"] + calls.reversed())
    #expect(application.logged == ["6 result=deny", "6 result=deny"])
  }

  @Test("an audit record that is malformed denies")
  func malformedRecord() throws {
    let reply = SignInReply([.audit(Self.record)], .verdict(1))
    guard let written = reply.packet() else {
      Issue.record("the reply is too long")
      return
    }
    var packet = written.span.copied()
    // The kind of the record, after the kind, version, number of effects, kind, flag, number and length.
    let position = 3 + 3 + 2
    #expect(packet[position] == 0x86)
    packet[position] = 0x87
    let malformed = try SignInReply(packet: SecretBytes(copying: packet.span))
    #expect(run([malformed]) == .deny)
    #expect(application.logged == [Self.failure("malformed")])
    #expect(application.calls.last == Self.apology)
  }

  @Test("a note or a password that PAM does not take denies, whatever the verdict is")
  func refusedValues() {
    let effects: [(SignInEffect, String)] = [
      (.note(.allowed, of: []), "note-not-stored"),
      (.forward(MessageSamples.secret("a")), "password-not-forwarded"),
    ]
    for number in UInt8.min...5 {
      for (effect, reason) in effects {
        for isLast in [true, false] {
          let application = RecordedApplication(["1"])
          application.accepts = false
          // A value that was refused before a question is refused for good.
          let replies = ScriptedReplies(
            isLast
              ? [SignInReply([effect], .verdict(number))]
              : [SignInReply([effect], Self.ask()), SignInReply([], .verdict(number))])
          let verdict = ModuleConversation(
            .auth, MessageSamples.request, application: application,
            identity: ProcessIdentity(user: 0, actsAsRoot: true, isConfined: false),
            decider: replies
          ).run()
          #expect(verdict == .deny, "\(number) \(reason)")
          #expect(replies.isUsedUp)
          #expect(
            application.logged == [Self.failure(reason, part: "application")])
          // Nothing is settled for the `account` line.
          #expect(application.storedNote == nil)
        }
      }
    }
  }

  @Test("a confirmation is asked for, and its answer is sent if there is a continuation")
  func confirm() {
    for answer in ["yes", "", "no"] {
      let application = RecordedApplication([answer])
      let confirm = SignInEffect.confirm(MessageSamples.secret("Read?"), continuation: [5])
      // Only the messages in the reply to a confirmation are carried out.
      let effects: [SignInEffect] = [
        MessageSamples.tell("a"), .note(.enrollment, of: []), .forward(MessageSamples.secret("x")),
        .log(.error, Self.logLine), .audit(Self.record), confirm,
        MessageSamples.failureText("x"), MessageSamples.tell("b", essential: true),
      ]
      let replies = ScriptedReplies([
        SignInReply([confirm, MessageSamples.tell("c")], .verdict(2)),
        SignInReply(effects, .verdict(1)),
      ])
      let verdict = Self.verdict(.auth, application, replies)
      #expect(verdict == .pass)
      #expect(replies.isUsedUp)
      #expect(
        application.calls == [
          "ask 'Read?' true", "tell 'a' false", "tell 'b' true", "tell 'c' false",
        ])
      #expect(application.logged.isEmpty)
      let text = answer.isEmpty ? "none" : "'\(answer)'"
      #expect(replies.heard.last?.hasSuffix("continuation=[5] answer=\(text)") == true)
    }
  }

  @Test("a confirmation without a continuation is only shown")
  func confirmWithoutContinuation() {
    application.script = ["yes"]
    let confirm = SignInEffect.confirm(MessageSamples.secret("Codes"), continuation: [])
    let replies = ScriptedReplies([SignInReply([confirm], .verdict(2))])
    #expect(run(.auth, MessageSamples.request, replies) == .pass)
    #expect(application.calls == ["ask 'Codes' true"])
    #expect(replies.heard.count == 1)
  }

  @Test("a confirmation that cannot be sent changes nothing, and neither does any reply to it")
  func failedConfirmation() {
    let confirm = SignInEffect.confirm(MessageSamples.secret("Read?"), continuation: [5])
    let others: [[SignInReply]] = [
      [], [SignInReply([], .busy)], [SignInReply([], .facts)], [Self.question()],
      [SignInReply([], .verdict(0))],
    ]
    for other in others {
      let application = RecordedApplication(["yes"])
      let replies = ScriptedReplies([SignInReply([confirm], .verdict(2))] + other)
      let verdict = Self.verdict(.auth, application, replies)
      #expect(verdict == .pass)
      #expect(replies.isUsedUp)
      #expect(application.calls == ["ask 'Read?' true"])
      #expect(application.logged.isEmpty)
    }
  }

  @Test("after a confirmation, a question begins with its own continuation")
  func questionAfterConfirmation() {
    application.script = ["yes", "1"]
    let confirm = SignInEffect.confirm(MessageSamples.secret("Read?"), continuation: [5])
    let replies = ScriptedReplies([
      SignInReply([confirm], Self.ask()), SignInReply([], .verdict(0)),
      SignInReply([], .verdict(1)),
    ])
    #expect(run(.auth, MessageSamples.request, replies) == .allow)
    #expect(replies.heard.last?.hasSuffix("continuation=[7] answer='1'") == true)
  }

  // MARK: Settled account lines

  private static func signIn(_ arguments: [String] = [], user: String = "alice") -> SignInRequest {
    SignInRequest(
      user: Array(user.utf8), service: [], arguments: arguments.map { Array($0.utf8) })
  }

  /// Runs the `auth` line to this verdict.
  private func authenticate(_ request: SignInRequest = signIn(), _ verdict: UInt8 = 1) {
    _ = run(.auth, request, ScriptedReplies([SignInReply([], .verdict(verdict))]))
  }

  /// Returns whether an `account` line is allowed without a request.
  private func isSettled(_ request: SignInRequest = signIn()) -> Bool {
    let replies = ScriptedReplies([SignInReply([], .verdict(0))])
    let verdict = run(.account, request, replies)
    #expect(replies.heard.isEmpty == (verdict == .allow))
    return verdict == .allow
  }

  @Test("the account line of a user whom the auth line allowed is settled, for that user only")
  func allowedUserIsSettled() {
    #expect(!isSettled())
    authenticate(Self.signIn(["hints", "configuration"]))
    #expect(application.storedNote == Array("aalice".utf8))
    #expect(isSettled())
    #expect(!isSettled(Self.signIn(user: "bob")))
    #expect(!isSettled(Self.signIn(user: "")))
    #expect(!isSettled(Self.signIn(user: "alicea")))
  }

  @Test("no other verdict and no other line settles anything")
  func otherVerdictsSettleNothing() {
    for verdict in UInt8.min...UInt8.max where verdict != 1 {
      authenticate(Self.signIn(), verdict)
      #expect(application.storedNote == nil)
    }
    for line in [ModuleLine.account, .session] {
      _ = run(line, Self.signIn(), ScriptedReplies([SignInReply([], .verdict(1))]))
      #expect(application.storedNote == nil)
    }
    #expect(!isSettled())
  }

  @Test("a user who used a bypass code, or must enrol, is not settled")
  func otherNotesAreKept() {
    for note in [.bypass, .enrollment] as [TransactionNote] {
      let effect = SignInEffect.note(note, of: Array("alice".utf8))
      application.storedNote = nil
      _ = run(.auth, Self.signIn(), ScriptedReplies([SignInReply([effect], .verdict(1))]))
      #expect(application.storedNote == [note.rawValue] + Array("alice".utf8))
      #expect(!isSettled())
    }
  }

  @Test("an auth line with its own configuration settles nothing")
  func ownConfigurationSettlesNothing() {
    for arguments in [["config=/etc/other"], ["hints", "config="]] {
      authenticate(Self.signIn(arguments))
      #expect(application.storedNote == nil)
    }
  }

  @Test("an account line with an argument decides itself")
  func argumentsAreDecided() {
    authenticate()
    for arguments in [["config=/etc/other"], ["hints"], [""]] {
      #expect(!isSettled(Self.signIn(arguments)))
    }
  }

  @Test("if the note cannot be stored, the account line decides")
  func failureSettlesNothing() {
    application.accepts = false
    authenticate()
    #expect(!isSettled())
    #expect(application.logged.isEmpty)
  }
}
