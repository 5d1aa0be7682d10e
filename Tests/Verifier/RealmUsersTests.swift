import MFAStore
import MFAModel
import MFARealm
import MFARealmStore
import MFASharedStoreTestSupport
import MFASignInTestSupport
import MFABase
import Synchronization
import Testing

@testable import MFAAttempt
@testable import MFAVerifier

@Suite("The users of a realm")
struct RealmUsersTests {
  private let engine = MemoryEngine()
  private static let alice = Array("alice".utf8)
  private static let now: Int64 = 1_800_000_000

  private var conformance: FactorStoreConformance<SharedFactorStore<MemoryEngine>> {
    let realm = TestRealm(engine)
    return FactorStoreConformance { realm.store() }
  }

  private var users: RealmUsers<MemoryEngine> {
    RealmUsers(
      TestRealm(engine).store(),
      by: AuditLogEvent.Actor(
        name: Array("root".utf8), uid: 0, program: Array("tests".utf8), source: Source([])),
      at: Self.now)
  }

  private var events: [String] {
    engine.lines.compactMap { line in
      String(decoding: line.text, as: UTF8.self).split(separator: " ")
        .first { $0.hasPrefix("event=") }.map { String($0.dropFirst(6)) }
    }
  }

  @Test func names() throws {
    #expect(try users.names().isEmpty)
    try conformance.enroll()
    #expect(try users.names() == [Self.alice])
    #expect(try users.user(Self.alice)?.record.factors.count == 1)
    #expect(try users.user(Array("bob".utf8)) == nil)
  }

  @Test("unlocking clears failures, so that a code is accepted again")
  func unlock() throws {
    try conformance.enroll()
    var time = Self.now
    for _ in 0..<100 {
      _ = try conformance.attempt(try KnownFactor.wrongCode(at: time), at: time)
      time += 100_000
    }
    guard
      case .rejected(.locked) = try conformance.attempt(try KnownFactor.code(at: time), at: time)
    else {
      Issue.record("the factors are not locked")
      return
    }
    #expect(try users.unlock(Self.alice) == 100)
    guard case .accepted = try conformance.attempt(try KnownFactor.code(at: time), at: time) else {
      Issue.record("the factors are still locked")
      return
    }
    #expect(try users.unlock(Array("bob".utf8)) == nil)
  }

  @Test("unlocking clears remembered sign-ins, also for a user who is not locked")
  func unlockForgets() throws {
    try conformance.enroll()
    let store = TestRealm(engine).store()
    let entry = try store.entry(of: RealmUsers<MemoryEngine>.account(Self.alice), creating: false)
    try entry.write(
      entry.attempts.remembering(SignInOriginDigest(.address, 1), at: Self.now))
    try entry.sync()
    #expect(try users.unlock(Self.alice) == 0)
    #expect(try users.kept(Self.alice)?.attempts.remembered.entries.isEmpty == true)
    #expect(events.last == "unlocked")
    let lines = engine.lines.count
    #expect(try users.unlock(Self.alice) == 0)
    #expect(engine.lines.count == lines)
  }

  @Test("after a revocation no code is accepted")
  func revoke() throws {
    try conformance.enroll()
    #expect(try users.revoke(Self.alice)?.count == 1)
    #expect(try users.user(Self.alice) == nil)
    #expect(try users.names().isEmpty)
    guard case .rejected(.notEnrolled) = try conformance.attempt(try KnownFactor.code(at: Self.now))
    else {
      Issue.record("a revoked factor was asked for")
      return
    }
    #expect(try users.revoke(Self.alice) == nil)
  }

  @Test("nothing that a revocation removes is accepted after the next enrolment", arguments: 0...2)
  func revokeRest(way: Int) throws {
    let codes = OfflineCodeSet(
      id: [UInt8](repeating: 1, count: OfflineCodeSet.idLength),
      salt: [UInt8](repeating: 2, count: OfflineCodeSet.saltLength), costLog2: 15,
      codes: [.init(number: 0, hash: [UInt8](repeating: 3, count: OfflineCodeSet.hashLength))])
    let factor = try conformance.enroll()
    let offline = OfflineRegistry(TestRealm(engine).store())
    let directory = DirectoryRegistry(TestRealm(engine).store())
    try offline.setCodes(codes, of: Self.alice, for: Array("web".utf8))
    #expect(try directory.bind([1], to: Self.alice, reportedBy: [2]) == nil)
    switch way {
    case 0: #expect(try users.revoke(Self.alice) != nil)
    case 1: #expect(try users.revokingEverything(Self.alice) != nil)
    default: #expect(try users.revoking(Self.alice, factor.id) != nil)
    }
    #expect(try users.user(Self.alice) == nil)
    #expect(try offline.codes(of: Self.alice).isEmpty)
    #expect(try directory.entry(of: Self.alice) == nil)
  }

  // MARK: A new name

  private static let alicia = Array("alicia".utf8)

  /// The account of a user with the new name.
  private static var renamed: Account { Account(name: alicia, uid: 1000) }

  private func attempt(_ code: String, as name: [UInt8], at time: Int64) throws -> Bool {
    let result = try Attempt.make(
      TypedCodes(whole: Array(code.utf8).span), by: Account(name: name, uid: 1000),
      in: TestRealm(engine).store(at: time),
      Attempt.Context(settings: .defaults, clock: { time })
    ).result
    guard case .accepted = result else { return false }
    return true
  }

  @Test("what a user has goes to the new name: factors, failures, and which codes are used up")
  func rename() throws {
    let factor = try conformance.enroll()
    let code = try KnownFactor.code(at: Self.now)
    #expect(try attempt(code, as: Self.alice, at: Self.now))
    _ = try attempt(try KnownFactor.wrongCode(at: Self.now), as: Self.alice, at: Self.now)
    #expect(try users.rename(Self.alice, to: Self.alicia) == .moved)
    #expect(try users.names() == [Self.alicia])
    let moved = try #require(try users.user(Self.alicia))
    #expect(moved.record.factors.map(\.id) == [factor.id])
    #expect(moved.record.user.bytes == Self.alicia)
    #expect(moved.attempts.failures == 1)
    #expect(try users.kept(Self.alice) == nil)
    let later = Self.now + 3600
    let next = try KnownFactor.code(at: later)
    #expect(try !attempt(code, as: Self.alicia, at: Self.now))
    #expect(try !attempt(next, as: Self.alice, at: later))
    #expect(try attempt(next, as: Self.alicia, at: later))
    #expect(try !attempt(next, as: Self.alicia, at: later))
    let line = try #require(
      engine.lines.map { String(decoding: $0.text, as: UTF8.self) }
        .first { $0.contains("event=user-renamed") })
    #expect(line.contains(" user=alicia ") && line.contains(" name=alice "), "\(line)")
  }

  @Test("a user who changed the name twice has the factors, the recovery codes and the grants")
  func renameTwice() throws {
    try conformance.enroll()
    let store = TestRealm(engine).store()
    let code = Array("AAAABBBBCCCCDDDD".utf8)
    try store.deciding { () throws(FactorStoreError) in
      let entry = try store.entry(of: RealmUsers<MemoryEngine>.account(Self.alice), creating: false)
      var record = try entry.storedRecordOrNew()
      let digest = try entry.digest(of: code.span, kind: .generated, in: record)
      record.setRecoveryCodes([digest], at: Self.now)
      _ = try entry.replace(record: record, attempts: entry.attempts, entering: nil)
    }
    let terms = RealmUsers<MemoryEngine>.GrantTerms(
      kind: .bypass, expiresAt: Self.now + 600, uses: 1, reason: nil)
    guard let made = try users.granting(Self.alice, terms) else {
      Issue.record("no bypass code was made")
      return
    }
    for (name, next) in [(Self.alice, Self.alicia), (Self.alicia, Array("ada".utf8))] {
      #expect(try users.rename(name, to: next) == .moved)
      let entry = try TestRealm(engine).store().entry(
        of: RealmUsers<MemoryEngine>.account(next), creating: false)
      let record = try #require(entry.kept)
      let digest = try entry.digest(of: code.span, kind: .generated, in: record)
      #expect(record.recoveryCodes == [digest])
      let found = try Attempt.grant(.bypass, made.code, of: record, entry, now: Self.now)
      #expect(found?.id == made.grant.id)
    }
  }

  @Test("a name that has factors or codes is not given to another user")
  func renameToTakenName() throws {
    #expect(try users.rename(Self.alice, to: Self.alicia) == .unknown)
    try conformance.enroll()
    try conformance.enroll("Phone", Self.renamed)
    let rows = engine.rows
    #expect(try users.rename(Self.alice, to: Self.alicia) == .taken)
    #expect(engine.rows == rows)
    #expect(try users.revoke(Self.alicia) != nil)
    #expect(try users.rename(Self.alice, to: Self.alicia) == .moved)
    // The generation goes on from that of the factors before, which the audit log has.
    #expect(try users.kept(Self.alicia)?.record.generation == 3)
  }

  @Test("a sign-in at the same moment does not let a code be used twice")
  func renameDuringSignIn() throws {
    try conformance.enroll()
    let code = try KnownFactor.code(at: Self.now)
    let accepted = Mutex(false)
    engine.beforeNextCommit {
      accepted.withLock { $0 = (try? attempt(code, as: Self.alice, at: Self.now)) == true }
    }
    #expect(try users.rename(Self.alice, to: Self.alicia) == .moved)
    #expect(accepted.withLock { $0 })
    #expect(try !attempt(code, as: Self.alicia, at: Self.now))
    #expect(try !attempt(code, as: Self.alice, at: Self.now))
  }

  @Test("offline codes are removed, and the entry in the directory goes to the new name")
  func renameRest() throws {
    try conformance.enroll()
    let codes = OfflineCodeSet(
      id: [UInt8](repeating: 1, count: OfflineCodeSet.idLength),
      salt: [UInt8](repeating: 2, count: OfflineCodeSet.saltLength), costLog2: 15,
      codes: [.init(number: 0, hash: [UInt8](repeating: 3, count: OfflineCodeSet.hashLength))])
    let offline = OfflineRegistry(TestRealm(engine).store())
    let directory = DirectoryRegistry(TestRealm(engine).store())
    try offline.setCodes(codes, of: Self.alice, for: Array("web".utf8))
    #expect(try directory.bind([1], to: Self.alice, reportedBy: [2]) == nil)
    #expect(try users.rename(Self.alice, to: Self.alicia) == .moved)
    #expect(try offline.codes(of: Self.alice).isEmpty)
    #expect(try directory.entry(of: Self.alice) == nil)
    #expect(try directory.entry(of: Self.alicia) == [1])
    #expect(try directory.user(of: [1]) == Self.alicia)
  }

  @Test("each change is in the audit log, and an uncertain one is an error")
  func changesAreEntered() throws {
    try conformance.enroll()
    _ = try conformance.attempt(try KnownFactor.wrongCode(at: Self.now), at: Self.now)
    _ = try users.unlock(Self.alice)
    _ = try users.revoke(Self.alice)
    #expect(Array(events.suffix(2)) == ["unlocked", "revoked"])
    try conformance.enroll()
    engine.endNextCommit(with: .notice)
    #expect(throws: FactorStoreError.engine(.notice)) { _ = try users.revoke(Self.alice) }
  }
}
