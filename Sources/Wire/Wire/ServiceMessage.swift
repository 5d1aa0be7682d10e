import MFABase

/// A fact about the application's process that only the module can determine.
package enum ApplicationFact: UInt8, Sendable {
  /// The authentication methods that succeeded before PAM ran.
  case earlierMethods = 1
  /// The network address at the other end of the application's connection, 16 bytes of IPv6.
  case peer = 2
  /// The session of the process.
  case session = 3
  /// The sessions that the process may be part of, each preceded by one byte of length.
  case enclosingSessions = 4
  /// One byte: whether the process leads its session.
  case leadsSession = 5
  /// The name of the controlling terminal.
  case controllingTerminal = 6
  /// One byte: whether the locale of the application's user stands for UTF-8. Version 2.
  case usesUTF8 = 7

  /// The version of the protocol that added the fact.
  package var version: UInt8 {
    switch self {
    case .earlierMethods, .peer, .session, .enclosingSessions, .leadsSession, .controllingTerminal:
      1
    case .usesUTF8: 2
    }
  }
}

/// A message from the resident service to the module or to the helper. PROTOCOL.md defines the
/// encoding.
///
/// MUST 1: an encoded message parses to an equal value, and no other bytes parse.
/// (`ServiceMessageTests`)
package enum ServiceMessage: ~Copyable {
  /// The module's verdict, as its number in mfa.h. Ends the conversation.
  case verdict(UInt8)
  /// The service has too many conversations. Sent in place of any other message.
  case busy
  /// Asks the user a question. If the sign-in has done nothing yet but ask questions, this is the
  /// `lastNumber`th of them. The service may end the conversation after it; the module then begins a
  /// new one with the answers to all of them.
  case ask(prompt: SecretBytes, echo: Bool, lastNumber: UInt8?)
  /// Shows the user a message.
  case tell(text: SecretBytes, essential: Bool)
  /// Writes a line to the system log.
  case log(priority: UInt8, line: [UInt8])
  /// Writes a record to the kernel's audit trail.
  case audit(Audit.Record)
  /// Stores a note for the `account` line.
  case note([UInt8])
  /// Passes a password to the modules that follow.
  case forward(SecretBytes)
  /// Asks for the text that was typed for an earlier module.
  case earlierAnswer
  /// Asks for a fact about the application's process.
  case fact(ApplicationFact)
  /// Sets what the module shows the user if the conversation ends without a verdict. Version 2.
  case failureText([UInt8])
  /// Has the helper wait for a request of its client, at most this many seconds.
  case readClient(seconds: UInt32)
  /// Has the helper send a frame to its client.
  case writeClient(SecretBytes)
  /// Has the helper ask PAM whether the user owns the account.
  case prove(account: [UInt8])

  private enum Kind {
    static let verdict: UInt8 = 0x81
    static let busy: UInt8 = 0x82
    static let ask: UInt8 = 0x83
    static let tell: UInt8 = 0x84
    static let log: UInt8 = 0x85
    static let audit: UInt8 = 0x86
    static let note: UInt8 = 0x87
    static let forward: UInt8 = 0x88
    static let earlierAnswer: UInt8 = 0x89
    static let fact: UInt8 = 0x8A
    static let failureText: UInt8 = 0x8B
    static let readClient: UInt8 = 0x91
    static let writeClient: UInt8 = 0x92
    static let prove: UInt8 = 0x93
  }

  /// Appends the message to a packet.
  package consuming func write(to writer: inout PacketWriter) {
    switch consume self {
    case .verdict(let verdict):
      writer.begin(Kind.verdict)
      writer.field(verdict)
    case .busy: writer.begin(Kind.busy)
    case .ask(let prompt, let echo, let lastNumber):
      writer.begin(Kind.ask)
      writer.field(echo)
      writer.field(lastNumber ?? 0)
      writer.field(prompt.span)
    case .tell(let text, let essential):
      writer.begin(Kind.tell)
      writer.field(essential)
      writer.field(text.span)
    case .log(let priority, let line):
      writer.begin(Kind.log)
      writer.field(priority)
      writer.field(line)
    case .audit(let record):
      writer.begin(Kind.audit)
      writer.field(record.kind == .management)
      writer.field(record.succeeded)
      writer.field(record.operation)
      writer.field(record.account)
      writer.field(record.address)
      writer.field(record.terminal)
    case .note(let note):
      writer.begin(Kind.note)
      writer.field(note)
    case .forward(let password):
      writer.begin(Kind.forward)
      writer.field(password.span)
    case .earlierAnswer: writer.begin(Kind.earlierAnswer)
    case .fact(let fact):
      writer.begin(Kind.fact)
      writer.field(fact.rawValue)
    case .failureText(let text):
      writer.begin(Kind.failureText)
      writer.field(text)
    case .readClient(let seconds):
      writer.begin(Kind.readClient)
      writer.field(seconds)
    case .writeClient(let frame):
      writer.begin(Kind.writeClient)
      writer.field(frame.span)
    case .prove(let account):
      writer.begin(Kind.prove)
      writer.field(account)
    }
    writer.end()
  }

  /// Reads the next message of a packet. Returns nil at the end of the packet.
  @_lifetime(reader: copy reader)
  package static func next(_ reader: inout PacketReader) throws(PacketError) -> ServiceMessage? {
    guard let kind = try reader.next() else { return nil }
    switch kind {
    case Kind.verdict: return .verdict(try reader.number(UInt8.self))
    case Kind.busy: return .busy
    case Kind.ask:
      let echo = try reader.flag()
      let number = try reader.number(UInt8.self)
      guard number <= ModuleMessage.maximumAnswers else { throw .malformed }
      return .ask(
        prompt: try reader.secret(), echo: echo, lastNumber: number == 0 ? nil : number)
    case Kind.tell:
      let essential = try reader.flag()
      return .tell(text: try reader.secret(), essential: essential)
    case Kind.log:
      let priority = try reader.number(UInt8.self)
      return .log(priority: priority, line: try reader.bytes())
    case Kind.audit:
      let isManagement = try reader.flag()
      let succeeded = try reader.flag()
      return .audit(
        Audit.Record(
          kind: isManagement ? .management : .authentication, operation: try reader.bytes(),
          account: try reader.bytes(), address: try reader.optionalBytes(),
          terminal: try reader.optionalBytes(), succeeded: succeeded))
    case Kind.note: return .note(try reader.bytes())
    case Kind.forward: return .forward(try reader.secret())
    case Kind.earlierAnswer: return .earlierAnswer
    case Kind.fact:
      guard let fact = ApplicationFact(rawValue: try reader.number(UInt8.self)) else {
        throw .malformed
      }
      return .fact(fact)
    case Kind.failureText: return .failureText(try reader.bytes())
    case Kind.readClient: return .readClient(seconds: try reader.number(UInt32.self))
    case Kind.writeClient: return .writeClient(try reader.secret())
    case Kind.prove: return .prove(account: try reader.bytes(longest: 255))
    case let kind: throw .unknownKind(kind)
    }
  }
}
