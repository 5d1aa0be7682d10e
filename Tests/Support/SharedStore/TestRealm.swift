import MFABase
import MFACrypto
import MFARealmStore
import MFAStore

/// A realm with a known key, in an engine.
package struct TestRealm<Engine: StoreEngine>: @unchecked Sendable {
  /// The engine.
  package let engine: Engine

  /// Creates a realm.
  package init(_ engine: Engine) { self.engine = engine }

  /// Returns a store for one request.
  package func store(
    host: String? = nil, limit: UInt32 = 100, nonce: UInt8? = nil,
    at now: Int64 = 1_800_000_000, intervals: UInt8 = 10
  ) -> SharedFactorStore<Engine> {
    SharedFactorStore(
      engine,
      for: SharedRequest(
        host: host.map { Array($0.utf8) }, hostLimit: limit,
        nonce: nonce.map { [UInt8](repeating: $0, count: EngineAnswer.nonceLength) }),
      intervals: { intervals },
      key: { () throws(FactorStoreError) in try Self.key() },
      clock: { now })
  }

  /// Returns the realm's key.
  package static func key() throws(FactorStoreError) -> SealingKey {
    do throws(SystemError) {
      return try SealingKey(master: [UInt8](repeating: 7, count: SealingKey.length).span)
    } catch {
      throw .cryptography
    }
  }
}
