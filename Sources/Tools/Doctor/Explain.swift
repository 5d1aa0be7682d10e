import MFAAdmin
import MFAAttempt
import MFABase
import MFAModel
import MFASignIn
import MFAStore

// MFAExplain: a prediction of how a sign-in would be decided now.
//
// `Explanation` is the prediction with its reasons, and its forms as text and as JSON. `Decision`
// is the predicted decision. `SimulatedHost` and `SilentApplication` are the host and the
// application of the sign-in that is run for the prediction. `ReadinessSurvey` predicts the sign-ins of
// many users.
//
// MUST 1: this library is the only one of the tools that runs the code of `MFASignIn`.
// MUST 2: a prediction verifies no code and changes nothing.

extension Explanation {
  /// Predicts a sign-in on the host that the program runs on, whose rules are `rules`. With
  /// `countsSudo`, this includes what sudo asks PAM for, by its own rules, and what sshd does on other connections.
  package static func onThisHost(
    _ question: Question, rules: HostRules, countsSudo: Bool = false
  ) -> Explanation {
    let sudo =
      countsSudo
      ? Doctor.sudoFindings(for: question.user, at: question.service, rules) : []
    let sshd =
      countsSudo
      ? rules.secureShellBesides(
        for: question.user, from: question.address.map { VisibleText.escaping($0.text) },
        at: question.service) : []
    return Explanation(question, sudo: sudo, sshd: sshd, rules: rules, on: ThisMachine())
  }
}

extension Administration {
  /// Counts the stored records and the entries of the audit log.
  package func reportFacts(of users: [UserReport]) throws(AdminError) -> ReportFacts {
    var facts = ReportFacts()
    for user in users { facts.add(user, now: now) }
    let verification = try verifyAuditLog(expecting: nil, allowsUnlistedRecords: true) {
      facts.add($0)
    }
    facts.auditLogProblem = verification.problem?.sentence
    facts.recordsWithoutEntries = verification.recordsWithoutEntries
    facts.lastEntry = verification.lastEntry
    return facts
  }
}

extension Readiness {
  /// Predicts sign-ins on the host that the program runs on, whose configuration is `policy`: of the selected
  /// users, or of all whom the system lists. If `tenant` is nil, the sign-ins are those of the host and of
  /// all its tenants.
  package static func onThisHost(
    _ snapshot: HostSnapshot, under policy: Configuration, _ selection: ReadinessSelection?,
    tenant: [UInt8]?
  ) throws(AdminError) -> Readiness {
    try ReadinessSurvey(of: snapshot, under: policy, on: ThisMachine())
      .readiness(of: selection, tenant: tenant, progress: Console.progress)
  }
}

/// A host as seen from a service's process, for `mfa-admin explain`. Predictions that share a memory agree on
/// whether policy is enforced.
struct SimulatedHost<Base: Host>: Host {
  /// The real host.
  let base: Base
  /// Whether root would start the service.
  let isCalledByRoot: Bool
  /// The system user that the service's program runs as, or nil if the program acts as root.
  let systemUser: UInt32?
  /// Whether `state = observe` counts as `enabled`.
  let isEnforced: Bool
  /// What the host has been asked before, which predictions can share.
  let memory: HostMemory<Base>

  var codeSender: NoCodeSender { NoCodeSender() }

  var stacks: RememberedStacks<Base.Stacks> { memory.stacks { base.stacks } }

  func name() -> [UInt8] { base.name() }

  func configuration(at path: [UInt8]?) throws(ConfigurationError) -> Configuration {
    try memory.configuration(at: path) { () throws(ConfigurationError) in
      let configuration = try DecidingUser.reading { () throws(ConfigurationError) in
        try base.configuration(at: path)
      }
      return isEnforced ? configuration.enforced : configuration
    }
  }

  func publicConfiguration(at path: [UInt8]) throws(ConfigurationError) -> Configuration {
    let configuration = try base.publicConfiguration(at: path)
    return isEnforced ? configuration.enforced : configuration
  }

  func account(named name: [UInt8]) throws(SystemError) -> Account? {
    try memory.account(named: name) { () throws(SystemError) in try base.account(named: name) }
  }

  func account(
    sharingUIDOf account: Account, at index: Int32
  ) throws(SystemError) -> Account? {
    try memory.account(sharingUIDOf: account, at: index) { () throws(SystemError) in
      try base.account(sharingUIDOf: account, at: index)
    }
  }

  func isMember(_ account: Account, of group: [UInt8]) -> Bool? {
    memory.isMember(account, of: group) { base.isMember(account, of: group) }
  }

  func store() throws(FactorStoreError) -> RememberedStore<Base.Store> {
    try memory.store { () throws(FactorStoreError) in try base.store() }
  }

  /// Who would run the service.
  var identity: ProcessIdentity {
    ProcessIdentity(
      user: systemUser ?? (isCalledByRoot ? 0 : .max), actsAsRoot: systemUser == nil,
      isConfined: false)
  }

  var secureShell: SecureShellConfiguration { memory.secureShell { base.secureShell } }

  func now() throws(SystemError) -> Int64 { try base.now() }

  /// Sends no mail, since the sign-in does not happen.
  func deliverNotices(to account: Account) -> Bool { true }
}
