import MFAStore
import MFARealmStore
import MFASharedStoreTestSupport
import Testing

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
