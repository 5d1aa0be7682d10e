import MFASharedStore
import MFASharedStoreTestSupport
import MFAStoreFiles
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

  @Test("an entry is kept, replaced and removed")
  func kept() throws {
    #expect(try registry.entry(of: Self.alice) == nil)
    try registry.setEntry(nil, of: Self.alice)
    #expect(engine.rows.isEmpty)
    try registry.setEntry(Self.id, of: Self.alice)
    #expect(try registry.entry(of: Self.alice) == Self.id)
    #expect(try registry.entry(of: Self.bob) == nil)
    try registry.setEntry([1], of: Self.alice)
    #expect(try registry.entry(of: Self.alice) == [1])
    try registry.setEntry(nil, of: Self.alice)
    #expect(try registry.entry(of: Self.alice) == nil)
    try registry.setEntry(Self.id, of: Self.alice)
    #expect(try registry.entry(of: Self.alice) == Self.id)
  }

  @Test("the user of an entry is found, and is forgotten with the entry")
  func users() throws {
    try registry.setEntry(Self.id, of: Self.alice)
    #expect(try registry.user(of: Self.id) == Self.alice)
    try registry.setEntry([1], of: Self.alice)
    #expect(try registry.user(of: Self.id) == nil)
    #expect(try registry.user(of: [1]) == Self.alice)
    try registry.setEntry([1], of: Self.bob)
    #expect(try registry.user(of: [1]) == Self.bob)
    try registry.setEntry(nil, of: Self.alice)
    #expect(try registry.user(of: [1]) == Self.bob)
    try registry.setEntry(nil, of: Self.bob)
    #expect(try registry.user(of: [1]) == nil)
  }

  @Test("an unchanged entry is not written again")
  func unchanged() throws {
    try registry.setEntry(Self.id, of: Self.alice)
    let rows = engine.rows
    try registry.setEntry(Self.id, of: Self.alice)
    #expect(engine.rows == rows)
  }

  @Test("a changed row, the row of another user and an earlier row are refused")
  func damaged() throws {
    let alice = try #require(EngineKey(.directoryEntry, Self.alice))
    let bob = try #require(EngineKey(.directoryEntry, Self.bob))
    try registry.setEntry(Self.id, of: Self.alice)
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
