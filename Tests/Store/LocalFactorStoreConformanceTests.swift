import MFAStore
import MFASharedStoreTestSupport
import Testing

@Suite("The local store conforms")
struct LocalFactorStoreConformanceTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private var conformance: FactorStoreConformance<LocalFactorStore> {
    FactorStoreConformance(isAtomic: false) { [fixture] in try fixture.open() }
  }

  @Test(arguments: FactorStoreCheck.allCases)
  func conforms(_ check: FactorStoreCheck) throws { try conformance.run(check) }
}
