import MFABase
import MFAModel
import MFAStore

/// A parsed entry of the audit log.
package struct AuditLogEntry: Equatable {
  /// The checkpoint, or nil if the entry is not verified by the hash chain.
  package let mark: AuditLogCheckpoint?
  private let text: [UInt8]

  /// Creates the entry of a line.
  package init(_ line: AuditLogReading.Line) {
    var mark: AuditLogCheckpoint?
    if case .entry(let checkpoint) = line.kind { mark = checkpoint }
    self.init(line.text, mark: mark)
  }

  /// Creates the entry of a line, which has this checkpoint if it is verified.
  init(_ text: [UInt8], mark: AuditLogCheckpoint?) {
    self.text = text
    self.mark = mark
  }

  /// Returns the value of a key, or nil if the line has no such key or its value is `-`.
  package func bytes(_ key: StaticString) -> [UInt8]? {
    guard let value = AuditLogLine.value(of: key, in: text[...]),
      !value.elementsEqual([UInt8(ascii: "-")])
    else { return nil }
    return Self.unescaped(value)
  }

  /// Returns the value of a key, escaped for display.
  package func text(_ key: StaticString) -> String? { bytes(key).map { VisibleText.escaping($0) } }

  /// The entry's sequence number, or nil if the line has none.
  package var number: UInt32? { text("n").flatMap { UInt32($0) } }

  /// The account's UID.
  package var uid: UInt32? { text("uid").flatMap { UInt32($0) } }

  /// Whether the entry is about the stored record of its user. What a host reports about an outage changes no record.
  private var concernsRecord: Bool {
    let reports: [AuditLogEvent.Kind] = [
      .offlineAttempt, .offlineCodeUsed, .offlineCodeUsedAgain, .offlineRemembered,
      .offlineBreakGlass, .offlineQueueBroken, .offlineRecordsRefused,
    ]
    return !reports.contains { "\($0.name)" == text("event") }
  }

  /// The fingerprint of the user's record after the change; empty if the record was removed.
  package var fingerprint: [UInt8] {
    bytes("record").flatMap { Hexadecimal.bytes(of: $0, count: $0.count / 2) } ?? []
  }

  /// The users whose records the entry concerns, with the fingerprints of the records after the change. A renamed user
  /// has no record under the earlier name any more.
  var records: [(user: [UInt8], fingerprint: [UInt8])] {
    guard let user = bytes("user"), concernsRecord else { return [] }
    guard text("event") == "\(AuditLogEvent.Kind.userRenamed.name)", let earlier = bytes("name")
    else { return [(user, fingerprint)] }
    return [(user, fingerprint), (earlier, [])]
  }

  private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    guard text.contains(UInt8(ascii: "\\")) else { return Array(text) }
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "x") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.dropFirst().prefix(2).compactMap { Hexadecimal.value($0) }
      guard digits.count == 2 else {
        bytes.append(byte)
        continue
      }
      bytes.append(digits[0] << 4 | digits[1])
      rest = rest.dropFirst(3)
    }
    return bytes
  }

  /// The entry as a line of text for an administrator.
  package var line: String {
    var words = [number.map { "\($0)" } ?? "?", text("time") ?? "-", text("user") ?? "-"]
    words.append(text("event") ?? "-")
    if let name = text("name") { words.append("\"\(name)\"") }
    if let id = text("id") { words.append("(\(id))") }
    let program = text("via") ?? "-"
    // An edit of a file has no known author: only the program that noticed it is recorded.
    words.append(text("by").map { "by \($0) via \(program)" } ?? "seen by \(program)")
    if let source = text("from") { words.append("from \(source)") }
    if mark == nil { words.append("NOT VERIFIED") }
    return words.joined(separator: "  ") + "\n"
  }

  /// The entry as JSON. Member names are stable across versions.
  package var json: JSON {
    func value(_ key: StaticString) -> JSON {
      JSON(bytes(key).map { String(decoding: $0, as: UTF8.self) })
    }
    func numeric(_ text: String?) -> JSON {
      text.flatMap { Int64($0) }.map { .number($0) } ?? .null
    }
    return .object([
      ("number", number.map { .number(Int64($0)) } ?? .null), ("time", value("time")),
      ("event", value("event")), ("user", value("user")), ("uid", numeric(text("uid"))),
      ("id", value("id")), ("name", value("name")), ("by", value("by")),
      ("byUid", numeric(text("by-uid"))), ("via", value("via")), ("from", value("from")),
      ("checkpoint", JSON(mark.map { String(decoding: $0.text, as: UTF8.self) })),
      ("verified", .bool(mark != nil)),
    ])
  }
}

/// A record that does not match the audit log.
package struct AuditLogFinding: Equatable {
  /// How the record differs from the audit log.
  package enum Kind: Equatable {
    /// The record matches this earlier entry: the changes of the user's later entries were not
    /// made, or were undone.
    case older(entry: UInt32)
    /// No entry matches the record.
    case unknown
    /// There is no record, and no entry about its removal.
    case gone
    /// The record cannot be used.
    case unusable(RecordProblem)
  }

  /// The name of the record's user.
  package let user: [UInt8]
  /// How the record differs from the audit log.
  package let kind: Kind
  /// The number of the last entry about the user.
  package let last: UInt32

  /// The finding as a line of text for an administrator.
  package var line: String { "\(VisibleText.escaping(user)): \(sentence)\n" }

  private var sentence: String {
    switch kind {
    case .older(let entry):
      "the record matches entry \(entry), but entry \(last) was not carried out or was undone"
    case .unknown: "the record was changed after entry \(last) without a new entry"
    case .gone: "the record was removed after entry \(last) without a new entry"
    case .unusable(let problem): "the record cannot be used: \(problem.sentence)"
    }
  }

  /// The finding as JSON.
  package var json: JSON {
    let word =
      switch kind {
      case .older: "older"
      case .unknown: "unknown"
      case .gone: "missing"
      case .unusable: "unusable"
      }
    return .object([
      ("user", .string(String(decoding: user, as: UTF8.self))), ("finding", .string(word)),
      ("lastEntry", .number(Int64(last))), ("message", .string(sentence)),
    ])
  }
}

/// What the audit log of a host or a realm says about every user, up to the last entry that was read.
struct AuditLogHistories {
  /// What the audit log says about one user.
  struct History {
    /// The UID in the user's last entry that has one; 0 if none has.
    private(set) var uid: UInt32 = 0
    /// The number of the last entry about the user.
    private(set) var last: UInt32 = 0
    /// The fingerprint in that entry; empty if the record was removed.
    private(set) var lastFingerprint: [UInt8] = []
    /// The number of the last entry with each fingerprint.
    private(set) var entries: [[UInt8]: UInt32] = [:]

    /// Adds an entry, with the fingerprint of the user's record after it.
    fileprivate mutating func add(
      _ entry: AuditLogEntry, _ mark: AuditLogCheckpoint, _ fingerprint: [UInt8]
    ) {
      // The entry of a record that was removed unread has no UID.
      uid = entry.uid ?? uid
      last = mark.number
      lastFingerprint = fingerprint
      entries[fingerprint] = mark.number
    }

    /// Returns how a record with this fingerprint differs from what the audit log says, or nil if it does not.
    /// The fingerprint is empty if there is no record.
    func difference(of fingerprint: [UInt8]) -> AuditLogFinding.Kind? {
      guard fingerprint != lastFingerprint else { return nil }
      if let entry = entries[fingerprint] { return .older(entry: entry) }
      return fingerprint.isEmpty ? .gone : .unknown
    }
  }

  /// The history of each user.
  private(set) var users: [[UInt8]: History] = [:]
  /// The number of the last entry that was read.
  private(set) var last: UInt32 = 0

  /// Adds the next entry.
  mutating func add(_ entry: AuditLogEntry, _ mark: AuditLogCheckpoint) {
    last = mark.number
    for (user, fingerprint) in entry.records {
      users[user, default: History()].add(entry, mark, fingerprint)
    }
  }

  /// Adds the entries that were written since the audit log of this host was read. The audit log is read again only
  /// if its head counts more entries, because it can be long, and changes of factors wait meanwhile. After an
  /// interrupted write, the head does not yet count an entry that was read.
  mutating func update(from store: borrowing LocalFactorStore) throws(FactorStoreError) {
    guard try store.recordedAuditLogCount() ?? .max > last else { return }
    _ = try store.inspectAuditLog { line in
      guard case .entry(let mark) = line.kind, mark.number > last else { return }
      add(AuditLogEntry(line), mark)
    }
  }
}

/// The result of reading the audit log of a host or a realm, and of comparing it with the stored records.
package struct AuditLogVerification: Equatable {
  /// The fault of the audit log itself, or nil.
  package let fault: AuditLogProblem?
  /// The last entry whose chained value is verified.
  package let last: AuditLogEntry?
  /// The number of lines that were left by interrupted writes.
  var torn = 0
  /// The number of bytes that an interrupted write left at the end.
  var left = 0
  /// The expected checkpoint, if the audit log does not contain it.
  var missingCheckpoint: AuditLogCheckpoint?
  /// The records that differ from what the audit log says.
  package var findings: [AuditLogFinding] = []
  /// The users whose records the audit log does not mention.
  var unlistedUsers: [[UInt8]] = []
  /// Whether a new audit log was begun, which allows records that it does not mention.
  var allowsUnlistedRecords = false

  init(fault: AuditLogProblem?, last: AuditLogEntry?) {
    self.fault = fault
    self.last = last
  }

  /// Creates the result of reading the audit log of a host.
  init(_ reading: AuditLogReading, last: AuditLogEntry?) {
    self.init(fault: reading.fault.map { .fault($0, last: last) }, last: last)
    torn = reading.torn
    left = reading.left
  }

  /// The number of records that the audit log does not mention.
  package var recordsWithoutEntries: Int { unlistedUsers.count }

  /// The first problem, in order of severity, or nil.
  package var problem: AuditLogProblem? {
    if let fault { return fault }
    if let missingCheckpoint { return .missingCheckpoint(missingCheckpoint, last: last?.mark) }
    if recordsWithoutEntries > 0, !allowsUnlistedRecords {
      return .recordsWithoutEntries(unlistedUsers)
    }
    return findings.isEmpty ? nil : .records(findings)
  }

  /// The last verified entry with its time, such as `17:9f2c0a1b, of 2026-11-21T10:18:00Z`, or nil.
  package var lastEntry: String? {
    last?.mark.map {
      "\(AuditLogProblem.text($0)), of \(last?.text("time") ?? "an unknown time")"
    }
  }

  /// The result as text for an administrator. A fault of the audit log itself is not included: the
  /// error reports it.
  package var text: String {
    var text = findings.map(\.line).joined()
    if let number = last?.mark?.number, let lastEntry {
      text += number == 1 ? "1 entry is" : "\(number) entries are"
      text += " valid; the last is \(lastEntry)\n"
    } else {
      text += "no entries\n"
    }
    if torn > 0 {
      text +=
        torn == 1
        ? "1 line was left by an interrupted process\n"
        : "\(torn) lines were left by interrupted processes\n"
    }
    if left > 0 {
      text += left == 1 ? "1 byte at the end was" : "\(left) bytes at the end were"
      text += " left by an interrupted process or another program; they contain no entry\n"
    }
    if recordsWithoutEntries > 0, allowsUnlistedRecords {
      text += "the audit log has no entries about "
      text += recordsWithoutEntries == 1 ? "1 record\n" : "\(recordsWithoutEntries) records\n"
    }
    return text
  }

  /// The result as JSON. Member names are stable across versions.
  package var json: JSON {
    let (word, line): (String?, Int?) =
      switch fault {
      case .realm(let line, _): ("broken", Int(line))
      case .fault(.broken(let line), _): ("broken", line)
      case .fault(.cut, _): ("cut", nil)
      case .fault(.headMissing, _): ("head-missing", nil)
      case .fault(.badIndex, _): ("bad-index", nil)
      case .fault(.changedBeforeRekey, _): ("changed-before-rekey", nil)
      case .missingCheckpoint, .recordsWithoutEntries, .records, nil:
        (missingCheckpoint == nil ? nil : "checkpoint-missing", nil)
      }
    return .object([
      ("valid", .bool(problem == nil)),
      ("entries", .number(Int64(last?.mark?.number ?? 0))),
      ("checkpoint", JSON(last?.mark.map { AuditLogProblem.text($0) })),
      ("lastTime", JSON(last?.text("time"))),
      ("fault", JSON(word)),
      ("line", line.map { .number(Int64($0)) } ?? .null),
      ("message", JSON(problem?.sentence)),
      ("tornLines", .number(Int64(torn))),
      ("bytesLeft", .number(Int64(left))),
      ("recordsWithoutEntry", .number(Int64(recordsWithoutEntries))),
      ("records", .array(findings.map(\.json))),
    ])
  }
}

extension Administration.NewAuditLog {
  /// The result as text for an administrator.
  package var text: String {
    var text = unusable.map(\.line).joined()
    if !moved.isEmpty { text += "kept as \(NameList.text(moved)) in /var/lib/mfa\n" }
    text += "started a new audit log with \(entered) \(entered == 1 ? "record" : "records")\n"
    return text
  }
}

/// A fault of the audit log, or a mismatch between the audit log and the stored records.
package enum AuditLogProblem: Equatable {
  /// The audit log itself is faulty. `last` is the last verified entry.
  case fault(AuditLogReading.Fault, last: AuditLogEntry?)
  /// The audit log has no entries about these users' records: an earlier audit log was removed, or
  /// the records were added by other means.
  case recordsWithoutEntries([[UInt8]])
  /// The expected checkpoint is missing. `last` is the last checkpoint of the audit log.
  case missingCheckpoint(AuditLogCheckpoint, last: AuditLogCheckpoint?)
  /// The line with this number of the realm's audit log was changed, inserted, moved or removed. `last` is the
  /// last verified entry.
  case realm(line: UInt32, last: AuditLogEntry?)
  /// Records that do not match the audit log.
  case records([AuditLogFinding])

  /// What is wrong, and where, as a sentence.
  package var sentence: String {
    switch self {
    case .fault(let fault, let last):
      let good =
        if let last, let number = last.number {
          "the last valid entry is \(number), of \(last.text("time") ?? "an unknown time")"
        } else {
          "no entry before it is valid"
        }
      return switch fault {
      case .broken(let line):
        "\(StoreFile.auditLog.path):\(line): a line was changed, inserted, moved or removed; \(good)"
      case .cut(1): "\(StoreFile.auditLog.path): the last entry is missing; \(good)"
      case .cut(let missing):
        "\(StoreFile.auditLog.path): the last \(missing) entries are missing; \(good)"
      case .headMissing: "\(StoreFile.auditLogHead.path) is missing or damaged; \(good)"
      case .badIndex:
        "\(StoreFile.auditLogIndex.path) is missing, damaged or older than the audit log; \(good)"
      case .changedBeforeRekey(let entries):
        "\(StoreFile.auditLog.path): one of the first \(entries) entries, from before the key was "
          + "changed, was changed, inserted, moved or removed"
      }
    case .realm(let line, let last):
      return "line \(line) of the realm's audit log was changed, inserted, moved or removed; "
        + (last?.number.map { "the last valid entry is \($0)" } ?? "no entry before it is valid")
    case .recordsWithoutEntries(let users):
      let names = NameList.text(users.map { VisibleText.escaping($0) })
      return "the audit log has no entries about "
        + (users.count == 1 ? "the record" : "the records") + " of \(names): "
        + "an earlier audit log was removed, or a record was added by other means"
    case .missingCheckpoint(let mark, let last):
      let end = last.map { "it ends with \(Self.text($0))" } ?? "it is empty"
      return "the audit log does not contain the checkpoint \(Self.text(mark)); \(end)"
    case .records(let findings) where findings.count == 1:
      return "1 record does not match the audit log"
    case .records(let findings): return "\(findings.count) records do not match the audit log"
    }
  }

  /// What to do next.
  package var hint: String {
    switch self {
    case .recordsWithoutEntries:
      "find out who removed the earlier audit log; if you removed it, pass --begun-anew"
    case .realm:
      "compare with checkpoint= in the logs of the verifiers and the hosts, and with a backup"
    case .fault, .missingCheckpoint:
      "compare with checkpoint= on the log host; mfa-admin audit-log begin starts a new audit log"
    case .records:
      "a process was killed between the entry and its change, or a file was restored or edited"
    }
  }

  package static func text(_ mark: AuditLogCheckpoint) -> String {
    String(decoding: mark.text, as: UTF8.self)
  }
}
