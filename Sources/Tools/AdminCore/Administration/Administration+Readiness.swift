import MFAAdminOutput
import MFAFactors
import MFAPolicy
import MFAStoreFiles
import MFASystem

// Determines which users could sign in if policy were enforced now.
extension Administration {
  /// Checks every login account, for the host and all tenants, or for the tenant `name` only.
  package func readiness(
    under policy: Configuration, tenant name: [UInt8]?, progress: Progress = .silent,
    isMember: @escaping (Account, _ group: [UInt8]) -> Bool?
  ) throws(AdminError) -> Readiness {
    var tenants = policy.tenants.map { Optional($0) }
    if let name {
      tenants = tenants.filter { $0?.name == name }
      guard !tenants.isEmpty else { throw .noSuchTenant(String(decoding: name, as: UTF8.self)) }
    } else {
      tenants.insert(nil, at: 0)
    }
    var stored: [[UInt8]: UserReport] = [:]
    for report in try users(progress: progress) { stored[report.name] = report }
    let loginAccounts = try loginAccounts()
    var accounts = tenants.map { _ in [Account]() }
    var lockedOut = tenants.map { _ in [Readiness.LockedOut]() }
    var progress = progress
    for (count, account) in loginAccounts.enumerated() {
      let groups = Memberships { isMember(account, $0) }
      for (index, tenant) in tenants.enumerated() {
        let places = policy.subjects(of: tenant, user: account.name) { groups.contains($0) }
          .filter { Self.concerns(tenant, $0, policy) }
        guard !places.isEmpty else { continue }
        accounts[index].append(account)
        for place in places {
          guard
            let obstacle = obstacle(policy.settings(for: place), account, stored[account.name])
          else { continue }
          lockedOut[index].append(Readiness.LockedOut(account: account, obstacle: obstacle))
          break
        }
      }
      progress.step(count, of: loginAccounts.count)
    }
    progress.finish()
    return Readiness(
      scopes: tenants.indices.map { index in
        Readiness.Scope(
          tenant: tenants[index]?.name, accounts: accounts[index], lockedOut: lockedOut[index])
      })
  }

  /// Returns whether a tenant may match the sign-in or, if `tenant` is nil, whether no tenant can.
  private static func concerns(
    _ tenant: Tenant?, _ subject: Subject, _ policy: Configuration
  ) -> Bool {
    guard let tenant else { return policy.tenants.allSatisfy { $0.match(subject) == .no } }
    return tenant.match(subject) != .no
  }

  /// Returns what would lock the account out if these settings were enforced, or nil.
  private func obstacle(
    _ settings: Settings, _ account: Account, _ report: UserReport?
  ) -> Readiness.Obstacle? {
    switch settings.state {
    case .disabled: return nil
    case .enabled, .observe: break
    }
    switch report?.content {
    case .unusable(let problem): return .unusable(problem)
    case .usable(let snapshot, _):
      switch snapshot.attempts.standing(settings.throttle, now: now) {
      case .open: return nil
      case .throttled(let seconds): return .throttled(seconds: seconds)
      case .locked: return .locked
      }
    case .none, .notEnrolled:
      switch settings.enrollment {
      case .selfService: return nil
      case .required: return obstacleWithoutFactor(account, else: .notEnrolled) { _ in false }
      case .offered:
        return obstacleWithoutFactor(account, else: .offerOver) { made in
          settings.offer.allowsPostponing(afterSignIns: made, now: now)
        }
      }
    }
  }

  /// Returns nil if a user without a factor can still postpone enrolment or has a valid bypass
  /// code, and otherwise `obstacle`.
  private func obstacleWithoutFactor(
    _ account: Account, else obstacle: Readiness.Obstacle, _ mayPutOff: (_ made: UInt32) -> Bool
  ) -> Readiness.Obstacle? {
    do throws(FactorStoreError) {
      guard let entry = try store.existingEntry(of: account) else {
        return mayPutOff(0) ? nil : obstacle
      }
      let isBypassed = entry.kept.map { kept in
        kept.grants.contains { $0.kind == .bypass && $0.isGood(at: now) }
      }
      return isBypassed == true || mayPutOff(entry.attempts.postponedSignIns) ? nil : obstacle
    } catch {
      return .unusable(RecordProblem(error))
    }
  }
}

/// The group memberships of one account, cached so that each group is looked up once.
private final class Memberships {
  private let lookUp: ([UInt8]) -> Bool?
  private var known: [[UInt8]: Bool?] = [:]

  init(_ lookUp: @escaping ([UInt8]) -> Bool?) { self.lookUp = lookUp }

  func contains(_ group: [UInt8]) -> Bool? {
    if let answer = known[group] { return answer }
    let answer = lookUp(group)
    known.updateValue(answer, forKey: group)
    return answer
  }
}
