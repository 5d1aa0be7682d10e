import MFAWire
import MFABase

/// Messages of every kind, and texts that name every field of a message, for comparisons.
package enum MessageSamples {
  /// Returns the text as a secret.
  package static func secret(_ text: String) -> SecretBytes {
    SecretBytes(copying: Array(text.utf8).span)
  }

  /// Returns bytes in quotation marks, or `nil`.
  package static func text(_ bytes: [UInt8]?) -> String {
    bytes.map { "'" + String(decoding: $0, as: UTF8.self) + "'" } ?? "nil"
  }

  /// Returns the bytes of a secret in quotation marks.
  package static func text(_ bytes: borrowing SecretBytes) -> String { text(bytes.span.copied()) }

  /// A sign-in in which every item is set.
  package static let request = SignInRequest(
    user: Array("alice".utf8), service: Array("sshd".utf8), remoteHost: Array("203.0.113.9".utf8),
    terminal: Array("ssh".utf8), arguments: [Array("hints".utf8), [], Array("debug".utf8)])

  /// Returns the first message of a conversation.
  package static func start(
    _ line: ModuleLine = .auth, _ request: SignInRequest = request, note: [UInt8]? = nil,
    tryNumber: UInt8? = 1, failedTries: UInt8 = 0, answered: [AnsweredQuestion] = []
  ) -> ModuleMessage {
    .start(
      ConversationStart(
        line, request, showsMessages: true, caller: 0x0102_0304, note: note,
        tryNumber: tryNumber, failedTries: failedTries, answered: answered))
  }

  /// Messages of the module and of the helper.
  package static let moduleMessages: [@Sendable () -> ModuleMessage] = [
    { start() }, { start(tryNumber: 5) }, { start(tryNumber: nil) },
    { start(tryNumber: 3, failedTries: 2) },
    { start(.account, SignInRequest(user: [], service: []), note: Array("abob".utf8)) },
    { start(answered: [AnsweredQuestion(Array("Code: ".utf8), echo: true, reply: .none)]) },
    {
      start(answered: [
        AnsweredQuestion(Array("Factor: ".utf8), echo: false, reply: .text(secret("2"))),
        AnsweredQuestion([], echo: false, reply: .text(secret("123456"))),
      ])
    },
    { start(answered: [AnsweredQuestion([0], echo: true, reply: .tooLong)]) },
    { .reply(.none) }, { .reply(.text(secret(""))) }, { .reply(.text(secret("123456"))) },
    { .reply(.tooLong) },
    { .fact(nil) }, { .fact([]) }, { .fact([1, 0, 255]) },
    { .manage(terminal: nil) }, { .manage(terminal: Array("pts/0".utf8)) },
    { .clientRequest(secret("body")) },
    { .noRequest(.ended) }, { .noRequest(.malformed) },
    { .proven(1) }, { .proven(0) }, { .proven(.max) },
  ]

  /// Messages of the service.
  package static let serviceMessages: [@Sendable () -> ServiceMessage] = [
    { .verdict(0) }, { .verdict(255) }, { .busy },
    { .ask(prompt: secret("Code: "), echo: true, lastNumber: nil) },
    { .ask(prompt: secret(""), echo: false, lastNumber: 1) },
    { .ask(prompt: secret("Code: "), echo: false, lastNumber: 8) },
    { .tell(text: secret("wait"), essential: true) }, { .tell(text: secret(""), essential: false) },
    { .log(priority: 7, line: Array("result=allow".utf8)) },
    {
      .audit(
        Audit.Record(
          kind: .management, operation: Array("mfa:enrolled".utf8), account: Array("alice".utf8),
          address: nil, terminal: Array("pts/0".utf8), succeeded: true))
    },
    {
      .audit(
        Audit.Record(
          kind: .authentication, operation: [], account: [], address: Array("203.0.113.9".utf8),
          terminal: nil, succeeded: false))
    },
    { .note(Array("aalice".utf8)) }, { .forward(secret("password")) }, { .earlierAnswer },
    { .fact(.earlierMethods) }, { .fact(.peer) }, { .fact(.session) },
    { .fact(.enclosingSessions) }, { .fact(.leadsSession) }, { .fact(.controllingTerminal) },
    { .fact(.usesUTF8) },
    { .failureText([]) }, { .failureText(Array("Connexion indisponible".utf8)) },
    { .readClient(seconds: 0xFFFF_FFFE) }, { .writeClient(secret("frame")) },
    { .prove(account: Array("alice".utf8)) },
  ]

  // MARK: Texts

  /// Returns a text with every field of a message.
  package static func text(_ message: consuming ModuleMessage) -> String {
    switch consume message {
    case .start(let start): text(start)
    case .reply(let reply): "reply \(text(reply))"
    case .fact(let value): "fact \(text(value))"
    case .manage(let terminal): "manage \(text(terminal))"
    case .clientRequest(let body): "request \(text(body))"
    case .noRequest(let reason): "no request \(reason)"
    case .proven(let result): "proven \(result)"
    }
  }

  private static func text(_ start: consuming ConversationStart) -> String {
    let request = start.request
    var words = [
      "start \(start.line) \(start.showsMessages) \(start.caller) \(text(start.note))",
      text(request.user), text(request.service), text(request.remoteHost), text(request.terminal),
    ]
    words += request.arguments.map { text($0) }
    if start.tryNumber != 1 { words.append("try \(start.tryNumber.map { "\($0)" } ?? "nil")") }
    if start.failedTries > 0 { words.append("failed \(start.failedTries)") }
    for answered in start.answered {
      words.append("answered \(text(answered.prompt)) \(answered.echo)")
      words.append(text(answered.takeReply()))
    }
    return words.joined(separator: " ")
  }

  private static func text(_ reply: consuming Reply) -> String {
    switch consume reply {
    case .none: "none"
    case .tooLong: "too long"
    case .text(let answer): text(answer)
    }
  }

  /// Returns a text with every field of a message.
  package static func text(_ message: consuming ServiceMessage) -> String {
    switch consume message {
    case .verdict(let number): "verdict \(number)"
    case .busy: "busy"
    case .ask(let prompt, let echo, let lastNumber):
      "ask \(text(prompt)) \(echo) \(lastNumber.map { "\($0)" } ?? "nil")"
    case .tell(let message, let essential): "tell \(text(message)) \(essential)"
    case .log(let priority, let line): "log \(priority) \(text(line))"
    case .audit(let record):
      "audit \(record.kind) \(text(record.operation)) \(text(record.account)) "
        + "\(text(record.address)) \(text(record.terminal)) \(record.succeeded)"
    case .note(let note): "note \(text(note))"
    case .forward(let password): "forward \(text(password))"
    case .earlierAnswer: "earlier answer"
    case .fact(let fact): "fact \(fact)"
    case .failureText(let text): "failure text \(Self.text(text))"
    case .readClient(let seconds): "read \(seconds)"
    case .writeClient(let frame): "write \(text(frame))"
    case .prove(let account): "prove \(text(account))"
    }
  }
}
