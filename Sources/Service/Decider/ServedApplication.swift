import MFAWire
import MFABase
import MFAMessages

/// The application at the other end of a connection. The calls of a sign-in become messages, which
/// the module answers.
///
/// A sign-in that has done nothing but ask questions leaves nothing behind: it can end as if the user
/// had hung up, and the module begins a new one that contains the answers. The user thus occupies no
/// process while typing, and the service can be restarted meanwhile. A few processes still wait for a
/// while, because it is faster to continue than to begin again.
///
/// MUST 1: an answer is only used for the question that it was given to. (`ServedApplicationTests`)
/// MUST 2: after the last message nothing is sent. (`ServedApplicationTests`)
/// MUST 3: every wait for the module has a deadline. (`ServedApplicationTests`)
/// MUST 4: the process ends a conversation in which it waits for an answer only if no answer has
/// arrived. (`ServedApplicationTests.answerInTime`)
/// MUST 5: a run that ends with the last question records nothing, because its log lines are not
/// sent. (`ServedApplicationTests`, `LedgerTests` of Tests/EndToEnd)
package final class ServedApplication: Application {
  private let connection: PacketConnection
  /// Whether the application acts as root. Any other application is trusted only with its user's own
  /// sign-in.
  private let actsAsRoot: Bool
  private let share: WorkerShare
  /// Who is responsible for the time that the sign-in waits for answers.
  private let claimant: UInt32
  private var packet = PacketWriter()
  /// The answers that have not been used yet, the next one last.
  private var answered: [AnsweredQuestion]
  /// The number of answers that were used.
  private var answersUsed = 0
  private var storedNote: [UInt8]?
  /// Whether the sign-in has done anything that a second run would repeat.
  private var hasActed = false
  /// Whether the conversation has ended, so that nothing is sent any more.
  private var isOver = false
  /// Whether the sign-in ends because the module begins again with the next answer.
  package private(set) var isSuspended = false

  /// Whether the application shows messages that are not essential.
  package let showsMessages: Bool
  /// The number of the try.
  package let tryNumber: UInt8
  /// How many tries before were counted as failed attempts.
  package let failedTries: UInt8
  /// The language of what the user is told if the sign-in cannot go on.
  private var language = Language.english
  /// Whether the module understands the messages of version 2.
  private let isCurrent: Bool

  /// The module begins a new conversation for each code.
  package var beginsAgain: Bool { true }

  /// How long the user may take to answer a question, in seconds.
  private static var answeringTime: Int64 { ProtocolDeadline.answer }
  /// How long the module may take to answer a question that concerns only itself, in seconds.
  private static var patience: Int64 { ProtocolDeadline.fact }

  /// Begins to serve the sign-in in `start`.
  package init(
    _ connection: PacketConnection, actsAsRoot: Bool, share: WorkerShare, claimant: UInt32,
    start: borrowing ConversationStart
  ) {
    self.connection = connection
    self.actsAsRoot = actsAsRoot
    self.share = share
    self.claimant = claimant
    showsMessages = start.showsMessages
    storedNote = start.note
    answered = start.answered.reversed()
    isCurrent = start.tryNumber != nil
    // A module of version 1 does not try again.
    tryNumber = start.tryNumber ?? ModuleMessage.maximumTries
    // Any other application could hide failed attempts from its user.
    failedTries = actsAsRoot ? start.failedTries : 0
  }

  // MARK: Questions

  /// Asks a question after an answer that may have been verified.
  package func ask(_ prompt: [UInt8], echo: Bool) -> Reply {
    // The sign-in may have verified the answer to the question before.
    if answersUsed > 0 {
      hasActed = true
      answered = []
    }
    return askNext(prompt, echo: echo)
  }

  /// Asks a question that belongs to the same answer as the one before.
  package func askNext(_ prompt: [UInt8], echo: Bool) -> Reply {
    guard !isOver else { return .none }
    if let answer = answered.popLast(), answer.prompt == prompt, answer.echo == echo {
      answersUsed &+= 1
      return answer.takeReply()
    }
    // The other answers belong to questions that are not asked any more.
    answered = []
    guard !hasActed, answersUsed < ModuleMessage.maximumAnswers else {
      return ask(revealing: SecretBytes(copying: prompt.span), echo: echo)
    }
    let number = UInt8(truncatingIfNeeded: answersUsed &+ 1)
    put(.ask(prompt: SecretBytes(copying: prompt.span), echo: echo, lastNumber: number))
    flush()
    if let reply = earlyReply() {
      answersUsed &+= 1
      return reply
    }
    isOver = true
    isSuspended = true
    return .none
  }

  /// How long a process waits for an answer without which the sign-in can begin again, in seconds.
  private static var hold: Int64 { ProtocolDeadline.hold }

  /// Waits for the answer to a question after which the sign-in can begin again, if the share
  /// permits. Returns nil if the sign-in ends instead.
  private func earlyReply() -> Reply? {
    guard !isOver, actsAsRoot, share.beginHolding() else { return nil }
    defer { share.endWaiting() }
    Alarm.set(seconds: UInt32(clamping: Self.hold &+ Self.patience))
    defer { Alarm.set(seconds: ConversationLimit.working) }
    do throws(SystemError) {
      let arrival = try WorkerProcess.stoppable { () throws(SystemError) in
        try connection.nextPacket(seconds: Self.hold)
      }
      // An answer that is sent from now on fails, and the module begins again.
      if arrival == .silent { connection.stopReceiving() }
    } catch {
      return nil
    }
    switch ModuleMessage.receive(from: connection, seconds: 0) {
    case .reply(let reply): return reply
    case .none: return nil
    case .some: return nil
    }
  }

  /// Asks a question whose prompt has a secret.
  package func ask(revealing prompt: consuming SecretBytes, echo: Bool) -> Reply {
    hasActed = true
    guard share.beginWaiting(for: claimant) else { return refuse() }
    defer { share.endWaiting() }
    put(.ask(prompt: prompt, echo: echo, lastNumber: nil))
    return reply(seconds: Self.answeringTime)
  }

  /// Does not ask, because too many processes wait for answers of the claimant.
  private func refuse() -> Reply {
    var line = LogLine()
    line.add("result", "error")
    line.add("part", "resident")
    line.add("reason", "busy")
    log(.error, line)
    tell(Self.text(of: .tooManyOpenSignIns, in: language), essential: true)
    return .none
  }

  /// Sends the module what it shows if the service ends without a verdict. The module itself has the
  /// text in English.
  package func use(_ language: Language) {
    guard isCurrent, language != self.language else { return }
    self.language = language
    put(.failureText(Array(Self.text(of: .unavailable, in: language).utf8)))
  }

  private static func text(of message: SignInMessage, in language: Language) -> String {
    message.text(in: language).wrapped(to: MessageText.moduleColumns).string
  }

  /// Asks for PAM_AUTHTOK.
  package func earlierAnswer() -> Reply {
    hasActed = true
    put(.earlierAnswer)
    return reply(seconds: Self.patience)
  }

  private func reply(seconds: Int64) -> Reply {
    switch response(seconds: seconds) {
    case .reply(let reply): return reply
    case .none: return .none
    case .some:
      isOver = true
      return .none
    }
  }

  /// Asks for the methods that succeeded before PAM ran.
  package func earlierMethods() -> [UInt8]? { fact(.earlierMethods) }

  /// Returns a fact about the application's process, or nil if it is unknown.
  package func fact(_ fact: ApplicationFact) -> [UInt8]? {
    guard fact.version == 1 || isCurrent else { return nil }
    put(.fact(fact))
    switch response(seconds: Self.patience) {
    case .fact(let value): return value
    case .none: return nil
    case .some:
      isOver = true
      return nil
    }
  }

  // MARK: Messages

  /// Shows a message.
  package func tell(_ text: String, essential: Bool) {
    hasActed = true
    put(.tell(text: SecretBytes(copying: text.utf8Span.span), essential: essential))
  }

  /// Shows a message with a secret.
  package func reveal(_ text: String, _ secret: consuming SecretBytes) {
    hasActed = true
    put(.tell(text: SecretBytes(joining: text.utf8Span.span, secret.span), essential: true))
  }

  /// Sends a note. If PAM cannot store it, the module denies.
  package func note(_ note: TransactionNote, of name: [UInt8]) -> Bool {
    hasActed = true
    let text = [note.rawValue] + name
    storedNote = text
    put(.note(text))
    return true
  }

  /// Returns whether the transaction has a note.
  package func isNoted(_ note: TransactionNote, of name: [UInt8]) -> Bool {
    storedNote == [note.rawValue] + name
  }

  /// Writes a line to the log on the module's host.
  package func log(_ priority: LogPriority, _ line: LogLine) {
    // The steps before a question have been logged when the question was asked.
    if priority == .debug, !answered.isEmpty { return }
    if priority != .debug { hasActed = true }
    put(.log(priority: UInt8(truncatingIfNeeded: priority.number), line: line.text))
  }

  /// Writes a record to the audit trail on the module's host.
  package func audit(_ record: Audit.Record) {
    // The conversation that verifies a user's code has written its record. This one contains the
    // address and the terminal that the user's own process stated.
    guard actsAsRoot else { return }
    hasActed = true
    put(.audit(record))
  }

  /// Sends a password. If PAM cannot take it over, the module denies.
  package func forward(_ password: Span<UInt8>) -> Bool {
    hasActed = true
    put(.forward(SecretBytes(copying: password)))
    return true
  }

  /// Sends the verdict, and ends the conversation.
  package func finish(_ verdict: UInt8) {
    put(.verdict(verdict))
    flush()
    isOver = true
  }

  // MARK: Packets

  private func put(_ message: consuming ServiceMessage) {
    guard !isOver else { return }
    message.write(to: &packet)
  }

  /// Sends what has been put. If that fails, the conversation is over.
  private func flush() {
    guard !isOver else { return }
    var sent = PacketWriter()
    swap(&sent, &packet)
    guard let bytes = sent.finish() else {
      isOver = true
      return
    }
    do throws(SystemError) { try connection.send(bytes.span) } catch { isOver = true }
  }

  /// Sends what has been put, and waits for the module's message. Returns nil if none arrives; the
  /// conversation is then over.
  private func response(seconds: Int64) -> ModuleMessage? {
    flush()
    guard !isOver else { return nil }
    Alarm.set(seconds: UInt32(clamping: seconds &+ Self.patience))
    defer { Alarm.set(seconds: ConversationLimit.working) }
    guard let message = ModuleMessage.receive(from: connection, seconds: seconds) else {
      isOver = true
      return nil
    }
    return message
  }
}

extension ModuleMessage {
  /// Waits for a message. Returns nil if none arrives, or if it is malformed.
  package static func receive(from connection: PacketConnection, seconds: Int64) -> ModuleMessage? {
    var sender = Peer(process: 0, user: .max)
    return receive(from: connection, seconds: seconds, sender: &sender)
  }

  /// Waits for a message and its sender. Returns nil if none arrives, or if it is malformed.
  package static func receive(
    from connection: PacketConnection, seconds: Int64, sender: inout Peer
  ) -> ModuleMessage? {
    do throws(SystemError) {
      guard case .packet(let packet) = try connection.receive(seconds: seconds, sender: &sender)
      else { return nil }
      do throws(PacketError) { return try ModuleMessage.read(packet.span) } catch { return nil }
    } catch {
      return nil
    }
  }
}
