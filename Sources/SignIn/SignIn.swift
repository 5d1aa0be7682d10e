import FactorStore
import Factors
import OneTimePassword
import Policy
import Secrets
import System

/// The check at a sign-in.
///
/// MUST 1: allow is said in one place, for an accepted code, one that is remembered, a recovery code and
/// a factor that was proven, before or just now, alone. (`Verdict.init`; `VerdictTests`)
/// MUST 2: whatever goes wrong denies. (`SignInTests.everythingFailsClosed`)
/// MUST 3: no lock is held while a person is asked. (`SignInTests.noLockAtThePrompt`)
/// MUST 4: an answer that cannot be a code costs nothing and is logged nowhere.
/// (`SignInTests.notACode`)
/// MUST 5: a user with several names is enrolled under each of them when enrolled under one.
/// (`SharedIdentityTests`)
public struct SignIn<Machine: Host, Asker: Application> {
  let request: SignInRequest
  let host: Machine
  let application: Asker

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

  func authentication(
    _ findings: inout Findings
  ) throws(Outcome.Failure) -> Outcome {
    let options = try options()
    // A program without root's rights, such as a screen locker, is used by its own user alone.
    findings.hidesRefusals = options.forwardsPass && host.identity.actsAsRoot
    let settings = try settings(options, &findings)
    trace(options, "policy") { line in
      line.add("state", escaping: bytes(of: settings.state.name))
      line.add("adjacent_intervals", Int64(settings.adjacentIntervals))
    }
    guard settings.state != .disabled else { return .switchedOff }
    guard let account = findings.account else {
      // The work that is done for a user without a factor.
      let store = try openStore()
      findings.store = store
      if let store {
        _ = try snapshot(store, Self.nobody)
        try imitateSnapshot(store)
      }
      try imitateOtherNames()
      if settings.enrollment != .selfService { _ = accountLine() }
      try askInVain(options, settings, store)
      return .unknownUser
    }
    trace(options, "account") { line in
      line.add("user", escaping: account.name)
      line.add("uid", Int64(account.uid))
    }
    guard let store = try openStore() else {
      return try authenticationByHelper(options, settings, account)
    }
    findings.store = store
    let isHidden = options.asksForPassword || settings.enrollment != .selfService
    guard let (owner, snapshot) = try enrolled(account, store, isHidden: isHidden) else {
      guard try mayPutOff(settings, account, store) else {
        return try mustEnroll(options, settings, account, store)
      }
      return try passing(.notEnrolled, options, settings, store)
    }
    if settings.enrollment != .selfService { _ = accountLine() }
    let standing = snapshot.attempts.standing(settings.throttle, now: try now())
    trace(options, "record") { line in
      line.add("factors", Int64(snapshot.record.factors.count))
      line.add("failures", Int64(snapshot.attempts.failures))
    }
    let memory = memory(settings)
    if let age = try rememberedCode(
      options, memory, findings, owner, snapshot, standing, store)
    {
      return .remembered(age: age)
    }
    if let refusal = Self.refusal(standing) {
      // Where the password is asked for with the code, it is asked for in any case.
      if options.asksForPassword {
        guard try askAnyway(refusal, options, settings, store).isCode else {
          return .notACode(.somethingElse)
        }
      }
      return refusal
    }
    return try proveCode(
      options, settings, owner,
      .store(store, snapshot.record, places(memory, findings)))
  }

  private func accountCheck(
    _ findings: inout Findings
  ) throws(Outcome.Failure) -> Outcome {
    let settings = try settings(try options(), &findings)
    guard settings.state != .disabled else { return .switchedOff }
    guard let account = findings.account else { return .unknownUser }
    guard let store = try openStore() else {
      return try accountCheckByHelper(settings, account)
    }
    findings.store = store
    guard try enrolled(account, store) == nil else {
      // A user who was sent on to enrol has not been asked for a code.
      guard application.isNoted(.enrollment, of: account.name) else { return .enrolled }
      return .enrollmentRequired(.enrolledMeanwhile)
    }
    // A bypass code has shown them already, and confirms nothing.
    if settings.state != .observe, !application.isNoted(.bypass, of: account.name) {
      tellNews(account, store)
    }
    switch settings.enrollment {
    case .selfService: return .notEnrolled
    case .offered:
      if let offered = try putOff(settings.offer, account, store) { return offered }
    case .required: break
    }
    return try enrollNow(settings, account, store)
  }

  /// What the configuration says for this sign-in.
  func settings(
    _ options: ModuleOptions, _ findings: inout Findings
  ) throws(Outcome.Failure) -> Settings {
    let configuration = try configuration(options)
    // What one service alone goes by would be another configuration at every other sign-in.
    if options.configuration == nil { findings.edition = configuration.edition }
    findings.followsSessions = configuration.followsSessions
    // Without tenants nothing about the person matters. With them, nothing is known that would let
    // anybody in before it is known who it is.
    if configuration.tenants.isEmpty {
      findings.state = configuration.project.state
      guard findings.state != .disabled else { return configuration.project }
    }
    let account = try account()
    findings.account = account
    let settings = configuration.settings(
      for: Subject(
        user: account?.name ?? request.user, service: request.service,
        address: configuration.namesNetworks ? numericAddress() : nil
      ) { group in
        guard let account else { return false }
        return host.isMember(account, of: group)
      })
    findings.state = settings.state
    return settings
  }

  private static func refusal(_ standing: AttemptState.Standing) -> Outcome? {
    switch standing {
    case .open: nil
    case .waiting(let seconds): .throttled(seconds: seconds)
    case .disabled: .disabled
    }
  }

  // MARK: What comes of it

  /// What was found out on the way, for the verdict and the log.
  struct Findings {
    /// Until the configuration has been read, nothing is known that would let anybody in.
    var state: Configuration.State = .enabled
    var account: Account?
    /// The text of the host's configuration, where that is what holds.
    var edition: Edition?
    /// The store, once it is open.
    var store: Machine.Store?
    /// Whether it matters somewhere in which session a code was given.
    var followsSessions = false
    /// Whether the code comes before the password, so that a message would tell who is enrolled.
    var hidesRefusals = false
  }

  private func conclude(
    _ flow: (inout Findings) throws(Outcome.Failure) -> Outcome
  ) -> Verdict {
    var findings = Findings()
    let outcome: Outcome
    do throws(Outcome.Failure) {
      outcome = try flow(&findings)
    } catch {
      outcome = .failed(error)
    }
    noteConfiguration(findings, outcome)
    report(outcome, findings)
    let verdict = Verdict(outcome, state: findings.state)
    // sshd ends the connection on too many attempts, which only enrolled users make.
    return findings.hidesRefusals && verdict == .tooManyAttempts ? .deny : verdict
  }

  /// A step of the decision for the log, where the arguments ask for it. No answer is ever part of it,
  /// nor how long it was.
  func trace(
    _ options: ModuleOptions, _ step: StaticString, _ details: (inout LogLine) -> Void
  ) {
    guard options.debug else { return }
    var line = LogLine()
    line.add("step", step)
    details(&line)
    application.log(.debug, line)
  }

  private func report(_ outcome: Outcome, _ findings: Findings) {
    let isSilent = findings.hidesRefusals && !outcome.isAccepted
    report(outcome, account: findings.account, state: findings.state, isSilent: isSilent)
  }

  func report(
    _ outcome: Outcome, account: Account?, state: Configuration.State, isSilent: Bool
  ) {
    let event = Event(outcome: outcome, request: request, account: account, state: state)
    if let (priority, line) = event.logLine { application.log(priority, line) }
    audit(outcome, account)
    guard !isSilent, state != .observe, let message = outcome.message else { return }
    application.tell(message, essential: outcome.isMystery)
    if case .recovered(let recovery) = outcome, let replacement = recovery.replacement {
      application.reveal("a new one in its place: ", replacement.written())
    }
  }
}
