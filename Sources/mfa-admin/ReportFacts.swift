import FactorStore
import Factors
import Secrets

/// What is stored, counted for a report.
struct ReportFacts: Equatable {
  /// Users with a factor.
  var users = 0
  /// Records that cannot be used.
  var unusable = 0
  /// Their factors.
  var factors = 0
  /// Factors with a key of fewer than 112 bits.
  var weakKeys = 0
  /// The longest period of a factor in seconds.
  var longestPeriod = 0
  /// Users whose factors are disabled now.
  var disabled = 0
  /// Users with recovery codes.
  var withRecoveryCodes = 0
  /// Users with recovery codes of eight digits, from another program.
  var withShortRecoveryCodes = 0
  /// Bypass codes that are good now.
  var bypasses = 0
  /// How often an administrator forgave what had disabled a user's factors.
  var forgiven = 0
  /// The entries of the ledger, by what they are about.
  var events: [String: Int] = [:]
  /// The services with an auth line that asks the module.
  var asking: [String] = []
  /// Whether the host has a service file of sshd's.
  var hasSSHD = false
  /// Ways in on which nobody is asked, or may not be, and what could not be told, with their places.
  var openings: [String] = []
  /// Whether the host has a mailer.
  var hasMailer = false
  /// What is wrong with the ledger; nil for nothing.
  var ledgerTrouble: String?
  /// The ledger's last entry.
  var lastEntry: String?
  /// How many records are older than the ledger.
  var unlisted = 0

  init() {}

  /// The fewest bytes of a key of 112 bits.
  private static let shortestKey = 14

  /// Counts one user.
  mutating func add(_ report: UserReport, now: Int64) {
    switch report.content {
    case .notEnrolled: break
    case .unusable: unusable += 1
    case .usable(let snapshot, let standing):
      users += 1
      factors += snapshot.record.factors.count
      for factor in snapshot.record.factors {
        longestPeriod = max(longestPeriod, Int(factor.parameters.period))
        switch factor.kind {
        case .totp(_, let sealed):
          let length = sealed.count - AES256GCM.nonceLength - AES256GCM.tagLength
          if length < Self.shortestKey { weakKeys += 1 }
        }
      }
      if standing == .disabled { disabled += 1 }
      if !snapshot.record.recoveryCodes.isEmpty { withRecoveryCodes += 1 }
      if snapshot.record.recoveryCodes.contains(where: { $0.kind == .imported }) {
        withShortRecoveryCodes += 1
      }
      bypasses += snapshot.record.grants.count { $0.kind == .bypass && $0.isGood(at: now) }
    }
  }

  /// Takes which services ask the module, and on which ways nobody is asked.
  mutating func add(_ chart: Chart) {
    asking = chart.asked.map(\.visibleName)
    hasSSHD = chart.services.contains(Array("sshd".utf8))
    openings = Doctor.openings(on: chart).map { "\($0.place): \($0.message)" }
    for service in chart.asked {
      guard let path = service.configuration else { continue }
      openings.append(
        "\(service.place): \(service.visibleName) goes by \(VisibleText.escaping(path)), which is not "
          + "looked at here")
    }
  }

  /// Counts one entry of the ledger.
  mutating func add(_ entry: LedgerEntry) {
    guard let event = entry.text("event") else { return }
    events[event, default: 0] += 1
    if event == "unlocked", entry.text("name") == AttemptState.Standing.disabled.word {
      forgiven += 1
    }
  }

  /// How often these things were entered in the ledger.
  func count(_ names: String...) -> Int { names.reduce(0) { $0 + (events[$1] ?? 0) } }
}
