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

  @Test(arguments: FactorStoreCheck.allCases)
  func conforms(_ check: FactorStoreCheck) throws { try conformance.run(check) }
}
