import MFAAdmin
import MFABase
import MFAPAMStack

// What keeps an account from using a service, whatever pam_mfa.so decides: its entry in the shadow database,
// the lists of users and groups in sshd's files, its shell, and other modules of the stack.

/// An entry of the shadow database (shadow(5)), as pam_unix.so reads it.
package struct ShadowEntry: Equatable {
  /// The name of the account.
  package let name: [UInt8]
  /// Whether a password can be right.
  package let hasPassword: Bool
  /// The day of the last change of the password, counted from the epoch as the other days.
  private let changed: Int64?
  /// For how many days a password can be used.
  private let longestAge: Int64?
  /// For how many days after that it can be changed.
  private let grace: Int64?
  /// The day on which the account expires.
  private let end: Int64?

  /// Reads the fields of a line. Nil if it has no name.
  package init?(_ fields: [[UInt8]]) {
    guard let name = fields.first, !name.isEmpty else { return nil }
    func number(_ index: Int) -> Int64? {
      guard index < fields.count else { return nil }
      return Int64(String(decoding: fields[index], as: UTF8.self)).flatMap { $0 < 0 ? nil : $0 }
    }
    self.name = name
    // No password has such a hash (shadow(5)).
    hasPassword =
      ![UInt8(ascii: "!"), UInt8(ascii: "*")].contains(fields.count > 1 ? fields[1].first : nil)
    (changed, longestAge, grace, end) = (number(2), number(4), number(6), number(7))
  }

  /// Returns why the `account` lines of pam_unix.so refuse the account at a time, in seconds since the
  /// epoch. Nil if they do not. A password that can still be changed is no reason.
  package func expiry(at now: Int64) -> String? {
    let today = now / Self.day
    if let end, today >= end {
      let date = Timestamp(end.multipliedReportingOverflow(by: Self.day).partialValue)
      return "the account expired on \(date.map { String($0.full.prefix(10)) } ?? "day \(end)")"
    }
    guard let changed, changed > 0, let longestAge, let grace else { return nil }
    let (age, days) = (today.subtractingReportingOverflow(changed).partialValue, longestAge)
    let (limit, isMore) = days.addingReportingOverflow(grace)
    return !isMore && age > limit ? "the password expired, and can no longer be changed" : nil
  }

  private static let day: Int64 = 86_400
}

/// What keeps an account from using a service, whatever pam_mfa.so decides.
///
/// MUST 1: an obstacle is reported only if nothing unknown decides it. (`AccountObstacleTests`)
package struct AccountObstacle: Equatable {
  /// The obstacle, in words.
  package let reason: String
  /// Whether the sign-in is denied. Otherwise it succeeds, and its session ends at once.
  package let deniesSignIn: Bool
}

extension AccountObstacle {
  /// What decides whether an account can use a service.
  struct Facts {
    /// The account in the system's databases, or nil if it is not known.
    let account: KnownAccount?
    /// Why the `account` lines of pam_unix.so refuse the account, or nil.
    let expiry: String?
    /// The account for the modules of the stack.
    let claimant: Claimant
    /// Why modules of the stack refuse the account in any case, by the file and line.
    let refusals: [[UInt8]: String]
    /// Whether the program of the service runs the `auth` lines for the account.
    let runsAuthLines: Bool
    /// The settings of sshd for the account; nil for other services, or if they are not known.
    let secureShell: SecureShellRules?
    /// What the account can prove to sshd, if that is known.
    let means: AccountMeans?
  }

  /// Examines an account at a service. Nil if no obstacle is known.
  init?(_ facts: Facts, at stacks: ServiceStacks, _ rules: HostRules) {
    if let account = facts.account, let shell = facts.secureShell,
      let refusal = shell.refusal(of: account, rules)
    {
      self.init(reason: refusal, deniesSignIn: true)
    } else if let expiry = facts.expiry, Self.isDenied(.account, by: stacks, facts.claimant) {
      self.init(reason: expiry, deniesSignIn: true)
    } else if let reason = Self.refusal(facts, stacks) {
      self.init(reason: reason, deniesSignIn: true)
    } else if let reason = Self.missingProof(facts, stacks) {
      self.init(reason: reason, deniesSignIn: true)
    } else if let account = facts.account, let problem = rules.shellProblem(of: account),
      Self.startsShell(stacks.name, facts.secureShell)
    {
      self.init(reason: problem, deniesSignIn: false)
    } else {
      return nil
    }
  }

  /// Returns whether the lines deny the claimant because of its entry in the shadow database.
  private static func isDenied(
    _ type: StackType, by stacks: ServiceStacks, _ claimant: Claimant
  ) -> Bool {
    var other = claimant
    (other.passwordIsLocked, other.hasExpired) = (false, false)
    return stacks.denies(claimant, type) && !stacks.denies(other, type)
  }

  /// Returns why a module of the stack refuses the account, if that denies the sign-in, or nil.
  private static func refusal(_ facts: Facts, _ stacks: ServiceStacks) -> String? {
    for (line, reason) in facts.refusals.sorted(by: { $0.value < $1.value }) {
      var other = facts.claimant
      other.conditions[line] = nil
      // sshd verifies a key itself, and may then run no auth line.
      let runsAuthLines =
        facts.runsAuthLines
        && (facts.secureShell?.settings.map { $0.waysWithoutPAM.isEmpty } ?? true)
      for type in runsAuthLines ? [StackType.auth, .account] : [.account]
      where stacks.denies(facts.claimant, type) && !stacks.denies(other, type) {
        return reason
      }
    }
    return nil
  }

  /// Returns that the account can prove nothing that the service accepts, or nil.
  private static func missingProof(_ facts: Facts, _ stacks: ServiceStacks) -> String? {
    guard facts.claimant.passwordIsLocked, facts.runsAuthLines else { return nil }
    guard facts.secureShell != nil || stacks.name == Array("sshd".utf8) else {
      return isDenied(.auth, by: stacks, facts.claimant)
        ? "a password is required, and the account has none" : nil
    }
    guard let settings = facts.secureShell?.settings, facts.means?.key == .noKey,
      settings.provesByPasswordOrKeyOnly
    else { return nil }
    // Another module may accept what no file of the host says.
    return stacks.denies(facts.claimant, .auth)
      ? "the account has neither a password nor a key" : nil
  }

  /// Returns whether a sign-in at a service starts the user's shell.
  private static func startsShell(_ service: [UInt8], _ secureShell: SecureShellRules?) -> Bool {
    switch String(decoding: service, as: UTF8.self) {
    case "sshd": secureShell?.settings.map { !$0.offersFilesWithoutShell } ?? false
    case "login", "remote", "su", "su-l": true
    case _: false
    }
  }
}
