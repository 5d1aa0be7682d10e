import MFAAdminTestSupport
import MFABase
import MFAModel
import MFAStore
import Foundation
import MFATestSupport
import Testing

@testable import MFAAdmin

/// What an administrator can do when the audit log is damaged or files were restored.
@Suite("Administration with a damaged audit log", .privateMachine)
struct BrokenAuditLogTests {
  private func break_(_ store: TemporaryStore, _ part: String = "audit-log.head") throws {
    let path = store.folder + "/store/" + part
    let length = try store.bytes(of: path).count
    try FileManager.default.removeItem(atPath: path)
    try store.write([UInt8](repeating: 0x41, count: length), to: path)
  }

  /// Returns a store with users whose last change is in the audit log.
  private func prepare(_ users: [String] = ["alice", "bob"]) throws -> TemporaryStore {
    let store = try TemporaryStore()
    for (index, user) in users.enumerated() {
      try store.enroll(user, uid: UInt32(1000 + index), ["phone", "tablet"])
      _ = try store.administration.revoke(
        try store.administration.plan(.factor("tablet"), of: user))
    }
    return store
  }

  @Test(
    "the audit log names users in full, so that long names with the same beginning are told apart")
  func longNames() throws {
    let long = String(repeating: "a", count: 150)
    let names = [String(repeating: "a", count: 128), long + "b", long + "c", long + "@example.org"]
    let store = try prepare(names)
    let verification = try store.verify()
    #expect(verification.problem == nil, "\(String(describing: verification.problem))")
    for name in names { #expect(try store.snapshot(name) != nil) }
  }

  @Test("a damaged audit log denies sign-ins, but revoke and unlock work")
  func damaged() throws {
    for part in ["audit-log.head", "audit-log.index"] {
      let store = try prepare()
      try break_(store, part)
      #expect(throws: FactorStoreError.self) { _ = try store.snapshot("alice") }
      let unlocked = try store.administration.unlock("alice")
      #expect(unlocked.accepted == nil)
      let locked = try store.unverified("bob")
      #expect(locked.generation == 1)
      let revoked = try store.revokeEverything(of: "bob")
      #expect(revoked.entered.mark == nil && revoked.entered.problem != nil, "\(part)")
      #expect(store.marks.last?.hasPrefix("none part=audit-log-") == true, "\(store.marks)")
      #expect(!revoked.json.text.contains("\"auditLogFailure\": null"))
      #expect(!store.exists(store.recordPath("bob")))
    }
  }

  @Test("unlock clears wrong codes and reports that the audit log could not be written")
  func unlocking() throws {
    let store = try TemporaryStore()
    try store.enroll("alice", ["phone"], failures: 100)
    for _ in 1...2 {
      try store.remember("alice", rememberedCount: 1)
      _ = try store.administration.clearRememberedSignIns(of: "alice")
    }
    try break_(store)
    let report = try store.administration.unlock("alice")
    #expect(report.entered.problem != nil && report.unlocking.failures == 100)
    #expect(try store.unverifiedAttempts("alice").failures == 0)
  }

  @Test("a new audit log has an entry for every record, and sign-ins work again")
  func newAuditLogContainsEveryRecord() throws {
    let store = try prepare()
    try break_(store)
    let beginning = try store.administration.beginAuditLog(
      reason: try #require(Grant.Reason(Array("disk failed".utf8))))
    #expect(beginning.entered == 2 && beginning.unusable.isEmpty)
    #expect(
      beginning.moved
        == ["audit-log", "audit-log.head", "audit-log.index"].map { "\($0).1700000000" })
    for user in ["alice", "bob"] {
      #expect(try store.snapshot(user)?.record.factors.count == 1)
    }
    let verification = try store.verify()
    #expect(verification.problem == nil)
    #expect(
      store.lines.last?.hasPrefix("result=audit-log-begun reason=disk\\x20failed records=2 ")
        == true)
    // Later changes are recorded in the new audit log.
    _ = try store.revokeEverything(of: "alice")
    #expect(try store.snapshot("alice") == nil)
  }

  @Test("a new audit log has an entry for a user whose last change was interrupted")
  func begunAfterAnInterruption() throws {
    let store = try prepare()
    let draft = store.folder + "/store/factors/.alice"
    try FileManager.default.createDirectory(
      atPath: draft, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let revocation = try store.administration.plan(.factor("phone"), of: "alice")
    #expect(refusal(try store.administration.revoke(revocation)) != nil)
    try FileManager.default.removeItem(atPath: draft)
    try break_(store)
    let beginning = try store.administration.beginAuditLog(
      reason: try #require(Grant.Reason(Array("power failed".utf8))))
    #expect(beginning.entered == 2 && beginning.unusable.isEmpty, "\(beginning)")
    #expect(try store.snapshot("alice")?.record.factors.count == 1)
  }

  @Test("a new audit log has entries for users without a factor")
  func begunWithoutAFactor() throws {
    let store = try prepare()
    try store.enroll("carol", uid: 1002, ["phone"])
    _ = try store.revokeEverything(of: "carol")
    let beginning = try store.administration.beginAuditLog(
      reason: try #require(Grant.Reason(Array("disk failed".utf8))))
    #expect(beginning.entered == 3 && beginning.unusable.isEmpty, "\(beginning)")
    #expect(try store.snapshot("carol") == nil)
    _ = try store.store.entry(of: Account(name: Array("carol".utf8), uid: 1002), creating: true)
  }

  /// A process that waits for a lock on the head file checks the file's name once it has the lock.
  @Test("a new audit log unlinks the previous head file and leaves a copy of it")
  func newAuditLogUnlinksPreviousHead() throws {
    let store = try prepare()
    let path = store.folder + "/store/audit-log.head"
    let bytes = try store.bytes(of: path)
    let head = try #require(FileHandle(forReadingAtPath: path))
    _ = try store.administration.beginAuditLog(
      reason: try #require(Grant.Reason(Array("disk failed".utf8))))
    let links = try Command.succeed([
      "/usr/bin/stat", "-L", "-c", "%h", "/proc/\(getpid())/fd/\(head.fileDescriptor)",
    ])
    #expect(links == "0\n")
    #expect(try store.bytes(of: path + ".1700000000") == bytes)
  }

  @Test("restored files are refused, reported by verify, and accepted only on request")
  func restored() throws {
    let store = try prepare()
    let record = try store.bytes(of: store.recordPath("alice"))
    let attempts = try store.bytes(of: store.attemptsPath("alice"))
    let revocation = try store.administration.plan(.factor("phone"), of: "alice")
    _ = try store.administration.revoke(revocation)
    try store.write(record, to: store.recordPath("alice"))
    try store.write(attempts, to: store.attemptsPath("alice"))
    #expect(throws: FactorStoreError.rolledBack(.attempts)) { _ = try store.snapshot("alice") }
    let verification = try store.verify()
    #expect(verification.findings.map(\.user) == [Array("alice".utf8)])
    let alice = try userName("alice")
    #expect(
      refusal(try store.administration.unlock("alice"))
        == .unusable(alice, .store(.rolledBack(.attempts))))
    let report = try store.administration.unlock("alice", acceptingRestored: true)
    #expect(report.accepted == .store(.rolledBack(.attempts)) && report.entered.mark != nil)
    #expect(report.sentence.hasSuffix("; accepted the restored files"))
    #expect(try store.snapshot("alice")?.record.factors.count == 1)
    #expect(try store.verify().problem == nil)
  }

  @Test("verify reads the audit log once, however many records are missing")
  func missingRecords() throws {
    let users = (1...40).map { "user\($0)" }
    let store = try prepare(users)
    for user in users { try FileManager.default.removeItem(atPath: store.recordPath(user)) }
    let length = try store.bytes(of: store.folder + "/store/audit-log").count
    let before = try bytesRead()
    let verification = try store.verify()
    let read = try bytesRead() - before
    #expect(verification.findings.map(\.kind) == users.map { _ in .gone })
    // Each of the other files has at most a few kilobytes.
    #expect(read < 2 * length + 40 * 8192, "\(read) bytes, and the audit log has \(length)")
  }

  /// Returns how many bytes this thread has read from files.
  private func bytesRead() throws -> Int {
    let text = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("rchar: ") })
    return try #require(Int(line.dropFirst(7)))
  }

  @Test("histories are brought up to date, and an unchanged audit log is not read again")
  func laterEntries() throws {
    let store = try prepare((1...20).map { "user\($0)" })
    let first = Array("user1".utf8), last = Array("user20".utf8)
    var histories = AuditLogHistories()
    try histories.update(from: store.store)
    let earlier = try #require(histories.users[last])
    #expect(earlier.last == 20 && earlier.entries.count == 1)
    func bytesReadAgain() throws -> Int {
      let before = try bytesRead()
      try histories.update(from: store.store)
      return try bytesRead() - before
    }
    // The key and the head.
    let read = try bytesReadAgain()
    #expect(read < 2048, "\(read) bytes")
    let head = try store.bytes(of: store.folder + "/store/audit-log.head")
    _ = try store.revokeEverything(of: "user20")
    try histories.update(from: store.store)
    let later = try #require(histories.users[last])
    #expect(later.last == 21 && later.entries.count == 2)
    #expect(later.entries[earlier.lastFingerprint] == 20)
    #expect(histories.users[first]?.last == 1)
    // The state after the write of the last entry was interrupted.
    try store.write(head, to: store.folder + "/store/audit-log.head")
    let afterInterruption = try bytesReadAgain()
    #expect(afterInterruption < 2048, "\(afterInterruption) bytes")
  }

  @Test("verify detects an attempt state that was restored alone")
  func restoredAttempts() throws {
    let store = try prepare()
    let attempts = try store.bytes(of: store.attemptsPath("alice"))
    try store.remember("alice", rememberedCount: 1)
    _ = try store.administration.clearRememberedSignIns(of: "alice")
    try store.write(attempts, to: store.attemptsPath("alice"))
    let verification = try store.verify()
    #expect(verification.findings.map(\.kind) == [.unusable(.store(.rolledBack(.attempts)))])
  }

  @Test("verify detects an index that is damaged or older than the records")
  func index() throws {
    let store = try prepare()
    let older = try store.bytes(of: store.folder + "/store/audit-log.index")
    try break_(store, "audit-log.index")
    #expect(try store.verify().fault == .fault(.badIndex, last: store.verify().last))
    try store.write(older, to: store.folder + "/store/audit-log.index")
    #expect(try store.verify().fault == nil)
    for name in ["x", "y", "z"] {
      try store.remember("alice", rememberedCount: 1)
      _ = try store.administration.clearRememberedSignIns(of: "alice")
      withExtendedLifetime(name) {}
    }
    try store.write(older, to: store.folder + "/store/audit-log.index")
    #expect(try store.verify().fault == .fault(.badIndex, last: store.verify().last))
  }
}
