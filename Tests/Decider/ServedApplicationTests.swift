import MFAWire
import MFAMessages
import MFABase
import MFAResidentTestSupport
import Testing

@testable import MFADecider

/// The MUSTs of ServedApplication.swift. Each test that waits for the module runs in a separate
/// process, because the wait sets an alarm.
@Suite("Applications that the resident service serves")
struct ServedApplicationTests {
  static let code = Array("Code: ".utf8)
  private static let lastQuestion = "ask 'Code: ' false 1"
  private static let question = "ask 'Code: ' false nil"

  private static func answered(
    _ prompt: [UInt8] = code, echo: Bool = false
  ) -> AnsweredQuestion {
    AnsweredQuestion(prompt, echo: echo, reply: .text(MessageSamples.secret("123456")))
  }

  /// Returns the text of the reply to a question.
  private static func ask(
    _ application: ServedApplication, _ prompt: [UInt8] = code, echo: Bool = false
  ) -> String {
    text(application.ask(prompt, echo: echo))
  }

  private static func text(_ reply: consuming Reply) -> String {
    switch consume reply {
    case .none: "none"
    case .tooLong: "too long"
    case .text(let text): MessageSamples.text(text)
    }
  }

  private static func line(_ text: StaticString) -> LogLine {
    var line = LogLine()
    line.add("step", text)
    return line
  }

  private static let record = Audit.Record(
    kind: .authentication, operation: code, account: [], address: nil, terminal: nil,
    succeeded: true)

  @Test("the answer to the same question is used, once")
  func sameQuestion() async {
    await #expect(processExitsWith: .success) {
      let module = try ModuleEnd()
      let application = try module.application(answered: [Self.answered()])
      #expect(Self.ask(application) == "'123456'")
      #expect(try module.heard() == [])
      try module.send(.reply(.text(MessageSamples.secret("2"))))
      #expect(Self.ask(application) == "'2'")
      #expect(try module.heard() == [Self.question])
    }
  }

  @Test("a question that follows from an answer ends the conversation like the first question")
  func nextQuestion() throws {
    let module = try ModuleEnd()
    let application = try module.application(answered: [Self.answered()])
    #expect(Self.ask(application) == "'123456'")
    #expect(Self.text(application.askNext(Array("Next: ".utf8), echo: true)) == "none")
    #expect(application.isSuspended)
    #expect(try module.heard() == ["ask 'Next: ' true 2"])
    let other = try ModuleEnd()
    let next = AnsweredQuestion(
      Array("Next: ".utf8), echo: true, reply: .text(MessageSamples.secret("2")))
    let answering = try other.application(answered: [Self.answered(), next])
    #expect(Self.ask(answering) == "'123456'")
    #expect(Self.text(answering.askNext(Array("Next: ".utf8), echo: true)) == "'2'")
    #expect(try other.heard() == [])
  }

  @Test("an answer that arrives while the process waits for it continues the sign-in")
  func answerInTime() async {
    await #expect(processExitsWith: .success) {
      let share = try #require(WorkerShare(ownUser: 999))
      let module = try ModuleEnd()
      try module.send(.reply(.text(MessageSamples.secret("2"))))
      try module.send(.reply(.text(MessageSamples.secret("3"))))
      let application = try module.application(share: share)
      #expect(Self.ask(application) == "'2'")
      #expect(Self.text(application.askNext(Array("Next: ".utf8), echo: true)) == "'3'")
      application.tell("a", essential: true)
      application.finish(1)
      #expect(!application.isSuspended)
      #expect(
        try module.heard() == [
          Self.lastQuestion, "|", "ask 'Next: ' true 2", "|", "tell 'a' true", "verdict 1",
        ])
      // The process does not wait any more.
      for slot in 1...WorkerShare.maximumHolding {
        share.slot = slot
        #expect(share.beginHolding())
      }
    }
  }

  @Test("a process does not wait for such an answer if enough do, or if the user is not root")
  func holdingIsLimited() async {
    await #expect(processExitsWith: .success) {
      let free = try #require(WorkerShare(ownUser: 999))
      for (share, actsAsRoot) in [(try ModuleEnd.busyShare(), true), (free, false)] {
        let module = try ModuleEnd()
        try module.send(.reply(.text(MessageSamples.secret("2"))))
        let application = try module.application(share: share, actsAsRoot: actsAsRoot)
        #expect(Self.ask(application) == "none")
        #expect(application.isSuspended)
        #expect(try module.heard() == [Self.lastQuestion])
      }
    }
  }

  @Test("a message other than the answer ends the conversation")
  func wrongEarlyAnswer() async {
    await #expect(processExitsWith: .success) {
      let module = try ModuleEnd()
      try module.send(.fact([1]))
      let share = try #require(WorkerShare(ownUser: 999))
      let application = try module.application(share: share)
      #expect(Self.ask(application) == "none")
      #expect(application.isSuspended)
    }
  }

  @Test("after an answer that may have been verified, a question keeps its connection")
  func verifiedAnswer() async {
    await #expect(processExitsWith: .success) {
      let acts: [(ServedApplication) -> Void] = [{ _ in }, { $0.tell("a", essential: true) }]
      for (number, act) in acts.enumerated() {
        let module = try ModuleEnd()
        let application = try module.application(answered: [Self.answered(), Self.answered()])
        #expect(Self.ask(application) == "'123456'")
        act(application)
        try module.send(.reply(.text(MessageSamples.secret("2"))))
        #expect(Self.ask(application) == "'2'", "\(number)")
        #expect(try module.heard().last == Self.question, "\(number)")
      }
      let module = try ModuleEnd()
      let application = try module.application(answered: [Self.answered()])
      #expect(Self.ask(application) == "'123456'")
      application.tell("a", essential: true)
      try module.send(.reply(.text(MessageSamples.secret("2"))))
      #expect(Self.text(application.askNext(Self.code, echo: false)) == "'2'")
      #expect(try module.heard().last == Self.question)
    }
  }

  @Test("only an application that acts as root can say that attempts were the user's own")
  func failedTries() throws {
    for actsAsRoot in [true, false] {
      let application = try ModuleEnd().application(
        actsAsRoot: actsAsRoot, tryNumber: 3, failedTries: 2)
      #expect(application.failedTries == (actsAsRoot ? 2 : 0))
    }
  }

  /// Returns a message in French.
  private static func text(_ message: SignInMessage) -> String {
    message.text(in: .french).wrapped(to: MessageText.moduleColumns).string
  }

  @Test("the text for a failure is sent before a question, in each language but English")
  func failureText() throws {
    let module = try ModuleEnd()
    let application = try module.application()
    for language in [Language.english, .french, .french] { application.use(language) }
    #expect(Self.ask(application) == "none")
    #expect(
      try module.heard() == ["failure text '\(Self.text(.unavailable))'", Self.lastQuestion])
  }

  @Test("a question is not asked if too many processes wait for answers of the same claimant")
  func tooManyWait() async {
    await #expect(processExitsWith: .success) {
      let share = try #require(WorkerShare(ownUser: 999))
      for slot in 1...WorkerShare.waitsPerClaimant {
        share.slot = slot
        #expect(share.beginWaiting(for: 1000))
      }
      share.slot = 0
      let module = try ModuleEnd()
      let application = try module.application(share: share)
      application.use(.french)
      let refused = application.ask(revealing: MessageSamples.secret("a"), echo: true)
      #expect(Self.text(refused) == "none")
      application.finish(0)
      #expect(
        try module.heard() == [
          "failure text '\(Self.text(.unavailable))'",
          "log 3 'result=error part=resident reason=busy'",
          "tell '\(Self.text(.tooManyOpenSignIns))' true",
          "verdict 0",
        ])
      let other = try ModuleEnd()
      try other.send(.reply(.text(MessageSamples.secret("2"))))
      let asking = try other.application(share: share, claimant: 1001)
      #expect(
        Self.text(asking.ask(revealing: MessageSamples.secret("a"), echo: true)) == "'2'")
      // The process does not wait any more.
      for slot in 100..<(100 + WorkerShare.waitsPerClaimant) {
        share.slot = slot
        #expect(share.beginWaiting(for: 1001))
      }
    }
  }

  @Test("the answer to another question is not used: the question is asked")
  func otherQuestion() throws {
    let answers: [(prompt: [UInt8], echo: Bool)] = [
      (Array("Code:".utf8), false), ([], false), (Self.code, true),
    ]
    for answer in answers {
      let module = try ModuleEnd()
      let application = try module.application(
        answered: [Self.answered(answer.prompt, echo: answer.echo)])
      #expect(Self.ask(application) == "none")
      #expect(try module.heard() == [Self.lastQuestion])
    }
  }

  @Test("an answer that did not fit a question is not used for a later one")
  func answerIsDropped() async {
    await #expect(processExitsWith: .success) {
      let module = try ModuleEnd()
      let application = try module.application(answered: [Self.answered()])
      application.tell("hello", essential: true)
      try module.send(.reply(.text(MessageSamples.secret("other"))))
      try module.send(.reply(.text(MessageSamples.secret("second"))))
      #expect(Self.ask(application, Array("Other: ".utf8)) == "'other'")
      #expect(Self.ask(application) == "'second'")
      #expect(
        try module.heard() == [
          "tell 'hello' true", "ask 'Other: ' false nil", "|", Self.question,
        ]
      )
    }
  }

  @Test("after the last question nothing is sent")
  func nothingFollowsTheLastQuestion() throws {
    let module = try ModuleEnd()
    let application = try module.application()
    #expect(Self.ask(application) == "none")
    #expect(try module.heard() == [Self.lastQuestion])
    #expect(application.isSuspended)
    try Self.useEveryCall(application)
    #expect(try module.heard() == [])
  }

  @Test("after the verdict nothing is sent")
  func nothingFollowsTheVerdict() throws {
    let module = try ModuleEnd()
    let application = try module.application()
    application.finish(1)
    #expect(try module.heard() == ["verdict 1"])
    #expect(!application.isSuspended)
    try Self.useEveryCall(application)
    #expect(try module.heard() == [])
  }

  private static func useEveryCall(_ application: ServedApplication) throws {
    application.tell("a", essential: true)
    application.reveal("a", MessageSamples.secret("b"))
    application.log(.error, Self.line("late"))
    application.audit(Self.record)
    _ = application.note(.allowed, of: [])
    _ = application.forward([1].span)
    #expect(application.fact(.peer) == nil)
    #expect(application.earlierMethods() == nil)
    #expect(Self.ask(application) == "none")
    #expect(
      Self.text(application.ask(revealing: MessageSamples.secret("a"), echo: false)) == "none")
    #expect(Self.text(application.earlierAnswer()) == "none")
    application.finish(1)
  }

  @Test("the debug lines before a question are logged once")
  func debugLines() throws {
    let first = try ModuleEnd()
    let asking = try first.application()
    asking.log(.debug, Self.line("policy"))
    #expect(Self.ask(asking) == "none")
    #expect(try first.heard() == ["log 7 'step=policy'", Self.lastQuestion])
    let second = try ModuleEnd()
    let answering = try second.application(answered: [Self.answered()])
    answering.log(.debug, Self.line("policy"))
    #expect(Self.ask(answering) == "'123456'")
    answering.log(.debug, Self.line("verified"))
    answering.log(.information, Self.line("allowed"))
    answering.finish(1)
    #expect(
      try second.heard() == ["log 7 'step=verified'", "log 6 'step=allowed'", "verdict 1"])
  }

  @Test("a line that is not for debugging is logged although there is an answer")
  func otherLines() throws {
    let module = try ModuleEnd()
    let application = try module.application(answered: [Self.answered()])
    application.log(.error, Self.line("failed"))
    application.finish(0)
    #expect(try module.heard() == ["log 3 'step=failed'", "verdict 0"])
  }

  @Test("a sign-in that acted before its first question keeps its connection")
  func actedBefore() async {
    await #expect(processExitsWith: .success) {
      let acts: [(ServedApplication) -> Void] = [
        { $0.tell("a", essential: false) },
        { $0.reveal("a", MessageSamples.secret("b")) },
        { $0.log(.information, Self.line("a")) },
        { $0.audit(Self.record) },
        { _ = $0.note(.allowed, of: []) },
        { _ = $0.forward([1].span) },
        { $0.earlierAnswer().drop() },
        { $0.ask(revealing: MessageSamples.secret("a"), echo: true).drop() },
      ]
      for (number, act) in acts.enumerated() {
        let module = try ModuleEnd()
        let application = try module.application()
        // The last two calls wait for a reply of their own.
        if number >= acts.count - 2 { try module.send(.reply(.none)) }
        try module.send(.reply(.text(MessageSamples.secret("2"))))
        act(application)
        #expect(Self.ask(application) == "'2'", "\(number)")
        #expect(try module.heard().last == Self.question, "\(number)")
      }
    }
  }

  @Test("a fact about the application does not keep the connection")
  func factsChangeNothing() async {
    await #expect(processExitsWith: .success) {
      let module = try ModuleEnd()
      let application = try module.application()
      try module.send(.fact(Array("publickey".utf8)))
      try module.send(.fact(nil))
      #expect(application.earlierMethods() == Array("publickey".utf8))
      #expect(application.fact(.peer) == nil)
      #expect(Self.ask(application) == "none")
      #expect(
        try module.heard() == ["fact earlierMethods", "|", "fact peer", "|", Self.lastQuestion])
    }
  }

  @Test("an answer of another kind, a malformed one and a closed connection end the conversation")
  func wrongAnswers() async {
    await #expect(processExitsWith: .success) {
      let answers: [(ModuleEnd) throws -> Void] = [
        { try $0.send(.fact([1])) }, { try $0.send(.proven(1)) },
        { try $0.send(bytes: [0x02, 0, 1, 9]) }, { try $0.send(bytes: [0xFF, 0, 0]) },
      ]
      for answer in answers {
        let module = try ModuleEnd()
        let application = try module.application()
        try answer(module)
        #expect(Self.text(application.earlierAnswer()) == "none")
        application.finish(1)
        #expect(try module.heard() == ["earlier answer"])
      }
      let module = try ModuleEnd()
      let application = try module.application()
      try module.send(.reply(.tooLong))
      #expect(application.fact(.session) == nil)
      application.finish(1)
      #expect(try module.heard() == ["fact session"])
    }
  }

  @Test("a module that does not answer ends the conversation after a limited time")
  func silence() async {
    await #expect(processExitsWith: .success) {
      let module = try ModuleEnd()
      let application = try module.application()
      #expect(application.fact(.session) == nil)
      application.finish(1)
      #expect(try module.heard() == ["fact session"])
    }
  }

  @Test("notes are those of the transaction, and those of this conversation")
  func notes() throws {
    let module = try ModuleEnd()
    let application = try module.application(note: Array("ealice".utf8))
    #expect(application.isNoted(.enrollment, of: Array("alice".utf8)))
    #expect(!application.isNoted(.enrollment, of: Array("bob".utf8)))
    #expect(application.note(.bypass, of: Array("alice".utf8)))
    #expect(application.isNoted(.bypass, of: Array("alice".utf8)))
    #expect(!application.isNoted(.enrollment, of: Array("alice".utf8)))
    application.finish(2)
    #expect(try module.heard() == ["note 'balice'", "verdict 2"])
  }
}

extension Reply {
  /// Wipes the reply.
  consuming func drop() {}
}
