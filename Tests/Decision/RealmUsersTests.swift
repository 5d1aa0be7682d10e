import MFAAuditLog
import MFAAuthentication
import MFAFactors
import MFAOfflineAccess
import MFASharedStore
import MFASharedStoreTestSupport
import MFASignInTestSupport
import MFAStoreFiles
import Testing

@testable import MFADecision

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
    try directory.setEntry([1], of: Self.alice)
    switch way {
    case 0: #expect(try users.revoke(Self.alice) != nil)
    case 1: #expect(try users.revokingEverything(Self.alice) != nil)
    default: #expect(try users.revoking(Self.alice, factor.id) != nil)
    }
    #expect(try users.user(Self.alice) == nil)
    #expect(try offline.codes(of: Self.alice).isEmpty)
    #expect(try directory.entry(of: Self.alice) == nil)
  }

  @Test("each change is in the audit log, and an uncertain one is an error")
  func changesAreEntered() throws {
    try conformance.enroll()
    _ = try users.unlock(Self.alice)
    _ = try users.revoke(Self.alice)
    #expect(Array(events.suffix(2)) == ["unlocked", "revoked"])
    try conformance.enroll()
    engine.endNextCommit(with: .notice)
    #expect(throws: FactorStoreError.engine(.notice)) { _ = try users.revoke(Self.alice) }
  }
}
