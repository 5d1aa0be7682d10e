import MFAAdmin
import MFABase
import MFAModel
import MFAPAMStack
import MFASignIn

/// Compares the sign-ins of users under two configurations.
struct PolicyComparison<Machine: Host> {
  private let rules: HostRules
  private let machine: Machine
  /// The file that each service names.
  private let files: [[UInt8]: [UInt8]]
  private let policies: (before: PolicyEffect.Policy, after: PolicyEffect.Policy)
  private let memories: (before: HostMemory<Machine>, after: HostMemory<Machine>)

  init(
    _ snapshot: HostSnapshot, _ before: PolicyEffect.Policy, _ after: PolicyEffect.Policy,
    _ machine: Machine
  ) {
    rules = snapshot.rules
    self.machine = machine
    var files: [[UInt8]: [UInt8]] = [:]
    for service in snapshot.servicesWithModule { files[service.name] = service.configuration }
    self.files = files
    policies = (before, after)
    memories = (HostMemory(configurations: before), HostMemory(configurations: after))
  }

  /// Returns how the decision about a user's sign-ins at a service changes, or nil if it does not.
  func change(
    for account: Account, _ user: UserName, at service: [UInt8]
  ) -> PolicyEffect.Change? {
    let addresses = addresses(service)
    let changes = addresses.map { change(account, user, service, $0) }
    guard let index = changes.firstIndex(where: { $0 != nil }), let (before, after) = changes[index]
    else { return nil }
    let isEverywhere = changes.allSatisfy { $0.map { $0 == (before, after) } ?? false }
    let from =
      isEverywhere ? nil : addresses[index].map { " from \(VisibleText.escaping($0.text))" }
    return PolicyEffect.Change(
      place: VisibleText.escaping(service) + (from ?? ""), before: before, after: after)
  }

  /// The remote addresses to predict sign-ins from: one in each network of a tenant, and one in none of them.
  private func addresses(_ service: [UInt8]) -> [IPAddress?] {
    let name = String(decoding: service, as: UTF8.self)
    guard name != "login", !PAMCaller.isStartedByUsers(service) else { return [nil] }
    var addresses: [IPAddress?] = name == "sshd" ? [] : [nil]
    let file = files[service]
    for case .success(let policy)? in [policies.before[file], policies.after[file]] {
      for tenant in [nil] + policy.tenants.map({ Optional($0) }) {
        for place in policy.subjects(of: tenant, user: [], isMember: { _ in nil })
        where !addresses.contains(place.address) {
          addresses.append(place.address)
        }
      }
    }
    return addresses.isEmpty ? [nil] : addresses
  }

  /// Returns the outcomes of a sign-in before and after the change, or nil if they are the same.
  private func change(
    _ account: Account, _ user: UserName, _ service: [UInt8], _ address: IPAddress?
  ) -> (PolicyEffect.Outcome, PolicyEffect.Outcome)? {
    guard !isSame(account, service, address) else { return nil }
    let question = Explanation.Question(user, at: service, from: address?.text)
    func predict(_ sudo: [Finding]) -> (PolicyEffect.Outcome, PolicyEffect.Outcome) {
      func outcome(_ memory: HostMemory<Machine>) -> PolicyEffect.Outcome {
        PolicyEffect.Outcome(
          Explanation(question, sudo: sudo, rules: rules, on: machine, memory: memory))
      }
      return (outcome(memories.before), outcome(memories.after))
    }
    let outcomes = predict([])
    guard outcomes.0 != outcomes.1 else { return nil }
    // The rules of sudo can keep it from asking PAM at all.
    let sudo = Doctor.sudoFindings(for: user, at: service, rules)
    guard !sudo.isEmpty else { return outcomes }
    let ruled = predict(sudo)
    return ruled.0 == ruled.1 ? nil : ruled
  }

  /// Returns the types of factors that a user has enrolled, and that a change no longer allows at some sign-in for
  /// which codes are asked for.
  func typesLost(
    by account: Account, at services: [[UInt8]]
  ) -> [Configuration.FactorType] {
    var lost: Set<Configuration.FactorType> = []
    for service in services {
      for address in addresses(service) {
        let file = files[service]
        guard case .success(let before)? = policies.before[file],
          case .success(let after)? = policies.after[file]
        else { continue }
        let subject = subject(account, service, address)
        let settings = after.settings(for: subject)
        guard settings.state != .disabled else { continue }
        let earlier = before.settings(for: subject)
        for type in Configuration.FactorType.allCases
        where earlier.allows(type) && !settings.allows(type) {
          lost.insert(type)
        }
      }
    }
    guard !lost.isEmpty, case .kept(let record, _) = Explanation.stored(for: account, machine)
    else { return [] }
    return Configuration.FactorType.allCases.filter { type in
      lost.contains(type)
        && record.factors.contains { ($0.parameters == nil) == (type == .phone) }
    }
  }

  private func subject(_ account: Account, _ service: [UInt8], _ address: IPAddress?) -> Subject {
    Subject(user: account.name, service: service, address: address) { group in
      memories.before.isMember(account, of: group) { machine.isMember(account, of: group) }
    }
  }

  /// Returns whether a sign-in has the same settings before and after the change.
  private func isSame(_ account: Account, _ service: [UInt8], _ address: IPAddress?) -> Bool {
    let file = files[service]
    // A file that the service names, and that was not changed.
    guard let before = policies.before[file], let after = policies.after[file] else { return true }
    guard case .success(let before) = before, case .success(let after) = after else { return false }
    let subject = subject(account, service, address)
    return before.settings(for: subject) == after.settings(for: subject)
  }
}
