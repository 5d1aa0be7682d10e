import MFAStore
import MFABase
import MFAModel
import MFARealm
import MFASharedStoreTestSupport
import Testing

@testable import MFARealmStore

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
  private var registry: OfflineRegistry<MemoryEngine> {
    OfflineRegistry(TestRealm(engine).store(at: 1_800_000_000))
  }

  private var events: [String] {
    engine.lines.compactMap { line in
      String(decoding: line.text, as: UTF8.self).split(separator: " ")
        .first { $0.hasPrefix("event=") }.map { String($0.dropFirst(6)) }
    }
  }

  /// The registry for reports of the host, which may cause two entries in an hour.
  private func reporting(at now: Int64 = 1_800_000_000) -> OfflineRegistry<MemoryEngine> {
    let host = String(decoding: HostBudget.reports(of: Self.host), as: UTF8.self)
    return OfflineRegistry(TestRealm(engine).store(host: host, limit: 2, at: now))
  }

  private static func position(_ number: UInt64) -> OfflinePosition {
    OfflinePosition(number: number, chain: [UInt8](repeating: 7, count: 32))
  }

  private static func record(
    _ number: UInt64, _ kind: OfflineRecord.Kind, code: UInt8 = 0
  ) -> OfflineRecord {
    OfflineRecord(
      number: number, time: 1, kind: kind, user: user, service: Array("sshd".utf8),
      source: Array("192.0.2.7".utf8),
      code: kind == .code ? OfflineCodeID(set: set.id, number: code) : nil)
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
    try registry.skip(to: .beginning, of: Self.host)
    #expect(try registry.position(of: Self.host) == .beginning)
    #expect(events.last == "offline-queue-broken")
  }

  @Test("the host is the actor, whatever it states")
  func actor() throws {
    for (number, kind) in [(1, .breakGlass), (2, .attempt)] as [(UInt64, OfflineRecord.Kind)] {
      try registry.enter(Self.record(number, kind), endingAt: Self.position(number), of: Self.host)
    }
    try registry.refuse(3, endingAt: Self.position(5), of: Self.host)
    try registry.skip(to: .beginning, of: Self.host)
    #expect(engine.lines.count == 4)
    for line in engine.lines {
      let text = String(decoding: line.text, as: UTF8.self)
      #expect(text.contains(" by=web1.example.org by-uid=- via=mfa-fleet from=web1.example.org"))
    }
    let first = String(decoding: engine.lines[0].text, as: UTF8.self)
    #expect(
      first.contains(
        " event=offline-break-glass user=alice uid=- id=- name=web1.example.org\\x20"
          + "1970-01-01T00:00:01Z\\x20sshd by="), "\(first)")
    #expect(first.contains(" from=web1.example.org:192.0.2.7 "))
    #expect(events.suffix(2) == ["offline-records-refused", "offline-queue-broken"])
    #expect(String(decoding: engine.lines[2].text, as: UTF8.self).contains(" user=- "))
  }

  @Test(
    "a host causes no more entries in an hour than it may, and uses up no code without an entry")
  func budget() throws {
    try registry.setCodes(Self.set, of: Self.user, for: Self.group)
    try reporting().enter(Self.record(1, .attempt), endingAt: Self.position(1), of: Self.host)
    try reporting().skip(to: Self.position(4), of: Self.host)
    let rows = engine.rows
    let code = Self.record(5, .code)
    for _ in 0..<2 {
      #expect(throws: FactorStoreError.engine(.budgetUsedUp)) {
        try reporting().enter(code, endingAt: Self.position(5), of: Self.host)
      }
      #expect(throws: FactorStoreError.engine(.budgetUsedUp)) {
        try reporting().skip(to: .beginning, of: Self.host)
      }
      #expect(throws: FactorStoreError.engine(.budgetUsedUp)) {
        try reporting().refuse(1, endingAt: Self.position(5), of: Self.host)
      }
    }
    #expect(engine.rows == rows && engine.lines.count == 2)
    // Another host has its own number of entries, and so has the host in the next hour.
    try OfflineRegistry(TestRealm(engine).store(host: "web2/", limit: 2))
      .skip(to: Self.position(9), of: Array("web2".utf8))
    try reporting(at: 1_800_003_600).enter(code, endingAt: Self.position(5), of: Self.host)
    #expect(events.last == "offline-code-used")
  }

  @Test("a report that was interrupted uses up a code once, and does not tell a second use")
  func interrupted() throws {
    try registry.setCodes(Self.set, of: Self.user, for: Self.group)
    let code = Self.record(1, .code)
    engine.beforeNextCommit { [engine] in
      // Another verifier enters the same record.
      try? OfflineRegistry(TestRealm(engine).store(at: 1_800_000_000))
        .enter(code, endingAt: Self.position(1), of: Self.host)
    }
    try registry.enter(code, endingAt: Self.position(1), of: Self.host)
    engine.endNextCommit(with: .deadline)
    let next = Self.record(2, .code, code: 1)
    #expect(throws: FactorStoreError.engine(.deadline)) {
      try registry.enter(next, endingAt: Self.position(2), of: Self.host)
    }
    try registry.enter(next, endingAt: Self.position(2), of: Self.host)
    #expect(events == ["offline-code-used", "offline-code-used"])
    #expect(try registry.codes(of: Self.user)[Self.group]?.codes.isEmpty == true)
  }

  @Test("reports leave the last half of the numbers of the log to other changes")
  func numbers() throws {
    var key = try TestRealm<MemoryEngine>.key()
    let last = UInt32.max / 2
    var writer = ByteWriter()
    writer.write(1 as UInt8)
    writer.write(last - 1)
    writer.write(0 as Int64)
    writer.write([UInt8](repeating: 1, count: SealingKey.checksumLength))
    let end = writer.bytes + (try key.checksum(of: writer.bytes, purpose: .sharedAuditLogEnd))
    engine.lines = [EngineLogLine(number: last - 1, text: [0x0A], end: end)]
    try registry.enter(Self.record(1, .attempt), endingAt: Self.position(1), of: Self.host)
    #expect(throws: FactorStoreError.engine(.budgetUsedUp)) {
      try registry.enter(Self.record(2, .attempt), endingAt: Self.position(2), of: Self.host)
    }
    let hosts = HostRegistry(TestRealm(engine).store())
    _ = try hosts.newTicket(
      for: Self.host, groups: [Self.group],
      by: AuditLogEvent.Actor(name: [], uid: nil, program: [], source: Source([])))
    #expect(engine.lines.last?.number == last + 1)
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
