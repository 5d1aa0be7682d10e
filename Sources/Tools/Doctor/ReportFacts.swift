import MFAAdmin
import MFAModel
import MFAStore

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
  var auditLogProblem: String? = "the audit log was not verified"
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
  package mutating func add(_ entry: AuditLogEntry) {
    guard let event = entry.text("event") else { return }
    events[event, default: 0] += 1
    if event == "unlocked" || event == "restore-accepted",
      entry.text("name") == AttemptState.Standing.locked.word
    {
      unlockedFactors += 1
    }
  }

  /// Returns the number of audit log entries with one of these events.
  package func count(_ names: String...) -> Int { names.reduce(0) { $0 + (events[$1] ?? 0) } }
}

/// One requirement of a standard, and whether this host meets it.
package struct ReportItem: Equatable {
  /// Whether the host meets the requirement.
  ///
  /// The raw values are stable across versions.
  package enum Status: String, Equatable, Sendable {
    /// The requirement is met, according to what was read on this host.
    case met = "met"
    /// The host does not meet the requirement, or the evidence is missing or cannot be read.
    case notMet = "not-met"
    /// Every host meets the requirement, because of how this software works. Tests show it.
    case byDesign = "by-design"
    /// This software cannot decide whether the requirement is met.
    case outside = "outside"

    /// The status in words.
    var text: String {
      switch self {
      case .met: "met"
      case .notMet: "not met"
      case .byDesign: "by design"
      case .outside: "outside"
      }
    }
  }

  /// A setting that the status depends on.
  package struct Setting: Equatable {
    /// The tenant that the setting applies to, or nil for `[project]`.
    package let tenant: String?
    /// The key and its value, as in a configuration file.
    package let text: String
    /// The file and the line, or `default`.
    package let place: String

    /// Creates the setting that a key has for a tenant, or for `[project]` if `tenant` is nil.
    init(_ key: Configuration.Key, in tenant: Tenant?, of configuration: Configuration) {
      let own = tenant.flatMap { configuration.value(of: key, in: $0) }
      let value = own ?? configuration.value(of: key) ?? []
      let origin = configuration.origin(of: key, in: own == nil ? nil : tenant)
      self.tenant = tenant.map { VisibleText.escaping($0.name) }
      text = "\(key.name) = \(VisibleText.escaping(value))"
      place = origin.map { VisibleText.escaping(configuration.place(of: $0)) } ?? "default"
    }
  }

  /// The standard and its section, such as `NIST SP 800-63B-4 3.1.4`.
  package let section: String
  /// The requirement in a few words.
  package let requirement: String
  /// Whether the host meets the requirement.
  package let status: Status
  /// The settings that the status depends on.
  package let settings: [Setting]
  /// The evidence for the status.
  package let evidence: [String]
  /// The tests that show what does not depend on the host, as `Suite.function`.
  package let tests: [String]

  init(
    _ section: String, _ requirement: String, _ status: Status, settings: [Setting] = [],
    _ evidence: [String], tests: [String] = []
  ) {
    self.section = section
    self.requirement = requirement
    self.status = status
    self.settings = settings
    self.evidence = evidence
    self.tests = tests
  }

  /// The item as JSON. Member names are stable across versions.
  package var json: JSON {
    .object([
      ("section", .string(section)), ("requirement", .string(requirement)),
      ("status", .string(status.rawValue)),
      (
        "settings",
        .array(
          settings.map {
            .object([
              ("tenant", JSON($0.tenant)), ("setting", .string($0.text)),
              ("place", .string($0.place)),
            ])
          })
      ),
      ("evidence", .array(evidence.map { .string($0) })),
      ("tests", .array(tests.map { .string($0) })),
    ])
  }
}

/// What the relay of this host says about an outage: `mfa-fleet relay --status`.
struct RelayReport: Equatable {
  /// Whether the relay decides by itself, because no verifier has answered for some time.
  let isOffline: Bool
  /// The number of users about whom the relay may decide then; 0 if the host keeps nothing.
  let permits: Int
  /// Whether the file with the permits could be read.
  let arePermitsSound: Bool
  /// False if the record of sign-ins during an outage was changed.
  let isQueueSound: Bool

  /// Asks the relay. Returns nil if it does not run, or if its program is not installed.
  static func read(on host: any ExaminedHost) -> RelayReport? {
    do throws(AdminError) {
      guard let output = try host.output(of: "/usr/sbin/mfa-fleet", ["relay", "--status"]),
        output.isSuccess
      else { return nil }
      return RelayReport(String(decoding: output.output, as: UTF8.self))
    } catch {
      return nil
    }
  }

  /// Reads lines such as `state = online`. A line that is missing means that nothing is wrong.
  init(_ text: String) {
    let lines = text.split(separator: "\n")
    func value(of key: String) -> Substring? {
      let beginning = key + " = "
      return lines.first { $0.hasPrefix(beginning) }?.dropFirst(beginning.count)
    }
    isOffline = value(of: "state") == "offline"
    permits = value(of: "permits").flatMap { Int($0) } ?? 0
    arePermitsSound = value(of: "permits_file") != "damaged"
    isQueueSound = value(of: "queue") != "damaged"
  }
}
