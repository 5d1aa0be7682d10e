import MFABase
import MFAWire

/// Packets of every kind, and texts that name every field of a packet, for comparisons.
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

  // MARK: Sign-ins

  /// Facts that are all known.
  package static let facts: ApplicationFacts = {
    var facts = ApplicationFacts()
    facts.peer = Array(1...16)
    facts.session = Array("boot 7".utf8)
    facts.enclosingSessions = [Array("boot 7".utf8), [], Array("boot 5".utf8)]
    facts.leadsSession = true
    facts.terminal = Array("pts/3".utf8)
    return facts
  }()

  /// Returns a request of the module that `change` has changed.
  package static func call(
    _ request: SignInRequest = request, _ change: (inout SignInCall) -> Void = { _ in }
  ) -> SignInCall {
    var call = SignInCall()
    call.request = request
    change(&call)
    return call
  }

  /// Requests of the module.
  package static let calls: [@Sendable () -> SignInCall] = [
    { SignInCall() }, { call() },
    {
      call(SignInRequest(user: [], service: [])) { call in
        call.line = .account
        call.showsMessages = true
        call.usesUTF8 = false
        call.caller = 0x0102_0304
        call.note = Array("abob".utf8)
        call.earlierMethods = nil
      }
    },
    {
      call { call in
        call.line = .session
        call.note = []
        call.earlierMethods = Array("publickey ssh-ed25519 AAAA\n".utf8)
        call.earlierAnswer = .text(secret("password"))
        call.facts = ApplicationFacts()
      }
    },
    {
      call { call in
        call.earlierAnswer = .tooLong
        call.facts = facts
        call.continuation = [0, 1, 0xFF]
        call.answer = .text(secret("123456"))
      }
    },
    {
      call { call in
        call.continuation = [7]
        call.answer = .tooLong
      }
    },
    {
      call { call in
        call.continuation = [7]
        call.answer = .text(secret(""))
      }
    },
  ]

  /// A log line.
  private static var logLine: LogLine {
    var line = LogLine()
    line.add("result", "deny")
    return line
  }

  /// Records for the kernel's audit trail.
  private static let records = [
    Audit.Record(
      kind: .management, operation: Array("mfa:enrolled".utf8), account: Array("alice".utf8),
      address: nil, terminal: Array("pts/0".utf8), succeeded: true),
    Audit.Record(
      kind: .authentication, operation: [], account: [], address: Array("203.0.113.9".utf8),
      terminal: nil, succeeded: false),
  ]

  /// Returns an effect that shows a text.
  package static func tell(_ text: String, essential: Bool = false) -> SignInEffect {
    let bytes = Array(text.utf8)
    return .tell(bytes.span, essential: essential)
  }

  /// Returns an effect that sets the text for a failure.
  package static func failureText(_ text: String) -> SignInEffect {
    let bytes = Array(text.utf8)
    return .failureText(bytes.span)
  }

  /// Effects of every kind.
  package static let effects: [SignInEffect] =
    [
      tell("wait", essential: true), tell(""),
      .tell(Array("wait".utf8).span, as: .ending, essential: true),
      .tell(Array("news".utf8).span, as: .information, essential: false),
      .closingPrompt(Array("Enter: ".utf8).span),
      .log(.debug, logLine), .log(.error, LogLine()),
      .note(.allowed, of: Array("alice".utf8)), .note(.bypass, of: []),
      .note(.enrollment, of: Array("bob".utf8)),
      .forward(secret("password")), .forward(secret("")),
      failureText(""), failureText("Connexion indisponible"),
      .confirm(secret("Type yes: "), continuation: [1, 2, 3]),
      .confirm(secret(""), continuation: []),
    ] + records.map { .audit($0) }

  /// Ends of every kind.
  package static let ends: [SignInReply.End] = [
    .verdict(0), .verdict(1), .verdict(255), .facts, .busy,
    .question(PrivateText(secret("Code: ")), echo: true, continuation: [9, 8]),
    .question(PrivateText(secret("")), echo: false, continuation: []),
  ]

  /// Replies with each end and with each effect, and a reply with all effects.
  package static let replies: [SignInReply] =
    ends.map { SignInReply([], $0) } + effects.map { SignInReply([$0], .verdict(2)) }
    + [SignInReply(effects, ends[5])]

  // MARK: Requests of the helper

  /// Returns a request of the helper that `change` has changed.
  package static func management(
    _ body: String = "body", _ change: (inout ManagementCall) -> Void = { _ in }
  ) -> ManagementCall {
    var call = ManagementCall()
    call.body = secret(body)
    change(&call)
    return call
  }

  /// Requests of the helper.
  package static let managementCalls: [@Sendable () -> ManagementCall] = [
    { management() },
    {
      management { call in
        call.terminal = Array("pts/0".utf8)
        call.remoteHost = Array("2001:db8::1".utf8)
        call.language = .japanese
        call.continuation = [0, 1, 0xFF]
      }
    },
    { management("") { $0.proof = .wrong } },
    { management("") { $0.proof = .refused(.locked) } },
  ]

  /// Replies to the helper.
  package static let managementReplies: [@Sendable () -> ManagementReply] = [
    { ManagementReply() }, { ManagementReply(.busy) }, { ManagementReply(.proof) },
    {
      var reply = ManagementReply(.request)
      reply.frames = secret("frames")
      reply.continuation = [9, 8]
      reply.seconds = 0xFFFF_FFFE
      return reply
    },
  ]

  // MARK: Texts

  /// Returns a text with every field of a request.
  package static func text(_ call: borrowing SignInCall) -> String {
    let request = call.request
    let words = [
      "\(call.line)", text(request.user), text(request.service), text(request.remoteHost),
      text(request.terminal), request.arguments.map { text($0) }.joined(separator: ","),
      "shows=\(call.showsMessages)", "utf8=\(call.usesUTF8)", "caller=\(call.caller)",
      "note=\(text(call.note))", "methods=\(text(call.earlierMethods))",
      "earlier=\(text(call.earlierAnswer))",
      "facts=\(call.facts.map { text($0) } ?? "nil")",
      "continuation=\(call.continuation)", "answer=\(text(call.answer))",
    ]
    return words.joined(separator: " ")
  }

  private static func text(_ facts: ApplicationFacts) -> String {
    "(\(facts.peer ?? []) \(text(facts.session)) "
      + facts.enclosingSessions.map { text($0) }.joined(separator: ",")
      + " \(facts.leadsSession) \(text(facts.terminal)))"
  }

  /// Returns a text with a reply to a question.
  package static func text(_ reply: borrowing Reply) -> String {
    switch reply {
    case .absent: "none"
    case .tooLong: "too long"
    case .text(let answer): text(answer)
    }
  }

  /// Returns a text with every field of a reply.
  package static func text(_ reply: SignInReply) -> String {
    let effects = reply.effects.map { effect in
      "\(effect.kind) \(effect.flag) \(effect.number) \(text(effect.text.copy())) "
        + "\(effect.continuation)"
    }
    let end =
      switch reply.end {
      case .verdict(let number): "verdict \(number)"
      case .question(let prompt, let echo, let continuation):
        "question \(text(prompt.copy())) \(echo) \(continuation)"
      case .facts: "facts"
      case .busy: "busy"
      }
    return (effects + [end]).joined(separator: "; ")
  }

  /// Returns a text with every field of a request.
  package static func text(_ call: borrowing ManagementCall) -> String {
    "manage \(text(call.terminal)) \(call.language) \(call.continuation) \(text(call.body)) "
      + "\(call.proof.map { "\($0)" } ?? "nil")"
  }

  /// Returns a text with every field of a reply.
  package static func text(_ reply: borrowing ManagementReply) -> String {
    "\(reply.next) \(text(reply.frames)) \(reply.continuation) \(reply.seconds)"
  }
}
