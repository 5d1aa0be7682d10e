import MFAAdmin
import MFABase
import MFAModel
import MFAPAMStack
import MFASignIn

/// Predicts the sign-ins of accounts if policy were enforced now, for `mfa-admin readiness`.
///
/// MUST 1: each sign-in is predicted by an `Explanation`. (`ReadinessTests`)
struct ReadinessSurvey<Machine: Host> {
  private let policy: Configuration
  private let rules: HostRules
  /// The services that call the module, or are meant to.
  private let services: [[UInt8]]
  private let machine: Machine
  /// What the predictions have asked of the machine.
  private let memory: HostMemory<Machine>

  /// Creates a survey of a machine, whose configuration is `policy`. `files` are other configurations than those
  /// that the machine has now.
  init(
    of snapshot: HostSnapshot, under policy: Configuration, on machine: Machine,
    files: PolicyEffect.Policy = [:]
  ) {
    self.policy = policy
    rules = snapshot.rules
    services = snapshot.meantToAsk
    self.machine = machine
    memory = HostMemory(
      listed: snapshot.rules.listedAccounts,
      configurations: files.mapValues { $0.map { $0.enforced } })
  }

  /// Predicts the sign-ins of the selected users, or of all whom the system lists.
  func readiness(
    of selection: ReadinessSelection?, tenant: [UInt8]?, progress: Progress = .silent
  ) throws(AdminError) -> Readiness {
    let found =
      if let selection { try selection.found(by: rules) } else {
        try ReadinessSelection.listed(by: rules)
      }
    var readiness = try readiness(of: found.accounts, tenant: tenant, progress: progress)
    readiness.excluded += found.missing.map {
      Readiness.Excluded(name: $0, uid: nil, reason: "there is no account with this name")
    }
    readiness.notExamined += found.notExamined
    return readiness
  }

  /// Predicts the sign-ins of these accounts.
  func readiness(
    of all: [Account], tenant: [UInt8]?, progress: Progress = .silent
  ) throws(AdminError) -> Readiness {
    let tenants = try self.tenants(named: tenant)
    var scopes = tenants.map { Readiness.Scope(tenant: $0?.name) }
    var readiness = (denied: [Readiness.LockedOut](), excluded: [Readiness.Excluded]())
    var progress = progress
    for (count, account) in all.enumerated() {
      defer { progress.step(count, of: all.count) }
      guard let user = UserName(account.name) else { continue }
      let places = tenants.map { self.places(of: account, in: $0) }
      var verdicts: [Place: Verdict] = [:]
      // Each place is asked about once: the answer can change between two questions.
      for place in places.joined() where verdicts[place] == nil {
        verdicts[place] = verdict(account, explanation(of: user, at: place))
      }
      let summary = Summary(account, verdicts)
      for index in scopes.indices where !places[index].isEmpty {
        scopes[index].add(summary, places[index])
      }
      readiness.denied += summary.denied(places)
      if let reason = summary.exclusion(places) {
        readiness.excluded.append(
          Readiness.Excluded(name: account.name, uid: account.uid, reason: reason))
      }
    }
    progress.finish()
    return Readiness(
      scopes: scopes, denied: readiness.denied, excluded: readiness.excluded,
      notExamined: servicesNotExamined(scopes, tenants))
  }

  /// Returns what the sign-ins that were predicted leave out, in words.
  private func servicesNotExamined(
    _ scopes: [Readiness.Scope], _ tenants: [Tenant?]
  ) -> [String] {
    guard !services.isEmpty else { return [Self.noService] }
    return zip(scopes, tenants).compactMap { scope, tenant in
      guard let tenant, !appliesToServices(tenant) else { return nil }
      return "\(scope.name): none of its services calls pam_mfa.so"
    } + modulesNotExamined
  }

  /// The other modules that can refuse users by rules that are not known here, each in words.
  private var modulesNotExamined: [String] {
    var modules: [(name: String, places: [String])] = []
    for service in services {
      let stacks = memory.facts(of: service, from: memory.stacks { machine.stacks }, with: rules)
        .stacks
      for (type, stack) in [(StackType.auth, stacks.auth), (.account, stacks.account)] {
        guard case .success(let stack) = stack else { continue }
        for line in stack.entries where line.mayRefuseByUnknownRules(type) {
          let place = VisibleText.escaping(line.position.text)
          let name = VisibleText.escaping(line.moduleName)
          if let index = modules.firstIndex(where: { $0.name == name }) {
            if !modules[index].places.contains(place) { modules[index].places.append(place) }
          } else {
            modules.append((name, [place]))
          }
        }
      }
    }
    return modules.map { "whom \($0.name) refuses (\(NameList.text($0.places)))" }
  }

  private static var noService: String {
    "the stacks of services, because none calls pam_mfa.so: this is what policy alone says"
  }

  /// Returns the tenant with a name, or nil for the host, followed by all tenants.
  private func tenants(named name: [UInt8]?) throws(AdminError) -> [Tenant?] {
    guard let name else { return [nil] + policy.tenants.map { Optional($0) } }
    let tenants = policy.tenants.filter { $0.name == name }
    guard !tenants.isEmpty else { throw .noSuchTenant(String(decoding: name, as: UTF8.self)) }
    return tenants
  }

  // MARK: Sign-ins

  /// Returns whether a tenant applies to a service that calls the module.
  private func appliesToServices(_ tenant: Tenant) -> Bool {
    policy.subjects(of: tenant, user: []) { _ in nil }.contains { subject in
      subject.service.isEmpty || services.contains(subject.service)
    }
  }

  /// Returns the sign-ins of an account that a tenant may match or, if `tenant` is nil, that no tenant can.
  /// If no service calls the module, they are at a service without a name.
  private func places(of account: Account, in tenant: Tenant?) -> [Place] {
    let subjects = policy.subjects(of: tenant, user: account.name) { group in
      memory.isMember(account, of: group) { machine.isMember(account, of: group) }
    }.filter { subject in
      guard let tenant else { return policy.tenants.allSatisfy { $0.match(subject) == .no } }
      return tenant.match(subject) != .no
    }
    guard !services.isEmpty else {
      return subjects.map { Place(service: $0.service, address: $0.address?.text) }
    }
    return subjects.flatMap { subject in
      services.filter { subject.service.isEmpty || subject.service == $0 }.flatMap { service in
        Self.addresses(service, subject.address).map { Place(service: service, address: $0?.text) }
      }
    }
  }

  /// Returns the remote addresses that a service has for sign-ins of a place. sshd always has one;
  /// programs that users start have none; others may have one.
  private static func addresses(_ service: [UInt8], _ address: IPAddress?) -> [IPAddress?] {
    let name = String(decoding: service, as: UTF8.self)
    if name == "sshd" { return [address] }
    let isLocal = name == "login" || PAMCaller.isStartedByUsers(service)
    return isLocal || address == nil ? [nil] : [nil, address]
  }

  private func explanation(
    of user: UserName, at place: Place, sudo: [Finding] = []
  ) -> Explanation {
    Explanation(
      Explanation.Question(
        user, at: place.service, from: place.address, isEnforced: true, isFromSample: true),
      sudo: sudo, rules: rules, on: machine, memory: memory)
  }

  // MARK: Verdicts

  private typealias Place = ReadinessPlace
  private typealias Verdict = ReadinessVerdict
  private typealias Summary = ReadinessSummary

  private func verdict(_ account: Account, _ explanation: Explanation) -> Verdict {
    let service = explanation.request.service
    guard !services.isEmpty else {
      return explanation.policyObstacle.map { .lockedOut($0, $0.sentence) } ?? .ready
    }
    if let obstacle = explanation.accountObstacle { return .excluded(obstacle.reason) }
    switch explanation.decision.kind {
    case .asked, .allowed:
      // Nobody signs in where a program only checks the account.
      return PAMCaller.asksNothing(at: service, isRoot: account.uid == 0) ? .notConcerned : .ready
    case .hasToEnroll: return .enrolls
    case .denied, .throttled, .unknown: break
    }
    // sshd does not ask root for a code unless PermitRootLogin is "yes".
    if account.uid == 0, service == Array("sshd".utf8), explanation.secureShell != .asksPAM {
      return .notConcerned
    }
    guard !asksNothing(explanation) else { return .ready }
    let isByPolicy = explanation.decision == explanation.policyDecision
    return .lockedOut(
      isByPolicy ? explanation.policyObstacle : nil, explanation.decision.sentence)
  }

  /// Returns whether sudo asks the user for nothing, by its own rules.
  private func asksNothing(_ explanation: Explanation) -> Bool {
    let request = explanation.request
    guard let user = UserName(request.user) else { return false }
    let sudo = Doctor.sudoFindings(for: user, at: request.service, rules)
    guard !sudo.isEmpty else { return false }
    let place = Place(service: request.service, address: request.remoteHost)
    return self.explanation(of: user, at: place, sudo: sudo).decision.kind == .allowed
  }
}

extension StackEntry {
  /// Returns whether a failure of the line denies the sign-in, and the module fails by rules of its own that are
  /// not known here.
  fileprivate func mayRefuseByUnknownRules(_ type: StackType) -> Bool {
    guard case .module(_, _, let control) = kind, !hasKnownRules else { return false }
    switch control.action(for: .permissionDenied) {
    case .bad, .die: break
    case .ignore, .ok, .done, .reset, .jump: return false
    }
    return switch ModuleKind(self) {
    case .condition, .unknown: true
    case .password: type == .account && !asks(module: "pam_unix.so")
    case .preparation: asks(module: "pam_tally2.so") || asks(module: "pam_abl.so")
    case .code, .otherAuthenticator, .caller, .denial, .permission: false
    }
  }
}
