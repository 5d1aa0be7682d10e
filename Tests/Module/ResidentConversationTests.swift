import Glibc
import MFAWire
import MFABase
import MFACMFA
import MFAMessages
import MFAResidentTestSupport
import Testing

@testable import MFAModule

/// The MUSTs of ResidentConversation.swift, with a service that follows a script.
@Suite("The module's conversation with the resident service")
struct ResidentConversationTests {
  /// What the module tells the user of a sign-in that fails after the service's first message.
  private static let apology = "tell '\(text(.english))' true"

  private static func text(_ language: Language) -> String {
    SignInMessage.unavailable.text(in: language).wrapped(to: MessageText.moduleColumns).string
  }

  /// Runs a conversation with the service. The deadlines are those of the module unless given.
  private static func run(
    _ service: ScriptedService, _ module: ScriptedModule, _ request: SignInRequest? = nil,
    owner: UInt32 = geteuid(), patience: ResidentConversation<ScriptedModule>.Patience? = nil
  ) -> mfa_verdict? {
    ResidentConversation(
      .auth, request ?? MessageSamples.request, application: module, path: service.path,
      caller: 1234, owner: owner, patience: patience ?? .init(first: 20, later: 20)
    ).run()
  }

  /// Returns a line of the system log about a failure.
  private static func failure(_ reason: String) -> String {
    "\(LOG_ERR) result=error part=resident reason=\(reason)"
  }

  @Test("the service's verdict is returned, and an unknown verdict denies")
  func verdicts() throws {
    for number in UInt8.min...UInt8.max where number != 5 && number != 6 {
      let service = try ScriptedService([
        { served in
          try served.receive()
          try served.send { .verdict(number) }
        }
      ])
      let module = ScriptedModule()
      let expected: mfa_verdict =
        switch number {
        case 1: .allow
        case 2: .pass
        case 3: .tooManyAttempts
        case 4: .endSignIn
        default: .deny
        }
      #expect(Self.run(service, module) == expected, "\(number)")
      #expect(service.isUsedUp())
      #expect(module.calls.isEmpty && module.logged.isEmpty)
    }
  }

  @Test("after a code that was not accepted, a new conversation begins, at most five in all")
  func tryAgain() throws {
    for count in 1...6 {
      let scripts: [ScriptedService.Part] = (1...min(count, 5)).map { number in
        { served in
          try served.receive()
          try served.send { .verdict(number < count ? 5 : 1) }
        }
      }
      let service = try ScriptedService(scripts)
      let module = ScriptedModule()
      #expect(Self.run(service, module) == (count < 6 ? .allow : .deny), "\(count)")
      #expect(service.isUsedUp())
      #expect(
        service.heard.enumerated().allSatisfy { index, start in
          start.hasSuffix(" try \(index + 1) failed \(index)") == (index > 0)
        })
      #expect(module.logged.isEmpty)
    }
  }

  @Test("the service learns how many tries were counted, without answers that were no code")
  func failedTries() throws {
    let verdicts: [UInt8] = [5, 6, 5, 1]
    let scripts: [ScriptedService.Part] = verdicts.map { verdict in
      { served in
        try served.receive()
        try served.send { .verdict(verdict) }
      }
    }
    let service = try ScriptedService(scripts)
    #expect(Self.run(service, ScriptedModule()) == .allow)
    #expect(
      service.heard.dropFirst().map { $0.split(separator: " ").suffix(3).joined(separator: " ") }
        == ["2 failed 1", "3 failed 1", "4 failed 2"])
  }

  @Test("the first message describes the sign-in")
  func start() throws {
    let service = try ScriptedService([
      { served in
        try served.receive()
        try served.send { .verdict(2) }
      }
    ])
    let module = ScriptedModule()
    module.storedNote = Array("bbob".utf8)
    #expect(Self.run(service, module) == .pass)
    #expect(service.isUsedUp())
    #expect(
      service.heard == [
        "start auth true 1234 'bbob' 'alice' 'sshd' '203.0.113.9' 'ssh' 'hints' '' 'debug'"
      ])
  }

  @Test("a listener of another user is not trusted, and receives nothing")
  func owner() throws {
    let service = try ScriptedService([{ try $0.receive() }])
    let module = ScriptedModule()
    #expect(Self.run(service, module, owner: geteuid() + 1) == nil)
    #expect(service.isUsedUp())
    #expect(service.heard == ["ended"])
    #expect(module.logged == [Self.failure("wrong-owner owner=\(geteuid())")])
    #expect(module.calls.isEmpty)
  }

  @Test("without a service, this process decides")
  func noService() throws {
    let module = ScriptedModule()
    let path = Array("/tmp/mfa-service-that-does-not-exist".utf8)
    let conversation = ResidentConversation(
      .auth, MessageSamples.request, application: module, path: path, caller: 0)
    #expect(conversation.run() == nil)
    #expect(module.logged.isEmpty && module.calls.isEmpty)
  }

  @Test("a sign-in that does not fit in a packet is decided in this process")
  func longRequest() throws {
    let argument = [UInt8](repeating: 0x61, count: SignInRequest.longestItem)
    let request = SignInRequest(
      user: [], service: [], arguments: [[UInt8]](repeating: argument, count: 64))
    let service = try ScriptedService([{ try $0.receive() }])
    let module = ScriptedModule()
    #expect(Self.run(service, module, request) == nil)
    #expect(service.isUsedUp())
    #expect(service.heard == ["ended"])
    #expect(module.logged.isEmpty && module.calls.isEmpty)
  }

  /// What a service does instead of sending a valid message, and the reason that is logged: nil if
  /// nothing is logged before the service's first message.
  private static let ends:
    [(part: ScriptedService.Part, early: String?, late: String, name: String)] = [
      ({ _ in }, nil, "ended", "the connection is closed"),
      ({ try $0.send(bytes: []) }, nil, "ended", "an empty packet"),
      ({ try $0.send { .busy } }, nil, "ended", "the service is busy"),
      (
        { try $0.send(bytes: [UInt8](repeating: 0x82, count: 65_537)) }, nil, "malformed",
        "a packet that is too long"
      ),
      ({ try $0.send(bytes: [0xFF, 0, 0]) }, "malformed", "malformed", "an unknown message"),
      ({ try $0.send(bytes: [0x81, 0, 1]) }, "malformed", "malformed", "a message that is cut"),
      (
        { try $0.send(bytes: [0x84, 0, 3, 2, 0, 0]) }, "malformed", "malformed", "an invalid field"
      ),
      ({ try $0.send(bytes: [0x01, 0, 0]) }, "malformed", "malformed", "the module's message"),
    ]

  @Test("before the service's first message, every failure lets this process decide")
  func everyEarlyEnd() throws {
    for (part, reason, _, name) in Self.ends {
      let service = try ScriptedService([
        { served in
          try served.receive()
          try part(served)
        }
      ])
      let module = ScriptedModule()
      #expect(Self.run(service, module) == nil, "\(name)")
      #expect(service.isUsedUp())
      #expect(module.logged == [reason].compactMap { $0.map(Self.failure) }, "\(name)")
      #expect(module.calls.isEmpty)
    }
  }

  @Test("a failure is told in the language that the service sent")
  func failureText() throws {
    let service = try ScriptedService([
      { served in
        try served.receive()
        try served.send { .failureText(Array(Self.text(.japanese).utf8)) }
      }
    ])
    let module = ScriptedModule()
    #expect(Self.run(service, module) == .deny)
    #expect(module.calls == ["tell '\(Self.text(.japanese))' true"])
  }

  @Test("after the service's first message, every failure denies and is logged")
  func everyEnd() throws {
    for (part, _, reason, name) in Self.ends {
      let service = try ScriptedService([
        { served in
          try served.receive()
          try served.send { .tell(text: MessageSamples.secret("hello"), essential: false) }
          try part(served)
        }
      ])
      let module = ScriptedModule()
      #expect(Self.run(service, module) == .deny, "\(name)")
      #expect(service.isUsedUp())
      #expect(module.logged == [Self.failure(reason)], "\(name)")
      #expect(module.calls == ["tell 'hello' false", Self.apology], "\(name)")
    }
  }

  @Test("nothing may follow a verdict or the last question, whatever the verdict is")
  func messagesAfterTheLast() throws {
    let lasts: [@Sendable () -> ServiceMessage] = [
      { .verdict(1) }, { .verdict(2) },
      { .ask(prompt: MessageSamples.secret("Code: "), echo: false, lastNumber: 1) },
    ]
    let others: [@Sendable () -> ServiceMessage] = [
      { .verdict(1) }, { .busy }, { .tell(text: MessageSamples.secret(""), essential: true) },
      { .ask(prompt: MessageSamples.secret("Code: "), echo: false, lastNumber: 1) },
    ]
    for last in lasts {
      for other in others {
        let service = try ScriptedService([
          { served in
            try served.receive()
            try served.send(last, other)
          }
        ])
        let module = ScriptedModule()
        #expect(Self.run(service, module) == .deny)
        #expect(service.isUsedUp())
        #expect(module.logged == [Self.failure("malformed")])
        #expect(module.calls == [Self.apology])
      }
    }
  }

  @Test("the helper's messages deny")
  func helperMessages() throws {
    let messages: [@Sendable () -> ServiceMessage] = [
      { .readClient(seconds: 1) }, { .writeClient(MessageSamples.secret("")) },
      { .prove(account: []) },
    ]
    for message in messages {
      let service = try ScriptedService([
        { served in
          try served.receive()
          try served.send(message)
        }
      ])
      let module = ScriptedModule()
      #expect(Self.run(service, module) == .deny)
      #expect(service.isUsedUp())
      #expect(module.logged == [Self.failure("malformed")])
    }
  }

  @Test("the service has limited time for the first message and for each later one")
  func silence() throws {
    for hasBegun in [false, true] {
      let service = try ScriptedService([
        { served in
          try served.receive()
          if hasBegun { try served.send { .tell(text: SecretBytes(count: 0), essential: true) } }
          // Until the module has given up.
          try served.receive()
        }
      ])
      let module = ScriptedModule()
      let patience = ResidentConversation<ScriptedModule>.Patience(
        first: hasBegun ? 20 : 1, later: hasBegun ? 1 : 20)
      #expect(Self.run(service, module, patience: patience) == (hasBegun ? .deny : nil))
      #expect(service.isUsedUp())
      #expect(service.heard.last == "ended")
      #expect(module.logged == (hasBegun ? [Self.failure("silent")] : []))
    }
  }

  @Test("a service that is busy before it has read the first message lets this process decide")
  func busyAtOnce() throws {
    let service = try ScriptedService([{ try $0.send { .busy } }])
    let module = ScriptedModule()
    #expect(Self.run(service, module) == nil)
    #expect(service.isUsedUp())
    #expect(module.logged.isEmpty && module.calls.isEmpty)
  }

  // MARK: Questions

  private static let question: @Sendable () -> ServiceMessage = {
    .ask(prompt: MessageSamples.secret("Code: "), echo: false, lastNumber: 1)
  }

  @Test("the answer to the last question of a connection begins the next one")
  func lastQuestion() throws {
    for (answer, text) in [("123456", "'123456'"), ("", "none"), ("*", "too long")] {
      let service = try ScriptedService([
        { served in
          try served.receive()
          try served.send(Self.question)
        },
        { served in
          try served.receive()
          try served.send { .verdict(1) }
        },
      ])
      let module = ScriptedModule([answer])
      #expect(Self.run(service, module) == .allow)
      #expect(service.isUsedUp())
      #expect(module.calls == ["ask 'Code: ' false"])
      let start = try #require(service.heard.first)
      #expect(service.heard == [start, start + " answered 'Code: ' false \(text)"])
      #expect(!start.contains("answered"))
    }
  }

  /// Runs a conversation whose service asks `Code: `, then `Other: ` as the question `number` of the
  /// sign-in, and then denies.
  private static func askTwice(
    _ number: UInt8, _ module: ScriptedModule
  ) throws -> ScriptedService {
    let other: @Sendable () -> ServiceMessage = {
      .ask(prompt: MessageSamples.secret("Other: "), echo: true, lastNumber: number)
    }
    let service = try ScriptedService([
      { served in
        try served.receive()
        try served.send(Self.question)
      },
      { served in
        try served.receive()
        try served.send(other)
      },
      { served in
        try served.receive()
        try served.send { .verdict(0) }
      },
    ])
    #expect(run(service, module) == .deny)
    return service
  }

  @Test("the connection after the second question has both answers")
  func secondQuestion() throws {
    let module = ScriptedModule(["1", "2"])
    let service = try Self.askTwice(2, module)
    #expect(service.isUsedUp())
    let answers = "'debug' answered 'Code: ' false '1' answered 'Other: ' true '2'"
    #expect(service.heard.last?.hasSuffix(answers) == true, "\(service.heard)")
    #expect(module.calls == ["ask 'Code: ' false", "ask 'Other: ' true"])
  }

  @Test("an answer goes to the service that waits for it, and later answers too")
  func waitingService() throws {
    let other: @Sendable () -> ServiceMessage = {
      .ask(prompt: MessageSamples.secret("Other: "), echo: true, lastNumber: 2)
    }
    let service = try ScriptedService([
      { served in
        try served.receive()
        try served.send(Self.question)
        try served.receive()
        try served.send(other)
        try served.receive()
        try served.send { .verdict(1) }
      }
    ])
    let module = ScriptedModule(["1", "2"])
    #expect(Self.run(service, module) == .allow)
    #expect(service.isUsedUp())
    #expect(service.heard.dropFirst() == ["reply '1'", "reply '2'"], "\(service.heard)")
    #expect(module.calls == ["ask 'Code: ' false", "ask 'Other: ' true"])
  }

  @Test("a service that ends after it has received an answer denies")
  func endedAfterTheAnswer() throws {
    let service = try ScriptedService([
      { served in
        try served.receive()
        try served.send(Self.question)
        try served.receive()
      },
      { served in
        try served.receive()
        try served.send { .verdict(1) }
      },
    ])
    let module = ScriptedModule(["1"])
    #expect(Self.run(service, module) == .deny)
    #expect(service.heard.count == 2)
    #expect(module.logged == [Self.failure("ended")])
  }

  @Test("an answer that the service did not use is not sent again")
  func otherFirstQuestion() throws {
    let module = ScriptedModule(["1", "2"])
    let service = try Self.askTwice(1, module)
    #expect(service.isUsedUp())
    #expect(service.heard.last?.hasSuffix("'debug' answered 'Other: ' true '2'") == true)
    #expect(module.calls == ["ask 'Code: ' false", "ask 'Other: ' true"])
  }

  @Test("a number that no question can have denies")
  func wrongNumber() throws {
    let module = ScriptedModule(["1", "2"])
    let service = try Self.askTwice(3, module)
    #expect(service.heard.count == 2)
    #expect(module.logged == [Self.failure("malformed")])
    #expect(module.calls == ["ask 'Code: ' false", Self.apology])
  }

  @Test("a service that asks again without end denies")
  func tooManyQuestions() throws {
    let part: ScriptedService.Part = { served in
      try served.receive()
      try served.send(Self.question)
    }
    let service = try ScriptedService([ScriptedService.Part](repeating: part, count: 8))
    let module = ScriptedModule([String](repeating: "1", count: 20))
    #expect(Self.run(service, module) == .deny)
    #expect(service.isUsedUp())
    // The last question is not put to the user, because no answer to it could be sent.
    #expect(module.script.count == 13)
    #expect(module.logged == [Self.failure("too-many-questions")])
    #expect(module.calls.last == Self.apology)
  }

  @Test("a service that has stopped while the user was typing denies")
  func stopped() throws {
    let service = try ScriptedService([
      { served in
        try served.receive()
        try served.send(Self.question)
      },
      { try $0.send { .busy } },
    ])
    let module = ScriptedModule(["1"])
    #expect(Self.run(service, module) == .deny)
    #expect(service.isUsedUp())
    #expect(module.calls == ["ask 'Code: ' false", Self.apology])
    #expect(module.logged.count == 1)
  }

  // MARK: Calls

  @Test("every call is carried out in order and answered")
  func calls() throws {
    let service = try ScriptedService([
      { served in
        try served.receive()
        try served.send(
          { .tell(text: MessageSamples.secret("a\nb"), essential: true) },
          { .log(priority: 6, line: Array("result=deny".utf8)) },
          {
            .audit(
              Audit.Record(
                kind: .authentication, operation: Array("mfa:code".utf8), account: [],
                address: nil, terminal: nil, succeeded: true))
          },
          { .note(Array("xyz".utf8)) },
          { .forward(MessageSamples.secret("password")) },
          { .earlierAnswer })
        try served.receive()
        for _ in 0..<3 {
          try served.send {
            .ask(prompt: MessageSamples.secret("?"), echo: true, lastNumber: nil)
          }
          try served.receive()
        }
        try served.send { .verdict(1) }
      }
    ])
    let module = ScriptedModule(["typed", "1", "", "*"])
    #expect(Self.run(service, module) == .allow)
    #expect(service.isUsedUp())
    #expect(
      module.calls == [
        "tell 'a\nb' true", "audit 'mfa:code' true", "note 'xyz'", "forward 'password'",
        "earlier answer", "reveal '?' true", "reveal '?' true", "reveal '?' true",
      ])
    #expect(module.logged == ["6 result=deny"])
    #expect(module.storedNote == Array("xyz".utf8))
    #expect(
      service.heard.dropFirst() == ["reply 'typed'", "reply '1'", "reply none", "reply too long"])
  }

  @Test("a note or a password that PAM does not take over denies")
  func refusedValues() throws {
    let messages: [(@Sendable () -> ServiceMessage, String)] = [
      ({ .note([0x61]) }, "note"), ({ .forward(MessageSamples.secret("a")) }, "forwarding"),
    ]
    for verdict in UInt8.min...3 {
      for (message, part) in messages {
        let service = try ScriptedService([
          { served in
            try served.receive()
            try served.send(message)
            try served.send { .verdict(verdict) }
          }
        ])
        let module = ScriptedModule()
        module.accepts = false
        #expect(Self.run(service, module) == .deny)
        #expect(service.isUsedUp())
        #expect(module.logged == ["\(LOG_ERR) result=error part=\(part)"])
      }
    }
  }

  @Test("a value that PAM does not take over denies in a later connection too")
  func refusedValueBeforeQuestion() throws {
    let service = try ScriptedService([
      { served in
        try served.receive()
        try served.send({ .note([0x61]) }, Self.question)
      },
      { served in
        try served.receive()
        try served.send { .verdict(1) }
      },
    ])
    let module = ScriptedModule(["1"])
    module.accepts = false
    #expect(Self.run(service, module) == .deny)
    #expect(service.isUsedUp())
  }

  @Test("every fact is answered")
  func facts() throws {
    let facts: [ApplicationFact] = [
      .earlierMethods, .peer, .session, .enclosingSessions, .leadsSession, .controllingTerminal,
    ]
    for methods in [nil, [], Array("publickey x\n".utf8)] {
      let service = try ScriptedService([
        { served in
          try served.receive()
          for fact in facts {
            try served.send { .fact(fact) }
            try served.receive()
          }
          try served.send { .verdict(1) }
        }
      ])
      let module = ScriptedModule()
      module.methods = methods
      #expect(Self.run(service, module) == .allow)
      #expect(service.isUsedUp())
      let peer = Connection.peer().map { address in
        (0..<16).map { UInt8(truncatingIfNeeded: address >> (120 - 8 * UInt128($0))) }
      }
      var sessions: [UInt8] = []
      for session in ProcessInstance.enclosing {
        sessions += [UInt8(session.bytes.count)] + session.bytes
      }
      let values: [[UInt8]?] = [
        methods, peer, ProcessInstance.ownSession?.bytes, sessions,
        [ProcessInstance.isLeader ? 1 : 0], ControllingTerminal.name,
      ]
      #expect(
        Array(service.heard.dropFirst()) == values.map { "fact \(MessageSamples.text($0))" })
    }
  }
}
