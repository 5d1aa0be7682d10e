import MFAAdmin
import MFAAttempt

extension Administration {
  /// Counts the stored records and the entries of the audit log.
  package func reportFacts(of users: [UserReport]) throws(AdminError) -> ReportFacts {
    var facts = ReportFacts()
    for user in users { facts.add(user, now: now) }
    let verification = try verifyLedger(expecting: nil, allowsUnlistedRecords: true) {
      facts.add($0)
    }
    facts.ledgerProblem = verification.problem?.sentence
    facts.recordsWithoutEntries = verification.recordsWithoutEntries
    facts.lastEntry = verification.reading.last.map { mark in
      let time = verification.last?.text("time") ?? "an unknown time"
      return "\(AuditLogProblem.text(mark)), of \(time)"
    }
    return facts
  }
}
