import MFAApplication
import MFAAdminCore
import MFAAdminOutput
import MFABytes
import MFAConfiguration
import MFADoctor
import MFAFactors
import MFAPAMStack
import MFAPolicy
import MFASignIn
import MFAStackEffect
import MFAStoreFiles
import MFASystem

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

  /// The result of looking up the account.
  package enum AccountLookup: Equatable {
    case known(Account)
    case unknown
    case problem(SystemError)
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
  /// The state in force.
  package let state: Configuration.State
  /// The `auth` line that calls the module, if any.
  package let module: ModuleLine
  /// The lines of the stack, and of sudoers, that can bypass the prompt, let a wrong code succeed, or ask
  /// again.
  package let exceptions: [Finding]
  /// The service's `account` line.
  let accountLine: AccountLine
  /// The result of looking up the user's account.
  let accountLookup: AccountLookup
  /// The data stored for the user.
  package let stored: Stored
  /// The throttling state after failed attempts; nil if nothing is stored, or if the settings or
  /// the time are unknown.
  package let standing: AttemptState.Standing?
  /// The settings in force, or nil if the configuration cannot be used.
  package let settings: Settings?
  /// The configuration, or nil if it cannot be used.
  package let configuration: Configuration?
  /// Each setting in force, with its source location.
  let origins: [Configuration.SettingInForce]
  /// All tenants, in the order of the configuration.
  package let tenants: [TenantMatch]

  /// Predicts a sign-in on a machine. If `isEnforced`, `state = observe` counts as `enabled`.
  ///
  /// `sudo` are the findings about the rules of sudo for the user.
  init<Machine: Host>(
    user: UserName, service: [UInt8], remoteHost: [UInt8]?, isEnforced: Bool = false,
    sudo: [Finding] = [], on machine: Machine
  ) {
    let host = SimulatedHost(
      base: machine, isCalledByRoot: PAMCaller.isRoot(at: service), isEnforced: isEnforced)
    let stack = Self.stack(of: service, host.stacks)
    let module = Self.moduleLine(of: service, stack, host.stacks)
    let called = Self.serviceWithModule(service, stack)
    let arguments = module.arguments
    let request = SignInRequest(
      user: user.bytes, service: service, remoteHost: remoteHost, arguments: arguments)
    self.request = request
    self.module = module
    exceptions = (called.map { Self.exceptions(of: $0) } ?? []) + sudo
    accountLine = AccountLine(
      of: "pam_mfa.so", service: service, authArguments: arguments,
      isCalledByRoot: host.isCalledByRoot, from: host.stacks)
    let accountLookup = Self.accountLookup(user, host)
    self.accountLookup = accountLookup

    let subject = Subject(
      user: accountLookup.account?.name ?? user.bytes, service: service,
      address: remoteHost.flatMap { IPAddress($0.span) }
    ) { group in
      guard let account = accountLookup.account else { return false }
      return host.isMember(account, of: group)
    }
    let configuration = Self.configuration(arguments, host)
    self.configuration = configuration
    let settings = configuration?.settings(for: subject)
    self.settings = settings
    origins = configuration?.settingsInForce(for: subject) ?? []
    tenants = (configuration?.tenants ?? []).map { tenant in
      TenantMatch(
        name: tenant.name, match: tenant.match(subject), reasons: tenant.reasons(for: subject))
    }

    let stored = Self.stored(for: accountLookup, host)
    self.stored = stored
    standing = Self.standing(stored, settings, host)

    let forecast = SignIn(request, host: host, application: SilentApplication()).forecast()
    state = forecast.state
    switch module {
    case .notCalled:
      decision = Decision(.allowed, "no auth line of the service calls pam_mfa.so")
    case .called, .unknown:
      let forecast = Decision(forecast.result, settings)
        .considering(stored, settings, request)
      decision =
        Self.admission(sudo) ?? called.flatMap { Self.denial(by: $0, after: forecast) } ?? forecast
    }
  }

  /// Whether the user has an account, as far as that is known.
  package var isAboutAnAccount: Bool { accountLookup != .unknown }

  // MARK: Gathering facts

  private static func stack<Source: StackSource>(
    of service: [UInt8], _ source: Source
  ) -> Result<ServiceStack, StackRefusal> {
    do throws(StackRefusal) {
      return .success(try ServiceStack(.auth, of: service, from: source))
    } catch {
      return .failure(error)
    }
  }

  /// Returns the service if its stack can be read and calls the module.
  private static func serviceWithModule(
    _ service: [UInt8], _ stack: Result<ServiceStack, StackRefusal>
  ) -> ServiceWithModule? {
    guard case .success(let stack) = stack else { return nil }
    return ServiceWithModule(name: service, stack: stack)
  }

  private static func moduleLine<Source: StackSource>(
    of service: [UInt8], _ stack: Result<ServiceStack, StackRefusal>, _ source: Source
  ) -> ModuleLine {
    do throws(StackRefusal) {
      let stack = try stack.get()
      if let index = stack.moduleIndex,
        case .module(_, let arguments, _) = stack.entries[index].kind
      {
        return .called(at: stack.entries[index].position, arguments: arguments)
      }
      let own = try source.file(service)
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

  /// Returns the lines of a stack that can bypass the prompt, let a wrong code succeed, or ask again.
  private static func exceptions(of service: ServiceWithModule) -> [Finding] {
    BypassedModule.findings(service) + WeakAuthLine.findings(service)
      + (ClosedStack.askedTwice(service).map { [$0] } ?? [])
  }

  /// Returns the decision if sudo asks the user for nothing, whatever the command, or nil.
  private static func admission(_ sudo: [Finding]) -> Decision? {
    sudo.first { $0.code == Doctor.sudoWithoutCode && $0.severity == .error }
      .map { Decision(.allowed, "the rules of sudo ask for no code: \($0.place)") }
  }

  /// Returns the decision for a stack that fails whatever its other modules return, or nil.
  private static func denial(
    by service: ServiceWithModule, after forecast: Decision
  ) -> Decision? {
    let claimant: Claimant
    switch forecast.kind {
    case .asked: claimant = Claimant([.password, .code, .other])
    case .allowed: claimant = Claimant([.password, .other], .notRequired)
    case .hasToEnroll: claimant = Claimant([.password, .other], .required)
    case .denied, .throttled: return nil
    }
    guard !service.effect(for: claimant).canSucceed else { return nil }
    return Decision(.denied, "the auth lines of the service fail whatever their modules return")
  }

  private static func accountLookup<Machine: Host>(_ user: UserName, _ host: Machine)
    -> AccountLookup
  {
    do throws(SystemError) {
      return try host.account(named: user.bytes).map { .known($0) } ?? .unknown
    } catch {
      return .problem(error)
    }
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
    do throws(ConfigurationFile.Failure) { return try host.configuration(at: path) } catch {
      return nil
    }
  }

  private static func stored<Machine: Host>(for accountLookup: AccountLookup, _ host: Machine)
    -> Stored
  {
    guard let account = accountLookup.account else { return .nothing }
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

extension Explanation.AccountLookup {
  /// The account, or nil if it is unknown or its lookup failed.
  package var account: Account? {
    switch self {
    case .known(let account): account
    case .unknown, .problem: nil
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
