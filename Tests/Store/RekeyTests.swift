import MFABase
import MFACrypto
import MFAModel
@testable import MFAStore
import Foundation
import MFATestSupport
import Testing

/// The MUSTs of LocalFactorStore+Rekeying.swift.
@Suite("Changing the key", .privateMachine)
struct RekeyTests {
  let fixture: StoreFixture
  private let recoveryCode = Array("abcdefghijklmnop".utf8)
  private let secret = Array("12345678901234567890".utf8)

  init() throws { fixture = try StoreFixture() }

  /// The steps of `mfa-admin rekey`, in order.
  enum Step: Int, CaseIterable, Sendable {
    case beginKeyChange, beginNextKey, reseal, endKeyChange
  }

  private static func event(_ kind: AuditLogEvent.Kind) -> AuditLogEvent {
    AuditLogEvent(kind, by: StoreFixture.event.actor, at: 1_700_000_100)
  }

  /// Carries out the steps up to `last`.
  @discardableResult
  private func rekey(upTo last: Step = .endKeyChange) throws -> Int {
    let store = try fixture.open()
    var resealed = 0
    for step in Step.allCases where step.rawValue <= last.rawValue {
      switch step {
      case .beginKeyChange: try store.beginKeyChange()
      case .beginNextKey: _ = try store.beginNextKey(entering: Self.event(.rekeyBegun))
      case .reseal:
        var names: [FileName] = []
        try store.forEachUserFile { names.append($0) }
        resealed += try names.count { name in
          try store.reseal(name, entering: Self.event(.resealed)) == .resealed
        }
      case .endKeyChange: try store.endKeyChange()
      }
    }
    return resealed
  }

  /// Enrols a factor, with a recovery code and a ticket.
  private func enroll() throws {
    try fixture.enroll(entering: StoreFixture.event)
    let entry = try fixture.open().entry(of: fixture.account, creating: false)
    var record = try #require(entry.record)
    record.setRecoveryCodes(
      [
        try entry.digest(of: recoveryCode.span, kind: .generated, in: record)
      ], at: 1)
    let ticket = try entry.digest(of: recoveryCode.span, kind: .ticket, in: record)
    let grant = Grant(
      kind: .ticket, id: try #require(GrantID(bytes: [UInt8](repeating: 1, count: GrantID.length))),
      madeAt: 1, expiresAt: 2, usesLeft: 1, reason: nil, digest: ticket.bytes)
    #expect(record.add(try #require(grant)))
    _ = try entry.replace(record: record, attempts: entry.attempts, entering: StoreFixture.event)
  }

  /// Expects that the user's secret, recovery code, ticket and used code are as they were.
  private func expectUsable(_ title: String) throws {
    let snapshot = try #require(try fixture.open().snapshot(of: fixture.account), "\(title)")
    let entry = try fixture.open().entry(of: fixture.account, creating: false)
    let record = try #require(entry.record, "\(title)")
    #expect(snapshot.record == record, "\(title)")
    let factor = try #require(record.factors.first)
    let opened = try entry.secret(of: factor)
    let isSame = opened.span.copied() == secret
    #expect(isSame, "\(title)")
    #expect(
      try entry.digest(of: recoveryCode.span, kind: .generated, in: record)
        == record.recoveryCodes.first, "\(title)")
    #expect(
      try entry.digest(of: recoveryCode.span, kind: .ticket, in: record).bytes
        == record.grants.first?.digest, "\(title)")
    #expect(entry.attempts.accepting([.init(factor: factor.id, step: 10)]) == nil, "\(title)")
    #expect(entry.attempts.accepting([.init(factor: factor.id, step: 11)]) != nil, "\(title)")
    // What the user does next, with whichever key.
    guard case .counted(let counted) = entry.attempts.begin(ThrottlePolicy(), now: 1_700_000_200)
    else {
      Issue.record("\(title): the attempt is refused")
      return
    }
    try entry.write(counted)
    try entry.sync()
    try entry.write(counted.unlocked())
    try entry.sync()
  }

  private func expectIntactLog(_ title: String) throws {
    let reading = try fixture.open().inspectAuditLog { _ in }
    #expect(reading.fault == nil, "\(title)")
  }

  private func key() throws -> [UInt8] { try fixture.bytes(of: fixture.folder + "/key") }

  private var hasNextKey: Bool {
    FileManager.default.fileExists(atPath: fixture.folder + "/key.next")
  }

  @Test("after the change, everything opens with the new key only")
  func change() throws {
    try enroll()
    let before = try key()
    #expect(try rekey() == 1)
    #expect(try key() != before && !hasNextKey)
    try expectUsable("new key")
    try expectIntactLog("new key")
    try fixture.write(before, to: "/key", mode: "0400")
    #expect(try fixture.refusal() == .otherKey)
  }

  @Test("the new key belongs to the same user and group, and no other user may read it")
  func ownership() throws {
    try Command.succeed(["/bin/chown", "-R", "1:2", fixture.folder + "/key"])
    try Command.succeed(["/bin/chown", "-R", "1:1", fixture.folder + "/store"])
    try rekey()
    let status = try Command.succeed([
      "/usr/bin/stat", "-c", "%u %g %a %s", fixture.folder + "/key",
    ])
    #expect(status == "1 2 400 32\n")
  }

  @Test("an interruption after any step leaves data that works, and the change can be completed")
  func interruptedAtEachStep() throws {
    try enroll()
    for step in Step.allCases {
      try rekey(upTo: step)
      try expectUsable("after \(step)")
      try expectIntactLog("after \(step)")
      #expect(hasNextKey == (step != .endKeyChange), "after \(step)")
      // A change by the user in between.
      try fixture.rename("After \(step)")
      try expectUsable("renamed after \(step)")
      try rekey()
      #expect(!hasNextKey)
      try expectUsable("completed after \(step)")
      try expectIntactLog("completed after \(step)")
    }
  }

  @Test("an interruption between the steps for one user leaves a pair that belongs together")
  func interruptedUser() throws {
    try enroll()
    try rekey(upTo: .beginNextKey)
    // The attempt state and the audit log have the change, but the record cannot be written.
    let draft = fixture.folder + "/store/factors/.alice"
    try Command.succeed(["/bin/mkdir", draft])
    #expect(throws: FactorStoreError.self) { try rekey() }
    try expectUsable("interrupted")
    try Command.succeed(["/bin/rmdir", draft])
    try rekey()
    try expectUsable("completed")
    try expectIntactLog("completed")
  }

  @Test("what was done is not done again")
  func repeated() throws {
    try enroll()
    #expect(try rekey(upTo: .reseal) == 1)
    let next = try fixture.bytes(of: fixture.folder + "/key.next")
    let log = try fixture.bytes(of: fixture.folder + "/store/audit-log")
    #expect(try rekey(upTo: .reseal) == 0)
    #expect(try fixture.bytes(of: fixture.folder + "/key.next") == next)
    #expect(try fixture.bytes(of: fixture.folder + "/store/audit-log") == log)
    try rekey()
    #expect(try key() == next)
  }

  @Test("several changes of the key in a row keep recovery codes and the audit log")
  func severalChanges() throws {
    try enroll()
    for number in 1...4 {
      try rekey()
      try expectUsable("change \(number)")
      try expectIntactLog("change \(number)")
    }
    var entries: [UInt32] = []
    _ = try fixture.open().inspectAuditLog { line in
      if case .entry(let checkpoint) = line.kind { entries.append(checkpoint.number) }
    }
    #expect(entries == Array(1...UInt32(2 + 4 * 2)))
  }

  @Test("with the earlier key and the new record, recovery codes cannot be tried")
  func digests() throws {
    try enroll()
    let earlier = try key()
    let snapshot = try #require(try fixture.open().snapshot(of: fixture.account))
    let before = try #require(snapshot.record.recoveryCodes.first)
    try rekey()
    let record = try #require(try fixture.open().snapshot(of: fixture.account)?.record)
    let after = try #require(record.recoveryCodes.first)
    var key = try SealingKey(master: earlier.span)
    let tried = try key.digest(
      of: recoveryCode.span,
      context: [RecoveryCodeDigest.Kind.generated.rawValue] + record.recoveryCodeContext())
    #expect(tried == before.bytes && tried != after.bytes)
    let sealed = try #require(record.sealedDigestKeys)
    var isOpened = false
    if try key.open(sealed, associated: record.digestKeysContext()) != nil { isOpened = true }
    #expect(!isOpened)
  }

  @Test("new recovery codes work after a change of the key, and after the next one")
  func newRecoveryCodes() throws {
    try enroll()
    try rekey()
    let code = Array("ponmlkjihgfedcba".utf8)
    do {
      let entry = try fixture.open().entry(of: fixture.account, creating: false)
      var record = try #require(entry.record)
      record.setRecoveryCodes(
        [try entry.digest(of: code.span, kind: .generated, in: record)], at: 1)
      _ = try entry.replace(record: record, attempts: entry.attempts, entering: StoreFixture.event)
    }
    try rekey()
    let next = try fixture.open().entry(of: fixture.account, creating: false)
    let kept = try #require(next.record)
    #expect(
      try next.digest(of: code.span, kind: .generated, in: kept) == kept.recoveryCodes.first)
  }

  @Test("a process that read the key before the change writes entries that count")
  func writerWithEarlierKey() throws {
    try enroll()
    let bob = Account(name: Array("bob".utf8), uid: 1001)
    try fixture.enroll(bob)
    do {
      let earlier = try fixture.open().entry(of: bob, creating: false)
      try rekey(upTo: .beginNextKey)
      var record = try #require(earlier.record)
      record.setLanguage(.french)
      _ = try earlier.replace(
        record: record, attempts: earlier.attempts, entering: StoreFixture.event)
    }
    try expectIntactLog("the entry of the earlier process")
    // With the earlier key, the entry would replace the first entry of the next key.
    let log = try fixture.bytes(of: fixture.folder + "/store/audit-log")
    #expect(String(decoding: log, as: UTF8.self).contains(" event=rekey-begun "))
    try rekey()
    #expect(try fixture.open().snapshot(of: bob)?.record.language == .french)
    try expectIntactLog("completed")
  }

  @Test("a user who enrols between the first two steps is in the new key's part of the log")
  func enrolledMeanwhile() throws {
    try enroll()
    try rekey(upTo: .beginKeyChange)
    let bob = Account(name: Array("bob".utf8), uid: 1001)
    try fixture.enroll(bob)
    #expect(try rekey() == 2)
    #expect(try fixture.open().snapshot(of: bob) != nil)
    try Command.succeed([
      "/bin/rm", fixture.folder + "/store/factors/bob", fixture.folder + "/store/attempts/bob",
    ])
    #expect(throws: FactorStoreError.rolledBack(.record)) { try fixture.open().snapshot(of: bob) }
  }

  @Test("an attempt state without a record is sealed with the new key")
  func attemptsOnly() throws {
    let bob = Account(name: Array("bob".utf8), uid: 1001)
    do {
      let entry = try fixture.open().entry(of: bob, creating: true)
      try entry.write(entry.attempts.countingPostponedSignIn())
      try entry.sync()
    }
    #expect(try rekey() == 1)
    let kept = try fixture.open().entry(of: bob, creating: false)
    #expect(kept.attempts.postponedSignIns == 1)
  }

  @Test("files that were restored or removed are refused during and after the change")
  func restoredMeanwhile() throws {
    try enroll()
    let record = try fixture.bytes(of: fixture.record)
    let attempts = try fixture.bytes(of: fixture.attempts)
    try fixture.rename("Tablet")
    try rekey(upTo: .beginNextKey)
    try fixture.overwrite(fixture.record, record)
    try fixture.overwrite(fixture.attempts, attempts)
    #expect(try fixture.refusal() == .rolledBack(.attempts))
    #expect(throws: FactorStoreError.rolledBack(.attempts)) { try rekey() }
    #expect(hasNextKey)
    try Command.succeed(["/bin/rm", fixture.record, fixture.attempts])
    #expect(try fixture.refusal() == .rolledBack(.record))
  }

  @Test("files that are removed after the change are refused")
  func removedAfterwards() throws {
    try enroll()
    try rekey()
    try Command.succeed(["/bin/rm", fixture.record, fixture.attempts])
    #expect(try fixture.refusal() == .rolledBack(.record))
  }

  @Test("any changed byte of the part of the earlier key is detected, and so is its end")
  func earlierPart() throws {
    try enroll()
    let log = fixture.folder + "/store/audit-log"
    let length = try fixture.bytes(of: log).count
    try rekey()
    let whole = try fixture.bytes(of: log)
    for index in 0..<length {
      var changed = whole
      changed[index] ^= 1
      try fixture.overwrite(log, changed)
      let fault = try fixture.open().inspectAuditLog { _ in }.fault
      #expect(fault == .changedBeforeRekey(entries: 2), "byte \(index)")
    }
    for changed in [Array(whole.prefix(length - 1)), Array(whole.dropFirst())] {
      try fixture.overwrite(log, changed)
      let fault = try fixture.open().inspectAuditLog { _ in }.fault
      #expect(fault == .changedBeforeRekey(entries: 2))
    }
    try fixture.overwrite(log, whole)
    try expectIntactLog("as it was")
  }

  @Test("the next key is trusted only with the owner and mode of a key")
  func distrustedNextKey() throws {
    try enroll()
    try fixture.write(Array(1..<33), to: "/key.next", mode: "0440")
    #expect(try fixture.refusal() == .untrusted(.key, .wrongPermissions))
    try fixture.write(Array(1..<32), to: "/key.next", mode: "0400")
    #expect(try fixture.refusal() == .untrusted(.key, .wrongSize))
  }

  @Test("a store that keeps the key in memory follows the change")
  func keptKey() throws {
    try enroll()
    let store = try LocalFactorStore(try fixture.location(), keepsKey: true)
    let keyFile = try KeyFile(try fixture.location().key)
    for step in Step.allCases {
      // A younger key is read again each time.
      while try !keyFile.version().isOld(at: Clock.nanoseconds()) { Clock.pause(milliseconds: 50) }
      #expect(try store.snapshot(of: fixture.account) != nil, "before \(step)")
      try rekey(upTo: step)
      #expect(try store.snapshot(of: fixture.account) != nil, "after \(step)")
      #expect(try store.entry(of: fixture.account, creating: false).record != nil, "after \(step)")
    }
  }
}
