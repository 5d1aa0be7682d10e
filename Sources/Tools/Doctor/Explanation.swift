import MFAAdmin
import MFAAttempt
import MFABase
import MFAModel
import MFAPAMStack
import MFASignIn
import MFAStore
import MFAWire

/// A prediction of how a sign-in would be decided now, with the reasons.
///
/// MUST 1: the decision is the one that the module would make, because the module's own code makes
/// it. (`ExplanationTests.agreesWithTheSignIn`)
/// MUST 2: an explanation changes nothing: it counts no failure and no postponed enrolment, shows
/// no pending notice and uses up nothing. (`ExplanationTests.changesNothing`)
package struct Explanation {
  /// Whether the service's stack calls the module.
  package enum ModuleLine: Equatable {
    /// This `auth` line calls the module with these arguments.
    case called(at: StackPosition, arguments: [[UInt8]])
    /// No `auth` line of these files calls the module. `hasFile` says whether the service has its
    /// own file.
    case notCalled(in: [[UInt8]], hasFile: Bool)
    /// The stack cannot be read or understood.
    case unknown(StackRefusal)
  }

  /// The data stored for the account.
  package enum Stored: Equatable {
    case nothing
    case kept(FactorRecord, AttemptState)
    case problem(RecordProblem)
  }

  /// A tenant, and whether it matches.
  package struct TenantMatch: Equatable {
    package let name: [UInt8]
    package let match: Tenant.Match
    /// The tenant's selectors, and whether each matches.
    package let reasons: [Tenant.Reason]
  }

  /// The user, the service and the remote host of the sign-in.
  package let request: SignInRequest
  /// The predicted decision.
  package let decision: Decision
  /// What sshd's settings mean for the user; nil if the service is not sshd's, or if they are not known.
  let secureShell: SecureShellRules.Effect?
  /// The decision that the module would make, whatever the rest of the service's stack does.
  let policyDecision: Decision
  /// What would lock the user out if the module were called, or nil.
  let policyObstacle: Readiness.Obstacle?
  /// What keeps the account from using the service, whatever the module decides, or nil.
  let accountObstacle: AccountObstacle?
  /// The state in force.
  package let state: Configuration.State
  /// The `auth` line that calls the module, if any.
  package let module: ModuleLine
  /// The lines of the stack, and of sudoers, that can bypass the prompt, let a wrong code succeed, or ask
  /// again.
  package let exceptions: [Finding]
  /// The service's `account` line.
  let accountLine: AccountLine
  /// The user's account, nil if the host has no such account, or why the lookup failed.
  let lookup: Result<Account?, SystemError>
  /// The user's account, or nil if the host has no such account or the lookup failed.
  let account: Account?
  /// The data stored for the user.
  package let stored: Stored
  /// The throttling state after failed attempts; nil if nothing is stored, or if the settings or
  /// the time are unknown.
  package let standing: AttemptState.Standing?
  /// The factors that accept no code now, because one was accepted while the clock was ahead, each with the end.
  let closedFactors: [(name: DisplayName, end: Timestamp)]
  /// The settings in force, or nil if the configuration cannot be used.
  package let settings: Settings?
  /// The configuration, or nil if it cannot be used.
  package let configuration: Configuration?
  /// Whom tenants are matched with.
  private let subject: Subject
  /// Each setting in force, with its source location.
  var origins: [Configuration.SettingInForce] {
    configuration?.settingsInForce(for: subject) ?? []
  }
  /// All tenants, in the order of the configuration.
  package var tenants: [TenantMatch] {
    (configuration?.tenants ?? []).map { tenant in
      TenantMatch(
        name: tenant.name, match: tenant.match(subject), reasons: tenant.reasons(for: subject))
    }
  }

  /// A sign-in to predict.
  package struct Question {
    /// The user's name, as typed.
    package let user: UserName
    /// The name of the service.
    package let service: [UInt8]
    /// The remote host, or nil for a local sign-in.
    package var remoteHost: [UInt8]?
    /// Whether `state = observe` counts as `enabled`.
    package var isEnforced = false
    /// Whether the remote host stands for others, as in `readiness`, so that no list of sshd's is about it.
    package var isFromSample = false
    /// Whether root carries the sign-in out as a trial, whatever the service's program runs as.
    package var isTrial = false

    /// Creates a question.
    package init(
      _ user: UserName, at service: [UInt8], from remoteHost: [UInt8]? = nil,
      isEnforced: Bool = false, isFromSample: Bool = false
    ) {
      self.user = user
      self.service = service
      self.remoteHost = remoteHost
      self.isEnforced = isEnforced
      self.isFromSample = isFromSample
    }

    /// The remote host as an address; nil if it is not an address.
    var address: IPAddress? { remoteHost.flatMap { IPAddress($0.span) } }
  }

  /// Predicts a sign-in on a machine, with the rules of the same host.
  ///
  /// `sudo` are the findings about the rules of sudo for the user, and `sshd` those about connections to sshd that the
  /// question is not about.
  init<Machine: Host>(
    _ question: Question, sudo: [Finding] = [], sshd: [Finding] = [], rules: HostRules,
    on machine: Machine, memory: HostMemory<Machine> = HostMemory()
  ) {
    let user = question.user
    let address = question.address.map { VisibleText.escaping($0.text) }
    let service = rules.service(for: user, from: address, at: question.service)
    let facts = memory.facts(
      of: service, from: memory.stacks { machine.stacks }, with: rules)
    let host = SimulatedHost(
      base: machine, isCalledByRoot: PAMCaller.isRoot(at: service),
      systemUser: question.isTrial
        ? nil
        : facts.systemUser.map { name in
          do throws(SystemError) {
            return try memory.account(named: name) { () throws(SystemError) in
              try machine.account(named: name)
            }?.uid ?? .max
          } catch {
            return .max
          }
        },
      isEnforced: question.isEnforced, memory: memory)
    let (stacks, module) = (facts.stacks, facts.module)
    let called = stacks.withModule
    let arguments = module.arguments
    let request = SignInRequest(
      user: user.bytes, service: service, remoteHost: question.remoteHost, arguments: arguments)
    self.request = request
    self.module = module
    var secureShell = called.flatMap {
      rules.secureShell(for: user, from: address, at: $0, asked: question.service)
    }
    if question.isFromSample { secureShell?.address = nil }
    let own = secureShell?.findings.filter { $0.severity != .note } ?? []
    exceptions =
      facts.exceptions + sudo + own
      + sshd.filter { other in !own.contains { $0.code == other.code && $0.place == other.place } }
    accountLine = facts.accountLine
    lookup = Result { () throws(SystemError) in try host.account(named: user.bytes) }
    let account: Account? = if case .success(let found) = lookup { found } else { nil }
    self.account = account

    let subject = Subject(
      user: account?.name ?? user.bytes, service: service, address: question.address
    ) { group in
      guard let account else { return false }
      return host.isMember(account, of: group)
    }
    let configuration = Self.configuration(arguments, host)
    self.configuration = configuration
    let settings = configuration?.settings(for: subject)
    self.settings = settings
    self.subject = subject

    let stored = Self.stored(for: account, host)
    self.stored = stored
    standing = Self.standing(stored, settings, host)
    closedFactors = Self.closedFactors(stored, host)

    let forecast = Self.forecast(of: .auth, request, host)
    state = forecast.state
    let policy = Decision(forecast.result, settings).considering(stored, settings, request)
      .considering(closed: closedFactors, stored, settings)
      .considering(
        rules.storeSpace, forecast.state,
        hasBreakGlass: account.map { rules.breakGlass?.names($0.name) ?? false } ?? false)
    policyDecision = policy
    policyObstacle = Readiness.Obstacle(forecast.result, settings)
    self.secureShell = secureShell?.effect
    let isKnown = lookup != .success(nil)
    let shell = isKnown ? secureShell : nil
    let isEnrolled = policy.asksForCode(forecast.state)
    let known = account.flatMap { rules.known($0.name) }
    let shadow = known.flatMap { rules.shadowEntry(of: $0.account.name) }
    var claimant = Claimant([.password, .code, .other])
    claimant.passwordIsLocked = shadow.map { !$0.hasPassword } ?? false
    let expiry = Self.expiry(shadow, host)
    claimant.hasExpired = expiry != nil
    claimant.isCalledByRoot = PAMCaller.isRoot(at: service, asking: account)
    let refusals = account.map { Self.refusals(of: facts, for: $0, known, rules, host) }
    claimant.conditions = refusals?.conditions ?? [:]
    let means = shell?.settings.flatMap {
      rules.means(of: user.bytes, $0, isEnrolled: isEnrolled)
    }
    let obstacle = AccountObstacle(
      AccountObstacle.Facts(
        account: known, expiry: expiry, claimant: claimant, refusals: refusals?.reasons ?? [:],
        runsAuthLines: !PAMCaller.asksNothing(at: service, isRoot: account?.uid == 0),
        secureShell: shell, means: means),
      at: stacks, rules)
    accountObstacle = obstacle
    var access: AccountAccess?
    if let called, let settings = shell?.settings, let means {
      access = rules.access(
        to: called, with: means, settings, isRoot: user.bytes == Array("root".utf8))
    }
    var exemption: StackExemption?
    if let called {
      exemption = StackExemption(
        from: called, stacks, exceptions, shell?.settings, claimant, isRoot: account?.uid == 0)
    }
    decision =
      obstacle.flatMap { $0.deniesSignIn ? Decision(.denied, $0.reason) : nil }
      ?? facts.requiredCode.map { line in
        var request = request
        request.arguments = line.arguments
        return Self.decision(of: Self.forecast(of: .account, request, host), settings)
      }
      ?? (called == nil ? nil : facts.passwordAlone).map { Decision(.allowed, $0) }
      ?? Self.decision(of: isKnown ? sudo : [], shell, access, stacks, claimant, rules)
      ?? Self.decision(
        facts, shell, Prediction(policy: policy, obstacle: policyObstacle, state: forecast.state),
        claimant, exemption
      ).considering(sudo: sudo).considering(called, shell?.settings)
  }

  /// Whether the user has an account, as far as that is known.
  package var isAboutAnAccount: Bool { lookup != .success(nil) }

  private static func forecast(
    of line: MFAWire.ModuleLine, _ request: SignInRequest, _ host: SimulatedHost<some Host>
  ) -> Forecast {
    var call = SignInCall()
    call.line = line
    call.request = request
    call.caller = host.identity.user
    // The sign-in would have a process and a session of its own.
    call.facts = ApplicationFacts()
    return SignIn(call, host: host, identity: host.identity).forecast()
  }

  /// Returns the decision of an `account` line with `require_code`.
  private static func decision(of forecast: Forecast, _ settings: Settings?) -> Decision {
    guard forecast.state != .observe else {
      return Decision(.allowed, "policy only observes", by: [.state])
    }
    guard case .denied(.codeRequired(let isEnrolled)) = forecast.result else {
      return Decision(forecast.result, settings)
    }
    return isEnrolled
      ? Decision(.denied, "the user has a factor, and the program does not ask for a code")
      : Decision(
        .denied, "a factor is required, and the program does not ask for a code",
        by: [.enrollment])
  }

  // MARK: Gathering facts

  fileprivate static func moduleLine(
    of stacks: ServiceStacks, _ source: some StackSource
  ) -> ModuleLine {
    if let called = stacks.withModule {
      return .called(at: called.position, arguments: called.arguments)
    }
    do throws(StackRefusal) {
      let stack = try stacks.auth.get()
      let own = try source.file(stacks.name)
      // A file that only includes other files contributes no line to the stack.
      let first = own == nil ? try source.file(Array("other".utf8)) : own
      var files = first.map { [$0.path] } ?? []
      for entry in stack.entries where !files.contains(entry.position.file) {
        files.append(entry.position.file)
      }
      return .notCalled(in: files, hasFile: own != nil)
    } catch {
      return .unknown(error)
    }
  }

  /// Returns the lines of a stack that can bypass the prompt, let a wrong code succeed, ask again, or are
  /// not read as they look.
  fileprivate static func exceptions(of stacks: ServiceStacks) -> [Finding] {
    let lines = stacks.withModule.map { service in
      BypassedModule.findings(service) + WeakAuthLine.findings(service)
        + (ClosedStack.askedTwice(service).map { [$0] } ?? [])
        // What sshd verifies depends on its settings, which `secureShell` has.
        + (service.visibleName == "sshd" ? [] : UnprovenFirstFactor.findings(service))
    }
    return (lines ?? []) + stacks.misreadLines
  }

  /// Returns why the `account` lines of pam_unix.so refuse an account now, or nil.
  private static func expiry<Machine: Host>(_ shadow: ShadowEntry?, _ host: Machine) -> String? {
    do throws(SystemError) {
      let now = try host.now()
      return shadow?.expiry(at: now)
    } catch {
      return nil
    }
  }

  /// Returns whether the conditions of a service's lines hold for an account, by the file and line, and why modules
  /// refuse the account in any case.
  private static func refusals<Machine: Host>(
    of service: ServiceFacts, for account: Account, _ known: KnownAccount?, _ rules: HostRules,
    _ host: Machine
  ) -> (conditions: [[UInt8]: Bool], reasons: [[UInt8]: String]) {
    guard !service.conditions.isEmpty else { return ([:], [:]) }
    var subject = StackEntry.ConditionSubject(
      account: account, service: service.stacks.name,
      isMember: { host.isMember(account, of: $0) }, lines: { rules.lines(of: $0) },
      shell: known?.shell,
      failures: { rules.failures(of: account, in: $0) })
    do throws(SystemError) { subject.now = try host.now() } catch {}
    var conditions: [[UInt8]: Bool] = [:]
    var reasons: [[UInt8]: String] = [:]
    for line in service.conditions {
      guard let holds = line.holds(for: subject) else { continue }
      conditions[line.position.text] = holds
      if !holds { reasons[line.position.text] = line.refusal(for: subject) }
    }
    return (conditions, reasons)
  }

  /// Returns the configuration, or nil if it cannot be used, in which case the decision says why.
  private static func configuration<Machine: Host>(
    _ arguments: [[UInt8]], _ host: Machine
  ) -> Configuration? {
    var path: [UInt8]?
    do throws(ModuleOptions.Refusal) {
      path = try ModuleOptions(arguments).configuration
    } catch {
      return nil
    }
    do throws(ConfigurationError) { return try host.configuration(at: path) } catch {
      return nil
    }
  }

  /// Returns what is stored for an account.
  static func stored<Machine: Host>(for account: Account?, _ host: Machine) -> Stored {
    guard let account else { return .nothing }
    do throws(FactorStoreError) {
      let store = try host.store()
      if let snapshot = try store.snapshot(of: account) {
        return .kept(snapshot.record, snapshot.attempts)
      }
      guard let entry = try store.existingEntry(of: account), let kept = entry.kept else {
        return .nothing
      }
      return .kept(kept, entry.attempts)
    } catch {
      return .problem(RecordProblem(error))
    }
  }

  private static func closedFactors<Machine: Host>(
    _ stored: Stored, _ host: Machine
  ) -> [(name: DisplayName, end: Timestamp)] {
    guard case .kept(let record, let attempts) = stored else { return [] }
    do throws(SystemError) {
      let now = try host.now()
      let snapshot = FactorSnapshot(record: record, attempts: attempts)
      return UserSummary(snapshot, .open).factors.compactMap { factor in
        factor.closedUntil(at: now).map { (factor.summary.displayName, $0) }
      }
    } catch {
      return []
    }
  }

  private static func standing<Machine: Host>(
    _ stored: Stored, _ settings: Settings?, _ host: Machine
  ) -> AttemptState.Standing? {
    guard case .kept(_, let attempts) = stored, let settings else { return nil }
    do throws(SystemError) {
      return attempts.standing(settings.throttle, now: try host.now())
    } catch {
      return nil
    }
  }
}

extension Explanation.ModuleLine {
  /// The module's arguments; empty if it is not called.
  package var arguments: [[UInt8]] {
    switch self {
    case .called(_, let arguments): arguments
    case .notCalled, .unknown: []
    }
  }
}

// The decision about a sign-in: the module's own, and what the rest of the host makes of it.
extension Explanation {
  /// What the module would decide.
  private struct Prediction {
    let policy: Decision
    let obstacle: Readiness.Obstacle?
    let state: Configuration.State
  }

  /// Returns the decision about a sign-in for which the module would decide `module`. `all` is the user as
  /// a claimant who has everything.
  private static func decision(
    _ facts: ServiceFacts, _ secureShell: SecureShellRules?, _ module: Prediction, _ all: Claimant,
    _ exemption: StackExemption?
  ) -> Decision {
    let stacks = facts.stacks
    switch facts.module {
    case .unknown(let refusal):
      return denial(by: stacks, of: all)
        ?? Decision(.unknown, "the stack cannot be evaluated: \(refusal.sentence)")
    case .notCalled:
      return denial(by: stacks, of: all)
        ?? Decision(.allowed, "no auth line of the service calls pam_mfa.so")
    case .called:
      if let problem = stacks.moduleProblem {
        return denial(by: stacks, of: all)
          ?? Decision(
            .allowed, "libpam cannot load pam_mfa.so, and the stack succeeds without: \(problem)")
      }
      if secureShell?.deniesUnenrolled == true, !module.policy.asksForCode(module.state) {
        return Decision(.denied, Decision.unproven)
      }
      return exemption?.decision(instead: module.policy, module.obstacle, module.state, stacks)
        ?? claimant(after: module.policy, module.state, all).flatMap { denial(by: stacks, of: $0) }
        ?? exemption?.qualified(module.policy) ?? module.policy
    }
  }

  /// Returns the decision if the `auth` lines are not carried out for the user, or nil.
  ///
  /// `sudo` are the findings about the rules of sudo for the user. `access` is whether the account can
  /// reach a shell through sshd, or nil if that is not examined.
  private static func decision(
    of sudo: [Finding], _ secureShell: SecureShellRules?, _ access: AccountAccess?,
    _ stacks: ServiceStacks, _ all: Claimant, _ rules: HostRules
  ) -> Decision? {
    let admission: String
    switch secureShell?.effect {
    case .denies(let reason): return Decision(.denied, reason)
    case .bypassesPAM(let reason, let ignoresPAM):
      if case .closed(let reason) = access { return Decision(.denied, reason) }
      guard !ignoresPAM else { return Decision(.allowed, reason) }
      admission = reason
    case .asksOther(let service, let reason):
      let denial = ServiceStacks(of: service, from: rules.host.stacks, with: rules)
        .denial(of: all)
      return denial.map { Decision(.denied, "\(reason), and \($0.reason)") }
        ?? Decision(.allowed, reason)
    case .asksPAM, nil:
      if case .closed(let reason) = access { return Decision(.denied, reason) }
      let sudo = sudo.first { $0.severity == .error && Doctor.sudoBypasses.contains($0.code) }
      guard let sudo else { return nil }
      admission = "\(sudo.place): \(sudo.message)"
    }
    return stacks.accountDenial(of: all).map { Decision(.denied, $0.reason) }
      ?? Decision(.allowed, admission)
  }

  /// Returns the user as the modules of the stack see them if the module decides this, or nil if the
  /// module itself denies the sign-in.
  private static func claimant(
    after policy: Decision, _ state: Configuration.State, _ all: Claimant
  ) -> Claimant? {
    var claimant = all
    switch policy.kind {
    case .asked where state != .observe: return claimant
    case .asked, .allowed: claimant.enrollment = .notRequired
    case .hasToEnroll: claimant.enrollment = .required
    case .denied, .throttled, .unknown: return nil
    }
    claimant.authenticators.remove(.code)
    return claimant
  }

  private static func denial(by stacks: ServiceStacks, of claimant: Claimant) -> Decision? {
    stacks.denial(of: claimant).map { Decision(.denied, $0.reason) }
  }
}

/// What is known about a service for every user.
struct ServiceFacts {
  /// The stacks.
  let stacks: ServiceStacks
  /// Whether the `auth` stack calls the module.
  let module: Explanation.ModuleLine
  /// The lines of the stack that can bypass the prompt, let a wrong code succeed, or ask again.
  let exceptions: [Finding]
  /// The `account` line.
  let accountLine: AccountLine
  /// The lines of modules that refuse some users.
  let conditions: [StackEntry]
  /// The system user that the program runs as, or nil if it acts as root, or if that is not known.
  let systemUser: [UInt8]?
  /// Why the password alone signs users in, or nil if that is not known.
  let passwordAlone: String?
  /// The `account` line that denies users of whom policy requires a code, if the program runs it, or nil if that is not
  /// known.
  let requiredCode: RequiredCodeLine?

  /// Reads the files of a service.
  init(of service: [UInt8], from source: some StackSource, with rules: HostRules) {
    stacks = ServiceStacks(of: service, from: source, with: rules)
    module = Explanation.moduleLine(of: stacks, source)
    exceptions = Explanation.exceptions(of: stacks)
    accountLine = AccountLine(
      of: "pam_mfa.so", service: service, authArguments: module.arguments,
      isCalledByRoot: PAMCaller.isRoot(at: service), from: source)
    systemUser = rules.systemUser(at: service)
    passwordAlone = rules.passwordAlone(at: service)
    requiredCode = rules.requiredCode(at: service, source)
    conditions = stacks.readable.flatMap(\.entries).filter {
      ModuleKind($0) == .condition || $0.asks(module: "pam_faillock.so")
    }
  }
}
