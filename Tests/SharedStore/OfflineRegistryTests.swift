import MFAAuditLog
import MFABytes
import MFAFactors
import MFAOfflineAccess
import MFASharedStore
import MFASharedStoreTestSupport
import MFAStoreFiles
import Testing

@Suite("What a realm keeps for outages")
struct OfflineRegistryTests {
  private let engine = MemoryEngine()
  private static let user = Array("alice".utf8)
  private static let host = Array("web1.example.org".utf8)
  private static let group = Array("web".utf8)
  private static let set = OfflineCodeSet(
    id: [UInt8](repeating: 1, count: 8), salt: [UInt8](repeating: 2, count: 16), costLog2: 15,
    codes: (0..<2).map {
      OfflineCodeSet.Code(number: $0, hash: [UInt8](repeating: $0, count: 32))
    })
  private static let actor = AuditLogEvent.Actor(
    name: Array("alice".utf8), uid: 0, program: Array("tests".utf8), source: Source([]))

  private var registry: OfflineRegistry<MemoryEngine> {
    OfflineRegistry(TestRealm(engine).store(at: 1_800_000_000))
  }

  private var events: [String] {
    engine.lines.compactMap { line in
      String(decoding: line.text, as: UTF8.self).split(separator: " ")
        .first { $0.hasPrefix("event=") }.map { String($0.dropFirst(6)) }
    }
  }

  private func enter(_ number: UInt64, code: UInt8) throws {
    let record = OfflineRecord(
      number: number, time: 1, kind: .code, user: Self.user, service: Array("sshd".utf8),
      source: [], code: OfflineCodeID(set: Self.set.id, number: code))
    try registry.enter(
      record,
      endingAt: OfflinePosition(number: number, chain: [UInt8](repeating: 7, count: 32)),
      of: Self.host)
  }

  @Test("a code that a host reports is removed, and a second use is told")
  func used() throws {
    try registry.setCodes(Self.set, of: Self.user, for: Self.group)
    #expect(try registry.codes(of: Self.user) == [Self.group: Self.set])
    try enter(1, code: 0)
    #expect(try registry.codes(of: Self.user)[Self.group]?.codes.map(\.number) == [1])
    try enter(2, code: 0)
    #expect(events == ["offline-code-used", "offline-code-used-again"])
    try registry.removeCodes(of: Self.user)
    #expect(try registry.codes(of: Self.user).isEmpty)
  }

  @Test("a record is entered once")
  func reportedOnce() throws {
    try registry.setCodes(Self.set, of: Self.user, for: Self.group)
    #expect(try registry.position(of: Self.host) == .beginning)
    try enter(1, code: 0)
    try enter(1, code: 0)
    #expect(try registry.position(of: Self.host).number == 1)
    #expect(events == ["offline-code-used"])
    try registry.skip(to: .beginning, of: Self.host, by: Self.actor)
    #expect(try registry.position(of: Self.host) == .beginning)
    #expect(events.last == "offline-queue-broken")
  }

  @Test("rows of another user or host, earlier rows and changed tokens are refused")
  func moved() throws {
    try registry.setCodes(Self.set, of: Self.user, for: Self.group)
    try enter(1, code: 0)
    let codes = try #require(EngineKey(.offlineCodes, Self.user))
    let queue = try #require(EngineKey(.offlineQueue, Self.host))
    let bob = Array("bob".utf8)
    engine.rows[try #require(EngineKey(.offlineCodes, bob))] = engine.rows[codes]
    engine.rows[try #require(EngineKey(.offlineQueue, bob))] = engine.rows[queue]
    #expect(throws: FactorStoreError.damaged(.record)) { _ = try registry.codes(of: bob) }
    #expect(throws: FactorStoreError.damaged(.record)) { _ = try registry.position(of: bob) }
    engine.rows[codes]?.version += 1
    #expect(throws: FactorStoreError.damaged(.record)) { _ = try registry.codes(of: Self.user) }
    let token = OfflineToken(host: Self.host, user: Self.user, signedInAt: 5)
    let sealed = try registry.sealed(token)
    #expect(try registry.token(sealed) == token)
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(throws: FactorStoreError.damaged(.record)) { _ = try registry.token(changed) }
    }
  }
}
