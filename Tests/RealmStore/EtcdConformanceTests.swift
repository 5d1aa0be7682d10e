import MFARealmStore
import MFASharedStoreTestSupport
import MFATestSupport
import Testing

/// The shared store with a real cluster of three members behind it. Each store has a connection of its
/// own, as separate verifiers have.
@Suite("A shared store in etcd conforms", .privateMachine)
struct EtcdConformanceTests {
  private let realm: EtcdRealmFixture

  init() throws { realm = try EtcdRealmFixture() }

  private var conformance: FactorStoreConformance<SharedFactorStore<EngineWithoutClock<EtcdEngine>>>
  {
    FactorStoreConformance { TestRealm(EngineWithoutClock(realm.engine())).store() }
  }

  @Test(arguments: FactorStoreCheck.allCases)
  func conforms(_ check: FactorStoreCheck) throws { try conformance.run(check) }

  @Test("the engine conforms", arguments: StoreEngineCheck.allCases)
  func engineConforms(_ check: StoreEngineCheck) throws {
    try StoreEngineConformance(waitsForLines: false, realm.engine).run(check)
  }
}
