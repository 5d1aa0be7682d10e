import MFAAuditLog
import MFAAuthentication
import MFAFactors
import MFAPolicy
import MFASharedStore
import MFASharedStoreTestSupport
import MFASignInTestSupport
import MFAStoreFiles
import MFASystem
import Testing

@Suite("The format of a realm")
struct RealmFormatTests {
  typealias Store = SharedFactorStore<MemoryEngine>

  private let engine = MemoryEngine()
  private let account = Account(name: Array("alice".utf8), uid: 1000)
  private let now: Int64 = 1_800_000_000
  private let old = RealmFormats(newest: 1)
  private let new = RealmFormats(newest: 2)

  private static let actor = AuditLogEvent.Actor(
    name: Array("root".utf8), uid: 0, program: Array("tests".utf8), source: Source([]))

  init() { engine.realm.format = 1 }

  private func store(_ formats: RealmFormats, at time: Int64? = nil) -> Store {
    TestRealm(engine).store(at: time ?? now, formats: formats)
  }

  private func enroll(_ formats: RealmFormats) throws {
    try FactorStoreConformance { store(formats) }.enroll()
  }

  private func isAccepted(_ formats: RealmFormats, at time: Int64) throws -> Bool {
    let code = try KnownFactor.code(at: time)
    let attempt = try Attempt.make(
      TypedCodes(whole: Array(code.utf8).span), by: account, in: store(formats, at: time),
      Attempt.Context(settings: .defaults, clock: { time }))
    if case .accepted = attempt.result { return true }
    return false
  }

  private func attempts() throws -> [UInt8] {
    let key = try #require(EngineKey(.user, account.name))
    return try #require(engine.rows[key]).attempts
  }

  private var events: [String] {
    engine.lines.compactMap { line in
      String(decoding: line.text, as: UTF8.self).split(separator: " ")
        .first { $0.hasPrefix("event=") }.map { String($0.dropFirst(6)) }
    }
  }

  @Test("programs of two formats use one realm together, and write the earlier format")
  func programsOfTwoFormats() throws {
    try enroll(old)
    let length = try attempts().count
    for (index, formats) in [new, old, new, new, old].enumerated() {
      #expect(try isAccepted(formats, at: now + Int64(index + 1) * 30))
      #expect(try attempts().count == length)
    }
    // The code of one program is used for the other.
    #expect(try !isAccepted(new, at: now + 150))
  }

  @Test("after the format was raised, the earlier program refuses and the later one goes on")
  func olderProgram() throws {
    try enroll(old)
    let length = try attempts().count
    #expect(try store(new).finalizeFormat(by: Self.actor) == (1, 2))
    #expect(engine.realm.format == 2)
    #expect(throws: FactorStoreError.otherVersion(2)) { _ = try isAccepted(old, at: now + 30) }
    #expect(throws: FactorStoreError.otherVersion(2)) {
      _ = try store(old).finalizeFormat(by: Self.actor)
    }
    #expect(try store(old).realmFormat() == 2)
    #expect(try isAccepted(new, at: now + 60))
    #expect(try attempts().count < length - 300)
    #expect(try !isAccepted(new, at: now + 60))
    #expect(try store(new).finalizeFormat(by: Self.actor) == (2, 2))
    #expect(events.filter { $0 == "format-raised" }.count == 1)
  }

  @Test("a decision of the earlier program that ends after the format was raised is read")
  func decisionDuringRaise() throws {
    try enroll(old)
    let (engine, new, actor) = (engine, new, Self.actor)
    engine.beforeNextCommit {
      do {
        _ = try TestRealm(engine).store(formats: new).finalizeFormat(by: actor)
      } catch { Issue.record("\(error)") }
    }
    #expect(try isAccepted(old, at: now + 30))
    #expect(engine.realm.format == 2)
    #expect(try !isAccepted(new, at: now + 30))
    #expect(try isAccepted(new, at: now + 60))
  }

  @Test("a program that is two formats ahead refuses, because it cannot write the realm's format")
  func realmTwoFormatsBehind() throws {
    try enroll(old)
    #expect(throws: FactorStoreError.otherVersion(1)) {
      _ = try isAccepted(RealmFormats(newest: 3), at: now + 30)
    }
  }

  @Test("each changed byte of a row in format 2 is refused, and so is each shorter row")
  func everyByte() throws {
    try enroll(new)
    _ = try store(new).finalizeFormat(by: Self.actor)
    #expect(try isAccepted(new, at: now + 30))
    let key = try #require(EngineKey(.user, account.name))
    let row = try #require(engine.rows[key])
    for index in row.attempts.indices {
      var changed = row
      changed.attempts[index] ^= 1
      engine.rows[key] = changed
      #expect(throws: FactorStoreError.damaged(.attempts)) {
        _ = try store(new).snapshot(of: account)
      }
      changed.attempts = Array(row.attempts.prefix(index))
      engine.rows[key] = changed
      #expect(throws: FactorStoreError.damaged(.attempts)) {
        _ = try store(new).snapshot(of: account)
      }
    }
  }

  @Test("an administrator's new epoch refuses used codes, once, and is in the audit log")
  func newEpoch() throws {
    try enroll(new)
    let backup = engine.rows
    #expect(try isAccepted(new, at: now))
    engine.rows = backup
    let state = try store(new).beginEpoch(by: Self.actor)
    #expect(state.epoch == 2)
    #expect(engine.realm == state)
    #expect(try !isAccepted(new, at: now))
    engine.rows = backup
    #expect(try !isAccepted(new, at: now + 300))
    engine.rows = backup
    #expect(try isAccepted(new, at: now + 330))
    #expect(events.last == "epoch-begun")
  }
}
