import MFAModel
import MFAPostgreSQLTestSupport
import MFARealmStore
import MFASharedStoreTestSupport
import MFAStore
import MFATestSupport
import Testing

@Suite("The audit log of a realm")
struct RealmAuditLogTests {
  private let engine = MemoryEngine()

  /// Enters this many tickets.
  private func fill(_ count: Int) throws {
    let actor = AuditLogEvent.Actor(
      name: [], uid: nil, program: Array("tests".utf8), source: Source([]))
    let hosts = HostRegistry(TestRealm(engine).store())
    for _ in 0..<count {
      _ = try hosts.newTicket(for: Array("web1".utf8), groups: [Array("web".utf8)], by: actor)
        .written()
    }
  }

  private var log: RealmAuditLog<MemoryEngine> { RealmAuditLog(TestRealm(engine).store()) }

  private func verified(after number: UInt32 = 0) throws -> [Bool] {
    try log.lines(after: number, most: 100).map { !$0.checkpoint.isEmpty }
  }

  @Test("lines are verified from any line on")
  func pages() throws {
    #expect(try log.lines(after: 0, most: 9).isEmpty)
    #expect(try log.end() == 0)
    try fill(5)
    #expect(try verified() == [true, true, true, true, true])
    #expect(try log.lines(after: 2, most: 2).map(\.number) == [3, 4])
    #expect(try verified(after: 2) == [true, true, true])
    #expect(try log.end() == 5)
    #expect(try verified(after: 5).isEmpty)
  }

  @Test("the end of the log takes one read of the database")
  func roundTrips() throws {
    for lines in [0, 1, 40] {
      try fill(lines - engine.lines.count)
      let before = (engine.loads, engine.logReads)
      #expect(try log.end() == UInt32(lines))
      #expect(engine.loads == before.0 && engine.logReads == before.1 + 1)
    }
  }

  @Test("no line is verified from a changed, removed or moved one on")
  func changedLine() throws {
    try fill(5)
    let lines = engine.lines
    engine.lines[2].text[10] ^= 1
    #expect(try verified() == [true, true, false, false, false])
    #expect(try verified(after: 1) == [true, false, false, false])
    engine.lines = lines
    engine.lines[2].end = lines[1].end
    #expect(try verified() == [true, true, false, false, false])
    engine.lines = lines
    engine.lines.remove(at: 2)
    #expect(try verified() == [true, true, false, false])
    // The line before is missing.
    #expect(try verified(after: 3) == [false, false])
    engine.lines = lines
    (engine.lines[1].text, engine.lines[2].text) = (lines[2].text, lines[1].text)
    #expect(try verified() == [true, false, false, false, false])
  }
}

@Suite("The audit log of a shared store")
struct SharedAuditLogTests {
  private func lines() throws -> [EngineLogLine] {
    let engine = MemoryEngine()
    let realm = TestRealm(engine)
    let conformance = FactorStoreConformance { realm.store() }
    for name in ["One", "Two", "Three"] { try conformance.enroll(name) }
    return engine.lines
  }

  private func isWhole(_ lines: [[UInt8]], _ end: [UInt8]) throws -> Bool {
    var key = try TestRealm<MemoryEngine>.key()
    var verification = SharedAuditLog.Verification()
    for line in lines {
      guard try verification.take(line, &key) != nil else { return false }
    }
    return try verification.isComplete(end, &key)
  }

  @Test("a log is whole as it was written")
  func whole() throws {
    let lines = try lines()
    #expect(lines.map(\.number) == [1, 2, 3])
    #expect(try isWhole(lines.map(\.text), try #require(lines.last).end))
  }

  @Test("a changed byte, and a removed, moved, repeated or missing line is found")
  func everyChangeIsFound() throws {
    let written = try lines()
    let lines = written.map(\.text)
    let end = try #require(written.last).end
    for number in lines.indices {
      for index in lines[number].indices {
        var changed = lines
        changed[number][index] ^= 1
        #expect(try !isWhole(changed, end))
      }
      var removed = lines
      removed.remove(at: number)
      #expect(try !isWhole(removed, end))
      #expect(try !isWhole(lines + [lines[number]], end))
    }
    #expect(try !isWhole([lines[1], lines[0], lines[2]], end))
    #expect(try !isWhole(lines, written[1].end))
    #expect(try !isWhole([], end))
  }

  @Test("an end that was changed is refused")
  func changedEnd() throws {
    let written = try lines()
    var end = try #require(written.last).end
    end[3] ^= 1
    #expect(throws: (any Error).self) { _ = try isWhole(written.map(\.text), end) }
  }
}

/// A server with a realm.
struct RealmDatabase {
  let cluster: PostgreSQLCluster

  init(settings: [String] = []) throws {
    cluster = try PostgreSQLCluster(settings: settings)
    try cluster.createRealm()
  }

  /// Returns an engine with a connection of its own.
  func engine() -> PostgreSQLEngine { PostgreSQLEngine(cluster.configuration()) }

  /// A configuration whose calls may take two seconds.
  var hastyConfiguration: PostgreSQLConfiguration {
    var configuration = cluster.configuration()
    configuration.loadDeadline = .seconds(2)
    configuration.commitDeadline = .seconds(2)
    return configuration
  }

  /// Returns an engine whose calls may take two seconds.
  func hastyEngine() -> PostgreSQLEngine { PostgreSQLEngine(hastyConfiguration) }
}
