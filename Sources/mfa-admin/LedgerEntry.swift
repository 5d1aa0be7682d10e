import FactorStore
import Secrets

/// An entry of the ledger, taken apart.
struct LedgerEntry: Equatable {
  /// The entry's number; nil where the line says none.
  let number: UInt32?
  /// The mark, where the entry is proven.
  let mark: LedgerMark?
  private let values: [String: [UInt8]]

  /// Takes a line apart; pairs that are none are left out.
  init(_ line: LedgerReading.Line) {
    var values: [String: [UInt8]] = [:]
    for pair in line.text.split(separator: UInt8(ascii: " ")) {
      guard let sign = pair.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let value = Self.unescaped(pair[pair.index(after: sign)...])
      values[String(decoding: pair[..<sign], as: UTF8.self)] = value
    }
    self.values = values
    number = values["n"].flatMap { UInt32(String(decoding: $0, as: UTF8.self)) }
    if case .entry(let mark) = line.kind { self.mark = mark } else { mark = nil }
  }

  /// A value; nil where the line has none, or `-`.
  func bytes(_ key: String) -> [UInt8]? {
    guard let value = values[key], value != [UInt8(ascii: "-")] else { return nil }
    return value
  }

  /// A value as it may be shown.
  func text(_ key: String) -> String? { bytes(key).map { VisibleText.escaping($0) } }

  /// The account's numeric identity.
  var uid: UInt32? { text("uid").flatMap { UInt32($0) } }

  /// What the user's record became; empty where none was left.
  var fingerprint: [UInt8] {
    bytes("record").flatMap { Hexadecimal.bytes(of: $0, count: $0.count / 2) } ?? []
  }

  private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
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

  /// A line for a person.
  var line: String {
    var words = [number.map { "\($0)" } ?? "?", text("time") ?? "-", text("user") ?? "-"]
    words.append(text("event") ?? "-")
    if let name = text("name") { words.append("\"\(name)\"") }
    if let id = text("id") { words.append("(\(id))") }
    let program = text("via") ?? "-"
    // Who used an editor is not known.
    words.append(text("by").map { "by \($0) via \(program)" } ?? "seen by \(program)")
    if let source = text("from") { words.append("from \(source)") }
    if mark == nil { words.append("NOT PROVEN") }
    return words.joined(separator: "  ") + "\n"
  }

  /// The entry for programs. Names of members stay the same from version to version.
  var json: JSON {
    func value(_ key: String) -> JSON {
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
      ("ledger", JSON(mark.map { String(decoding: $0.text, as: UTF8.self) })),
      ("proven", .bool(mark != nil)),
    ])
  }
}
