import Dispatch
import MFABase
import MFAModel
import MFARealmStore
import MFASharedStoreTestSupport
import MFAStore
import Synchronization
import Testing

@Suite("The hosts of a realm")
struct HostRegistryTests {
  private let engine = MemoryEngine()
  private static let web = Array("web1.example.org".utf8)
  private static let groups = [Array("web".utf8)]
  private static let actor = AuditLogEvent.Actor(
    name: Array("root".utf8), uid: 0, program: Array("tests".utf8), source: Source([]))

  private func hosts(at now: Int64 = 1_800_000_000) -> HostRegistry<MemoryEngine> {
    HostRegistry(TestRealm(engine).store(at: now))
  }

  /// Returns the written form of a new ticket for `web`.
  private func newTicket() throws -> [UInt8] {
    let code = try hosts().newTicket(for: Self.web, groups: Self.groups, by: Self.actor)
    let written = code.written()
    return written.span.copied()
  }

  private func join(
    _ ticket: [UInt8], serial: [UInt8] = [1], at now: Int64 = 1_800_000_000
  ) throws -> HostRecord? {
    guard let code = RecoveryCode(answer: ticket.span) else { return nil }
    return try hosts(at: now).join(ticket: code, certificate: serial, by: Self.actor)
  }

  @Test("a ticket admits its host once")
  func ticket() throws {
    let ticket = try newTicket()
    let host = try #require(try join(ticket))
    #expect(host.name == Self.web)
    #expect(host.groups == Self.groups)
    #expect(try hosts().host(Self.web, certificate: [1]) == host)
    #expect(try join(ticket, serial: [2]) == nil)
    #expect(try hosts().host(Self.web, certificate: [2]) == nil)
  }

  @Test("an expired or unknown ticket admits nobody")
  func expired() throws {
    let ticket = try newTicket()
    #expect(try join(ticket, at: 1_800_000_600) == nil)
    #expect(try join(ticket, at: 1_800_000_599) != nil)
    #expect(try join(Array("abcd-efgh-ijkl-mnop".utf8)) == nil)
  }

  @Test("of several hosts with one ticket, one is admitted")
  func ticketInParallel() throws {
    let ticket = try newTicket()
    let admitted = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      do {
        if try join(ticket, serial: [UInt8(number)]) != nil { admitted.withLock { $0 += 1 } }
      } catch { Issue.record("\(error)") }
    }
    #expect(admitted.withLock { $0 } == 1)
  }

  @Test("unknown and revoked hosts and replaced certificates are refused")
  func refused() throws {
    #expect(try hosts().host(Self.web, certificate: [1]) == nil)
    #expect(try !hosts().renew(Self.web, present: [1], next: [2], by: Self.actor))
    _ = try join(try newTicket())
    #expect(try !hosts().renew(Self.web, present: [9], next: [2], by: Self.actor))
    #expect(try hosts().renew(Self.web, present: [1], next: [2], by: Self.actor))
    // The present certificate is valid until the next one is used.
    #expect(try hosts().host(Self.web, certificate: [1]) != nil)
    #expect(try hosts().renew(Self.web, present: [2], next: [3], by: Self.actor))
    #expect(try hosts().host(Self.web, certificate: [1]) == nil)
    #expect(try hosts().host(Self.web, certificate: [3]) != nil)
    #expect(try hosts().revoke(Self.web, by: Self.actor) != nil)
    for serial: UInt8 in 1...3 {
      #expect(try hosts().host(Self.web, certificate: [serial]) == nil)
    }
    #expect(try hosts().revoke(Array("db".utf8), by: Self.actor) == nil)
  }

  @Test("a ticket from before a revocation admits nobody, and one from after it does")
  func ticketFromBeforeRevocation() throws {
    _ = try join(try newTicket())
    let old = try newTicket()
    _ = try hosts(at: 1_800_000_001).revoke(Self.web, by: Self.actor)
    #expect(try join(old, at: 1_800_000_002) == nil)
    let code = try hosts(at: 1_800_000_003).newTicket(
      for: Self.web, groups: Self.groups, by: Self.actor)
    let written = code.written()
    #expect(try join(written.span.copied(), at: 1_800_000_004) != nil)
  }

  @Test("a host renews its certificate a few times in an hour, and not more often")
  func renewals() throws {
    _ = try join(try newTicket())
    let store = { (now: Int64) in
      TestRealm(engine).store(
        host: String(decoding: HostBudget.renewals(of: Self.web), as: UTF8.self),
        limit: HostRegistry<MemoryEngine>.renewalsHourly, at: now)
    }
    let begin: Int64 = 1_800_000_000
    func renew(_ number: UInt8, at now: Int64) throws -> Bool {
      try HostRegistry(store(now)).renew(
        Self.web, present: [number], next: [number + 1], by: Self.actor)
    }
    let most = UInt8(HostRegistry<MemoryEngine>.renewalsHourly)
    for number in 1...most { #expect(try renew(number, at: begin)) }
    let lines = engine.lines.count
    #expect(throws: FactorStoreError.engine(.budgetUsedUp)) {
      _ = try renew(most + 1, at: begin + 3599)
    }
    #expect(engine.lines.count == lines)
    #expect(try renew(most + 1, at: begin + 3600))
  }

  @Test("each change of a host is in the audit log")
  func entered() throws {
    _ = try join(try newTicket())
    _ = try hosts().renew(Self.web, present: [1], next: [2], by: Self.actor)
    _ = try hosts().revoke(Self.web, by: Self.actor)
    let events = engine.lines.compactMap { line in
      String(decoding: line.text, as: UTF8.self).split(separator: " ")
        .first { $0.hasPrefix("event=") }.map { String($0.dropFirst(6)) }
    }
    #expect(events == ["host-ticket-made", "host-joined", "host-renewed", "host-revoked"])
  }

  @Test("a changed row of a host, and an earlier one, are refused")
  func changed() throws {
    _ = try join(try newTicket())
    let key = try #require(EngineKey(.host, Self.web))
    let row = try #require(engine.rows[key])
    for index in row.record.indices {
      engine.rows[key]?.record = row.record
      engine.rows[key]?.record[index] ^= 1
      #expect(throws: FactorStoreError.damaged(.record)) { _ = try hosts().host(Self.web) }
    }
    engine.rows[key] = row
    _ = try hosts().revoke(Self.web, by: Self.actor)
    engine.rows[key]?.record = row.record
    #expect(throws: FactorStoreError.damaged(.record)) { _ = try hosts().host(Self.web) }
  }
}

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
