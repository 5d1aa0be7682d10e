import MFATestSupport
import MFAAdminTestSupport
import MFAModel
import Testing

@testable import MFADoctor

/// The figures of a report, with a real store and its audit log.
@Suite(.privateMachine) struct ReportFactsTests {
  @Test("only an unlock that makes a locked factor usable again is counted")
  func unlockOfLockedFactorIsCounted() throws {
    let store = try TemporaryStore()
    let now = TemporaryStore.now
    try store.enroll("alice", ["phone"], failures: 7, lastFailure: now - 25)
    try store.enroll("bob", uid: 1001, ["phone"], failures: 100, lastFailure: now - 25)
    let administration = store.administration
    _ = try administration.grant(.bypass, to: "alice", for: .minutes(5), uses: 1, reason: nil)
    func facts() throws -> ReportFacts {
      try administration.reportFacts(of: try administration.users())
    }
    #expect(try facts().locked == 1 && facts().unlockedFactors == 0)
    _ = try administration.unlock("alice")
    #expect(try facts().unlockedFactors == 0)
    _ = try administration.unlock("bob")
    let found = try facts()
    #expect(
      found.unlockedFactors == 1 && found.locked == 0 && found.users == 2 && found.bypasses == 1)
    #expect(found.events == ["bypass-made": 1, "unlocked": 2])
    #expect(found.auditLogProblem == nil && found.recordsWithoutEntries == 0)
    #expect(found.lastEntry?.hasPrefix("3:") == true)
    // A user without audit log entries is counted as unlisted.
    try store.enroll("carol", uid: 1002, ["phone"])
    #expect(try facts().recordsWithoutEntries == 1 && facts().auditLogProblem == nil)
  }
}
