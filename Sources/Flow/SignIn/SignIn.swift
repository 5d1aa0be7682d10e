import MFAAuthentication
import MFABytes
import MFAFactorStore
import MFAFactors
import MFAOneTimePassword
import MFAPolicy
import MFASystem

/// The verification of the second factor at a sign-in.
///
/// MUST 1: `Verdict.init` is the only place that returns `allow`: for an accepted, remembered,
/// recovery or bypass code, and in the `account` line for a user who is enrolled. (`Verdict.init`;
/// `VerdictTests`)
/// MUST 2: every error denies. (`SignInTests.everythingFailsClosed`)
/// MUST 3: no lock is held while the user is asked. (`SignInTests.noLockAtThePrompt`)
/// MUST 4: an answer that cannot be a code is not counted as an attempt, and its text is never
/// logged. (`SignInTests.notACode`)
/// MUST 5: if a user has several names, enrolment under one of them applies to all of them.
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

  /// Runs the `auth` line.
  public func authenticate() -> Verdict { conclude(authentication) }

  /// Runs the `account` line.
  public func checkAccount() -> Verdict { conclude(accountCheck) }

  // MARK: Flow

  func authentication(
    _ findings: inout Findings
  ) throws(Outcome.Failure) -> Outcome {
    let options = try options()
    // A program without root's privileges, such as a screen locker, serves only its own user.
    findings.hidesRefusals = options.forwardsPass && host.identity.actsAsRoot
    let settings = try settings(options, &findings)
    trace(options, "policy") { line in
      line.add("state", escaping: bytes(of: settings.state.name))
      line.add("adjacent_intervals", Int64(settings.adjacentIntervals))
    }
    guard settings.state != .disabled else { return .switchedOff }
    guard let account = findings.account else {
      // Do the same work as for a user without a factor.
      let store = try openStore()
      findings.store = store
      if let store {
        _ = try snapshot(store, Self.nobody)
        try imitateSnapshot(store)
      }
      try imitateOtherNames()
      if settings.enrollment != .selfService { _ = accountLine() }
      try askAndDeny(options, settings, store)
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
      // The prompt that asks for the code also asks for the password, and is shown in any case.
      if options.asksForPassword {
        guard try askWithoutVerifying(refusal, options, settings, store).isCode else {
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
      // If the `auth` line let the user continue in order to enrol, it has not asked for a code.
      guard application.isNoted(.enrollment, of: account.name) else { return .enrolled }
      return .enrollmentRequired(.enrolledMeanwhile)
    }
    // A sign-in with a bypass code has already shown the notices, and cannot confirm them.
    if settings.state != .observe, !application.isNoted(.bypass, of: account.name) {
      showPendingNotices(account, store)
    }
    switch settings.enrollment {
    case .selfService: return .notEnrolled
    case .offered:
      if let offered = try putOff(settings.offer, account, store) { return offered }
    case .required: break
    }
    return try enrollInAccountLine(settings, account, store)
  }

  /// Returns the settings for this sign-in.
  func settings(
    _ options: ModuleOptions, _ findings: inout Findings
  ) throws(Outcome.Failure) -> Settings {
    let configuration = try configuration(options)
    // The audit log tracks the host's configuration. A file that only one service uses would be
    // recorded as a change at every other sign-in.
    if options.configuration == nil {
      findings.configurationFingerprint = configuration.configurationFingerprint
    }
    findings.followsSessions = configuration.followsSessions
    // Without tenants, the settings do not depend on the user. With tenants, the state stays
    // `enabled` until the user is known, so that an error denies.
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
    case .waiting(let seconds): .attempted(.throttled(seconds: seconds))
    case .disabled: .attempted(.disabled)
    }
  }

  // MARK: Results

  /// What the flow has found out so far, for the verdict and the log.
  struct Findings {
    /// The policy state. It is `enabled` until the configuration has been read, so that an error
    /// denies.
    var state: Configuration.State = .enabled
    var account: Account?
    /// The fingerprint of the host's configuration, or nil if the service uses a file of its own.
    var configurationFingerprint: ConfigurationFingerprint?
    /// The store, once it is open.
    var store: Machine.Store?
    /// Whether any policy depends on the session in which a code was given.
    var followsSessions = false
    /// Whether refusals are hidden: the code is verified before the password, so a message would
    /// reveal which users are enrolled.
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
    recordConfigurationChange(findings, outcome)
    report(outcome, findings)
    let verdict = Verdict(outcome, state: findings.state)
    // sshd closes the connection after too many attempts, and only enrolled users can cause that.
    return findings.hidesRefusals && verdict == .tooManyAttempts ? .deny : verdict
  }

  /// Logs a step of the decision, if the module's arguments ask for it. The log never contains an
  /// answer or its length.
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
    application.tell(message, essential: outcome.isEssential)
    if case .attempted(.recovered(let recovery)) = outcome, let replacement = recovery.replacement {
      application.reveal("a new one in its place: ", replacement.written())
    }
  }
}
