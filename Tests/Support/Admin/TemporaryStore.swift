import MFABase
import MFAStore
import MFAModel
import Foundation

@testable import MFAAdmin

/// A store in a temporary folder that belongs to root, like the parent folder of the real store. It
/// is removed when the value is destroyed.
package final class TemporaryStore {
  package let folder: String
  package let store: LocalFactorStore
  /// Where the store and its key are.
  package let location: StoreLocation
  /// The settings of the simulated host.
  package var settings = Settings.defaults
  /// The lines written to the log.
  package private(set) var lines: [String] = []
  /// The checkpoints at the end of these lines.
  package private(set) var marks: [String] = []
  /// The users whose notices were to be mailed.
  package private(set) var delivered: [String] = []
  /// The accounts of the simulated system, with their uids.
  package var accounts: [String: UInt32] = [:]
  /// Alternative spellings of account names, and the names themselves.
  package var spellings: [String: String] = [:]
  /// The error of the account lookup.
  package var lookUpFailure: SystemError?
  /// The accounts that the simulated system lists.
  package var listed: [KnownAccount] = []
  /// The content of the simulated /etc/passwd.
  package var passwordFile: String?

  package static let now: Int64 = 1_700_000_000

  package init() throws {
    folder = "/var/lib/mfa-admin-test-\(UUID().uuidString)"
    let files = FileManager.default
    for path in ["", "/store", "/store/factors", "/store/attempts", "/store/phone"] {
      try files.createDirectory(
        atPath: folder + path, withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
    }
    let key = Data((0..<32).map { UInt8($0) })
    guard
      files.createFile(
        atPath: folder + "/key", contents: key, attributes: [.posixPermissions: 0o400]),
      let directory = TrustedPath(Array("\(folder)/store".utf8)),
      let keyPath = TrustedPath(Array("\(folder)/key".utf8))
    else { throw TestMistake(what: "the store's folder") }
    location = StoreLocation(directory: directory, key: keyPath)
    store = try LocalFactorStore(location)
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: folder) } catch { print("left: \(folder)") }
  }

  package func recordPath(_ user: String) -> String { folder + "/store/factors/" + user }

  package func attemptsPath(_ user: String) -> String { folder + "/store/attempts/" + user }

  package func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  package func write(_ bytes: [UInt8], to path: String, mode: Int = 0o600) throws {
    guard
      FileManager.default.createFile(
        atPath: path, contents: Data(bytes), attributes: [.posixPermissions: mode])
    else { throw TestMistake(what: path) }
  }

  package func bytes(of path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// Creates an account with factors of these names, whose ids begin with 01, 02, and so on.
  package func enroll(
    _ user: String, uid: UInt32 = 1000, _ names: [String], failures: UInt32 = 0,
    lastFailure: Int64 = 0, step: Int64 = 56_666_600
  ) throws {
    accounts[user] = uid
    let entry = try store.entry(
      of: Account(name: Array(user.utf8), uid: uid), creating: true)
    var factors: [Factor] = []
    let empty = try record(user, uid: uid, [])
    for (index, name) in names.enumerated() {
      let id = try id(UInt8(index + 1))
      let secret = [UInt8](repeating: 7, count: 20)
      let sealed = try entry.seal(secret.span, for: id, parameters: .standard, in: empty)
      factors.append(
        try factor(id, name, enrolledAt: 1_699_000_000 + Int64(index), sealedSecret: sealed))
    }
    let attempts = AttemptState(
      record: empty.id, failures: failures, lastFailure: lastFailure,
      watermarks: factors.map { AttemptState.Watermark(factor: $0.id, step: step) })
    _ = try entry.replace(
      record: try record(user, uid: uid, factors), attempts: attempts, entering: nil)
  }

  /// Gives an enrolled user a recovery code.
  package func addRecoveryCode(of user: String) throws {
    let entry = try store.entry(
      of: Account(name: Array(user.utf8), uid: accounts[user] ?? 1000), creating: false)
    guard var record = entry.kept,
      let code = RecoveryCodeDigest(
        kind: .generated, bytes: [UInt8](repeating: 0, count: RecoveryCodeDigest.length))
    else { throw TestMistake(what: user) }
    record.setRecoveryCodes([code], at: 1)
    _ = try entry.replace(record: record, attempts: entry.attempts, entering: nil)
  }

  /// Remembers a code for the given number of places.
  package func remember(_ user: String, rememberedCount: Int) throws {
    let entry = try store.entry(
      of: Account(name: Array(user.utf8), uid: accounts[user] ?? 1000), creating: false)
    var attempts = entry.attempts
    for number in 0..<rememberedCount {
      attempts = attempts.remembering(SignInOriginDigest(.address, UInt64(number)), at: Self.now)
    }
    try entry.write(attempts)
    try entry.sync()
  }

  /// Returns the number of places for which a code is remembered.
  package func remembered(_ user: String) throws -> Int {
    let entry = try store.entry(
      of: Account(name: Array(user.utf8), uid: accounts[user] ?? 1000), creating: false)
    return entry.attempts.remembered.entries.count
  }

  private func unverifiedEntry(_ user: String) throws -> LocalFactorStoreEntry {
    try store.unverifiedEntry(of: Account(name: Array(user.utf8), uid: accounts[user] ?? 1000))
  }

  /// Returns the stored record without checking it against the audit log.
  package func unverified(_ user: String) throws -> FactorRecord {
    guard let kept = try unverifiedEntry(user).kept else { throw TestMistake(what: user) }
    return kept
  }

  /// Returns the stored attempt state without checking it against the audit log.
  package func unverifiedAttempts(_ user: String) throws -> AttemptState {
    try unverifiedEntry(user).attempts
  }

  package func snapshot(_ user: String) throws -> FactorSnapshot? {
    try store.snapshot(
      of: Account(name: Array(user.utf8), uid: accounts[user] ?? 1000))
  }

  package var administration: Administration { administration(now: Self.now) }

  /// Verifies the audit log, and every record against it.
  package func verify() throws(AdminError) -> AuditLogVerification {
    try administration.verifyAuditLog(expecting: nil, allowsUnlistedRecords: false)
  }

  /// Removes everything that is stored for a user.
  @discardableResult
  package func revokeEverything(of user: String) throws(AdminError) -> RevocationReport {
    try administration.revoke(administration.plan(.everything, of: user))
  }

  package func administration(now: Int64) -> Administration {
    Administration(
      store: store, settings: settings, now: now,
      accounts: AccountSource(
        named: { [self] name throws(SystemError) in
          if let lookUpFailure { throw lookUpFailure }
          let asked = String(decoding: name, as: UTF8.self)
          let own = spellings[asked] ?? asked
          return accounts[own].map { Account(name: Array(own.utf8), uid: $0) }
        },
        passwordFile: { [self] in passwordFile.map { Array($0.utf8) } },
        systemAccounts: { [self] () throws(SystemError) in
          if let lookUpFailure { throw lookUpFailure }
          return listed
        }),
      actor: Array("root\n".utf8),
      log: { [self] _, line in
        let text = String(decoding: line.text, as: UTF8.self)
        let parts = text.split(separator: " checkpoint=")
        lines.append(String(parts[0]))
        if parts.count == 2 { marks.append(String(parts[1])) }
      },
      deliver: { [self] account in
        delivered.append(String(decoding: account.name, as: UTF8.self))
      })
  }
}
