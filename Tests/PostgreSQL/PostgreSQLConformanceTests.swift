import MFAPostgreSQL
import MFASharedStore
import MFASharedStoreTestSupport
import MFATestSupport
import Testing

/// The shared store with a real server behind it. Each store has a connection of its own, as
/// separate verifiers have.
@Suite("A shared store in PostgreSQL conforms", .privateMachine)
struct PostgreSQLConformanceTests {
  private let database: RealmDatabase

  init() throws { database = try RealmDatabase() }

  private var conformance: FactorStoreConformance<SharedFactorStore<PostgreSQLEngine>> {
    FactorStoreConformance { TestRealm(database.engine()).store() }
  }

  @Test func missingUser() throws { try conformance.missingUser() }
  @Test func enrolment() throws { try conformance.enrolment() }
  @Test func checkpoints() throws { try conformance.checkpoints() }
  @Test func failedCommit() throws { try conformance.failedCommit() }
  @Test func removal() throws { try conformance.removal() }
  @Test func separateUsers() throws { try conformance.separateUsers() }
  @Test func attempts() throws { try conformance.attempts() }
  @Test func oneCodeInParallel() throws { try conformance.oneCodeInParallel() }
  @Test func parallelCommits() throws { try conformance.parallelCommits() }
  @Test func snapshots() throws { try conformance.snapshots(isAtomic: true) }
  @Test func configuration() throws { try conformance.configuration() }
}
