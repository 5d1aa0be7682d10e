import Foundation
@testable import MFAStore
import MFABase
import MFAModel
import MFATestSupport
import Testing

/// A store on a file system of its own, which is read-only or full.
@Suite("A store on a read-only or full file system", .privateMachine)
struct FullStoreTests {
  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private var store: String { fixture.folder + "/store" }

  /// Mounts a file system of 512 KiB for the store while `body` runs.
  private func mounted(_ body: () throws -> Void) throws {
    try Command.succeed([
      "/usr/bin/env", "mount", "-t", "tmpfs", "-o", "size=512k,mode=0700", "tmpfs", store,
    ])
    defer {
      // A process that another test is starting may still have a file of the store open.
      do { try Command.succeed(["/usr/bin/env", "umount", "--lazy", store]) } catch {
        Issue.record("\(error)")
      }
    }
    for folder in ["factors", "attempts"] {
      try Command.succeed(["/usr/bin/env", "mkdir", "-m", "0700", "\(store)/\(folder)"])
    }
    try body()
  }

  private func makeReadOnly() throws {
    try Command.succeed(["/usr/bin/env", "mount", "-o", "remount,ro", store])
  }

  private func fill() throws {
    // `dd` ends with an error when there is no space.
    _ = try Command.run([
      "/usr/bin/env", "dd", "if=/dev/zero", "of=\(store)/filler", "bs=1k", "status=none",
    ])
  }

  private func failure(_ body: () throws -> Void) -> FactorStoreError? {
    do {
      try body()
      return nil
    } catch {
      return error as? FactorStoreError
    }
  }

  private func event(_ kind: AuditLogEvent.Kind) -> AuditLogEvent {
    AuditLogEvent(kind, by: StoreFixture.event.actor, at: 1_700_000_100)
  }

  /// Removes and adds nothing, but replaces the record.
  private func change(_ kind: AuditLogEvent.Kind) throws {
    let entry = try fixture.open().entry(of: fixture.account, creating: false)
    let record = try #require(entry.record)
    _ = try entry.replace(record: record, attempts: entry.attempts, entering: event(kind))
  }

  /// Writes an attempt state.
  private func count() throws {
    let entry = try fixture.open().entry(of: fixture.account, creating: false)
    try entry.write(entry.attempts.forgetting())
    try entry.sync()
  }

  private func entries() throws -> UInt32 {
    let reading = try fixture.open().inspectAuditLog { _ in }
    #expect(reading.fault == nil)
    return try #require(reading.last).number
  }

  @Test("a read-only store is read: users without a factor are not denied because of it")
  func readOnly() throws {
    try mounted {
      try fixture.enroll(entering: StoreFixture.event)
      try makeReadOnly()
      #expect(try fixture.open().snapshot(of: fixture.account) != nil)
      let bob = Account(name: Array("bob".utf8), uid: 1001)
      #expect(try fixture.open().snapshot(of: bob) == nil)
      #expect(try fixture.open().keptSnapshot(of: bob) == nil)
      #expect(try fixture.open().reader().snapshot(of: fixture.account) != nil)
      #expect(try entries() == 1)
      #expect(try fixture.open().recordedAuditLogCount() == 1)
      #expect(try fixture.open().copyAuditLog().count == 3)
      let name = try #require(FileName(percentEncoding: fixture.account.name))
      #expect(try fixture.open().copy(name).attempts != nil)
    }
  }

  @Test("an attempt cannot be counted in a read-only store, and the error says why")
  func attemptInReadOnlyStore() throws {
    try mounted {
      try fixture.enroll(entering: StoreFixture.event)
      try makeReadOnly()
      let error = failure {
        _ = try fixture.open().entry(of: fixture.account, creating: false)
      }
      #expect(error.map { "\($0.names.part) \($0.names.reason)" } == "attempts read-only")
    }
  }

  @Test("a change allocates the reserve of a store that was copied with holes")
  func copiedReserve() throws {
    try mounted {
      try fixture.enroll(entering: StoreFixture.event)
      let reserve = "\(store)/factors/..reserve"
      let copy = "cp -p --sparse=always $0 $0.copy; mv $0.copy $0; test \"$(stat -c %b $0)\" = 0"
      try Command.succeed(["/bin/sh", "-ec", copy, reserve])
      try change(.renamed)
      try fill()
      try change(.revoked)
    }
  }

  @Test("on a full file system, an attempt is counted, and changes that withdraw access are made")
  func full() throws {
    try mounted {
      try fixture.enroll(entering: StoreFixture.event)
      try fill()
      try count()
      for _ in 0..<40 { try change(.revoked) }
      #expect(try entries() == 41)
      #expect(try fixture.open().snapshot(of: fixture.account)?.record.factors.count == 1)
    }
  }

  @Test("a change for which there is no space is not in the audit log")
  func noEntryWithoutChange() throws {
    try mounted {
      try fixture.enroll(entering: StoreFixture.event)
      _ = try Command.run(["/usr/bin/env", "rm", "\(store)/factors/..reserve"])
      try fill()
      let error = failure { try change(.revoked) }
      #expect(error?.names.reason.description == "no-space")
      #expect(try entries() == 1)
      #expect(try fixture.open().snapshot(of: fixture.account) != nil)
    }
  }

  @Test("an enrolment on a full file system is refused without a trace")
  func enrolment() throws {
    try mounted {
      try fixture.enroll(entering: StoreFixture.event)
      try fill()
      let bob = Account(name: Array("bob".utf8), uid: 1001)
      let error = failure { try fixture.enroll(bob) }
      #expect(error?.names.reason.description == "no-space")
      #expect(try entries() == 1)
      #expect(try fixture.open().snapshot(of: bob) == nil)
    }
  }

  @Test("users cannot use up the space that changes of an administrator need")
  func lastPart() throws {
    try mounted {
      try fixture.enroll(entering: StoreFixture.event)
      try fill()
      var made = 0
      let error = failure {
        while made < 1000 {
          try change(.renamed)
          made += 1
        }
      }
      #expect(error.map { "\($0.names.part) \($0.names.reason)" } == "audit-log no-space")
      #expect((10..<500).contains(made))
      for _ in 0..<50 { try change(.revoked) }
      #expect(try entries() == UInt32(made) + 51)
    }
  }

  @Test("the reserve is made again when there is space, and is no record")
  func reserve() throws {
    try mounted {
      try fixture.enroll(entering: StoreFixture.event)
      try fill()
      try change(.revoked)
      try Command.succeed(["/usr/bin/env", "rm", "\(store)/filler"])
      try change(.renamed)
      var names: [String] = []
      try fixture.open().forEachFile { _, name in
        names.append(String(decoding: name.bytes, as: UTF8.self))
        return true
      }
      #expect(names == ["alice"])
      let reserve = try fixture.bytes(of: "\(store)/factors/..reserve")
      #expect(reserve.allSatisfy { $0 == 0 })
    }
  }

  @Test(
    "the last part of the reserve is for events that withdraw or restore access",
    arguments: [
      (AuditLogEvent.Kind.revoked, true), (.unenrolled, true), (.unlocked, true),
      (.forgotten, true), (.bypassMade, true), (.bypassUsed, true), (.recoveryCodeUsed, true),
      (.unlockedByRecoveryCode, true), (.grantWithdrawn, true), (.serviceDisabled, true),
      (.serviceRestored, true), (.restoreAccepted, true), (.importUndone, true),
      (.programPasswordRemoved, true), (.programPasswordMade, false),
      (.enrolled, false), (.renamed, false), (.recoveryCodesMade, false), (.imported, false),
      (.policyChanged, false), (.ticketMade, false), (.resynchronized, false),
      (.serviceEnabled, false),
    ])
  func permits(kind: AuditLogEvent.Kind, usesLast: Bool) {
    #expect(AuditLogReserve.permits(kind, left: AuditLogReserve.last))
    #expect(AuditLogReserve.permits(kind, left: AuditLogReserve.last - 1) == usesLast)
  }
}
