import MFAStore
import MFAModel
@testable import MFADecider
@testable import MFARealmStore
import MFASharedStoreTestSupport
import MFABase
import MFATestSupport
import Testing

@testable import MFAVerifier

/// The MUSTs of RealmMail.swift.
@Suite("Mails to users of a realm", .privateMachine)
struct RealmMailTests {
  private static let alice = Account(name: Array("alice".utf8), uid: 0)

  /// A database that can be away.
  private final class FailingEngine: StoreEngine {
    let engine: MemoryEngine
    var isAway = false

    init(_ engine: MemoryEngine) { self.engine = engine }

    func load(_ key: EngineKey, _ context: EngineContext) throws(EngineError) -> EngineSnapshot {
      guard !isAway else { throw .unreachable }
      return try engine.load(key, context)
    }

    func commit(
      _ change: EngineChange, entering: ((_ end: [UInt8]) -> EngineLogLine?)?
    ) throws(EngineError) {
      guard !isAway else { throw .unreachable }
      try engine.commit(change, entering: entering)
    }

    func replaceRealm(epoch: UInt64, with state: RealmState) throws(EngineError) -> Bool {
      try engine.replaceRealm(epoch: epoch, with: state)
    }

    func logLines(after number: UInt32, most: Int) throws(EngineError) -> [EngineLogLine] {
      try engine.logLines(after: number, most: most)
    }

    func keys(
      _ kind: EngineKey.Kind, after id: [UInt8], most: Int
    ) throws(EngineError) -> [EngineKey] { try engine.keys(kind, after: id, most: most) }

    func lastLine() throws(EngineError) -> EngineLogLine? { try engine.lastLine() }
  }

  /// Messages and their recipients.
  private final class Sent {
    var messages: [String] = []
    var recipients: [String] = []
  }

  private let realm: DecisionTests.Realm
  private let engine: FailingEngine
  private let sent = Sent()

  init() throws {
    realm = try DecisionTests.Realm()
    engine = FailingEngine(realm.engine)
  }

  /// Adds a notice to the record of alice, and leaves her name.
  private func change() throws {
    let store = TestRealm(realm.engine).store(at: try Clock.now())
    try store.deciding { () throws(FactorStoreError) in
      guard let entry = try store.existingEntry(of: Self.alice), var record = entry.kept else {
        throw .damaged(.record)
      }
      record.note(
        .recoveryCodeUsed, about: .recoveryCodes, from: Source(Array("192.0.2.9".utf8)),
        at: 1_800_000_000)
      let changed = record
      _ = try entry.replace(
        record: changed, attempts: entry.attempts,
        entering: FactorStoreConformance<SharedFactorStore<MemoryEngine>>.event)
    }
    try realm.mail().add(Self.alice)
  }

  /// Empties the folder, with a mailer that returns `mailing`.
  private func empty(
    _ mailing: Mailing = .sent, _ whileMailing: @escaping () throws -> Void = {}
  ) throws -> Bool {
    let key = try #require(TrustedPath(Array(realm.key.utf8)))
    let folder = try realm.mail()
    let decisions = DecisionRealm(
      engine, try DecisionTests.configuration(), key: key, owner: 0, mail: folder,
      policy: realm.policy())
    return try RealmMail(realm: decisions, folder: folder) { message, recipient in
      sent.messages.append(String(decoding: message, as: UTF8.self))
      sent.recipients.append(String(decoding: recipient, as: UTF8.self))
      do { try whileMailing() } catch { Issue.record(error) }
      return mailing
    }.empty()
  }

  @Test("a notice is mailed once, to the user, with the name of the verifier")
  func once() throws {
    try change()
    #expect(try empty())
    let host = String(decoding: try HostName.current(), as: UTF8.self)
    #expect(sent.recipients == ["alice"])
    let message = try #require(sent.messages.first)
    #expect(message.contains("To: alice\nSubject: alice on \(host): A recovery code was used\n"))
    #expect(message.contains("192.0.2.9"))
    #expect(try realm.mailed() == [])
    // Another verifier made the next delivery of the same record.
    try realm.mail().add(Self.alice)
    #expect(try empty())
    #expect(sent.messages.count == 1)
    try change()
    #expect(try empty())
    #expect(sent.messages.count == 2)
    try realm.remove()
  }

  @Test("two deliveries at the same time mail a notice twice at most")
  func twoVerifiers() throws {
    try change()
    let haveAllBegun = try empty {
      try realm.mail().add(Self.alice)
      guard sent.messages.count == 1 else { return }
      #expect(try empty())
    }
    #expect(haveAllBegun)
    #expect(sent.messages.count == 2)
    try realm.mail().add(Self.alice)
    #expect(try empty())
    #expect(sent.messages.count == 2)
    try realm.remove()
  }

  @Test("while the database does not answer, an account keeps its file")
  func unreachable() throws {
    try change()
    engine.isAway = true
    for _ in 0..<2 {
      let haveAllBegun = try empty()
      #expect(!haveAllBegun)
      #expect(try realm.mailed() == ["alice"])
    }
    #expect(sent.messages.isEmpty)
    engine.isAway = false
    #expect(try empty())
    #expect(sent.messages.count == 1)
    #expect(try realm.mailed() == [])
    try realm.remove()
  }

  @Test("if the database fails after the mail, the account is mailed again only at its next notice")
  func notMarked() throws {
    try change()
    let haveAllBegun = try empty { engine.isAway = true }
    #expect(haveAllBegun)
    engine.isAway = false
    #expect(try realm.mailed() == [])
    #expect(try empty())
    #expect(sent.messages.count == 1)
    try change()
    #expect(try empty())
    #expect(sent.messages.count == 2)
    #expect(sent.messages.last?.contains("A recovery code was used 2 times") == true)
    try realm.remove()
  }

  @Test("what the mailer refuses is in the next mail", arguments: [Mailing.refused(75), .noMailer])
  func refused(mailing: Mailing) throws {
    try change()
    #expect(try empty(mailing))
    #expect(try realm.mailed() == [])
    try change()
    #expect(try empty())
    #expect(sent.messages.count == 2)
    #expect(sent.messages.last?.contains("A recovery code was used 2 times") == true)
    try realm.remove()
  }

  @Test("a user without a record, and one whose record is damaged, lose their files")
  func unreadable() throws {
    try change()
    try realm.mail().add(Account(name: Array("bob".utf8), uid: 0))
    let key = try #require(EngineKey(.user, Array("alice".utf8)))
    let row = try #require(realm.engine.rows[key])
    realm.engine.rows[key] = EngineRow(
      version: row.version, record: Array(row.record.dropLast()), attempts: row.attempts)
    #expect(try empty())
    #expect(sent.messages.isEmpty)
    #expect(try realm.mailed() == [])
    try realm.remove()
  }
}
