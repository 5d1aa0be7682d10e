import MFABase
import MFACMFA
import MFAWire

/// A line of a service file: the module sends a request, carries out the effects of the reply, asks the
/// question in it, and sends the request again with the answer, until the reply has a verdict.
///
/// MUST 1: only a verdict in a reply allows or passes; without one, the line denies.
/// (`ModuleConversationTests.everyEnd`)
/// MUST 2: if PAM does not take over a note or a password, the line denies. (`ModuleConversationTests`)
/// MUST 3: the user is asked a limited number of times. (`ModuleConversationTests.tooManyQuestions`)
/// MUST 4: the question with which a sign-in ends is asked once, and its answer changes nothing.
/// (`ModuleConversationTests.closing`)
package final class ModuleConversation<Asker: Application, Source: ReplySource> {
  private let line: ModuleLine
  private let request: SignInRequest
  private let application: Asker
  private let identity: ProcessIdentity
  private let decider: Source
  /// True after a note could not be stored, or a password could not be passed on.
  private var hasFailed = false
  /// What the user is told if no further reply arrives, in the language of the sign-in. The text in
  /// English is that of `SignInMessage.unavailable`.
  private var failureText = PrivateText(copying: ModuleConversation.englishFailure.bytes.span)

  /// The last line of the question with which a sign-in ends. Nil if it ends with a text.
  private var closingPrompt: PrivateText?

  private static var englishFailure: StaticString {
    """
    Sign-in is unavailable because of a server problem, not your
    code. Contact your administrator.
    """
  }

  /// How many requests one line sends at most. A user may request several codes for a phone in each try.
  private static var mostRequests: Int { 128 }

  /// Prepares a line for an application that runs with this identity.
  package init(
    _ line: ModuleLine, _ request: SignInRequest, application: Asker, identity: ProcessIdentity,
    decider: Source
  ) {
    self.line = line
    self.request = request
    self.application = application
    self.identity = identity
    self.decider = decider
  }

  /// Runs the line.
  package func run() -> mfa_verdict {
    guard !isSettled else { return .allow }
    var verdict = mfa_verdict.deny
    do throws(DeciderFailure) {
      verdict = try decide(firstCall())
    } catch {
      report(error)
    }
    guard !hasFailed else { return .deny }
    switch verdict {
    case .allow: if line == .auth { settle() }
    default: break
    }
    return verdict
  }

  private func decide(_ first: consuming SignInCall) throws(DeciderFailure) -> mfa_verdict {
    var call = first
    for _ in 0..<Self.mostRequests {
      let reply = try decider.reply(to: &call)
      try carryOut(reply.effects, after: &call)
      switch reply.end {
      case .verdict(let number): return Self.verdict(number)
      case .question(let prompt, let echo, let continuation):
        call.answer = application.ask(prompt.copy().span, echo: echo)
        call.continuation = continuation
      case .facts:
        guard call.facts == nil else { throw .malformed }
        call.facts = decider.facts
      case .busy: throw .busy
      }
    }
    throw .tooManyQuestions
  }

  private func firstCall() -> SignInCall {
    var call = SignInCall()
    call.line = line
    call.request = request
    call.showsMessages = application.showsMessages
    call.usesUTF8 = ProcessLocale.isUTF8
    call.caller = identity.user
    call.note = application.storedNote
    call.earlierMethods = application.earlierMethods()
    if line == .auth, usesEarlierAnswer { call.earlierAnswer = application.earlierAnswer() }
    return call
  }

  /// True if an argument says that the text typed for an earlier module is used.
  private var usesEarlierAnswer: Bool {
    let names: [StaticString] = ["try_first_pass", "use_first_pass"]
    return request.arguments.contains { argument in names.contains { $0.bytes == argument } }
  }

  // MARK: Effects

  private func carryOut(
    _ effects: [SignInEffect], after call: inout SignInCall
  ) throws(DeciderFailure) {
    for effect in effects {
      let text = effect.text.copy()
      switch effect.kind {
      case .tell:
        tell(text.span, as: effect.style, essential: effect.flag)
      case .log: application.log(Int32(effect.number), text.span)
      case .audit:
        guard let record = effect.auditRecord else { throw .malformed }
        application.audit(record)
      case .note: if !application.store(note: text.span) { fail("note-not-stored") }
      case .forward: if !application.forward(text.span) { fail("password-not-forwarded") }
      case .failureText: failureText = effect.text
      case .confirm: try confirm(effect, &call)
      case .closingPrompt: closingPrompt = effect.text
      }
    }
  }

  /// Shows a text. If the sign-in ends with it and there is a closing prompt, the text is a question. If that gets no
  /// answer, the application may be one that cannot ask, and the text is shown.
  private func tell(_ text: Span<UInt8>, as style: SignInEffect.Style, essential: Bool) {
    if style == .ending, let closingPrompt {
      let newline: [UInt8] = [0x0A]
      // The client writes the names of the user and the host before a question.
      var question = newline
      question.append(contentsOf: text.copied())
      question += newline + closingPrompt.copy().span.copied()
      switch application.ask(question.span, echo: true) {
      case .absent: break
      case .tooLong: return
      case .text: return
      }
    }
    application.tell(text, isInformation: style == .information, essential: essential)
  }

  /// Asks a question whose answer does not change the result.
  private func confirm(
    _ effect: SignInEffect, _ call: inout SignInCall
  ) throws(DeciderFailure) {
    let answer = application.ask(effect.text.copy().span, echo: true)
    guard !effect.continuation.isEmpty else { return }
    call.answer = answer
    call.continuation = effect.continuation
    do throws(DeciderFailure) {
      for effect in try decider.reply(to: &call).effects where effect.kind == .tell {
        application.tell(
          effect.text.copy().span, isInformation: effect.style == .information,
          essential: effect.flag)
      }
    } catch {
      // What was not confirmed is shown again at the next sign-in.
    }
  }

  /// Turns every verdict into a denial, because PAM did not take over a value.
  private func fail(_ reason: StaticString) {
    hasFailed = true
    log { line in
      line.add("part", "application")
      line.add("reason", reason)
    }
  }

  private func log(_ describe: (inout LogLine) -> Void) {
    var line = LogLine()
    line.add("result", "error")
    line.addSignIn(
      user: request.user, service: request.service, remoteHost: request.remoteHost,
      terminal: request.terminal)
    describe(&line)
    application.log(LogPriority.error.number, line.text.span)
  }

  /// Logs why there is no verdict, and tells the user.
  private func report(_ failure: DeciderFailure) {
    log { failure.describe(in: &$0) }
    // A session begins whatever happens here.
    guard line != .session else { return }
    tell(failureText.copy().span, as: .ending, essential: true)
  }

  // MARK: Verdicts

  /// Returns the verdict with a number of mfa.h. An unknown number denies: the initialiser of an
  /// imported enumeration accepts every number.
  private static func verdict(_ number: UInt8) -> mfa_verdict {
    switch UInt32(number) {
    case mfa_verdict.allow.rawValue: .allow
    case mfa_verdict.pass.rawValue: .pass
    case mfa_verdict.tooManyAttempts.rawValue: .tooManyAttempts
    case mfa_verdict.endSignIn.rawValue: .endSignIn
    case mfa_verdict.notPermitted.rawValue: .notPermitted
    case _: .deny
    }
  }

  /// Whether this is the `account` line of a transaction whose `auth` line accepted a code: the user has
  /// a factor, so there is no question. An `account` line with arguments decides in any case, because an
  /// invalid argument denies.
  private var isSettled: Bool {
    line == .account && request.arguments.isEmpty && application.storedNote == settled
  }

  /// Stores that the `auth` line allowed the user, unless it has stored another note: a user who signed in
  /// with a bypass code, or who must enrol, is not settled. Nor is one for whom another configuration file
  /// counts.
  private func settle() {
    let file: StaticString = "config="
    guard application.storedNote == nil,
      !request.arguments.contains(where: { $0.starts(with: file.bytes) })
    else { return }
    // If this fails, the `account` line decides.
    _ = application.store(note: settled.span)
  }

  private var settled: [UInt8] { [TransactionNote.allowed.rawValue] + request.user }
}
