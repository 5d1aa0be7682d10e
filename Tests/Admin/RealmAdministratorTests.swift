import Foundation
import MFAAdminTestSupport
import MFAAttempt
import MFAStore
import MFABase
import MFAModel
import MFAWire
import MFARealm
import Testing

@testable import MFAAdmin

/// The commands of `mfa-admin` on a host of a realm, with scripted replies.
@Suite("Administration of a realm")
struct RealmAdministratorTests {
  private static let now: Int64 = 1_800_000_000
  private static let checkpoint = Array("17:9f2c0a1b".utf8)

  /// What was sent and logged.
  private final class Recorder {
    var commands: [AdministrationCommand] = []
    var lines: [String] = []
  }

  private static func phone() throws -> FactorSummary {
    FactorSummary(try factor(try id(9, fill: 9), "phone", enrolledAt: now - 100))
  }

  /// Returns a user with one factor, as a verifier describes it.
  private static func user(
    _ name: String, _ standing: AttemptState.Standing = .open,
    fingerprint: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
  ) throws -> AdministeredRealmUser {
    var summary = UserSummary(user: try userName(name), uid: nil, standing: standing)
    summary.factors = [
      UserSummary.ListedFactor(
        summary: try phone(), origin: .enrolled, keyLength: 20, lastStep: nil)
    ]
    return AdministeredRealmUser(
      name: Array(name.utf8), .usable(summary), fingerprint: fingerprint,
      directoryEntry: Array("id-of-\(name)".utf8))
  }

  /// Returns an administrator whose requests get these replies, in this order.
  private static func administrator(
    _ recorder: Recorder, accounts: [String] = [],
    _ reply: @escaping (Int, AdministrationCommand) throws(AdminError) -> AdministrationReply
  ) -> RealmAdministrator {
    RealmAdministrator(
      accounts: AccountSource(
        named: { name throws(SystemError) in
          accounts.contains { Array($0.utf8) == name } ? Account(name: name, uid: 1000) : nil
        }, passwordFile: { nil },
        systemAccounts: { () throws(SystemError) in
          accounts.map {
            KnownAccount(account: Account(name: Array($0.utf8), uid: 1000), shell: [])
          }
        }),
      now: now, actor: Array("carol".utf8),
      log: { _, line in recorder.lines.append(String(decoding: line.text, as: UTF8.self)) },
      send: { command throws(AdminError) in
        recorder.commands.append(command)
        return try reply(recorder.commands.count - 1, command)
      })
  }

  @Test("a list continues after the last user of a page")
  func pages() throws {
    let recorder = Recorder()
    let users = [try Self.user("alice"), try Self.user("bob", .locked)]
    let administrator = Self.administrator(recorder) { number, _ throws(AdminError) in
      .users([users[number]], isEnd: number == 1)
    }
    let reports = try administrator.users()
    #expect(reports.map(\.visibleName) == ["alice", "bob"])
    #expect(reports.map(\.standing) == ["open", "locked"])
    #expect(recorder.commands == [.users(after: []), .users(after: Array("alice".utf8))])
    #expect(reports[0].json.text.contains(#""uid": null"#))
    #expect(UserDetails.text(reports[0], at: SampleUser.now).contains("directory    id-of-alice\n"))
  }

  @Test("an empty page that is not the last one is an error, not an endless loop")
  func emptyPage() throws {
    let administrator = Self.administrator(Recorder()) { _, _ throws(AdminError) in
      .users([], isEnd: false)
    }
    #expect(throws: AdminError.otherVersion) { _ = try administrator.users() }
  }

  @Test("a record that cannot be used is listed with its reason")
  func unusable() throws {
    let users = [
      AdministeredRealmUser(name: Array("alice".utf8), .unusable(Array("record: damaged".utf8))),
      try Self.user("bob"),
    ]
    let administrator = Self.administrator(Recorder()) { _, _ throws(AdminError) in
      .users(users, isEnd: true)
    }
    let reports = try administrator.users()
    #expect(reports.map(\.isUsable) == [false, true])
    #expect(reports.map(\.standing) == ["damaged: record: damaged", "open"])
  }

  @Test("unlocking shows what was found, and logs the checkpoint")
  func changesAreLogged() throws {
    let recorder = Recorder()
    let effect = UserChange.Effect.unlocked(
      UserChange.Unlocking(
        standing: .throttled(seconds: 119), failures: 7, ownStanding: .open, ownFailures: 0,
        remembered: 1, ahead: []))
    let administrator = Self.administrator(recorder) { _, _ throws(AdminError) in
      .changed(effect, checkpoint: Self.checkpoint)
    }
    let report = try administrator.unlock("alice")
    #expect(
      report.sentence
        == "alice: 7 wrong codes, throttled 119 s: unlocked; cleared 1 remembered sign-in")
    #expect(report.json.text.contains(#""checkpoint": "17:9f2c0a1b""#))
    #expect(recorder.commands == [.change(Array("alice".utf8), .unlock)])
    #expect(
      recorder.lines == [
        "result=unlocked user=alice wrong-codes=7 by=carol in=realm checkpoint=17:9f2c0a1b"
      ])
    #expect(throws: AdminError.localOption("--accept-restored")) {
      _ = try administrator.unlock("alice", acceptingRestored: true)
    }
    #expect(throws: AdminError.otherVersion) {
      _ = try administrator.clearRememberedSignIns(of: "alice")
    }
  }

  @Test("a revocation names the factor that the selector means")
  func revocation() throws {
    let recorder = Recorder()
    let user = try Self.user("alice")
    let removal = UserChange.Removal(
      factors: [try Self.phone()], factorsLeft: 0, grants: 0, remembered: 0, isOfEverything: false)
    let administrator = Self.administrator(recorder) { _, command throws(AdminError) in
      if case .user = command { return .users([user], isEnd: true) }
      return .changed(.revoked(removal), checkpoint: Self.checkpoint)
    }
    let revocation = try administrator.plan(.factor("phone"), of: "alice")
    let report = try administrator.revoke(revocation)
    #expect(report.sentence == "alice: revoked phone; no factor is left")
    #expect(recorder.commands.last == .change(Array("alice".utf8), .revoke(try Self.phone().id)))
  }

  @Test("what is left of a user without a factor can be revoked")
  func revocationOfTheRest() throws {
    let recorder = Recorder()
    let removal = UserChange.Removal(
      factors: [], factorsLeft: 0, grants: 0, remembered: 0, isOfEverything: true)
    let administrator = Self.administrator(recorder) { _, command throws(AdminError) in
      if case .user = command { throw .refused(.notFound, "alice") }
      return .changed(.revoked(removal), checkpoint: [])
    }
    let revocation = try administrator.plan(.everything, of: "alice")
    #expect(revocation.question == "remove everything that is stored for alice?")
    #expect(
      try administrator.revoke(revocation).sentence
        == "alice: removed what was stored; no factor is left")
    #expect(recorder.lines == ["result=revoked user=alice factor=all by=carol in=realm"])
  }

  @Test("a user who was renamed has the factors under the present name of the account")
  func rename() throws {
    let recorder = Recorder()
    let administrator = Self.administrator(recorder) { number, _ throws(AdminError) in
      switch number {
      case 0: return .done(checkpoint: Self.checkpoint)
      case 1: throw .refused(.notFound, "alice")
      default: throw .refused(.nameTaken, "alicia")
      }
    }
    let alice = try userName("alice")
    #expect(try administrator.renameUser("alice", to: "alicia") == userName("alicia"))
    #expect(
      recorder.lines == [
        "result=user-renamed user=alicia reason=alice by=carol in=realm checkpoint=17:9f2c0a1b"
      ])
    #expect(throws: AdminError.notEnrolled(alice)) {
      _ = try administrator.renameUser("alice", to: "alicia")
    }
    let taken = #expect(throws: AdminError.self) {
      _ = try administrator.renameUser("alice", to: "alicia")
    }
    #expect(taken?.message == "the realm has factors or codes of a user alicia")
    #expect(throws: AdminError.accountExists(alice)) {
      _ = try administrator.renameUser("alice", to: "alice")
    }
    #expect(recorder.commands.count == 3)
  }

  @Test("a user without an account and without a record gets no bypass code")
  func unknownUser() throws {
    let recorder = Recorder()
    let administrator = Self.administrator(recorder) { _, _ throws(AdminError) in
      throw .refused(.notFound, "nobody")
    }
    let name = try #require(UserName(Array("nobody".utf8)))
    #expect(throws: AdminError.noSuchUser(name)) {
      _ = try administrator.grant(.bypass, to: "nobody", for: .minutes(10), uses: 1, reason: nil)
    }
    #expect(recorder.commands == [.user(name.bytes)])
  }

  // MARK: The audit log

  private static func line(_ number: UInt32, _ text: String) -> AdministeredLogLine {
    AdministeredLogLine(
      number: number, text: Array("n=\(number) time=2026-11-21T10:18:00Z \(text)".utf8),
      checkpoint: Array("\(number):9f2c0a1b".utf8))
  }

  /// Returns an administrator of a realm with these lines and users.
  private static func administrator(
    _ lines: [AdministeredLogLine], _ users: [AdministeredRealmUser],
    _ recorder: Recorder = Recorder()
  ) -> RealmAdministrator {
    administrator(recorder) { _, command throws(AdminError) in
      switch command {
      case .auditLog(let after):
        return .auditLog(lines.filter { $0.number > after }, isEnd: true)
      case .auditLogEnd: return .auditLogEnd(lines.last?.number ?? 0)
      case .users: return .users(users, isEnd: true)
      case .user(let name):
        guard let user = users.first(where: { $0.name == name }) else {
          throw .refused(.notFound, "")
        }
        return .users([user], isEnd: true)
      default: throw .otherVersion
      }
    }
  }

  @Test("the audit log is valid if each record matches the last entry about its user")
  func verification() throws {
    let lines = [
      Self.line(1, "event=enrolled user=alice record=0000000000000000"),
      Self.line(2, "event=renamed user=alice record=0102030405060708"),
    ]
    let valid = try Self.administrator(lines, [try Self.user("alice")])
      .verifyAuditLog(expecting: nil)
    #expect(valid.problem == nil)
    #expect(valid.text == "2 entries are valid; the last is 2:9f2c0a1b, of 2026-11-21T10:18:00Z\n")
    let outage = [
      Self.line(3, "event=offline-attempt user=alice record=-"),
      Self.line(4, "event=offline-code-used user=alice record=-"),
    ]
    let unchanged = try Self.administrator(lines + outage, [try Self.user("alice")])
      .verifyAuditLog(expecting: nil)
    #expect(unchanged.problem == nil)
    let missing = try Self.administrator(lines, []).verifyAuditLog(expecting: nil)
    #expect(missing.findings.map(\.kind) == [.gone])
    let other = try Self.user("alice", fingerprint: [8, 8, 8, 8, 8, 8, 8, 8])
    let changed = try Self.administrator(lines, [other]).verifyAuditLog(expecting: nil)
    #expect(changed.findings.map(\.kind) == [.unknown])
    let older = try Self.user("alice", fingerprint: [0, 0, 0, 0, 0, 0, 0, 0])
    let undone = try Self.administrator(lines, [older]).verifyAuditLog(expecting: nil)
    #expect(undone.findings.map(\.kind) == [.older(entry: 1)])
    let added = try Self.administrator(lines, [try Self.user("alice"), try Self.user("bob")])
      .verifyAuditLog(expecting: nil)
    #expect(added.problem == .recordsWithoutEntries([Array("bob".utf8)]))
    let expected = try #require(AuditLogCheckpoint(Array("2:00000000".utf8)))
    let replaced = try Self.administrator(lines, [try Self.user("alice")])
      .verifyAuditLog(expecting: expected)
    #expect(replaced.json.text.contains(#""fault": "checkpoint-missing""#))
  }

  @Test("each line of the audit log is read once, however many records are missing")
  func missingRecords() throws {
    let lines = (1...40).map {
      Self.line($0, "event=enrolled user=user\($0) record=0102030405060708")
    }
    let recorder = Recorder()
    let result = try Self.administrator(lines, [], recorder).verifyAuditLog(expecting: nil)
    #expect(result.findings.map(\.kind) == lines.map { _ in .gone })
    let read = recorder.commands.filter { $0 == .auditLog(after: 0) }
    #expect(read.count == 1)
    // One request before the records are compared, and one for each record that differs.
    let later = recorder.commands.filter { $0 == .auditLog(after: 40) }
    #expect(later.count == 41)
  }

  @Test("a renamed user has the record under the new name, and none under the name before")
  func renamedUser() throws {
    let lines = [
      Self.line(1, "event=enrolled user=alice record=0000000000000000"),
      Self.line(2, "event=user-renamed user=alicia name=alice record=0102030405060708"),
    ]
    let valid = try Self.administrator(lines, [try Self.user("alicia")])
      .verifyAuditLog(expecting: nil)
    #expect(valid.problem == nil)
    let restored = try Self.user("alice", fingerprint: [0, 0, 0, 0, 0, 0, 0, 0])
    let both = try Self.administrator(lines, [try Self.user("alicia"), restored])
      .verifyAuditLog(expecting: nil)
    #expect(both.findings.map(\.user) == [Array("alice".utf8)])
    #expect(both.findings.map(\.kind) == [.older(entry: 1)])
    let missing = try Self.administrator(lines, []).verifyAuditLog(expecting: nil)
    #expect(missing.findings.map(\.user) == [Array("alicia".utf8)])
  }

  @Test("a line that is not verified, and a missing line, are faults")
  func brokenLine() throws {
    var changed = [Self.line(1, "event=unlocked"), Self.line(2, "event=unlocked")]
    changed[1].checkpoint = []
    for lines in [changed, [Self.line(1, "event=unlocked"), Self.line(3, "event=unlocked")]] {
      let result = try Self.administrator(lines, []).verifyAuditLog(expecting: nil)
      guard case .realm(line: 2, _) = result.problem else {
        Issue.record("no fault in line 2: \(String(describing: result.problem))")
        continue
      }
    }
  }

  @Test("only the last lines are read, unless there is a filter")
  func lastLines() throws {
    let lines = (1...5).map { Self.line($0, "event=unlocked user=u\($0)") }
    let (entries, problem) = try Self.administrator(lines, []).auditLog(
      last: 2, isFiltered: false
    ) { _ in true }
    #expect(problem == nil)
    #expect(entries.map(\.number) == [4, 5])
    let (filtered, _) = try Self.administrator(lines, []).auditLog(
      last: 9, isFiltered: true
    ) { $0.bytes("user") == Array("u2".utf8) }
    #expect(filtered.map(\.number) == [2])
  }

  // MARK: The relay

  @Test("a relay that does not run, and one that ends, are told apart")
  func relay() throws {
    let path = "/tmp/mfa-realm-\(UInt32.random(in: 0...UInt32.max))"
    let connection = RealmConnection(to: Array(path.utf8), owner: ProcessIdentity.current.user)
    let missing = #expect(throws: AdminError.self) {
      _ = try connection.reply(to: .inspect).failure
    }
    guard case .noRelay = missing else {
      Issue.record("another problem: \(String(describing: missing))")
      return
    }
    let listener = try PacketListener(creating: Array(path.utf8), permissions: 0o600)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let other = RealmConnection(to: Array(path.utf8), owner: 54321)
    #expect(throws: AdminError.untrustedRelay(ProcessIdentity.current.user)) {
      _ = try other.reply(to: .inspect).failure
    }
    withExtendedLifetime(listener) {}
  }
}
