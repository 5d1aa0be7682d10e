import MFAAdminTestSupport
import MFAStore
import MFABase
import MFAModel
import MFAWire
import Foundation
import MFATestSupport
import Testing

@testable import MFAAdmin

/// Administration with a real store, whose folder must belong to root.
@Suite(.privateMachine) struct AdministrationTests {
  let store: TemporaryStore

  init() throws { store = try TemporaryStore() }

  func revoke(_ user: String, _ factor: String?) throws(AdminError) -> RevocationReport {
    try store.administration.revoke(store.administration.plan(.factor(factor), of: user))
  }

  func revokeAll(_ user: String) throws(AdminError) -> RevocationReport {
    try store.administration.revoke(store.administration.plan(.everything, of: user))
  }

  /// Returns a checkpoint as it appears in log lines, or nil.
  func text(_ mark: AuditLogCheckpoint?) -> String? { mark.map { AuditLogProblem.text($0) } }

  // MARK: Reading

  @Test func usersAreListedByName() throws {
    #expect(try store.administration.users().isEmpty)
    try store.enroll("carol", uid: 1002, ["phone"])
    try store.enroll("alice", ["phone", "tablet"], failures: 2, lastFailure: 1)
    try store.enroll("bob", uid: 1001, ["phone"], failures: 7, lastFailure: TemporaryStore.now - 25)
    try store.enroll("Zoë x", uid: 1003, ["phone"], failures: 100, lastFailure: 1)
    for passwordFile in [nil, "alice:x:1000:\nbob:x:1001:\n", "alice:x:9:\n"] {
      store.passwordFile = passwordFile
      let reports = try store.administration.users()
      #expect(reports.map(\.visibleName) == ["Zoë x", "alice", "bob", "carol"])
      #expect(reports.map(\.standing) == ["locked", "open", "throttled 95 s", "open"])
      #expect(
        reports.map(\.newestEnrollment) == [
          1_699_000_000, 1_699_000_001, 1_699_000_000, 1_699_000_000,
        ])
      for report in reports {
        #expect(
          try store.administration.user(String(decoding: report.name, as: UTF8.self)) == report)
      }
    }
    #expect(store.lines.isEmpty)
  }

  @Test func onlyRecordsOfDeletedAccountsArePruned() throws {
    try store.enroll("alice", ["phone"])
    try store.enroll("bob", uid: 1001, ["phone"])
    #expect(try store.administration.orphans().names.isEmpty)
    store.accounts["bob"] = nil
    let orphans = try store.administration.orphans()
    #expect(orphans.names == [try userName("bob")] && orphans.total == 2)
    let bob = try #require(orphans.names.first)
    // The account exists again.
    store.accounts["bob"] = 1001
    #expect(try store.administration.prune(bob) == nil)
    #expect(store.exists(store.recordPath("bob")))
    store.accounts["bob"] = nil
    #expect(try store.administration.prune(bob)?.user == bob)
    #expect(!store.exists(store.recordPath("bob")) && store.exists(store.recordPath("alice")))
    #expect(try store.administration.prune(bob) == nil)
    // A directory service that does not respond is an error, never a deleted account.
    store.lookUpFailure = SystemError(.lookUpAccount, number: 5)
    #expect(try store.administration.orphans().names.isEmpty)
  }

  @Test(arguments: [(3, 3, false), (4, 4, true), (4, 39, true), (4, 40, false), (9, 100, false)])
  func manyMissingAccountsAreSuspicious(count: Int, total: Int, areSuspicious: Bool) throws {
    let names = try (0..<count).map { try userName("user\($0)") }
    let orphans = Administration.Orphans(names: names, total: total)
    #expect(orphans.areSuspicious == areSuspicious)
  }

  /// Lists more users than one reader takes at a time (256). Some are not in /etc/passwd, so their
  /// records are read individually.
  @Test func manyAreListedByName() throws {
    var names: [String] = []
    var lines = ""
    for number in 0..<600 {
      let name = "person\(number)"
      try store.enroll(name, uid: UInt32(2000 + number), ["phone"])
      names.append(name)
      if number % 7 != 0 { lines += "\(name):x:\(2000 + number):\n" }
    }
    store.passwordFile = lines
    try store.write([1], to: store.recordPath("person300"))
    let reports = try store.administration.users()
    #expect(reports.map(\.visibleName) == names.sorted())
    #expect(reports.filter { !$0.isUsable }.map(\.visibleName) == ["person300"])
    // The results are ordered by name.
    let made = try store.administration.users { $0.visibleName + ($0.isUsable ? "" : "!") }
    #expect(made == names.sorted().map { $0 == "person300" ? "person300!" : $0 })
  }

  /// Ways to damage a record, and the state that is reported for it.
  static let spoilings: [(Int, String, @Sendable (TemporaryStore) throws -> Void)] = [
    (
      1, "damaged: record: damaged",
      { store in
        var bytes = try store.bytes(of: store.recordPath("bob"))
        bytes[20] ^= 1
        try store.write(bytes, to: store.recordPath("bob"))
      }
    ),
    (2, "damaged: record: empty", { store in try store.write([], to: store.recordPath("bob")) }),
    (
      3, "damaged: record: too-large",
      { store in
        try store.write([UInt8](repeating: 0, count: 1 << 20), to: store.recordPath("bob"))
      }
    ),
    (
      4, "damaged: record: wrong-permissions",
      { store in
        try store.write(
          store.bytes(of: store.recordPath("bob")), to: store.recordPath("bob"), mode: 0o644)
      }
    ),
    (
      5, "damaged: record: symbolic-link",
      { store in
        try FileManager.default.moveItem(
          atPath: store.recordPath("bob"), toPath: store.folder + "/elsewhere")
        try FileManager.default.createSymbolicLink(
          atPath: store.recordPath("bob"), withDestinationPath: store.folder + "/elsewhere")
      }
    ),
    (
      6, "damaged: record: several-names",
      { store in
        try FileManager.default.linkItem(
          atPath: store.recordPath("bob"), toPath: store.folder + "/elsewhere")
      }
    ),
    (
      7, "damaged: attempts: damaged",
      { store in
        try store.write([UInt8](repeating: 0, count: 2048), to: store.attemptsPath("bob"))
      }
    ),
    (
      8, "damaged: attempts: wrong-size",
      { store in
        try store.write([1], to: store.attemptsPath("bob"))
      }
    ),
    (
      9, "damaged: attempts: No such file or directory",
      { store in
        try FileManager.default.removeItem(atPath: store.attemptsPath("bob"))
      }
    ),
    (
      10, "belongs to another account",
      { store in
        try store.write(store.bytes(of: store.recordPath("alice")), to: store.recordPath("bob"))
      }
    ),
    (11, "belongs to another account", { store in store.accounts["bob"] = 4711 }),
    (12, "no such account", { store in store.accounts["bob"] = nil }),
    (
      13, "damaged: record: not-a-regular-file",
      { store in
        try FileManager.default.removeItem(atPath: store.recordPath("bob"))
        _ = try Command.succeed(["/usr/bin/mkfifo", "-m", "600", store.recordPath("bob")])
      }
    ),
  ]

  @Test(arguments: spoilings.indices, [nil, "bob:x:1001:\n"])
  func damaged(_ index: Int, passwordFile: String?) throws {
    let (number, state, spoil) = Self.spoilings[index]
    // In these cases no account source knows the account.
    if passwordFile != nil, number == 11 || number == 12 { return }
    try store.enroll("alice", ["phone"])
    try store.enroll("bob", uid: 1001, ["phone"])
    try spoil(store)
    store.passwordFile = passwordFile
    let reports = try store.administration.users()
    #expect(reports.map(\.visibleName) == ["alice", "bob"], "case \(number)")
    #expect(reports.map(\.standing) == ["open", state], "case \(number)")
    #expect(reports.map(\.isUsable) == [true, false], "case \(number)")
    #expect(try store.administration.user("bob") == reports.last, "case \(number)")

    // Only --all is allowed for such a record.
    guard case .unusable(let problem)? = reports.last?.content else { return }
    let expected = AdminError.unusable(try userName("bob"), problem)
    #expect(refusal(try revoke("bob", "phone")) == expected)
    #expect(refusal(try revoke("bob", nil)) == expected)
    #expect(refusal(try store.administration.unlock("bob")) == expected)
    #expect(store.lines.isEmpty, "case \(number)")
    let report = try revokeAll("bob")
    let sentence = "bob: removed what was stored; no factor is left"
    #expect(report.sentence == sentence, "case \(number)")
    #expect(report.removal == nil, "case \(number)")
    #expect(text(report.entered.mark) == store.marks.last, "case \(number)")
    #expect(store.lines == ["result=revoked user=bob factor=all by=root\\x0a"])
    #expect(try store.administration.users().map(\.visibleName) == ["alice"], "case \(number)")
    #expect(try store.snapshot("alice") != nil, "case \(number)")

    // Afterwards bob can enrol again.
    try store.enroll("bob", uid: 1005, ["new"])
    #expect(try store.administration.user("bob").standing == "open", "case \(number)")
  }

  @Test func strayFilesAreListedWithoutDrafts() throws {
    try store.enroll("alice", ["phone"])
    try store.write([1], to: store.recordPath(".alice"))
    try store.write([1], to: store.recordPath("al ice"))
    try store.write([1], to: store.recordPath("%61lice"))
    let reports = try store.administration.users()
    #expect(reports.map(\.visibleName) == ["%61lice", "al ice", "alice"])
    #expect(reports.map(\.standing) == ["stray file", "stray file", "open"])
  }

  @Test func failedAccountLookupIsReported() throws {
    try store.enroll("alice", ["phone"])
    let failure = SystemError(.lookUpAccount, number: 5)
    store.lookUpFailure = failure
    #expect(
      try store.administration.users().map(\.standing) == ["account unknown: Input/output error"])
    let expected = AdminError.account(try userName("alice"), failure)
    let refused = refusal(try store.administration.user("alice"))
    #expect(refused == expected)
    #expect(refusal(try revokeAll("alice")) == expected)
    #expect(store.exists(store.recordPath("alice")))
  }

  @Test func unknownUserIsNotFound() throws {
    store.accounts["carol"] = 1
    let nobody = try userName("nobody-here")
    let carol = try userName("carol")
    for (name, expected) in [
      ("nobody-here", AdminError.noSuchUser(nobody)), ("carol", .notEnrolled(carol)),
      ("", .notAUserName("")), ("a/b", .notAUserName("a/b")),
      (String(repeating: "a", count: 256), .notAUserName(String(repeating: "a", count: 256))),
    ] {
      #expect(refusal(try store.administration.user(name)) == expected)
      #expect(refusal(try store.administration.unlock(name)) == expected)
      #expect(refusal(try revoke(name, "x")) == expected)
      #expect(refusal(try revokeAll(name)) == expected)
    }
    #expect(store.lines.isEmpty)
    // No files were created for unknown users.
    #expect(!store.exists(store.attemptsPath("carol")))
  }

  @Test func accountSpellingIsUsed() throws {
    try store.enroll("alice", ["phone"])
    store.spellings = ["ALICE": "alice"]
    #expect(try store.administration.user("ALICE").visibleName == "alice")
    #expect(try revoke("ALICE", "phone").user == userName("alice"))
  }

  // MARK: Changing

  @Test func revoke() throws {
    try store.enroll("alice", ["phone", "tablet", "key"], failures: 3, lastFailure: 9)
    try store.remember("alice", rememberedCount: 2)
    let tablet = try #require(try store.snapshot("alice")).record.factors[1]
    let first = try revoke("alice", "tablet")
    #expect(first.sentence == "alice: revoked tablet")
    #expect(first.removal == removal(of: tablet, left: 2, remembered: 2))
    #expect(text(first.entered.mark) == store.marks.last)
    let snapshot = try #require(try store.snapshot("alice"))
    #expect(snapshot.record.factors.map(\.id) == [try id(1), try id(3)])
    #expect(snapshot.attempts.watermarks.map(\.factor) == [try id(1), try id(2), try id(3)])
    #expect(snapshot.attempts.failures == 3)
    #expect(
      store.lines == [
        "result=revoked user=alice factor=02000000000000000000000000000000 by=root\\x0a"
      ])
    #expect(
      refusal(try revoke("alice", "tablet"))
        == .noSuchFactor(
          snapshot.record.user, selector: "tablet",
          others: snapshot.record.factors.map { FactorSummary($0) }))
    #expect(
      refusal(try revoke("alice", nil))
        == .severalFactors(
          snapshot.record.user, selector: nil,
          snapshot.record.factors.map { FactorSummary($0) }))
    #expect(try revoke("alice", "0100").sentence == "alice: revoked phone")
    #expect(try revoke("alice", nil).sentence == "alice: revoked key; no factor is left")
    #expect(try store.snapshot("alice") == nil)
    #expect(store.delivered == ["alice", "alice", "alice"])
    let entry = try store.store.entry(
      of: Account(name: Array("alice".utf8), uid: 1000), creating: false)
    #expect(entry.kept?.notices.map(\.kind) == [.unenrolled, .unenrolled, .unenrolled])
  }

  @Test func removedFactorIsNotRevokedAgain() throws {
    try store.enroll("alice", ["phone", "tablet"])
    let plan = try store.administration.plan(.factor("phone"), of: "alice")
    _ = try revoke("alice", "phone")
    guard
      case .noSuchFactor? = refusal(try store.administration.revoke(plan))
    else {
      Issue.record("the factor was revoked twice")
      return
    }
    #expect(try store.snapshot("alice")?.record.factors.map(\.id) == [try id(2)])
    #expect(store.lines.count == 1)
  }

  @Test func revokeEverything() throws {
    try store.enroll("alice", ["phone", "tablet"])
    try store.write([1], to: store.recordPath(".alice"))
    try store.remember("alice", rememberedCount: 3)
    let factors = try #require(try store.snapshot("alice")).record.factors
    let report = try revokeAll("alice")
    #expect(report.sentence == "alice: revoked every factor; no factor is left")
    #expect(report.removal == removal(factors, remembered: 3))
    #expect(text(report.entered.mark) == store.marks.last)
    #expect(try store.snapshot("alice") == nil)
    #expect(!store.exists(store.recordPath(".alice")))
    #expect(store.exists(store.attemptsPath("alice")))
    #expect(refusal(try revokeAll("alice")) == .notEnrolled(try userName("alice")))
    #expect(store.lines.count == 1)
  }

  @Test func revokeAllWaitsForLock() throws {
    try store.enroll("alice", ["phone"])
    let entry = try store.store.entry(
      of: Account(name: Array("alice".utf8), uid: 1000), creating: false)
    let refused = refusal(try revokeAll("alice"))
    #expect(refused == .unusable(try userName("alice"), .store(.busy)))
    withExtendedLifetime(entry) { #expect(store.exists(store.recordPath("alice"))) }
  }

  @Test func rememberedSignInsAreCleared() throws {
    try store.enroll("alice", ["phone"])
    let nothing = try store.administration.clearRememberedSignIns(of: "alice")
    #expect(
      nothing == ClearedSignInsReport(user: try userName("alice"), rememberedCount: 0, mark: nil))
    #expect(store.lines.isEmpty)
    try store.remember("alice", rememberedCount: 2)
    let report = try store.administration.clearRememberedSignIns(of: "alice")
    #expect(report.rememberedCount == 2)
    #expect(report.mark != nil && text(report.mark) == store.marks.last)
    #expect(try store.remembered("alice") == 0)
    #expect(store.lines == ["result=forgotten user=alice by=root\\x0a"])
    #expect(refusal(try store.administration.clearRememberedSignIns(of: "bob")) != nil)
  }

  @Test func unlock() throws {
    let step = TemporaryStore.now / 30
    try store.enroll(
      "alice", ["phone"], failures: 7, lastFailure: TemporaryStore.now - 25, step: step + 400)
    let warning = UnlockingTests.warning
    let report = try store.administration.unlock("alice")
    #expect(report.sentence == "alice: 7 wrong codes, throttled 95 s: unlocked" + warning)
    #expect(report.unlocking.ahead.map(\.id) == [try id(1)])
    #expect(report.entered.mark != nil && text(report.entered.mark) == store.marks.last)
    let snapshot = try #require(try store.snapshot("alice"))
    #expect(snapshot.attempts.failures == 0)
    #expect(snapshot.attempts.watermarks.map(\.step) == [step + 400])
    #expect(store.lines == ["result=unlocked user=alice wrong-codes=7 by=root\\x0a"])
    let again = try store.administration.unlock("alice")
    #expect(again.sentence == "alice: was not locked" + warning)
    #expect(again.entered.mark == nil)
    #expect(store.lines.count == 1)
  }

  /// A user without a factor waits after wrong tickets.
  @Test func unlockWithoutAFactor() throws {
    store.accounts["alice"] = 1000
    _ = try store.administration.grant(
      .ticket, to: "alice", for: .hours(24), uses: 1, reason: nil)
    do {
      let account = Account(name: Array("alice".utf8), uid: 1000)
      let entry = try store.store.entry(of: account, creating: false)
      var attempts = entry.attempts
      while case .counted(let next) = attempts.begin(
        ThrottlePolicy(), now: TemporaryStore.now, .init(counter: .ownProcess))
      {
        attempts = next
      }
      try entry.write(attempts)
      try entry.sync()
    }
    let report = try store.administration.unlock("alice")
    #expect(
      report.sentence == "alice: 5 wrong codes in the user's own programs, throttled 30 s: unlocked"
    )
    #expect(try store.unverifiedAttempts("alice").ownProcessFailures.failures == 0)
    #expect(
      refusal(try store.administration.unlock("alice"))
        == .notEnrolled(try userName("alice")))
  }
}
