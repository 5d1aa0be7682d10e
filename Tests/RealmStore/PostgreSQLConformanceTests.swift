import MFARealmStore
import MFASharedStoreTestSupport
import MFATestSupport
import Testing

/// The shared store with a real server behind it. Each store has a connection of its own, as
/// separate verifiers have.
@Suite("A shared store in PostgreSQL conforms", .privateMachine)
struct PostgreSQLConformanceTests {
  private let database: RealmDatabase

  init() throws { database = try RealmDatabase() }

  private var conformance:
    FactorStoreConformance<SharedFactorStore<EngineWithoutClock<PostgreSQLEngine>>>
  {
    FactorStoreConformance { TestRealm(EngineWithoutClock(database.engine())).store() }
  }

  @Test(arguments: FactorStoreCheck.allCases)
  func conforms(_ check: FactorStoreCheck) throws { try conformance.run(check) }

  @Test("the engine conforms", arguments: StoreEngineCheck.allCases)
  func engineConforms(_ check: StoreEngineCheck) throws {
    try StoreEngineConformance(database.engine).run(check)
  }
}
