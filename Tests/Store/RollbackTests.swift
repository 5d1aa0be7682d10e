@testable import MFAStore
import MFABase
import MFAModel
import Foundation
import Synchronization
import MFATestSupport
import Testing

/// Earlier copies of the store's files, restored by a process without the key.
@Suite("Restored files", .privateMachine)
struct RollbackTests {
  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private func path(_ name: String) -> String { fixture.folder + "/store/" + name }

  /// Returns the content of store files at one moment, or nil for missing files.
  private func copy(_ names: [String]) throws -> [String: [UInt8]?] {
    var files: [String: [UInt8]?] = [:]
    for name in names {
      let isThere = FileManager.default.fileExists(atPath: path(name))
      files[name] = .some(isThere ? try fixture.bytes(of: path(name)) : nil)
    }
    return files
  }

  private func putBack(_ files: [String: [UInt8]?], _ names: [String]) throws {
    for name in names {
      guard let content = files[name] else { continue }
      if let content {
        try fixture.write(content, to: "/store/" + name)
      } else {
        try Command.succeed(["/bin/rm", "-f", path(name)])
      }
    }
  }

  private func refusal() throws -> (snapshot: FactorStoreError?, entry: FactorStoreError?) {
    let store = try fixture.open()
    var result: (snapshot: FactorStoreError?, entry: FactorStoreError?)
    do throws(FactorStoreError) { _ = try store.snapshot(of: fixture.account) } catch {
      result.snapshot = error
    }
    do throws(FactorStoreError) {
      _ = try store.entry(of: fixture.account, creating: true)
    } catch {
      result.entry = error
    }
    return result
  }

  private static let all = [
    "factors/alice", "attempts/alice", "audit-log", "audit-log.head", "audit-log.index",
  ]

  /// The files that are restored from before the user's last change, and the part that is refused.
  struct Row: Sendable {
    let number: Int
    let names: [String]
    let part: FactorStoreError.Part?
  }

  @Test(
    "earlier copies of any files are refused, alone and in combination",
    arguments: [
      Row(number: 1, names: ["factors/alice"], part: .attempts),
      Row(number: 2, names: ["attempts/alice"], part: .attempts),
      Row(number: 3, names: ["factors/alice", "attempts/alice"], part: .attempts),
      Row(number: 4, names: ["audit-log.head"], part: .auditLogIndex),
      Row(number: 5, names: ["audit-log.index"], part: .auditLogIndex),
      Row(number: 6, names: ["audit-log.head", "audit-log.index"], part: .auditLog),
      Row(number: 7, names: ["audit-log", "audit-log.head", "audit-log.index"], part: .auditLog),
      Row(
        number: 8, names: ["factors/alice", "attempts/alice", "audit-log.index"],
        part: .auditLogIndex),
      Row(number: 9, names: ["factors/alice", "attempts/alice", "audit-log"], part: .auditLog),
      // An earlier copy of the whole store is consistent, as THREATS.md explains.
      Row(number: 10, names: all, part: nil),
    ])
  func earlierCopies(_ row: Row) throws {
    try fixture.enroll(entering: StoreFixture.event)
    try fixture.rename("Tablet")
    let earlier = try copy(Self.all)
    // The copies of a page, and the slots of the head file, are written alternately.
    for name in ["Card", "Key", "Watch"] { try fixture.rename(name) }
    try putBack(earlier, row.names)
    let refusal = try refusal()
    switch row.part {
    case .auditLogIndex?:
      #expect(refusal.snapshot == .damaged(.auditLogIndex), "row \(row.number)")
      #expect(refusal.entry == .damaged(.auditLogIndex), "row \(row.number)")
    case .auditLog? where row.number == 9:
      #expect(refusal.snapshot == .damaged(.auditLog), "row \(row.number)")
      #expect(refusal.entry == .damaged(.auditLog), "row \(row.number)")
    case let part?:
      #expect(refusal.snapshot == .rolledBack(part), "row \(row.number)")
      #expect(refusal.entry == .rolledBack(part), "row \(row.number)")
    case nil: #expect(refusal.snapshot == nil && refusal.entry == nil, "row \(row.number)")
    }
  }

  @Test(
    "removed files of an enrolled user are refused: the password alone is not enough",
    arguments: [
      Row(number: 1, names: ["factors/alice"], part: .record),
      Row(number: 2, names: ["factors/alice", "attempts/alice"], part: .record),
      Row(number: 3, names: ["audit-log.head"], part: .auditLogHead),
      Row(
        number: 4, names: ["audit-log", "audit-log.head", "audit-log.index"], part: .auditLogHead),
      Row(
        number: 5, names: ["factors/alice", "audit-log", "audit-log.head", "audit-log.index"],
        part: .record),
      Row(
        number: 6, names: ["factors/alice", "attempts/alice", "audit-log.head"], part: .auditLogHead
      ),
    ])
  func removed(_ row: Row) throws {
    try fixture.enroll(entering: StoreFixture.event)
    try fixture.rename("Tablet")
    for name in row.names { try Command.succeed(["/bin/rm", path(name)]) }
    let refusal = try refusal()
    let part = try #require(row.part)
    #expect(refusal.snapshot == .rolledBack(part), "row \(row.number)")
    #expect(refusal.entry == .rolledBack(part), "row \(row.number)")
  }

  @Test("earlier files do not restore a revoked factor")
  func revoked() throws {
    try fixture.enroll(entering: StoreFixture.event)
    let earlier = try copy(Self.all)
    let user = try #require(UserName(fixture.account.name))
    _ = try fixture.open().discard(
      user: user, account: fixture.account, entering: StoreFixture.event)
    #expect(try fixture.open().snapshot(of: fixture.account) == nil)
    try putBack(earlier, ["factors/alice", "attempts/alice"])
    let refusal = try refusal()
    #expect(refusal.snapshot == .rolledBack(.attempts))
    #expect(refusal.entry == .rolledBack(.attempts))
  }

  @Test(
    "a user whose files are missing is denied until an administrator removes the user's factors")
  func discardedWithoutFiles() throws {
    try fixture.enroll(entering: StoreFixture.event)
    for name in ["factors/alice", "attempts/alice"] {
      try Command.succeed(["/bin/rm", path(name)])
    }
    #expect(try refusal().snapshot == .rolledBack(.record))
    let user = try #require(UserName(fixture.account.name))
    for attempt in 1...2 {
      let result = try fixture.open().discard(
        user: user, account: fixture.account, entering: StoreFixture.event)
      #expect((result == .nothing) == (attempt == 2), "\(result)")
    }
    #expect(try fixture.open().snapshot(of: fixture.account) == nil)
    try fixture.enroll("Again", entering: StoreFixture.event)
  }

  @Test("after an interrupted removal, the factors can be removed and the user can enrol")
  func discardedTwice() throws {
    try fixture.enroll(entering: StoreFixture.event)
    let user = try #require(UserName(fixture.account.name))
    let state = try copy(["attempts/alice"])
    _ = try fixture.open().discard(
      user: user, account: fixture.account, entering: StoreFixture.event)
    // Simulates a process that ended before it wrote the attempt state.
    try putBack(state, ["attempts/alice"])
    #expect(try self.refusal().snapshot == .rolledBack(.record))
    let second = try fixture.open().discard(
      user: user, account: fixture.account, entering: StoreFixture.event)
    guard case .removed = second else {
      Issue.record("nothing was removed")
      return
    }
    #expect(try fixture.open().snapshot(of: fixture.account) == nil)
    try fixture.enroll("Again", entering: StoreFixture.event)
    #expect(try fixture.open().snapshot(of: fixture.account)?.record.factors.count == 1)
  }

  @Test func removalThatAnotherProcessRecordedIsNotRecordedAgain() throws {
    try fixture.enroll(entering: StoreFixture.event)
    let user = try #require(UserName(fixture.account.name))
    // Removes the record without an entry, so that the audit log lists a missing record.
    _ = try fixture.open().discard(user: user, account: fixture.account, entering: nil)
    let path = try #require(TrustedPath(Array(fixture.attempts.utf8)))
    var lock: File? = try path.parent().fileForUpdating(path.last)
    // A program that another test is starting can hold the released lock until it is executed.
    #expect(try lock?.lock(seconds: 10) == true)
    let location = try fixture.location()
    let account = fixture.account
    let result = Mutex<Result<LocalFactorStore.Discarding, FactorStoreError>?>(nil)
    // A thread of its own, because other tests can keep all threads of the tests busy.
    Thread.detachNewThread {
      let removal = Result { () throws(FactorStoreError) in
        try LocalFactorStore(location).discard(
          user: user, account: account, entering: StoreFixture.event)
      }
      result.withLock { $0 = removal }
    }
    // `discard` opens the attempts file for the lock, after it has read the audit log.
    let waits = try Deadline.usual.waits { try opened(fixture.attempts) == 2 }
    try recordRemoval(of: user)
    lock = nil
    #expect(waits)
    #expect(Deadline.usual.waits { result.withLock { $0 != nil } })
    #expect(try result.withLock { try $0?.get() } == .nothing)
  }

  /// Returns how often this process has opened a file.
  private func opened(_ path: String) throws -> Int {
    let folder = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).count { number in
      do {
        return try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(number)")
          == path
      } catch {
        // Another test closed the file in the meantime.
        return false
      }
    }
  }

  private func recordRemoval(of user: UserName) throws {
    let store = StoreDirectory(judged: try fixture.location().directory.lastDirectory())
    let log = try AuditLog(in: store, owner: 0)
    var key = try SealingKey(master: Array(0..<32).span)
    _ = try log.enter(StoreFixture.event, about: AuditLogSubject(user: user), &key)
  }

  @Test(
    "an administrator can accept restored files that contain an interrupted change")
  func restoredInterrupted() throws {
    try fixture.enroll(entering: StoreFixture.event)
    let draft = path("factors/.alice")
    try Command.succeed(["/bin/mkdir", draft])
    #expect(throws: FactorStoreError.self) { try fixture.rename("Tablet") }
    try Command.succeed(["/bin/rmdir", draft])
    let earlier = try copy(Self.all)
    try fixture.rename("Card")
    try fixture.rename("Key")
    try putBack(earlier, ["factors/alice", "attempts/alice"])
    #expect(try self.refusal().snapshot == .rolledBack(.attempts))
    do {
      let entry = try fixture.open().unverifiedEntry(of: fixture.account)
      let record = try #require(entry.record)
      _ = try entry.replace(record: record, attempts: entry.attempts, entering: StoreFixture.event)
    }
    #expect(try fixture.open().snapshot(of: fixture.account)?.record.factors.count == 1)
  }

  @Test("attempts, and users at the same index position, neither deny sign-ins nor hide rollbacks")
  func othersAtOnePosition() throws {
    try fixture.enroll(entering: StoreFixture.event)
    let place = AuditLogIndex.Slot(escapedName: Array("alice".utf8)[...])
    var others: [Account] = []
    var number = 0
    while others.count < 3 {
      number += 1
      let name = Array("user\(number)".utf8)
      if AuditLogIndex.Slot(escapedName: name[...]) == place {
        others.append(Account(name: name, uid: UInt32(2000 + number)))
      }
    }
    for account in others { try fixture.enroll(account) }
    #expect(try fixture.open().snapshot(of: fixture.account)?.record.factors.count == 1)
    for account in others + [fixture.account] {
      let entry = try fixture.open().entry(of: account, creating: false)
      try entry.write(entry.attempts.countingPostponedSignIn())
      try entry.sync()
    }
    let earlier = try copy(["factors/alice", "attempts/alice"])
    try fixture.rename("Tablet")
    for account in others { try fixture.enroll(account, "Second") }
    #expect(try fixture.open().snapshot(of: fixture.account)?.record.factors.count == 1)
    try putBack(earlier, ["factors/alice", "attempts/alice"])
    #expect(try refusal().entry == .rolledBack(.attempts))
  }

  @Test("a record without an entry in the audit log is read, and its next change enters it")
  func withoutEntry() throws {
    try fixture.enroll()
    #expect(try fixture.open().snapshot(of: fixture.account)?.record.generation == 0)
    try fixture.rename("Tablet")
    #expect(try fixture.open().snapshot(of: fixture.account)?.record.generation == 1)
  }
}
