import MFAAdmin
import MFAModel
import MFAPAMStack
import MFASignIn
import MFABase

/// Predicts the sign-ins of accounts if policy were enforced now, for `mfa-admin readiness`.
///
/// MUST 1: each sign-in is predicted by an `Explanation`. (`ReadinessTests`)
struct ReadinessSurvey<Machine: Host> {
  private let policy: Configuration
  private let rules: HostRules
  /// The services that call the module, or are meant to.
  private let services: [[UInt8]]
  /// The machine, which asks for each membership and reads each configuration once.
  private let machine: SimulatedHost<Machine>

  /// Creates a survey of a machine, whose configuration is `policy`.
  init(of snapshot: HostSnapshot, under policy: Configuration, on machine: Machine) {
    self.policy = policy
    rules = snapshot.rules
    services = snapshot.meantToAsk
    self.machine = SimulatedHost(
      base: machine, isCalledByRoot: true, isEnforced: true, memory: HostMemory())
  }

  /// Predicts the sign-ins of these accounts.
  func readiness(
    of all: [Account], tenant: [UInt8]?, progress: Progress = .silent
  ) throws(AdminError) -> Readiness {
    let tenants = try tenants(named: tenant)
    var accounts = tenants.map { _ in [Account]() }
    var lockedOut = tenants.map { _ in [Readiness.LockedOut]() }
    var denied: [Readiness.LockedOut] = []
    var progress = progress
    for (count, account) in all.enumerated() {
      defer { progress.step(count, of: all.count) }
      guard let user = UserName(account.name) else { continue }
      var questions: [Explanation.Question] = []
      for (index, tenant) in tenants.enumerated() {
        let places = places(of: account, in: tenant)
        guard !places.isEmpty else { continue }
        accounts[index].append(account)
        // Each place is asked about once: the answer can change between two questions.
        for place in places {
          guard let obstacle = obstacle(user, place) else { continue }
          lockedOut[index].append(Readiness.LockedOut(account: account, obstacle: obstacle))
          break
        }
        questions += places.flatMap { self.questions(user, $0, tenant) }
      }
      denied += self.denied(account, questions)
    }
    progress.finish()
    return Readiness(
      scopes: tenants.indices.map { index in
        Readiness.Scope(
          tenant: tenants[index]?.name, accounts: accounts[index], lockedOut: lockedOut[index])
      }, denied: denied)
  }

  /// Returns the tenant with a name, or nil for the host, followed by all tenants.
  private func tenants(named name: [UInt8]?) throws(AdminError) -> [Tenant?] {
    guard let name else { return [nil] + policy.tenants.map { Optional($0) } }
    let tenants = policy.tenants.filter { $0.name == name }
    guard !tenants.isEmpty else { throw .noSuchTenant(String(decoding: name, as: UTF8.self)) }
    return tenants
  }

  /// Returns sign-ins of an account that a tenant may match or, if `tenant` is nil, that no tenant can.
  private func places(of account: Account, in tenant: Tenant?) -> [Subject] {
    policy.subjects(of: tenant, user: account.name) { machine.isMember(account, of: $0) }
      .filter { subject in
        guard let tenant else { return policy.tenants.allSatisfy { $0.match(subject) == .no } }
        return tenant.match(subject) != .no
      }
  }

  /// Returns what would lock the user out by policy alone, whatever the stack of the service does.
  private func obstacle(_ user: UserName, _ place: Subject) -> Readiness.Obstacle? {
    Explanation(
      question(user, place.service, place.address), rules: rules, on: machine
    ).policyObstacle
  }

  private func question(
    _ user: UserName, _ service: [UInt8], _ address: IPAddress?
  ) -> Explanation.Question {
    Explanation.Question(user, at: service, from: address?.text, isEnforced: true)
  }

  // MARK: Services

  /// Returns the sign-ins at the services that the place of a tenant stands for.
  private func questions(
    _ user: UserName, _ place: Subject, _ tenant: Tenant?
  ) -> [Explanation.Question] {
    services.filter { place.service.isEmpty || place.service == $0 }.flatMap { service in
      addresses(service, place.address, tenant).map { question(user, service, $0) }
    }
  }

  /// Returns the remote addresses that a service has for sign-ins of a place. sshd always has one;
  /// programs that users start have none; others may have one.
  private func addresses(
    _ service: [UInt8], _ address: IPAddress?, _ tenant: Tenant?
  ) -> [IPAddress?] {
    let name = String(decoding: service, as: UTF8.self)
    if name == "sshd" { return [address] }
    let isLocal = name == "login" || PAMCaller.isStartedByUsers(service)
    return isLocal || address == nil ? [nil] : [nil, address]
  }

  /// Returns the sign-ins that would be denied, one for each service.
  private func denied(
    _ account: Account, _ questions: [Explanation.Question]
  ) -> [Readiness.LockedOut] {
    var asked: Set<[[UInt8]]> = []
    var denied: [Readiness.LockedOut] = []
    var services: Set<[UInt8]> = []
    for question in questions where !services.contains(question.service) {
      guard asked.insert([question.service, question.remoteHost ?? []]).inserted,
        let reason = reason(account, question)
      else { continue }
      services.insert(question.service)
      denied.append(
        Readiness.LockedOut(
          account: account,
          obstacle: .denied(at: [VisibleText.escaping(question.service)], reason)))
    }
    return denied
  }

  /// Returns why a sign-in would be denied, or nil.
  private func reason(_ account: Account, _ question: Explanation.Question) -> String? {
    guard account.uid != 0 || Self.mayAskRoot(question.service) else { return nil }
    let explanation = Explanation(question, rules: rules, on: machine)
    switch explanation.decision.kind {
    case .asked, .allowed, .hasToEnroll: return nil
    case .denied, .throttled, .unknown: break
    }
    // sshd does not ask root for a code unless PermitRootLogin is "yes".
    let isSSHD = question.service == Array("sshd".utf8)
    guard account.uid != 0 || !isSSHD || explanation.secureShell == .asksPAM else { return nil }
    return asksNothing(question) ? nil : explanation.decision.sentence
  }

  /// Returns whether a service can ask root for a code: tools of users never do, except for signing in
  /// as root.
  private static func mayAskRoot(_ service: [UInt8]) -> Bool {
    ["login", "remote", "su", "su-l", "sshd"].contains(String(decoding: service, as: UTF8.self))
  }

  /// Returns whether sudo asks the user for nothing, by its own rules.
  private func asksNothing(_ question: Explanation.Question) -> Bool {
    let sudo = Doctor.sudoFindings(for: question.user, at: question.service, rules)
    guard !sudo.isEmpty else { return false }
    return Explanation(question, sudo: sudo, rules: rules, on: machine).decision.kind == .allowed
  }
}
