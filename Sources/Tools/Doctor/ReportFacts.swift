import MFAAdmin
import MFAStore
import MFAModel

/// The facts that a report is based on, mostly counts of stored records.
///
/// Until the host and the audit log are examined, the facts about them are unfavourable, so that
/// the items that depend on these facts are not met.
package struct ReportFacts: Equatable {
  /// The number of users with a factor.
  package var users = 0
  /// The number of records that cannot be used.
  package var unusable = 0
  /// The number of factors.
  package var factors = 0
  /// The number of factors with a key of fewer than 112 bits.
  var weakKeys = 0
  /// The number of phones, to which codes are sent.
  var phones = 0
  /// The users who have phones, and no factor of another kind.
  var phoneOnly: [String] = []
  /// The longest period of a factor, in seconds.
  var longestPeriod = 0
  /// The number of users whose factors are locked.
  package var locked = 0
  /// The number of users with recovery codes.
  var withRecoveryCodes = 0
  /// The number of users with imported recovery codes of eight digits.
  var withShortRecoveryCodes = 0
  /// The number of users who have used recovery codes and not made new ones since. Users who have
  /// none left are not counted, because they may never have had any.
  var withUsedRecoveryCodes = 0
  /// The number of valid bypass codes.
  var bypasses = 0
  /// How often an administrator unlocked locked factors.
  var unlockedFactors = 0
  /// The number of audit log entries by event.
  var events: [String: Int] = [:]
  /// The services with an `auth` line for the module.
  var servicesUsingModule: [String] = []
  /// Whether the host has a PAM service file for sshd.
  var hasSSHD = false
  /// Ways to sign in that certainly or possibly ask for no code, and checks that failed, each with
  /// its source location.
  var signInsWithoutCode = [notExamined]
  /// Ways into services on which no first factor is proven, each with its source location.
  var signInsWithoutFirstFactor = [notExamined]
  /// Ways in which a user other than mfa and root may read or change a key, and checks that failed,
  /// each with its source location.
  var keyExposures = [notExamined]
  /// Ways in which a user may enrol a factor without the password of the account, and checks that
  /// failed.
  var enrollmentGaps = [notExamined]
  /// Whether the host has a mailer.
  package var hasMailer = false
  /// What is wrong with the audit log, or nil if it was verified.
  var ledgerProblem: String? = "the audit log was not verified"
  /// The last entry of the audit log.
  var lastEntry: String?
  /// The number of records without an entry in the audit log.
  var recordsWithoutEntries = 0

  init() {}

  /// The length of a key of 112 bits, in bytes.
  private static let shortestKey = 14

  private static let notExamined = "the host was not examined"

  /// Counts one user.
  package mutating func add(_ report: UserReport, now: Int64) {
    switch report.content {
    case .notEnrolled: break
    case .unusable: unusable += 1
    case .usable(let user):
      users += 1
      factors += user.factors.count
      for factor in user.factors {
        switch factor.summary.kind {
        case .totp(let parameters):
          longestPeriod = max(longestPeriod, Int(parameters.period))
          if factor.keyLength < Self.shortestKey { weakKeys += 1 }
        case .phone: phones += 1
        }
      }
      if user.isEnrolled, user.factors.allSatisfy({ $0.isPhone }) {
        phoneOnly.append(report.visibleName)
      }
      if user.standing == .locked { locked += 1 }
      if user.recoveryCodes > 0 { withRecoveryCodes += 1 }
      if user.importedRecoveryCodes > 0 { withShortRecoveryCodes += 1 }
      let unused = Int(user.recoveryCodes) - Int(user.importedRecoveryCodes)
      if (1..<FactorRecord.maximumRecoveryCodes).contains(unused) { withUsedRecoveryCodes += 1 }
      bypasses += user.grants.count { $0.kind == .bypass && $0.isGood(at: now) }
    }
  }

  /// Adds the services that use the module, the ways to sign in or to enrol without proof, and the
  /// ways to read a key.
  package mutating func add(_ snapshot: HostSnapshot) {
    servicesUsingModule = snapshot.servicesWithModule.map(\.visibleName)
    hasSSHD = snapshot.services.contains(Array("sshd".utf8))
    signInsWithoutCode = Doctor.bypassFindings(on: snapshot).map(Self.text)
    signInsWithoutFirstFactor = Doctor.waysWithoutFirstFactor(on: snapshot)
    keyExposures = Doctor.keyExposureFindings(on: snapshot).map(Self.text)
    enrollmentGaps = Doctor.enrollmentGaps(on: snapshot)
    for service in snapshot.servicesWithModule {
      guard let path = service.configuration else { continue }
      signInsWithoutCode.append(
        "\(service.place): \(service.visibleName) uses \(VisibleText.escaping(path)), which is not "
          + "checked here")
    }
  }

  private static func text(_ finding: Finding) -> String { "\(finding.place): \(finding.message)" }

  /// Counts one entry of the audit log.
  package mutating func add(_ entry: LedgerEntry) {
    guard let event = entry.text("event") else { return }
    events[event, default: 0] += 1
    // Earlier versions wrote `disabled`.
    let standing = entry.text("name")
    if event == "unlocked" || event == "restore-accepted",
      standing == AttemptState.Standing.locked.word || standing == "disabled"
    {
      unlockedFactors += 1
    }
  }

  /// Returns the number of audit log entries with one of these events.
  package func count(_ names: String...) -> Int { names.reduce(0) { $0 + (events[$1] ?? 0) } }
}
