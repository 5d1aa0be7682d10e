import MFAWire
import MFABase
import MFACMFA

/// A sign-in that the resident service decides: a loop that answers the service's calls.
///
/// MUST 1: only a listener that root created is trusted. (`ResidentConversationTests.owner`)
/// MUST 2: without a verdict of the service, the result is a denial, or nil before the service's
/// first message. (`ResidentConversationTests.everyEnd`)
/// MUST 3: every wait for the service has a deadline. (`ResidentConversationTests.silence`)
package final class ResidentConversation<Asker: ModuleApplication> {
  private let line: ModuleLine
  private let request: SignInRequest
  private let application: Asker
  private let path: [UInt8]
  private let caller: UInt32
  /// The user who must have created the listener.
  private let owner: UInt32
  private let patience: Patience
  /// Whether the last packet was the answer to a question after which the sign-in may begin again.
  private var mayBeginAgain = false
  /// Whether the service has sent a message, after which there is no other way to decide.
  private var hasBegun = false
  /// What the user is told if there is no verdict, in the language of the sign-in. The text in English
  /// is that of `SignInMessage.unavailable`.
  private var failureText: [UInt8]
  /// How many tries of this sign-in were counted as failed attempts.
  private var failedTries: UInt8 = 0
  /// Whether a note could not be stored, or a password could not be passed on.
  private var hasFailed = false

  /// How long the service may take to answer, in seconds.
  package struct Patience: Sendable {
    /// For the first message. A service that takes longer counts as not running.
    let first: Int64
    /// For a later message.
    let later: Int64

    /// Creates a value. The defaults are those of the module.
    package init(first: Int64 = ProtocolDeadline.first, later: Int64 = ProtocolDeadline.later) {
      self.first = first
      self.later = later
    }
  }

  /// How often the user is asked before the sign-in is denied. The service asks again when the policy
  /// changed while the user was typing.
  private static var maximumQuestions: Int { 8 }

  /// Prepares a conversation with the service at `path`. `caller` is the user who runs the application.
  package init(
    _ line: ModuleLine, _ request: SignInRequest, application: Asker, path: [UInt8], caller: UInt32,
    owner: UInt32 = 0, patience: Patience = Patience()
  ) {
    self.line = line
    self.request = request
    self.application = application
    self.path = path
    self.caller = caller
    self.owner = owner
    self.patience = patience
    let text: StaticString = """
      Sign-in is unavailable because of a server problem, not your
      code. Contact your administrator.
      """
    failureText = text.bytes
  }

  /// What the service sent last in a packet.
  private enum Ending: ~Copyable {
    case verdict(mfa_verdict)
    case question(prompt: [UInt8], echo: Bool, number: UInt8)
  }

  /// The questions that the user has answered.
  private struct Answers {
    var list: [AnsweredQuestion] = []
    var questionsLeft = ResidentConversation.maximumQuestions
  }

  /// Why a conversation ended without a verdict.
  private enum Failure: Error, Equatable {
    /// The service is not running, busy, or does not answer the first message.
    case unavailable
    /// A user other than root created the listener.
    case untrusted(UInt32)
    case ended
    /// The service has ended without reading the answer to a question.
    case unread
    case silent
    case malformed
    case tooManyQuestions
    case system(SystemError)
  }

  /// Has the service decide. Returns nil if there is no service, so that this process must decide.
  package func run() -> mfa_verdict? {
    do throws(Failure) {
      for number in 1...ModuleMessage.maximumTries {
        let verdict = try decide(try: number)
        guard verdict == .tryAgain || verdict == .askAgain, !hasFailed else {
          return hasFailed ? .deny : verdict
        }
        if verdict == .tryAgain { failedTries &+= 1 }
      }
      return .deny
    } catch {
      return report(error)
    }
  }

  /// Has the service decide about one code. Each code has conversations of its own, so that no process
  /// of the service is occupied while the user is asked for the next one.
  private func decide(try number: UInt8) throws(Failure) -> mfa_verdict {
    var answers = Answers()
    for _ in 0...Self.maximumQuestions {
      if let verdict = try converse(&answers, try: number) { return verdict }
    }
    throw .tooManyQuestions
  }

  /// Logs why there is no verdict. Returns nil if this process may decide.
  private func report(_ failure: Failure) -> mfa_verdict? {
    guard hasBegun || failure != .unavailable else { return nil }
    var line = LogLine()
    line.add("result", "error")
    line.add("part", "resident")
    switch failure {
    case .unavailable: line.add("reason", "stopped")
    case .untrusted(let owner):
      line.add("reason", "wrong-owner")
      line.add("owner", Int64(owner))
    case .ended, .unread: line.add("reason", "ended")
    case .silent: line.add("reason", "silent")
    case .malformed: line.add("reason", "malformed")
    case .tooManyQuestions: line.add("reason", "too-many-questions")
    case .system(let error): line.add(error)
    }
    application.log(.error, line)
    guard hasBegun else { return nil }
    // A session begins whatever happens here.
    guard self.line == .auth || self.line == .account else { return .deny }
    let text = failureText
    application.tell(SecretBytes(copying: text.span), essential: true)
    return .deny
  }

  // MARK: One connection

  /// Begins a conversation, and answers calls until the verdict. Returns nil if a new conversation
  /// must begin with the answers, because the service does not wait for the last of them.
  private func converse(
    _ answers: inout Answers, try number: UInt8
  ) throws(Failure) -> mfa_verdict? {
    let connection = try connect()
    let start = ConversationStart(
      line, request, showsMessages: application.showsMessages,
      caller: caller, note: application.storedNote, tryNumber: number,
      failedTries: failedTries, answered: answers.list)
    try send(.start(start), connection)
    while true {
      do throws(Failure) {
        switch try receive(connection) {
        case .none: continue
        case .verdict(let verdict): return verdict
        case .question(let prompt, let echo, let number):
          let answer = try answer(to: prompt, echo: echo, number, &answers)
          guard try reply(answer, connection) else { return nil }
        }
      } catch {
        guard error == .unread else { throw error }
        return nil
      }
    }
  }

  /// Asks the user the question `number` of the sign-in.
  private func answer(
    to prompt: [UInt8], echo: Bool, _ number: UInt8, _ answers: inout Answers
  ) throws(Failure) -> AnsweredQuestion {
    answers.questionsLeft &-= 1
    guard answers.questionsLeft > 0 else { throw .tooManyQuestions }
    // The service did not use the other answers, because its questions have changed.
    let used = Int(number) &- 1
    guard used >= 0, used <= answers.list.count else { throw .malformed }
    while answers.list.count > used { _ = answers.list.popLast() }
    let answer = AnsweredQuestion(prompt, echo: echo, reply: application.ask(prompt, echo: echo))
    answers.list.append(answer)
    return answer
  }

  /// Sends an answer. Returns false if the service has closed the connection, as it does if other
  /// users need its processes.
  private func reply(
    _ answer: AnsweredQuestion, _ connection: PacketConnection
  ) throws(Failure) -> Bool {
    guard let packet = answer.packet() else { throw .malformed }
    do throws(SystemError) {
      try connection.send(packet.span)
    } catch {
      guard error.isBrokenPipe else { throw .system(error) }
      return false
    }
    mayBeginAgain = true
    return true
  }

  private func connect() throws(Failure) -> PacketConnection {
    let connection: PacketConnection
    let owner: UInt32
    do throws(SystemError) {
      connection = try PacketConnection(to: path)
      owner = try connection.peer().user
    } catch {
      // No socket, no listener, no permission, or a full queue.
      throw .unavailable
    }
    guard owner == self.owner else { throw .untrusted(owner) }
    return connection
  }

  private func send(
    _ message: consuming ModuleMessage, _ connection: PacketConnection
  ) throws(Failure) {
    // A sign-in with the longest arguments does not fit in a packet.
    guard let packet = message.packet() else { throw .unavailable }
    do throws(SystemError) {
      try connection.send(packet.span)
    } catch {
      // The service may have sent a message before it closed the connection.
      guard error.isBrokenPipe else { throw .system(error) }
    }
  }

  /// Receives a packet and carries out its messages. Returns the verdict or the question at its end,
  /// if there is one.
  private func receive(_ connection: PacketConnection) throws(Failure) -> Ending? {
    let packet = try packet(connection)
    var reader = PacketReader(packet.span)
    while let message = try Self.next(&reader) {
      guard let ending = try carryOut(message, connection) else { continue }
      // Nothing may follow it.
      guard try Self.next(&reader) == nil else { throw .malformed }
      return ending
    }
    return nil
  }

  @_lifetime(reader: copy reader)
  private static func next(_ reader: inout PacketReader) throws(Failure) -> ServiceMessage? {
    do throws(PacketError) { return try ServiceMessage.next(&reader) } catch { throw .malformed }
  }

  private func packet(_ connection: PacketConnection) throws(Failure) -> SecretBytes {
    switch try received(connection) {
    case .packet(let packet):
      mayBeginAgain = false
      return packet
    case .ended: throw hasBegun ? .ended : .unavailable
    case .unread: throw mayBeginAgain ? .unread : hasBegun ? .ended : .unavailable
    case .silent: throw hasBegun ? .silent : .unavailable
    case .tooLong: throw hasBegun ? .malformed : .unavailable
    }
  }

  private func received(
    _ connection: PacketConnection
  ) throws(Failure) -> PacketConnection.Received {
    do throws(SystemError) {
      return try connection.receive(seconds: hasBegun ? patience.later : patience.first)
    } catch {
      throw hasBegun ? .system(error) : .unavailable
    }
  }

  /// Carries out one message. Returns it if it is a verdict, or a question after which the sign-in
  /// may begin again.
  private func carryOut(
    _ message: consuming ServiceMessage, _ connection: PacketConnection
  ) throws(Failure) -> Ending? {
    let isFirst = !hasBegun
    hasBegun = true
    switch consume message {
    case .busy:
      hasBegun = !isFirst
      throw isFirst ? .unavailable : .ended
    case .verdict(let number): return .verdict(Self.verdict(number))
    case .ask(let prompt, let echo, let lastNumber):
      if let lastNumber {
        return .question(prompt: Self.text(of: prompt), echo: echo, number: lastNumber)
      }
      try send(.reply(application.ask(revealing: prompt, echo: echo)), connection)
    case .tell(let text, let essential): application.tell(text, essential: essential)
    case .log(let priority, let line): application.log(Int32(priority), line)
    case .audit(let record): application.audit(record)
    case .note(let note): if !application.store(note: note) { fail("note") }
    case .forward(let password): if !application.forward(password.span) { fail("forwarding") }
    case .earlierAnswer: try send(.reply(application.earlierAnswer()), connection)
    case .fact(let fact): try send(.fact(fact.value(of: application)), connection)
    case .failureText(let text): failureText = text
    default: throw .malformed
    }
    return nil
  }

  /// Returns the verdict with a number of mfa.h. An unknown number denies: the initialiser of an
  /// imported enumeration accepts every number.
  private static func verdict(_ number: UInt8) -> mfa_verdict {
    switch UInt32(number) {
    case mfa_verdict.allow.rawValue: .allow
    case mfa_verdict.pass.rawValue: .pass
    case mfa_verdict.tooManyAttempts.rawValue: .tooManyAttempts
    case mfa_verdict.endSignIn.rawValue: .endSignIn
    case mfa_verdict.tryAgain.rawValue: .tryAgain
    case mfa_verdict.askAgain.rawValue: .askAgain
    case _: .deny
    }
  }

  /// Returns the text of a question that contains nothing confidential.
  private static func text(of prompt: borrowing SecretBytes) -> [UInt8] { prompt.span.copied() }

  /// Turns every verdict into a denial, because PAM did not take over a value.
  private func fail(_ part: StaticString) {
    hasFailed = true
    var line = LogLine()
    line.add("result", "error")
    line.add("part", part)
    application.log(.error, line)
  }
}
