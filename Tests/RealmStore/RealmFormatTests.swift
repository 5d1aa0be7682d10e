import Foundation
import MFAAttempt
import MFABase
import MFACrypto
import MFAModel
import MFASharedStoreTestSupport
import MFASignInTestSupport
import Testing

@testable import MFAStore
@testable import MFARealmStore

@Suite("The format of a realm")
struct RealmFormatTests {
  typealias Store = SharedFactorStore<MemoryEngine>

  private let engine = MemoryEngine()
  private let account = Account(name: Array("alice".utf8), uid: 1000)
  private let now: Int64 = 1_800_000_000

  private static let actor = AuditLogEvent.Actor(
    name: Array("root".utf8), uid: 0, program: Array("tests".utf8), source: Source([]))

  private func store(at time: Int64? = nil) -> Store { TestRealm(engine).store(at: time ?? now) }

  private func enroll() throws { try FactorStoreConformance { store() }.enroll() }

  private func isAccepted(at time: Int64) throws -> Bool {
    let code = try KnownFactor.code(at: time)
    let attempt = try Attempt.make(
      TypedCodes(whole: Array(code.utf8).span), by: account, in: store(at: time),
      Attempt.Context(settings: .defaults, clock: { time }))
    if case .accepted = attempt.result { return true }
    return false
  }

  private var events: [String] {
    engine.lines.compactMap { line in
      String(decoding: line.text, as: UTF8.self).split(separator: " ")
        .first { $0.hasPrefix("event=") }.map { String($0.dropFirst(6)) }
    }
  }

  @Test("a realm of another format is refused")
  func otherFormat() throws {
    try enroll()
    engine.realm.format = 2
    #expect(throws: FactorStoreError.otherVersion(2)) { _ = try isAccepted(at: now + 30) }
    engine.realm.format = 1
    #expect(try isAccepted(at: now + 30))
  }

  @Test("each changed byte of a row is refused, and so is each shorter row")
  func everyByte() throws {
    try enroll()
    #expect(try isAccepted(at: now + 30))
    let key = try #require(EngineKey(.user, account.name))
    let row = try #require(engine.rows[key])
    for index in row.attempts.indices {
      var changed = row
      changed.attempts[index] ^= 1
      engine.rows[key] = changed
      #expect(throws: FactorStoreError.damaged(.attempts)) {
        _ = try store().snapshot(of: account)
      }
      changed.attempts = Array(row.attempts.prefix(index))
      engine.rows[key] = changed
      #expect(throws: FactorStoreError.damaged(.attempts)) {
        _ = try store().snapshot(of: account)
      }
    }
  }

  @Test("an administrator's new epoch refuses used codes, once, and is in the audit log")
  func newEpoch() throws {
    try enroll()
    let backup = engine.rows
    #expect(try isAccepted(at: now))
    engine.rows = backup
    let state = try store().beginEpoch(by: Self.actor)
    #expect(state.epoch == 2)
    #expect(engine.realm == state)
    #expect(try !isAccepted(at: now))
    engine.rows = backup
    #expect(try !isAccepted(at: now + 300))
    engine.rows = backup
    #expect(try isAccepted(at: now + 330))
    #expect(events.last == "epoch-begun")
  }
}

@Suite("Recovery codes in another store")
struct PortableDigestsTests {
  private static let code = Array("AAAABBBBCCCCDDDD".utf8)

  private static func record(_ id: UInt8, uid: UInt32) throws -> FactorRecord {
    FactorRecord(
      user: try #require(UserName(Array("alice".utf8))), uid: uid,
      id: try #require(FactorID(bytes: [UInt8](repeating: id, count: FactorID.length))))
  }

  private static func hostKey() throws -> SealingKey {
    try SealingKey(master: [UInt8](repeating: 9, count: SealingKey.length).span)
  }

  /// Returns a record of a realm with the recovery codes of another record.
  private static func moved(
    _ record: FactorRecord, from key: inout SealingKey, to target: FactorRecord,
    _ targetKey: inout SealingKey
  ) throws -> FactorRecord {
    let portable = try record.portableDigests(&key)
    let length = portable.keys.count
    #expect(length == FactorRecord.portableKeysLength)
    let digests = portable.digests
    let sealed = try target.seal(digestKeys: portable.keys.span, &targetKey)
    var moved = target
    moved.setRecoveryCodes(
      digests.compactMap { RecoveryCodeDigest(kind: .generated, bytes: $0) }, at: 0)
    return try #require(
      moved.resealed(
        FactorRecord.Resealed(
          secrets: [], recoveryCodes: digests, grants: [], digestKeys: sealed)))
  }

  /// Returns whether a code is the recovery code of a record.
  private static func recognises(
    _ code: [UInt8], _ record: FactorRecord, _ key: inout SealingKey
  ) throws -> Bool {
    try record.digest(ofImported: code.span, kind: .generated, &key) == record.recoveryCodes.first
  }

  @Test("a recovery code is recognised in a realm, and in the next one, and no other code is")
  func recognised() throws {
    var host = try Self.hostKey()
    var realm = try TestRealm<MemoryEngine>.key()
    var record = try Self.record(1, uid: 1000)
    record.setRecoveryCodes([try record.digest(of: Self.code.span, kind: .generated, &host)], at: 0)
    let moved = try Self.moved(record, from: &host, to: try Self.record(2, uid: .max), &realm)
    let isKnown = try Self.recognises(Self.code, moved, &realm)
    #expect(isKnown)
    let isOtherKnown = try Self.recognises(Array("AAAABBBBCCCCDDDE".utf8), moved, &realm)
    #expect(!isOtherKnown)
    #expect(moved.recoveryCodes != record.recoveryCodes)

    var next = try Self.hostKey()
    let again = try Self.moved(moved, from: &realm, to: try Self.record(3, uid: 7), &next)
    let isKnownAgain = try Self.recognises(Self.code, again, &next)
    #expect(isKnownAgain)
  }

  @Test("a recovery code is recognised after a change of the host's key")
  func afterRekey() throws {
    var former = try Self.hostKey()
    var present = try SealingKey(master: [UInt8](repeating: 8, count: SealingKey.length).span)
    var realm = try TestRealm<MemoryEngine>.key()
    var record = try Self.record(1, uid: 1000)
    record.setRecoveryCodes(
      [try record.digest(of: Self.code.span, kind: .generated, &former)], at: 0)
    let rekeyed = try record.resealed(from: &former, to: &present)
    let moved = try Self.moved(rekeyed, from: &present, to: try Self.record(2, uid: .max), &realm)
    let isKnown = try Self.recognises(Self.code, moved, &realm)
    #expect(isKnown)
  }

  @Test("keys that were sealed for another record do not open")
  func otherRecord() throws {
    var host = try Self.hostKey()
    var realm = try TestRealm<MemoryEngine>.key()
    var record = try Self.record(1, uid: 1000)
    record.setRecoveryCodes([try record.digest(of: Self.code.span, kind: .generated, &host)], at: 0)
    let moved = try Self.moved(record, from: &host, to: try Self.record(2, uid: .max), &realm)
    let other = try #require(
      try Self.record(4, uid: .max).resealed(
        FactorRecord.Resealed(
          secrets: [], recoveryCodes: [], grants: [], digestKeys: moved.sealedDigestKeys)))
    var failure: FactorStoreError?
    do throws(FactorStoreError) {
      _ = try other.digest(ofImported: Self.code.span, kind: .generated, &realm)
    } catch {
      failure = error
    }
    #expect(failure == .damaged(.record))
  }
}

/// Rows that were written by a program of each format, and must be read by every later one.
///
/// After a new format was added, the first run writes its file, and fails. A file that exists is never
/// written again.
@Suite("Recorded rows")
struct RecordedRowsTests {
  private static let now: Int64 = 1_800_000_000
  private static let formats = Array(1...RealmState.currentFormat)
  private static let host = Array("web1.example.org".utf8)
  private static let actor = AuditLogEvent.Actor(
    name: Array("root".utf8), uid: 0, program: Array("tests".utf8), source: Source([]))
  private let account = Account(name: Array("alice".utf8), uid: 1000)

  private static func file(_ format: UInt16) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Vectors/Realm/format-\(format).txt")
  }

  private static func text(_ bytes: [UInt8]) -> String {
    bytes.isEmpty ? "-" : bytes.map { String(format: "%02x", $0) }.joined()
  }

  private static func bytes(_ text: Substring) throws -> [UInt8] {
    guard text != "-" else { return [] }
    let digits = Array(text)
    return try stride(from: 0, to: digits.count, by: 2).map {
      try #require(UInt8(String(digits[$0...($0 + 1)]), radix: 16))
    }
  }

  /// Returns an engine with the rows of a file, and the ticket that no host has used.
  private func recorded(_ format: UInt16) throws -> (engine: MemoryEngine, ticket: [UInt8]) {
    if !FileManager.default.fileExists(atPath: Self.file(format).path) { try record(format) }
    let engine = MemoryEngine()
    var ticket: [UInt8] = []
    for line in try String(contentsOf: Self.file(format), encoding: .utf8).split(separator: "\n")
    where !line.hasPrefix("#") {
      let words = line.split(separator: " ")
      let bytes = try words.dropFirst().map { try Self.bytes($0) }
      switch words[0] {
      case "user", "host", "ticket":
        let kind: EngineKey.Kind =
          words[0] == "user" ? .user : words[0] == "host" ? .host : .ticket
        let key = try #require(EngineKey(kind, bytes[0]))
        engine.rows[key] = EngineRow(
          version: UInt64(try #require(bytes[1].first)), record: bytes[2], attempts: bytes[3])
      case "line":
        engine.lines.append(
          EngineLogLine(
            number: UInt32(engine.lines.count + 1), text: bytes[0], end: bytes[1]))
      case "answer": engine.answers[bytes[0]] = bytes[1]
      case "code": ticket = bytes[0]
      default: Issue.record("unknown line: \(line)")
      }
    }
    engine.realm.format = format
    return (engine, ticket)
  }

  @Test("a user's row is read: the secret opens, and a used code stays used", arguments: formats)
  func user(_ format: UInt16) throws {
    let (engine, _) = try recorded(format)
    let store = TestRealm(engine).store(at: Self.now)
    let snapshot = try #require(try store.snapshot(of: account))
    let factor = try #require(snapshot.record.factors.first)
    #expect(factor.displayName.utf8 == Array("Phone".utf8))
    #expect(snapshot.attempts.watermark(of: factor.id) == Self.now / 30)
    #expect(snapshot.attempts.failures == 0)
    for (time, isAccepted) in [(Self.now, false), (Self.now + 3600, true)] {
      let code = try KnownFactor.code(at: time)
      let result = try Attempt.make(
        TypedCodes(whole: Array(code.utf8).span), by: account,
        in: TestRealm(engine).store(at: time),
        Attempt.Context(settings: .defaults, clock: { time })
      ).result
      if case .accepted = result { #expect(isAccepted) } else { #expect(!isAccepted) }
    }
  }

  @Test("a host and a ticket are read", arguments: formats)
  func host(_ format: UInt16) throws {
    let (engine, ticket) = try recorded(format)
    let hosts = HostRegistry(TestRealm(engine).store(at: Self.now))
    let host = try #require(try hosts.host(Self.host, certificate: [1]))
    #expect(host.groups == [Array("web".utf8)])
    guard let code = RecoveryCode(answer: ticket.span) else {
      Issue.record("the ticket is malformed")
      return
    }
    let joined = try hosts.join(ticket: code, certificate: [2], by: Self.actor)
    #expect(joined?.name == Array("db1.example.org".utf8))
  }

  @Test("a stored answer and the audit log are read", arguments: formats)
  func answerAndLog(_ format: UInt16) throws {
    let (engine, _) = try recorded(format)
    let store = TestRealm(engine).store(host: "web1", nonce: 7, at: Self.now)
    #expect(try store.committedAnswer(to: account) != nil)
    var key = try TestRealm<MemoryEngine>.key()
    var verification = SharedAuditLog.Verification()
    for line in engine.lines { #expect(try verification.take(line.text, &key) != nil) }
    #expect(try verification.isComplete(try #require(engine.lines.last).end, &key))
  }

  /// Writes the file of a new format.
  private func record(_ format: UInt16) throws {
    let file = Self.file(format)
    Issue.record("\(file.path) was missing: commit the new file")
    let engine = MemoryEngine()
    engine.realm.format = format
    let realm = TestRealm(engine)
    try FactorStoreConformance { realm.store() }.enroll()
    let hosts = HostRegistry(realm.store(at: Self.now))
    let used = try hosts.newTicket(for: Self.host, groups: [Array("web".utf8)], by: Self.actor)
    _ = try hosts.join(ticket: used, certificate: [1], by: Self.actor)
    let ticket = try hosts.newTicket(
      for: Array("db1.example.org".utf8), groups: [Array("web".utf8)], by: Self.actor)
    let code = try KnownFactor.code(at: Self.now)
    _ = try Attempt.make(
      TypedCodes(whole: Array(code.utf8).span), by: account,
      in: realm.store(host: "web1", nonce: 7, at: Self.now),
      Attempt.Context(settings: .defaults, clock: { Self.now }))
    var lines = ["# Written by a program of format \(format), with a key of 32 bytes 07."]
    let names: [EngineKey.Kind: String] = [.user: "user", .host: "host", .ticket: "ticket"]
    let rows = engine.rows.sorted {
      ($0.key.kind.rawValue, Self.text($0.key.id)) < ($1.key.kind.rawValue, Self.text($1.key.id))
    }
    for (key, row) in rows {
      let parts = [key.id, [UInt8(row.version)], row.record, row.attempts].map(Self.text)
      lines.append("\(try #require(names[key.kind])) " + parts.joined(separator: " "))
    }
    for line in engine.lines { lines.append("line \(Self.text(line.text)) \(Self.text(line.end))") }
    for (nonce, answer) in engine.answers {
      lines.append("answer \(Self.text(nonce)) \(Self.text(answer))")
    }
    let written = ticket.written()
    lines.append("code \(Self.text(written.span.copied()))")
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
  }
}
