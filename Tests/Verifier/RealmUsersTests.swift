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

  /// Makes a change, and returns whether the user has what it concerns.
  private func make(_ change: UserChange, _ name: [UInt8] = Self.alice) throws -> Bool {
    guard case .made = try users.apply(change, to: name, .defaults) else { return false }
    return true
  }

  @Test("a revocation of everything releases an entry of the directory that no factor has")
  func revoke() throws {
    #expect(try !make(.revokeEverything))
    let directory = DirectoryRegistry(TestRealm(engine).store())
    #expect(try directory.bind([1], to: Self.alice, reportedBy: [2]) == nil)
    guard
      case .made(.revoked(let removal), .entered(nil)) = try users.apply(
        .revokeEverything, to: Self.alice, .defaults)
    else {
      Issue.record("the entry was not released")
      return
    }
    #expect(removal.factors.isEmpty && removal.isOfEverything)
    #expect(try directory.entry(of: Self.alice) == nil)
    #expect(try !make(.revokeEverything))
  }

  @Test(
    "nothing that a revocation removes is accepted after the next enrolment",
    arguments: [true, false])
  func revokeRest(everything: Bool) throws {
    let codes = OfflineCodeSet(
      id: [UInt8](repeating: 1, count: OfflineCodeSet.idLength),
      salt: [UInt8](repeating: 2, count: OfflineCodeSet.saltLength), costLog2: 15,
      codes: [.init(number: 0, hash: [UInt8](repeating: 3, count: OfflineCodeSet.hashLength))])
    let factor = try conformance.enroll()
    let offline = OfflineRegistry(TestRealm(engine).store())
    let directory = DirectoryRegistry(TestRealm(engine).store())
    try offline.setCodes(codes, of: Self.alice, for: Array("web".utf8))
    #expect(try directory.bind([1], to: Self.alice, reportedBy: [2]) == nil)
    #expect(try make(everything ? .revokeEverything : .revoke(factor.id)))
    #expect(try TestRealm(engine).store().snapshot(of: conformance.account) == nil)
    #expect(try offline.codes(of: Self.alice).isEmpty)
    #expect(try directory.entry(of: Self.alice) == nil)
  }

  // MARK: A new name

  private static let alicia = Array("alicia".utf8)

  /// The account of a user with the new name.
  private static var renamed: Account { Account(name: alicia, uid: 1000) }

  private func move(_ name: [UInt8], to next: [UInt8]) throws -> Bool {
    guard case .moved(let checkpoint) = try users.rename(name, to: next) else { return false }
    return checkpoint != nil
  }

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
    #expect(try move(Self.alice, to: Self.alicia))
    let moved = try #require(try users.kept(Self.alicia))
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
    let terms = UserChange.GrantTerms(kind: .bypass, seconds: 600, uses: 1, reason: nil)
    guard
      case .made(.granted(let made), _) = try users.apply(
        .grant(terms), to: Self.alice, .defaults)
    else {
      Issue.record("no bypass code was made")
      return
    }
    for (name, next) in [(Self.alice, Self.alicia), (Self.alicia, Array("ada".utf8))] {
      #expect(try move(name, to: next))
      let entry = try TestRealm(engine).store().entry(
        of: RealmUsers<MemoryEngine>.account(next), creating: false)
      let record = try #require(entry.kept)
      let digest = try entry.digest(of: code.span, kind: .generated, in: record)
      #expect(record.recoveryCodes == [digest])
      let found = try Attempt.grant(.bypass, made.code.value, of: record, entry, now: Self.now)
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
    #expect(try make(.revokeEverything, Self.alicia))
    #expect(try move(Self.alice, to: Self.alicia))
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
    #expect(try move(Self.alice, to: Self.alicia))
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
    #expect(try move(Self.alice, to: Self.alicia))
    #expect(try offline.codes(of: Self.alice).isEmpty)
    #expect(try directory.entry(of: Self.alice) == nil)
    #expect(try directory.entry(of: Self.alicia) == [1])
    #expect(try directory.user(of: [1]) == Self.alicia)
  }

  @Test("each change is in the audit log, and an uncertain one is an error")
  func changesAreEntered() throws {
    try conformance.enroll()
    _ = try conformance.attempt(try KnownFactor.wrongCode(at: Self.now), at: Self.now)
    for change in [.unlock, .revokeEverything] as [UserChange] { #expect(try make(change)) }
    #expect(Array(events.suffix(2)) == ["unlocked", "revoked"])
    try conformance.enroll()
    engine.endNextCommit(with: .notice)
    #expect(throws: FactorStoreError.engine(.notice)) { _ = try make(.revokeEverything) }
  }
}
