import MFAFactorStore
import MFASharedStoreTestSupport
import Testing

@Suite("The local store conforms")
struct LocalFactorStoreConformanceTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private var conformance: FactorStoreConformance<LocalFactorStore> {
    FactorStoreConformance { [fixture] in try fixture.open() }
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
  @Test func snapshots() throws { try conformance.snapshots(isAtomic: false) }
  @Test func configuration() throws { try conformance.configuration() }
}
