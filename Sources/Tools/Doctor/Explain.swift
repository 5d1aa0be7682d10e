import MFAAdmin
import MFAAttempt
import MFABase
import MFAModel
import MFASignIn

// MFAExplain: a prediction of how a sign-in would be decided now.
//
// `Explanation` is the prediction with its reasons, and its forms as text and as JSON. `Decision`
// is the predicted decision. `SimulatedHost` and `SilentApplication` are the host and the
// application of the sign-in that is run for the prediction. `ReadinessSurvey` predicts the sign-ins of
// many users.
//
// MUST 1: this library is the only one of the tools that runs the code of `MFASignIn`.
// MUST 2: a prediction verifies no code and changes nothing.

import MFAModel
import MFASignIn
import MFABase

extension Explanation {
  /// Predicts a sign-in on the host that the program runs on, whose rules are `rules`. With
  /// `countsSudo`, this includes what sudo asks PAM for, by its own rules.
  package static func onThisHost(
    _ question: Question, rules: HostRules, countsSudo: Bool = false
  ) -> Explanation {
    let sudo =
      countsSudo
      ? Doctor.sudoFindings(for: question.user, at: question.service, rules) : []
    return Explanation(question, sudo: sudo, rules: rules, on: ThisMachine())
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
  /// Predicts sign-ins of these accounts on the host that the program runs on, whose configuration is
  /// `policy`. If `tenant` is nil, the sign-ins are those of the host and of all its tenants.
  package static func onThisHost(
    _ snapshot: HostSnapshot, under policy: Configuration, accounts: [Account], tenant: [UInt8]?
  ) throws(AdminError) -> Readiness {
    try ReadinessSurvey(of: snapshot, under: policy, on: ThisMachine())
      .readiness(of: accounts, tenant: tenant, progress: Console.progress)
  }
}
