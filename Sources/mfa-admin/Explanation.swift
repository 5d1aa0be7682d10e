import FactorStore
import Factors
import PAMStack
import Policy
import SignIn
import System

/// What would come of a sign-in now, and why.
///
/// MUST 1: it is what the module would decide: the module's own code decides it.
/// (`ExplanationTests.agreesWithTheSignIn`)
/// MUST 2: nothing changes by it: no failure is counted, no offer, and nothing is told or used up.
/// (`ExplanationTests.changesNothing`)
struct Explanation {
  /// Whether the service's stack asks the module.
  enum ModuleLine: Equatable {
    /// It does, by this `auth` line, with these arguments.
    case asked(at: StackPosition, arguments: [[UInt8]])
    /// It does not: no `auth` line of these files does; whether the first of them is the service's own.
    case notAsked(in: [[UInt8]], hasFile: Bool)
    /// It cannot be told.
    case unknown(StackRefusal)
  }

  /// The account as the system knows it.
  enum Person: Equatable {
    case known(Account)
    case unknown
    case trouble(SystemError)
  }

  /// What is stored for the account.
  enum Stored: Equatable {
    case nothing
    case kept(FactorRecord, AttemptState)
    case trouble(Trouble)
  }

  /// A tenant, and whether it matches.
  struct TenantMatch: Equatable {
    let name: [UInt8]
    let match: Tenant.Match
    /// Its selectors.
    let reasons: [Tenant.Reason]
  }

  /// Who would sign in, where and from where.
  let request: SignInRequest
  /// What would be decided.
  let decision: Decision
  /// The state in force.
  let state: Configuration.State
  /// The service's `auth` line.
  let module: ModuleLine
  /// What else in the stack may have it that a code is not asked for, or does not count.
  let exceptions: [Finding]
  /// The service's `account` line.
  let accountLine: AccountLine
  /// Whose account it is.
  let person: Person
  /// What is stored.
  let stored: Stored
  /// Whether what is stored lets attempts be made; nil where nothing is.
  let standing: AttemptState.Standing?
  /// The settings in force; nil where the configuration cannot be used.
  let settings: Settings?
  /// The configuration; nil where it cannot be used.
  let configuration: Configuration?
  /// The settings one by one.
  let origins: [Configuration.SettingInForce]
  /// All tenants, in the order of the configuration.
  let tenants: [TenantMatch]

  /// Finds out about a sign-in on a machine.
  init<Machine: Host>(
    user: UserName, service: [UInt8], remoteHost: [UInt8]?, on machine: Machine
  ) {
    let host = PretendedHost(base: machine, isCalledByRoot: CallingUser.isRoot(at: service))
    let module = Self.moduleLine(of: service, host.stacks)
    let arguments = module.arguments
    let request = SignInRequest(
      user: user.bytes, service: service, remoteHost: remoteHost, arguments: arguments)
    self.request = request
    self.module = module
    exceptions = Self.exceptions(of: service, host.stacks)
    accountLine = AccountLine(
      of: "pam_mfa.so", service: service, authArguments: arguments,
      isCalledByRoot: host.isCalledByRoot, from: host.stacks)
    let person = Self.person(user, host)
    self.person = person

    let subject = Policy.Subject(
      user: person.account?.name ?? user.bytes, service: service,
      address: remoteHost.flatMap { IPAddress($0.span) }
    ) { group in
      guard let account = person.account else { return false }
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

    let forecast = SignIn(request, host: host, application: SilentApplication()).forecast()
    state = forecast.state
    switch module {
    case .notAsked:
      decision = Decision(.letThrough, "no auth line of the service asks pam_mfa.so")
    case .asked, .unknown: decision = Decision(forecast.outcome, settings)
    }

    stored = Self.stored(for: person, host)
    standing = Self.standing(stored, settings, host)
  }

  // MARK: What is found out

  private static func moduleLine<Source: StackSource>(
    of service: [UInt8], _ source: Source
  ) -> ModuleLine {
    do throws(StackRefusal) {
      let stack = try ServiceStack(.auth, of: service, from: source)
      for entry in stack.entries where entry.asks(module: "pam_mfa.so") {
        guard case .module(_, let arguments, _) = entry.kind else { continue }
        return .asked(at: entry.position, arguments: arguments)
      }
      let own = try source.file(service)
      // A file that only includes others has no line of its own in the stack.
      let first = own == nil ? try source.file(Array("other".utf8)) : own
      var files = first.map { [$0.path] } ?? []
      for entry in stack.entries where !files.contains(entry.position.file) {
        files.append(entry.position.file)
      }
      return .notAsked(in: files, hasFile: own != nil)
    } catch {
      return .unknown(error)
    }
  }

  /// None, too, where the stack cannot be read: the module's line says so.
  private static func exceptions<Source: StackSource>(
    of service: [UInt8], _ source: Source
  ) -> [Finding] {
    do throws(StackRefusal) {
      let stack = try ServiceStack(.auth, of: service, from: source)
      guard let asked = AskedService(name: service, stack: stack) else { return [] }
      return [BypassedModule.finding(asked), WeakAuthLine.finding(asked)].compactMap { $0 }
    } catch {
      return []
    }
  }

  private static func person<Machine: Host>(_ user: UserName, _ host: Machine) -> Person {
    do throws(SystemError) {
      return try host.account(named: user.bytes).map { .known($0) } ?? .unknown
    } catch {
      return .trouble(error)
    }
  }

  /// Nil where it cannot be used: the decision says why.
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

  private static func stored<Machine: Host>(for person: Person, _ host: Machine) -> Stored {
    guard let account = person.account else { return .nothing }
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
      return .trouble(Trouble(error))
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

extension Explanation.Person {
  /// The account, where there is one.
  var account: Account? {
    switch self {
    case .known(let account): account
    case .unknown, .trouble: nil
    }
  }
}

extension Explanation.ModuleLine {
  /// The module's arguments.
  var arguments: [[UInt8]] {
    switch self {
    case .asked(_, let arguments): arguments
    case .notAsked, .unknown: []
    }
  }
}
