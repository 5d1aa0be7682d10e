import MFARealmStore
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

  @Test("the engine in memory conforms", arguments: StoreEngineCheck.allCases)
  func engineConforms(_ check: StoreEngineCheck) throws {
    engine.realm.fence = 1_700_000_000
    try StoreEngineConformance { [engine] in engine }.run(check)
  }
}
