import MFAStore
import MFABase
import MFACrypto
import MFAModel
import Foundation
import MFATestSupport
import Testing

/// A store in a temporary folder under /var/lib, which is removed at the end.
final class StoreFixture {
  let folder: String
  let account = Account(name: Array("alice".utf8), uid: 1000)
  let parameters = TOTPParameters.standard

  init() throws {
    folder = "/var/lib/mfa-store-\(UInt32.random(in: 0...UInt32.max))"
    for part in ["", "/store", "/store/factors", "/store/attempts"] {
      try Command.succeed(["/usr/bin/env", "mkdir", "-m", "0700", folder + part])
    }
    try write(Array(0..<32), to: "/key", mode: "0400")
  }

  deinit {
    do { try Command.succeed(["/usr/bin/env", "rm", "-rf", "--one-file-system", folder]) } catch {}
  }

  var record: String { folder + "/store/factors/alice" }
  var attempts: String { folder + "/store/attempts/alice" }

  func location() throws -> StoreLocation {
    guard let directory = TrustedPath(Array("\(folder)/store".utf8)),
      let key = TrustedPath(Array("\(folder)/key".utf8))
    else { throw FactorStoreError.nameTooLong }
    return StoreLocation(directory: directory, key: key)
  }

  func open() throws -> LocalFactorStore { try LocalFactorStore(try location()) }

  /// Returns why the user cannot sign in.
  func refusal() throws -> FactorStoreError? {
    let store = try open()
    do throws(FactorStoreError) {
      _ = try store.snapshot(of: account)
      return nil
    } catch {
      return error
    }
  }

  func write(_ bytes: [UInt8], to path: String, mode: String = "0600") throws {
    try Command.succeed(
      ["/usr/bin/env", "sh", "-c", "cat > \"$1\"; chmod \"$2\" \"$1\"", "sh", folder + path, mode],
      input: bytes)
  }

  func bytes(of path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// Overwrites a file in place, as an authorised process would.
  func overwrite(_ path: String, _ bytes: [UInt8]) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: Data(bytes))
    try file.close()
  }

  /// Enrols a factor for another user.
  func enroll(_ account: Account, _ name: String = "Phone") throws {
    let entry = try open().entry(of: account, creating: true)
    guard let id = FactorID(bytes: try randomBytes(count: 16)) else { return }
    var record = try entry.storedRecordOrNew()
    let sealed = try entry.seal(
      Array("12345678901234567890".utf8).span, for: id, parameters: parameters, in: record)
    try record.add(
      Factor(
        id: id, displayName: try #require(DisplayName(Array(name.utf8))), enrolledAt: 1_700_000_000,
        kind: .totp(parameters, sealedSecret: sealed)))
    _ = try entry.replace(
      record: record, attempts: entry.attempts.adding(id, confirmedAt: 10), entering: Self.event)
  }

  /// Makes a change that is recorded in the audit log.
  @discardableResult
  func rename(_ name: String = "Phone") throws -> AuditLogCheckpoint? {
    let entry = try open().entry(of: account, creating: false)
    guard var record = entry.record, let factor = record.factors.first else { return nil }
    try record.rename(factor.id, to: try #require(DisplayName(Array(name.utf8))))
    return try entry.replace(record: record, attempts: entry.attempts, entering: Self.event)
  }

  static let event = AuditLogEvent(
    .renamed, ids: Array("0a1b".utf8), detail: Array("phone".utf8),
    by: AuditLogEvent.Actor(
      name: Array("root".utf8), uid: 0, program: Array("tests".utf8), source: Source([])),
    at: 1_700_000_059)

  /// Repeats an operation that does not wait for the audit log's lock, until the lock is free.
  ///
  /// Another test may start a program at the same moment: until it executes the program, the new
  /// process also has the locked file open.
  static func whileBusy<Result>(
    _ enter: () throws(FactorStoreError) -> Result
  ) throws(FactorStoreError) -> Result {
    while true {
      do throws(FactorStoreError) {
        return try enter()
      } catch .system(.auditLogHead, let cause) where cause == .busy(.lock) {
        continue
      }
    }
  }

  @discardableResult
  func enroll(
    _ name: String = "Phone", confirmedAt step: Int64 = 10, entering event: AuditLogEvent? = nil
  ) throws -> Factor {
    let entry = try open().entry(of: account, creating: true)
    guard let user = UserName(account.name),
      let newID = FactorID(bytes: try randomBytes(count: 16)),
      let id = FactorID(bytes: try randomBytes(count: 16))
    else { throw FactorStoreError.nameTooLong }
    var record = entry.record ?? FactorRecord(user: user, uid: account.uid, id: newID)
    let secret: [UInt8] = Array("12345678901234567890".utf8)
    let sealed = try entry.seal(secret.span, for: id, parameters: parameters, in: record)
    let factor = Factor(
      id: id, displayName: try #require(DisplayName(Array(name.utf8))), enrolledAt: 1_700_000_000,
      kind: .totp(parameters, sealedSecret: sealed))
    try record.add(factor)
    let attempts = entry.record == nil ? AttemptState(record: record.id) : entry.attempts
    _ = try entry.replace(
      record: record, attempts: attempts.adding(id, confirmedAt: step), entering: event)
    return factor
  }
}
