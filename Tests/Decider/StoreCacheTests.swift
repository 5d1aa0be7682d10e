import MFABase
import MFAStore
import MFAModel
import MFATestSupport
import Testing

@testable import MFADecider

/// The MUSTs of StoreCache.
@Suite("Cached stores", .privateMachine)
struct StoreCacheTests {
  private let folder: StoreFolder

  init() throws { folder = try StoreFolder() }

  /// Returns a cache that has opened the store and keeps it.
  private func filled() throws -> StoreCache {
    let cache = try folder.cache()
    _ = try cache.open().keyProbe()
    #expect(cache.isFilled)
    try folder.tick()
    return cache
  }

  /// Returns why a cache cannot open the store, or use its key.
  private func refusal(_ cache: StoreCache) throws -> FactorStoreError? {
    do throws(FactorStoreError) {
      _ = try cache.open().keyProbe()
      return nil
    } catch {
      return error
    }
  }

  @Test("a store that has not changed stays open")
  func unchanged() throws {
    let cache = try filled()
    #expect(try cache.open() === cache.open())
  }

  @Test(
    "a changed or replaced key is in use",
    arguments: [
      "chmod 0600 $K; head -c 32 /dev/zero | tr '\\0' x > $K; chmod 0400 $K",
      "head -c 32 /dev/zero | tr '\\0' x > $K.2; chmod 0400 $K.2; touch -r $K $K.2; mv $K.2 $K",
    ])
  func replacedKey(script: String) throws {
    let cache = try filled()
    let before = try cache.open().keyProbe()
    try folder.run(script)
    #expect(try cache.open().keyProbe() != before)
  }

  @Test("a key that changes twice within a tick of the file system's clock is in use each time")
  func sameTick() throws {
    let cache = StoreCache(try folder.location())
    var probes: [UInt64] = []
    for number in 0..<100 as Range<UInt8> {
      try folder.writeKey(number)
      probes.append(try cache.open().keyProbe())
      #expect(try cache.open().keyProbe() == probes.last)
    }
    #expect(Set(probes).count == 100)
    #expect(!cache.isFilled)
  }

  @Test("a removed key is an error, which is not kept")
  func removedKey() throws {
    let cache = try filled()
    try folder.run("mv $K $K.2")
    for _ in 0..<2 { #expect(try refusal(cache) == .system(.key, .notFound(.open))) }
    #expect(!cache.isFilled)
    try folder.run("mv $K.2 $K")
    #expect(try refusal(cache) == nil)
    #expect(cache.isFilled)
  }

  @Test("a replaced folder is in use")
  func replacedFolder() throws {
    let cache = try filled()
    let before = try cache.open()
    try folder.run("mv $S $S.2; mkdir -m 0700 $S $S/factors $S/attempts; chown 1 $S")
    let after = try cache.open()
    #expect(before !== after && before.ownerIdentity == 0 && after.ownerIdentity == 1)
    try folder.run("rm -r $S")
    #expect(try refusal(cache) == .system(.directory, .notFound(.open)))
  }

  @Test(
    "a folder or a key whose owner, mode or type changed is refused",
    arguments: [
      ("chmod 0750 $S", .untrusted(.directory, .wrongPermissions)),
      ("mv $S $S.2; ln -s $S.2 $S", .untrusted(.directory, .notADirectory)),
      ("chown 1 $S", nil),
      ("chmod 0440 $K", .untrusted(.key, .wrongPermissions)),
      ("chown 1 $K", .untrusted(.key, .wrongOwner)),
      ("mv $K $K.2; ln -s $K.2 $K", .untrusted(.key, .symbolicLink)),
      ("ln $K $K.2", .untrusted(.key, .severalNames)),
    ] as [(String, FactorStoreError?)])
  func distrusted(script: String, expected: FactorStoreError?) throws {
    let cache = try filled()
    try folder.run(script)
    #expect(try refusal(cache) == expected)
  }

  @Test("a folder whose owner changed belongs to another user")
  func otherOwner() throws {
    let cache = try filled()
    try folder.run("chown 1 $S $K")
    #expect(try cache.open().ownerIdentity == 1)
    try folder.run("chown 2 $S")
    #expect(try refusal(cache) == .untrusted(.key, .wrongOwner))
  }
}

extension LocalFactorStore {
  /// Returns a number that depends on the key.
  fileprivate func keyProbe() throws(FactorStoreError) -> UInt64 {
    guard let user = UserName(Array("alice".utf8)),
      let id = FactorID(bytes: [UInt8](repeating: 1, count: FactorID.length))
    else { throw .nameTooLong }
    let record = FactorRecord(user: user, uid: 1000, id: id)
    return try digests(of: [SignInOrigin(.session, [1])], in: record).first?.value ?? 0
  }
}
