import Foundation
import MFAAdminTestSupport
import MFABase
import MFAStore
import MFAModel
import MFATestSupport
import Testing

@testable import MFAAdmin

/// The MUSTs of Administration+RestoreBackup.swift and LocalFactorStore+Backup.swift.
@Suite("Restored backups", .privateMachine)
struct RestoreTests {
  private static let interval: UInt8 = 5

  /// Empties a store, as after a new installation.
  private func wipe(_ store: TemporaryStore) throws {
    try Command.succeed([
      "/bin/sh", "-c", "cd $0/store && rm -rf factors/* attempts/* audit-log*", store.folder,
    ])
  }

  private func restoration(
    _ backed: BackedUpStore, key: String? = nil, replaces: Bool = false,
    keepsRecoveryCodes: Bool = false, into store: TemporaryStore? = nil
  ) -> Administration.BackupRestoration {
    Administration.BackupRestoration(
      path: backed.backup, keyPath: key, replaces: replaces,
      keepsRecoveryCodes: keepsRecoveryCodes,
      earlierStorePath: (store ?? backed.store).folder + "/earlier.tar",
      adjacentIntervals: Self.interval)
  }

  private func secret(_ store: TemporaryStore, _ user: String) throws -> [UInt8] {
    let account = Account(name: Array(user.utf8), uid: store.accounts[user] ?? 1000)
    let entry = try store.store.entry(of: account, creating: false)
    let secret = try entry.secret(of: try #require(entry.record?.factors.first))
    return secret.span.copied()
  }

  private func expectIntact(_ store: TemporaryStore) throws {
    let verification = try store.verify()
    #expect(verification.problem == nil, "\(String(describing: verification.problem))")
  }

  @Test("after a wipe and a restore, users have their factors, and the audit log continues")
  func roundTrip() throws {
    let backed = try BackedUpStore()
    let store = backed.store
    let log = try store.bytes(of: store.folder + "/store/audit-log")
    try wipe(store)
    let report = try store.administration.restoreBackup(restoration(backed))
    #expect(report.services == ["sshd --factors key+code", "sudo"])
    #expect(report.text.contains("  mfa-admin enable sshd --factors key+code\n"), "\(report.text)")
    #expect(report.restored == 2 && report.removed == 0 && report.refused.isEmpty)
    #expect(report.earlierStore == nil)
    #expect(try store.snapshot("alice")?.record.factors.count == 2)
    #expect(try secret(store, "bob") == [UInt8](repeating: 7, count: 20))
    let text = try store.bytes(of: store.folder + "/store/audit-log")
    #expect(text.starts(with: log) && text.count > log.count)
    try expectIntact(store)
  }

  @Test("no time step up to the present window is accepted, and the next one is")
  func usedCode() throws {
    let backed = try BackedUpStore()
    let store = backed.store
    try wipe(store)
    let now = TemporaryStore.now + 600
    _ = try store.administration(now: now).restoreBackup(restoration(backed))
    for user in ["alice", "bob"] {
      let snapshot = try #require(try store.snapshot(user))
      for factor in snapshot.record.factors {
        let last = try #require(factor.parameters).step(at: now) + Int64(Self.interval)
        #expect(snapshot.attempts.watermark(of: factor.id) == last)
        #expect(snapshot.attempts.accepting([.init(factor: factor.id, step: last)]) == nil)
        #expect(snapshot.attempts.accepting([.init(factor: factor.id, step: last + 1)]) != nil)
      }
    }
  }

  @Test("a later time step that was used in the present store stays used")
  func laterWatermark() throws {
    let backed = try BackedUpStore()
    let store = backed.store
    let account = Account(name: Array("bob".utf8), uid: 1001)
    let step =
      try #require(
        try store.snapshot("bob")?.record.factors.first?.parameters?.step(at: TemporaryStore.now))
      + 100
    do {
      let entry = try store.store.entry(of: account, creating: false)
      let factor = try #require(entry.record?.factors.first)
      let accepted = try #require(entry.attempts.accepting([.init(factor: factor.id, step: step)]))
      try entry.write(accepted.state)
      try entry.sync()
    }
    let report = try store.administration.restoreBackup(restoration(backed, replaces: true))
    let snapshot = try #require(try store.snapshot("bob"))
    #expect(snapshot.attempts.watermarks.map(\.step) == [step])
    // The store knows which codes were used, so users need not wait.
    #expect(report.wait == 0)
  }

  @Test("the larger number of failures stays, that of the store or that of the backup")
  func failures() throws {
    let backed = try BackedUpStore()
    let store = backed.store
    let account = Account(name: Array("bob".utf8), uid: 1001)
    do {
      let entry = try store.store.entry(of: account, creating: false)
      var state = entry.attempts
      for second in 0..<4 {
        guard
          case .counted(let counted) = state.begin(
            ThrottlePolicy(), now: TemporaryStore.now + Int64(second))
        else { break }
        state = counted
      }
      try entry.write(state)
      try entry.sync()
    }
    _ = try store.administration.unlock("alice")
    _ = try store.administration.restoreBackup(restoration(backed, replaces: true))
    #expect(try store.snapshot("bob")?.attempts.failures == 4)
    #expect(try store.snapshot("bob")?.attempts.lastFailure == TemporaryStore.now + 3)
    #expect(try store.snapshot("alice")?.attempts.failures == 3)
  }

  @Test("recovery codes are void unless they are kept; tickets and remembered sign-ins always are")
  func grants() throws {
    for keeps in [false, true] {
      let store = try BackedUpStore().store
      let account = Account(name: Array("bob".utf8), uid: 1001)
      let code = Array("abcdefghijklmnop".utf8)
      do {
        let entry = try store.store.entry(of: account, creating: false)
        var record = try #require(entry.record)
        record.setRecoveryCodes(
          [
            try entry.digest(of: code.span, kind: .generated, in: record)
          ], at: 1)
        _ = try entry.replace(
          record: record, attempts: entry.attempts,
          entering: AuditLogEvent(
            .recoveryCodesMade, by: store.administration.auditLogActor, at: TemporaryStore.now))
      }
      let made = try store.administration.grant(
        .bypass, to: "bob", for: .minutes(30), uses: 1, reason: nil)
      _ = consume made
      try store.remember("bob", rememberedCount: 2)
      let path = store.folder + "/second.tar"
      _ = try store.administration.backUp(to: path, key: .apart, overwriting: false)
      try wipe(store)
      _ = try store.administration.restoreBackup(
        Administration.BackupRestoration(
          path: path, keepsRecoveryCodes: keeps, earlierStorePath: store.folder + "/earlier.tar",
          adjacentIntervals: Self.interval))
      let snapshot = try #require(try store.snapshot("bob"))
      #expect(snapshot.record.recoveryCodes.count == (keeps ? 1 : 0))
      #expect(snapshot.record.grants.isEmpty && snapshot.attempts.remembered.entries.isEmpty)
      guard keeps else { continue }
      let entry = try store.store.entry(of: account, creating: false)
      let digest = try entry.digest(of: code.span, kind: .generated, in: snapshot.record)
      #expect(snapshot.record.recoveryCodes.first == digest)
    }
  }

  @Test("a store with records is replaced only if that is wanted, and is backed up first")
  func replacing() throws {
    let backed = try BackedUpStore()
    let store = backed.store
    try store.enroll("carol", uid: 1002, ["phone"])
    try store.remember("carol", rememberedCount: 1)
    _ = try store.administration.clearRememberedSignIns(of: "carol")
    let before = try BackedUpStore.files(of: store)
    let administration = store.administration
    let plain = restoration(backed)
    #expect(refusal(try administration.restoreBackup(plain)) == .backup(.storeInUse(records: 3)))
    #expect(try BackedUpStore.files(of: store) == before)
    let report = try administration.restoreBackup(restoration(backed, replaces: true))
    #expect(report.restored == 2 && report.removed == 1)
    #expect(try store.snapshot("carol") == nil)
    try expectIntact(store)
    let earlier = try #require(report.earlierStore)
    #expect(try Command.succeed(["/bin/tar", "-tf", earlier]).contains("factors/carol\n"))
  }

  @Test("a backup with any damage is refused without any change")
  func damaged() throws {
    let backed = try BackedUpStore(key: .included)
    let store = backed.store
    let whole = try store.bytes(of: backed.backup)
    try wipe(store)
    let before = try BackedUpStore.files(of: store)
    let administration = store.administration
    let wanted = restoration(backed)
    var damages: [[UInt8]] = []
    // Each header, and a part of each content: a block has 512 bytes.
    for index in stride(from: 0, to: whole.count, by: 173) {
      var changed = whole
      changed[index] ^= 1
      damages.append(changed)
    }
    for length in stride(from: 0, to: whole.count, by: 4_001) {
      damages.append(Array(whole.prefix(length)))
    }
    damages.append(whole + [0])
    for (number, bytes) in damages.enumerated() {
      try store.write(bytes, to: backed.backup)
      let error = refusal(try administration.restoreBackup(wanted))
      guard case .backup? = error else {
        Issue.record("damage \(number): \(String(describing: error))")
        continue
      }
    }
    #expect(try BackedUpStore.files(of: store) == before)
    try store.write(whole, to: backed.backup)
    #expect(try administration.restoreBackup(wanted).restored == 2)
  }

  @Test("a backup that another user can write to is refused")
  func distrusted() throws {
    let backed = try BackedUpStore()
    try Command.succeed(["/bin/chown", "1", backed.backup])
    let administration = backed.store.administration
    let wanted = restoration(backed, replaces: true)
    #expect(
      refusal(try administration.restoreBackup(wanted))
        == .backup(.file(backed.backup, .untrusted(.wrongOwner))))
  }

  @Test("a backup of another key needs that key, and the store's own key stays")
  func otherKey() throws {
    let backed = try BackedUpStore(key: .file)
    let host = try TemporaryStore()
    host.accounts = backed.store.accounts
    let own = [UInt8](repeating: 9, count: 32)
    try Command.succeed(["/bin/rm", host.folder + "/key"])
    try host.write(own, to: host.folder + "/key", mode: 0o400)
    let administration = host.administration
    let without = restoration(backed, into: host)
    #expect(refusal(try administration.restoreBackup(without)) == .backup(.noKey(backed.backup)))
    let wrong = restoration(backed, key: host.folder + "/key", into: host)
    #expect(
      refusal(try administration.restoreBackup(wrong))
        == .backup(.otherKey(backed.backup, key: host.folder + "/key")))
    #expect(try host.snapshot("bob") == nil)
    let right = restoration(backed, key: backed.store.folder + "/backup.key", into: host)
    #expect(try administration.restoreBackup(right).restored == 2)
    #expect(try secret(host, "bob") == [UInt8](repeating: 7, count: 20))
    #expect(try host.bytes(of: host.folder + "/key") == own)
    try expectIntact(host)
  }

  @Test("a host without a key gets that of the backup")
  func noKey() throws {
    let backed = try BackedUpStore(key: .included)
    let store = backed.store
    let key = try store.bytes(of: store.folder + "/key")
    try wipe(store)
    try Command.succeed(["/bin/rm", store.folder + "/key"])
    #expect(try store.administration.restoreBackup(restoration(backed)).restored == 2)
    #expect(try store.bytes(of: store.folder + "/key") == key)
    #expect(try secret(store, "bob") == [UInt8](repeating: 7, count: 20))
  }

  @Test("a user whose account has another uid now is named and not restored")
  func otherUID() throws {
    let backed = try BackedUpStore()
    try wipe(backed.store)
    backed.store.accounts["bob"] = 2001
    let report = try backed.store.administration.restoreBackup(restoration(backed))
    #expect(report.restored == 1 && report.refused.map(\.user) == [Array("bob".utf8)])
  }

  @Test("a user whose record was damaged in the backup is named, and keeps what is stored")
  func damagedRecord() throws {
    let store = try BackedUpStore().store
    let record = try store.bytes(of: store.recordPath("bob"))
    var changed = record
    changed[40] ^= 1
    try store.write(changed, to: store.recordPath("bob"))
    let path = store.folder + "/second.tar"
    _ = try store.administration.backUp(to: path, key: .apart, overwriting: false)
    try store.write(record, to: store.recordPath("bob"))
    let report = try store.administration.restoreBackup(
      Administration.BackupRestoration(
        path: path, replaces: true, earlierStorePath: store.folder + "/earlier.tar",
        adjacentIntervals: Self.interval))
    #expect(report.restored == 1 && report.removed == 0)
    #expect(report.refused.map(\.user) == [Array("bob".utf8)])
    #expect(try store.snapshot("bob")?.record.factors.count == 1)
  }
}
