import MFAStore
import MFABase

/// A parsed entry of the audit log.
package struct LedgerEntry: Equatable {
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
