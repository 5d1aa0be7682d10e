import MFARealmStore
import MFASharedStoreTestSupport
import MFAStore
import Testing

/// MUST 1 of DirectoryRegistry.swift.
@Suite("Entries of a directory service")
struct DirectoryRegistryTests {
  private let engine = MemoryEngine()
  private static let alice = Array("alice".utf8)
  private static let bob = Array("bob".utf8)
  private static let id = Array("0b5fb5b2-8a4b-103e-9f0f-5b1c3b1d7a10".utf8)

  private var registry: DirectoryRegistry<MemoryEngine> {
    DirectoryRegistry(TestRealm(engine).store())
  }

  private static let host = Array("desk1.example.org".utf8)

  /// Binds an entry. Returns the other name that has or had the entry, or nil.
  private func bind(_ id: [UInt8], _ user: [UInt8], _ host: [UInt8] = host) throws -> [UInt8]? {
    try registry.bind(id, to: user, reportedBy: host)
  }

  @Test("an entry is kept, replaced and removed")
  func kept() throws {
    #expect(try registry.entry(of: Self.alice) == nil)
    try registry.unbind(Self.alice)
    try registry.release(Self.alice)
    #expect(engine.rows.isEmpty)
    #expect(try bind(Self.id, Self.alice) == nil)
    #expect(try registry.entry(of: Self.alice) == Self.id)
    #expect(try registry.user(of: Self.id) == Self.alice)
    #expect(try registry.entry(of: Self.bob) == nil)
    #expect(try bind([1], Self.alice) == nil)
    #expect(try registry.entry(of: Self.alice) == [1])
    try registry.unbind(Self.alice)
    #expect(try registry.entry(of: Self.alice) == nil)
    #expect(try bind(Self.id, Self.alice) == nil)
    #expect(try registry.entry(of: Self.alice) == Self.id)
  }

  @Test("an entry that a name has is no other name's before it is moved or released")
  func boundOnce() throws {
    #expect(try bind(Self.id, Self.alice) == nil)
    let rows = engine.rows
    #expect(try bind(Self.id, Self.bob) == Self.alice)
    #expect(engine.rows == rows)
    try registry.move(from: Self.alice, to: Self.bob)
    #expect(try registry.user(of: Self.id) == Self.bob)
    #expect(try registry.entry(of: Self.alice) == nil)
    #expect(try registry.hosts(reporting: Self.id, of: Self.bob) == [Self.host])
    #expect(try bind(Self.id, Self.alice) == Self.bob)
    try registry.release(Self.bob)
    #expect(try bind(Self.id, Self.alice) == nil)
    #expect(try registry.user(of: Self.id) == Self.alice)
  }

  @Test("an entry that a name had stays reserved for the name, until an administrator releases it")
  func reserved() throws {
    #expect(try bind(Self.id, Self.alice) == nil)
    try registry.unbind(Self.alice)
    #expect(try bind(Self.id, Self.bob) == Self.alice)
    #expect(try registry.isReserved(for: Self.alice) && !registry.isReserved(for: Self.bob))
    try registry.release(Self.alice)
    #expect(try !registry.isReserved(for: Self.alice))
    #expect(try bind(Self.id, Self.bob) == nil)
    // An entry that was replaced by another one stays reserved, too.
    #expect(try bind([1], Self.bob) == nil)
    #expect(try bind(Self.id, Self.alice) == Self.bob)
    // What another name has is not released.
    #expect(try bind([2], Self.alice) == nil)
    try registry.release(Self.alice)
    #expect(try registry.user(of: [1]) == Self.bob)
  }

  @Test("of two names that claim an entry at the same moment, one gets it")
  func boundInParallel() throws {
    engine.beforeNextCommit { [engine] in
      _ = try? DirectoryRegistry(TestRealm(engine).store()).bind(
        Self.id, to: Self.bob, reportedBy: Self.host)
    }
    #expect(try bind(Self.id, Self.alice) == Self.bob)
    #expect(try registry.entry(of: Self.alice) == nil)
  }

  @Test("the hosts that report an entry are kept, up to a number of them")
  func hosts() throws {
    let hosts = (0..<12).map { [UInt8]([1, $0]) }
    for host in hosts { #expect(try bind(Self.id, Self.alice, host) == nil) }
    let most = DirectoryRegistry<MemoryEngine>.mostHosts
    #expect(try registry.hosts(reporting: Self.id, of: Self.alice) == Array(hosts.prefix(most)))
    #expect(try registry.hosts(reporting: [1], of: Self.alice).isEmpty)
    #expect(try bind([1], Self.alice) == nil)
    #expect(try registry.hosts(reporting: [1], of: Self.alice) == [Self.host])
  }

  @Test("an unchanged entry is not written again")
  func unchanged() throws {
    #expect(try bind(Self.id, Self.alice) == nil)
    let rows = engine.rows
    #expect(try bind(Self.id, Self.alice) == nil)
    #expect(engine.rows == rows)
  }

  @Test("a changed row, the row of another user and an earlier row are refused")
  func damaged() throws {
    let alice = try #require(EngineKey(.directoryEntry, Self.alice))
    let bob = try #require(EngineKey(.directoryEntry, Self.bob))
    #expect(try bind(Self.id, Self.alice) == nil)
    let row = try #require(engine.rows[alice])
    engine.rows[bob] = row
    #expect(throws: FactorStoreError.damaged(.record)) { try registry.entry(of: Self.bob) }
    for index in row.record.indices {
      engine.rows[alice]?.record[index] ^= 1
      #expect(throws: FactorStoreError.damaged(.record)) { try registry.entry(of: Self.alice) }
      engine.rows[alice] = row
    }
    engine.rows[alice]?.version += 1
    #expect(throws: FactorStoreError.damaged(.record)) { try registry.entry(of: Self.alice) }
  }
}
