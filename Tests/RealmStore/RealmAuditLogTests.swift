import MFAStore
import MFAModel
import MFARealmStore
import MFASharedStoreTestSupport
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
    try log.lines(after: number, most: 100).map { $0.checkpoint != nil }
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
