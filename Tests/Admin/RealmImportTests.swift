import Foundation
import MFAAdminTestSupport
import MFAStore
import MFABase
import MFAModel
import MFARealm
import MFATestSupport
import Testing

@testable import MFAAdmin

/// `mfa-admin realm import` with a local store on disk, and a realm in memory that merges as a verifier does.
@Suite("Importing a local store into a realm")
struct RealmImportTests {
  private static let user = Array("alice".utf8)

  /// A realm that has factors, and no secrets.
  private final class MemoryRealm {
    /// The ids of the factors, by the names of the users.
    var factors: [[UInt8]: [FactorID]] = [:]
    var lines = [
      AdministeredLogLine(
        number: 1, text: Array("n=1 event=host-joined".utf8), checkpoint: Array("1:9f2c0a1b".utf8))
    ]
    var requests: [AdministrationImport] = []
    /// The number of the change whose answer is lost, counted from 1; nil for none.
    var lost: Int?
    /// Whether a change whose answer is lost is made.
    var makesLostChange = true
    var logged: [String] = []
    private var changes = 0

    func reply(_ command: AdministrationCommand) throws(AdminError) -> AdministrationReply {
      switch command {
      case .auditLogEnd: return .auditLogEnd(UInt32(lines.count))
      case .auditLog(let after):
        return .auditLog(lines.filter { $0.number > after }, isEnd: true)
      case .importUser(let request):
        if request.user == Array("mallory".utf8) { throw .refused(.importNotPermitted, "mallory") }
        requests.append(request)
        return .imported(try imported(request))
      case .undoImport(let undo):
        let results = undo.imported.factors.map { factor in
          let isSame = factors[undo.user, default: []].contains(factor.id)
          return FactorImport(
            factor.id,
            !isSame ? .missing : factor.mark == [factor.id.bytes[0]] ? .removed : .changed)
        }
        if !undo.isTrial {
          factors[undo.user]?.removeAll { id in
            results.contains(FactorImport(id, .removed))
          }
        }
        return .imported(Self.answer(results))
      default: throw .otherVersion
      }
    }

    private func imported(
      _ request: AdministrationImport
    ) throws(AdminError) -> AdministeredImport {
      guard let record = FactorRecord(encoded: request.record.span) else { throw .otherVersion }
      let present = factors[request.user, default: []]
      let isStranger =
        !present.isEmpty && request.earlierFactors.isEmpty
        && !record.factors.contains { present.contains($0.id) }
      let results = record.factors.map { factor -> FactorImport in
        let mark = [factor.id.bytes[0]]
        if present.contains(factor.id) { return FactorImport(factor.id, .present, mark: mark) }
        if request.earlierFactors.contains(factor.id.bytes) {
          return FactorImport(factor.id, .revoked)
        }
        guard isStranger else { return FactorImport(factor.id, .added, mark: mark) }
        switch request.choice {
        case .undecided: return FactorImport(factor.id, .otherFactors)
        case .keep: return FactorImport(factor.id, .kept)
        case .take: return FactorImport(factor.id, .added, mark: mark)
        }
      }
      let added = results.filter { $0.result == .added }.map(\.id)
      guard !request.isTrial else { return Self.answer(results) }
      changes += 1
      if changes != lost || makesLostChange {
        factors[request.user, default: []] += added
        let number = UInt32(lines.count + 1)
        lines.append(
          AdministeredLogLine(
            number: number,
            text: Array("n=\(number) event=imported-from-host user=".utf8) + request.user
              + Array(" name=".utf8) + Hexadecimal.text(of: request.number),
            checkpoint: Array("\(number):9f2c0a1b".utf8)))
      }
      guard changes != lost else { throw .silentRelay }
      return Self.answer(results, checkpoint: Array("\(lines.count):9f2c0a1b".utf8))
    }

    private static func answer(
      _ factors: [FactorImport], checkpoint: [UInt8] = []
    ) -> AdministeredImport {
      AdministeredImport(
        factors: factors, recoveryCodes: .noCodes, recoveryCodeMark: [], failuresBefore: 0,
        failures: 0, checkpoint: checkpoint)
    }
  }

  private let store: TemporaryStore
  private let realm = MemoryRealm()

  init() throws {
    store = try TemporaryStore()
    try store.enroll("alice", uid: 1001, ["phone", "tablet"], failures: 3, lastFailure: 17)
    try store.enroll("bob", uid: 1002, ["phone"])
  }

  private var path: String { store.folder + "/imported" }

  private func realmImport(_ number: UInt8 = 1) throws(AdminError) -> RealmImport {
    let realm = realm
    return try RealmImport(
      of: LocalUsers(store.administration),
      into: RealmAdministrator(
        accounts: store.administration.accounts, now: TemporaryStore.now, actor: Array("root".utf8),
        log: { _, line in realm.logged.append(String(decoding: line.text, as: UTF8.self)) },
        send: { command throws(AdminError) in try realm.reply(command) }),
      number: [UInt8](repeating: number, count: 16),
      file: ImportedUsersFile(path))
  }

  /// Imports everything, and returns the reports.
  @discardableResult
  private func importAll(_ number: UInt8 = 1, _ choice: ConflictChoice = .undecided)
    throws -> [String]
  {
    var imported = try realmImport(number)
    var lines: [String] = []
    let plans = try imported.plans(choice)
    try imported.carryOut(plans) { report throws(AdminError) in lines.append(report.text) }
    return lines
  }

  @Test("each user is sent with the secrets, and reported; the local store is not changed")
  func imports() throws {
    let before = try ["alice", "bob"].map { try store.bytes(of: store.recordPath($0)) }
    var planned = try realmImport()
    #expect(
      try planned.plans(.undecided).map(\.report.text) == [
        "alice: phone: to be added; tablet: to be added", "bob: phone: to be added",
      ])
    #expect(realm.factors.isEmpty)
    #expect(try importAll() == ["alice: phone: added; tablet: added", "bob: phone: added"])
    #expect(realm.factors[Self.user]?.count == 2)
    let request = try #require(realm.requests.last { $0.user == Self.user && !$0.isTrial })
    #expect(request.secrets.count == 2)
    let secret = request.secrets.secret(1) ?? SecretBytes(count: 0)
    let bytes = secret.span.copied()
    #expect(bytes == [UInt8](repeating: 7, count: 20))
    let sent = FactorRecord(encoded: request.record.span)
    let record = try #require(sent)
    #expect(record.factors.allSatisfy { $0.sealed.isEmpty })
    #expect(try ["alice", "bob"].map { try store.bytes(of: store.recordPath($0)) } == before)
    #expect(
      realm.logged.first == "result=imported user=alice by=root in=realm checkpoint=2:9f2c0a1b")
    #expect(
      try importAll(2) == [
        "alice: phone: already in the realm; tablet: already in the realm",
        "bob: phone: already in the realm",
      ])
  }

  @Test("the list of imports belongs to root, and nobody else reads it")
  func listMode() throws {
    try importAll()
    let status = try Command.succeed(["/usr/bin/env", "stat", "-c", "%a %U", path])
    #expect(status == "600 root\n")
  }

  @Test("what the realm has revoked since is not imported again")
  func revokedSince() throws {
    try importAll()
    realm.factors[Self.user]?.removeFirst()
    #expect(
      try importAll(2).first
        == "alice: phone: not imported again, revoked in the realm; tablet: already in the realm")
    #expect(realm.factors[Self.user]?.count == 1)
    #expect(realm.requests.last { $0.user == Self.user }?.hadAttempts == true)
  }

  @Test("after a lost answer, the audit log of the realm says whether the import was made")
  func interrupted() throws {
    for isMade in [true, false] {
      let test = try RealmImportTests()
      test.realm.lost = 1
      test.realm.makesLostChange = isMade
      #expect(throws: AdminError.silentRelay) { _ = try test.importAll() }
      // The realm revokes everything before the import is repeated.
      test.realm.factors = [:]
      #expect(
        try test.importAll(2).first
          == (isMade
            ? "alice: phone: not imported again, revoked in the realm; "
              + "tablet: not imported again, revoked in the realm"
            : "alice: phone: added; tablet: added"))
      #expect(test.realm.requests.last { $0.user == Self.user }?.hadAttempts == isMade)
    }
  }

  @Test("an import whose answer was lost can be undone")
  func undoAfterInterruption() throws {
    realm.lost = 1
    #expect(throws: AdminError.silentRelay) { _ = try importAll() }
    var lines: [String] = []
    var imported = try realmImport(2)
    try imported.undo(isTrial: false) { report throws(AdminError) in lines.append(report.text) }
    #expect(lines.count == 1)
    #expect(realm.factors[Self.user] == [])
  }

  @Test("a conflict is reported, and decided by an administrator")
  func conflict() throws {
    let other = try id(0x77)
    realm.factors[Self.user] = [other]
    var imported = try realmImport()
    var plans = try imported.plans(.undecided)
    #expect(plans.map(\.hasConflict) == [true, false])
    #expect(
      plans[0].report.text
        == "alice: phone: CONFLICT: the realm has other factors of the user; "
        + "tablet: CONFLICT: the realm has other factors of the user")
    try imported.carryOut([plans[0]]) { report throws(AdminError) in
      Issue.record("imported: \(report.text)")
    }
    try imported.decide(&plans[0], .keep)
    #expect(!plans[0].hasConflict)
    #expect(try importAll(2, .take).first == "alice: phone: added; tablet: added")
    #expect(realm.factors[Self.user]?.count == 3)
  }

  @Test("an undo removes what was imported, and a later import begins anew")
  func undo() throws {
    try importAll()
    realm.factors[Array("bob".utf8)] = []
    for isTrial in [true, false] {
      var lines: [String] = []
      var imported = try realmImport(2)
      try imported.undo(isTrial: isTrial) { report throws(AdminError) in lines.append(report.text) }
      let word = isTrial ? "to be removed" : "removed"
      let ids = [try id(1), try id(2)].map { String(decoding: $0.hexadecimal, as: UTF8.self) }
      #expect(
        lines == [
          "alice: factor \(ids[0]): \(word); factor \(ids[1]): \(word)",
          "bob: factor \(ids[0]): not in the realm any more",
        ])
    }
    #expect(realm.factors[Self.user] == [])
    #expect(try importAll(3).count == 2)
    #expect(realm.factors[Self.user]?.count == 2)
  }

  @Test(
    "a record that a sign-in would refuse, or whose account is missing, is reported and not sent")
  func unusable() throws {
    try store.write([1, 2, 3], to: store.recordPath("bob"))
    store.accounts["alice"] = nil
    var imported = try realmImport()
    let plans = try imported.plans(.undecided)
    #expect(plans.map { $0.report.problem != nil } == [true, true])
    #expect(realm.requests.isEmpty)
  }

  @Test("a user whom the realm does not permit is reported; without any, the command fails")
  func notPermitted() throws {
    try store.enroll("mallory", uid: 1003, ["phone"])
    var imported = try realmImport()
    #expect(
      try imported.plans(.undecided).last?.report.text
        == "mallory: not imported: the realm does not permit it")
    let other = try RealmImportTests()
    other.store.accounts = [:]
    try other.store.enroll("mallory", uid: 1003, ["phone"])
    for user in ["alice", "bob"] {
      try FileManager.default.removeItem(atPath: other.store.recordPath(user))
      try FileManager.default.removeItem(atPath: other.store.attemptsPath(user))
    }
    var refused = try other.realmImport()
    #expect(throws: AdminError.refused(.importNotPermitted, "mallory")) {
      _ = try refused.plans(.undecided)
    }
  }
}
