import FactorStore
import Factors
import OneTimePassword
import Policy
import Secrets
import System

/// The check at a sign-in.
///
/// MUST 1: allow is said in one place, for an accepted code alone. (`Verdict.init`; `VerdictTests`)
/// MUST 2: whatever goes wrong denies. (`SignInTests.everythingFailsClosed`)
/// MUST 3: no lock is held while a person is asked. (`SignInTests.noLockAtThePrompt`)
/// MUST 4: an answer that cannot be a code costs nothing and is logged nowhere.
/// (`SignInTests.notACode`)
public struct SignIn<Machine: Host, Asker: Application> {
  private let request: SignInRequest
  private let host: Machine
  private let application: Asker

  /// Prepares a sign-in.
  public init(_ request: SignInRequest, host: Machine, application: Asker) {
    self.request = request
    self.host = host
    self.application = application
  }

  /// The `auth` line.
  public func authenticate() -> Verdict { conclude(authentication) }

  /// The `account` line.
  public func checkAccount() -> Verdict { conclude(accountCheck) }

  // MARK: The flow

  private func authentication(
    _ setting: inout Setting
  ) throws(Outcome.Failure) -> Outcome {
    let options = try options()
    let project = try settings(options, &setting)
    trace(options, "policy") { line in
      line.add("state", escaping: Array(project.state.name.utf8))
      line.add("adjacent_intervals", Int64(project.adjacentIntervals))
    }
    guard project.state != .disabled else { return .switchedOff }
    guard let account = setting.account else {
      askInVain(options)
      return .unknownUser
    }
    trace(options, "account") { line in
      line.add("user", escaping: account.name)
      line.add("uid", Int64(account.uid))
    }
    let store = try openStore()
    guard let snapshot = try snapshot(store, account) else {
      guard try mayPutOff(project, account, store) else {
        askInVain(options)
        return .enrollmentRequired
      }
      return try notEnrolled(options)
    }
    let standing = snapshot.attempts.standing(project.throttle, now: try now())
    trace(options, "record") { line in
      line.add("factors", Int64(snapshot.record.factors.count))
      line.add("failures", Int64(snapshot.attempts.failures))
    }
    if let refusal = Self.refusal(standing) { return refusal }
    return try proveCode(options, project, account, store, snapshot.record)
  }

  private func accountCheck(
    _ setting: inout Setting
  ) throws(Outcome.Failure) -> Outcome {
    let project = try settings(try options(), &setting)
    guard project.state != .disabled else { return .switchedOff }
    guard let account = setting.account else { return .unknownUser }
    let store = try openStore()
    guard try snapshot(store, account) == nil else { return .enrolled }
    switch project.enrollment {
    case .selfService: return .notEnrolled
    case .offered: return try putOff(project.offer, account, store)
    case .required: return .enrollmentRequired
    }
  }

  /// What the configuration says for this sign-in.
  private func settings(
    _ options: ModuleOptions, _ setting: inout Setting
  ) throws(Outcome.Failure) -> Settings {
    let configuration = try configuration(options)
    // Without tenants nothing about the person matters. With them, nothing is known that would let
    // anybody in before it is known who it is.
    if configuration.tenants.isEmpty {
      setting.state = configuration.project.state
      guard setting.state != .disabled else { return configuration.project }
    }
    let account = try account()
    setting.account = account
    let settings = configuration.settings(
      for: Subject(
        user: account?.name ?? request.user, service: request.service,
        address: request.remoteHost.flatMap { IPAddress($0.span) }
      ) { group in
        guard let account else { return false }
        return host.isMember(account, of: group)
      })
    setting.state = settings.state
    return settings
  }

  /// Takes answers until one has been judged: the earlier module's where the arguments say so, then
  /// the person's.
  private func proveCode(
    _ options: ModuleOptions, _ project: Configuration.Project, _ account: Account,
    _ store: Machine.Store, _ record: FactorRecord
  ) throws(Outcome.Failure) -> Outcome {
    if options.triesFirstPass || options.usesFirstPass {
      let earlier = application.earlierAnswer()
      let outcome = try judge(earlier, .afterPassword, options, project, account, store, record)
      switch outcome {
      case .accepted, .recovered, .throttled, .disabled: return outcome
      case .wrong(let wait), .replayed(_, let wait):
        if options.usesFirstPass || wait > 0 { return outcome }
        report(outcome, account: account, state: project.state)
      case .notACode, .notEnrolled, .offered, .enrollmentRequired, .enrolled, .switchedOff,
        .unknownUser, .failed:
        if options.usesFirstPass { return outcome }
      }
    }
    trace(options, "question") { line in
      line.add("shape", options.forwardsPass ? "password-and-code" : "code")
    }
    let answer = application.ask(options.question, echo: options.echo)
    let shape: AnswerShape = options.forwardsPass ? .afterPassword : .codeAlone
    return try judge(answer, shape, options, project, account, store, record)
  }

  /// What an answer consists of.
  private enum AnswerShape {
    case codeAlone, afterPassword
  }

  private func judge(
    _ reply: consuming Reply, _ shape: AnswerShape, _ options: ModuleOptions,
    _ project: Configuration.Project, _ account: Account, _ store: Machine.Store,
    _ record: FactorRecord
  ) throws(Outcome.Failure) -> Outcome {
    switch consume reply {
    case .none: return .notACode(.none)
    case .tooLong: return .notACode(.tooLong)
    case .text(let answer):
      let codes: TypedCodes =
        switch shape {
        case .codeAlone: TypedCodes(whole: answer.span)
        case .afterPassword: TypedCodes(endOf: answer.span)
        }
      guard Attempt.mayBeCode(codes, of: record) else {
        let outcome = Outcome.notACode(Self.kind(of: answer))
        return try forward(answer, nil, after: outcome, options, project)
      }
      // Read again: the person took a while.
      let now = try now()
      let result: Attempt.Result
      do throws(FactorStoreError) {
        result = try Attempt.make(
          codes, by: account, in: store, project: project, now: now,
          replacing: application.isListening && project.state != .observe)
      } catch {
        throw .store(error)
      }
      let length = Self.typedLength(result, codes) ?? Attempt.shortestCode(codes, of: record)
      return try forward(answer, length, after: Outcome(result), options, project)
    }
  }

  /// Hands on what was typed before a code of `length`, where that is asked for: after an accepted
  /// code, and where policy only observes, after anything, for nobody is to be stopped there.
  private func forward(
    _ answer: borrowing SecretBytes, _ length: Int?, after outcome: Outcome,
    _ options: ModuleOptions, _ project: Configuration.Project
  ) throws(Outcome.Failure) -> Outcome {
    guard options.forwardsPass, outcome.isAccepted || project.state == .observe else {
      return outcome
    }
    let count = answer.count - (length ?? 0)
    // Nobody typed a password: the next module asks for it itself.
    guard count > 0 else { return outcome }
    guard application.forward(answer.prefix(count).span) else { throw .forwarding }
    return outcome
  }

  /// How many bytes at the end of an answer were the code.
  private static func typedLength(_ result: Attempt.Result, _ codes: TypedCodes) -> Int? {
    switch result {
    case .accepted(let factor), .replayed(let factor, _):
      Int(factor.parameters.codeLength.rawValue)
    case .recovered:
      codes.recoveryCode == nil
        ? Int(CodeLength.eight.rawValue) : RecoveryCode.writtenLength
    case .wrong, .refused, .notACode, .notEnrolled: nil
    }
  }

  private static func kind(of answer: borrowing SecretBytes) -> Outcome.NotACode {
    // What sshd answers for a person it will not let in: backspace, line feed, return, delete.
    let mark: [UInt8] = [0x08, 0x0A, 0x0D, 0x7F]
    guard answer.count >= mark.count else { return .somethingElse }
    for index in mark.indices where answer.span[index] != mark[index] { return .somethingElse }
    return .withheldBySSHD
  }

  // MARK: Those who have no factor

  /// Under `self-service` somebody without a factor is asked nothing. With `forward_pass` the one
  /// question is the password's too, so it is asked whoever it is, and all of the answer handed on.
  private func notEnrolled(_ options: ModuleOptions) throws(Outcome.Failure) -> Outcome {
    guard options.forwardsPass, !options.usesFirstPass else { return .notEnrolled }
    switch application.ask(options.question, echo: options.echo) {
    case .none: return .notACode(.none)
    case .tooLong: return .notACode(.tooLong)
    case .text(let answer):
      guard answer.count == 0 || application.forward(answer.span) else { throw .forwarding }
      return .notEnrolled
    }
  }

  /// Whether somebody without a factor may sign in for now. The `account` line counts and tells: it
  /// is reached only by who has proven the first factor.
  private func mayPutOff(
    _ settings: Settings, _ account: Account, _ store: Machine.Store
  ) throws(Outcome.Failure) -> Bool {
    switch settings.enrollment {
    case .selfService: return true
    case .required: return false
    case .offered:
      let made = settings.offer.signIns == nil ? 0 : try signInsPutOff(account, store)
      return settings.offer.allowsPuttingOff(afterSignIns: made, now: try now())
    }
  }

  /// Looks only: before the first factor is proven nothing is made for anybody.
  private func signInsPutOff(
    _ account: Account, _ store: Machine.Store
  ) throws(Outcome.Failure) -> UInt32 {
    do throws(FactorStoreError) {
      return try store.entry(of: account, creating: false).attempts.signInsPutOff
    } catch {
      if case .system(.attempts, let error) = error, error.isNotFound { return 0 }
      throw .store(error)
    }
  }

  /// Counts a sign-in of somebody who was offered a factor; what is left of the offer, or that it is
  /// over.
  private func putOff(
    _ offer: Settings.Offer, _ account: Account, _ store: Machine.Store
  ) throws(Outcome.Failure) -> Outcome {
    let now = try now()
    guard let signIns = offer.signIns else {
      guard offer.allowsPuttingOff(afterSignIns: 0, now: now) else { return .enrollmentRequired }
      return .offered(Outcome.Offer(signInsLeft: nil, lastDay: offer.lastDay))
    }
    do throws(FactorStoreError) {
      let entry = try store.entry(of: account, creating: true)
      guard entry.record == nil else { return .enrolled }
      let state = entry.attempts.puttingOff()
      guard offer.allowsPuttingOff(afterSignIns: entry.attempts.signInsPutOff, now: now) else {
        return .enrollmentRequired
      }
      try entry.write(state)
      try entry.sync()
      let left = Int64(signIns) - Int64(state.signInsPutOff)
      return .offered(Outcome.Offer(signInsLeft: max(left, 0), lastDay: offer.lastDay))
    } catch {
      throw .store(error)
    }
  }

  /// Somebody who will not be let in is asked as if they had a factor, so that the question tells
  /// nobody whether there is such a user.
  private func askInVain(_ options: ModuleOptions) {
    guard !options.usesFirstPass else { return }
    _ = application.ask(options.question, echo: options.echo)
  }

  private static func refusal(_ standing: AttemptState.Standing) -> Outcome? {
    switch standing {
    case .open: nil
    case .waiting(let seconds): .throttled(seconds: seconds)
    case .disabled: .disabled
    }
  }

  // MARK: What the machine is asked

  private func options() throws(Outcome.Failure) -> ModuleOptions {
    do throws(ModuleOptions.Refusal) {
      return try ModuleOptions(request.arguments)
    } catch {
      throw .arguments(error)
    }
  }

  private func configuration(
    _ options: ModuleOptions
  ) throws(Outcome.Failure) -> Configuration {
    let path = options.configuration ?? ConfigurationFile.standardPath
    do throws(ConfigurationFile.Failure) {
      return try host.configuration(at: path)
    } catch {
      throw .configuration(path: path, error)
    }
  }

  private func account() throws(Outcome.Failure) -> Account? {
    do throws(SystemError) {
      return try host.account(named: request.user)
    } catch {
      throw .account(error)
    }
  }

  private func openStore() throws(Outcome.Failure) -> Machine.Store {
    do throws(FactorStoreError) { return try host.store() } catch { throw .store(error) }
  }

  private func snapshot(
    _ store: Machine.Store, _ account: Account
  ) throws(Outcome.Failure) -> FactorSnapshot? {
    do throws(FactorStoreError) {
      return try store.snapshot(of: account)
    } catch {
      throw .store(error)
    }
  }

  private func now() throws(Outcome.Failure) -> Int64 {
    do throws(SystemError) { return try host.now() } catch { throw .clock(error) }
  }

  // MARK: What comes of it

  /// What was found out on the way, for the verdict and the log.
  private struct Setting {
    /// Until the configuration has been read, nothing is known that would let anybody in.
    var state: Configuration.State = .enabled
    var account: Account?
  }

  private func conclude(
    _ flow: (inout Setting) throws(Outcome.Failure) -> Outcome
  ) -> Verdict {
    var setting = Setting()
    let outcome: Outcome
    do throws(Outcome.Failure) {
      outcome = try flow(&setting)
    } catch {
      outcome = .failed(error)
    }
    report(outcome, account: setting.account, state: setting.state)
    return Verdict(outcome, state: setting.state)
  }

  /// A step of the decision for the log, where the arguments ask for it. No answer is ever part of it,
  /// nor how long it was.
  private func trace(
    _ options: ModuleOptions, _ step: StaticString, _ details: (inout LogLine) -> Void
  ) {
    guard options.debug else { return }
    var line = LogLine()
    line.add("step", step)
    details(&line)
    application.log(.debug, line)
  }

  private func report(_ outcome: Outcome, account: Account?, state: Configuration.State) {
    let event = Event(outcome: outcome, request: request, account: account, state: state)
    if let (priority, line) = event.logLine { application.log(priority, line) }
    guard state != .observe, let message = outcome.message else { return }
    application.tell(message, essential: outcome.isMystery)
    if case .recovered(let recovery) = outcome, let replacement = recovery.replacement {
      application.reveal("a new one in its place: ", replacement.written())
    }
  }
}
