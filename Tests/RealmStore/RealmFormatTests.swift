import MFAStore
import MFAAttempt
import MFAModel
import MFARealmStore
import MFASharedStoreTestSupport
import MFASignInTestSupport
import MFABase
import Testing

@Suite("The format of a realm")
struct RealmFormatTests {
  typealias Store = SharedFactorStore<MemoryEngine>

  private let engine = MemoryEngine()
  private let account = Account(name: Array("alice".utf8), uid: 1000)
  private let now: Int64 = 1_800_000_000

  private static let actor = AuditLogEvent.Actor(
    name: Array("root".utf8), uid: 0, program: Array("tests".utf8), source: Source([]))

  private func store(at time: Int64? = nil) -> Store { TestRealm(engine).store(at: time ?? now) }

  private func enroll() throws { try FactorStoreConformance { store() }.enroll() }

  private func isAccepted(at time: Int64) throws -> Bool {
    let code = try KnownFactor.code(at: time)
    let attempt = try Attempt.make(
      TypedCodes(whole: Array(code.utf8).span), by: account, in: store(at: time),
      Attempt.Context(settings: .defaults, clock: { time }))
    if case .accepted = attempt.result { return true }
    return false
  }

  private var events: [String] {
    engine.lines.compactMap { line in
      String(decoding: line.text, as: UTF8.self).split(separator: " ")
        .first { $0.hasPrefix("event=") }.map { String($0.dropFirst(6)) }
    }
  }

  @Test("a realm of another format is refused")
  func otherFormat() throws {
    try enroll()
    engine.realm.format = 2
    #expect(throws: FactorStoreError.otherVersion(2)) { _ = try isAccepted(at: now + 30) }
    engine.realm.format = 1
    #expect(try isAccepted(at: now + 30))
  }

  @Test("each changed byte of a row is refused, and so is each shorter row")
  func everyByte() throws {
    try enroll()
    #expect(try isAccepted(at: now + 30))
    let key = try #require(EngineKey(.user, account.name))
    let row = try #require(engine.rows[key])
    for index in row.attempts.indices {
      var changed = row
      changed.attempts[index] ^= 1
      engine.rows[key] = changed
      #expect(throws: FactorStoreError.damaged(.attempts)) {
        _ = try store().snapshot(of: account)
      }
      changed.attempts = Array(row.attempts.prefix(index))
      engine.rows[key] = changed
      #expect(throws: FactorStoreError.damaged(.attempts)) {
        _ = try store().snapshot(of: account)
      }
    }
  }

  @Test("an administrator's new epoch refuses used codes, once, and is in the audit log")
  func newEpoch() throws {
    try enroll()
    let backup = engine.rows
    #expect(try isAccepted(at: now))
    engine.rows = backup
    let state = try store().beginEpoch(by: Self.actor)
    #expect(state.epoch == 2)
    #expect(engine.realm == state)
    #expect(try !isAccepted(at: now))
    engine.rows = backup
    #expect(try !isAccepted(at: now + 300))
    engine.rows = backup
    #expect(try isAccepted(at: now + 330))
    #expect(events.last == "epoch-begun")
  }
}
