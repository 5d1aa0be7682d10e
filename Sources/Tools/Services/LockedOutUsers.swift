import MFAAdmin
import MFADoctor
import MFAModel
import MFABase

/// The users who can sign in by ssh now, and for whom new settings of sshd would leave no way in.
package struct LockedOutUsers: Equatable {
  /// The maximum number of users for whom sshd is asked.
  private static let mostUsers = 32

  /// The users who have a key, but no password that could be right.
  package private(set) var withKeys: [[UInt8]] = []
  /// The users who have a password, but no key.
  package private(set) var withPasswords: [[UInt8]] = []
  /// The users of whom it is not known whether they have a key.
  package private(set) var doubtful: [[UInt8]] = []
  /// Why that is not known.
  package private(set) var doubt = ""
  /// Whether there are more users than are examined.
  package private(set) var isIncomplete = false

  /// Finds the users before sshd's settings change.
  ///
  /// `isAskedForCode` says whether a user has a code, which the new lines may accept after a key.
  package init(
    by plan: ServicePlan, on host: any ExaminedHost, isAskedForCode: (UserName) -> Bool
  ) {
    guard let service = plan.planned, let general = SSHDSettings.inForce(on: host) else {
      return
    }
    let rules = HostRules(of: host)
    guard case .success(let accounts) = rules.accounts else { return }
    let hasMatches = !SSHDFile(of: host).matches.isEmpty
    var questions = Self.mostUsers
    for account in accounts where account.account.uid != 0 {
      guard let user = UserName(account.account.name), !Self.isExempt(account, plan, host),
        // sshd serves files and ports also to users whose shell ends at once. Keys show who they are.
        account.acceptsSignIns
          || rules.means(of: user.bytes, general, isEnrolled: false)?.key == .present
      else { continue }
      var present = general
      if hasMatches {
        questions -= 1
        guard questions >= 0 else {
          isIncomplete = true
          continue
        }
        let name = String(decoding: user.bytes, as: UTF8.self)
        present = SSHDSettings.inForce(for: name, on: host) ?? general
      }
      guard
        let means = rules.means(of: user.bytes, present, isEnrolled: isAskedForCode(user)),
        present.mayAdmit(means)
      else { continue }
      add(account, means, service.access(with: means, Self.future(plan, present, general)))
    }
  }

  private mutating func add(
    _ account: KnownAccount, _ means: AccountMeans, _ access: AccountAccess
  ) {
    let name = account.account.name
    switch (access, means.key) {
    case (.open, _): return
    case (.closed, .present): withKeys.append(name)
    case (.closed, .noKey): withPasswords.append(name)
    case (.closed, .unknown(let reason)), (.unknown(let reason), _):
      // Users without a password whose keys are not known sign in with a key now, and still can.
      if case .unknown = access, !means.hasPassword { return }
      // Accounts for programs rarely sign in.
      guard account.isPersonal else { return }
      doubtful.append(name)
      doubt = reason
    }
  }

  private static func isExempt(
    _ account: KnownAccount, _ plan: ServicePlan, _ host: any ExaminedHost
  ) -> Bool {
    plan.factors.exemptGroups.contains {
      host.isMember(account.account, of: Array($0.utf8)) == true
    }
  }

  /// Returns the settings for a user once the plan is carried out: what a `Match` block sets stays.
  private static func future(
    _ plan: ServicePlan, _ present: SSHDSettings, _ general: SSHDSettings
  ) -> SSHDSettings {
    let planned = SecureShellDropIn.effective(plan.factors)
    guard present.methodLists != general.methodLists,
      let methods = present.value(of: "authenticationmethods")
    else { return planned }
    return planned.with([("AuthenticationMethods", methods)])
  }
}
