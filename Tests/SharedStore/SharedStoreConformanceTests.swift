import MFASharedStore
import MFASharedStoreTestSupport
import Testing

@Suite("A shared store conforms")
struct SharedStoreConformanceTests {
  private let engine = MemoryEngine()

  private var conformance: FactorStoreConformance<SharedFactorStore<MemoryEngine>> {
    let realm = TestRealm(engine)
    return FactorStoreConformance { realm.store() }
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
