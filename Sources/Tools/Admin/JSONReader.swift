import FoundationEssentials

/// Reads JSON (RFC 8259) with Foundation.
///
/// MUST 1: an object with duplicate members is refused. Foundation's decoder silently uses the
/// first of them. (`JSONReaderTests`)
package enum JSONReader {
  /// The reason for rejecting a text.
  package struct Refusal: Error, Equatable {
    /// What is wrong, as the end of a sentence.
    package let reason: String
  }

  /// What the values of members can be, by the names of the members, for messages.
  fileprivate static var allowedKey: CodingUserInfoKey? { CodingUserInfoKey(rawValue: "allowed") }

  /// Returns the value that `text` (in UTF-8) represents, with the members of objects sorted by
  /// name. `allowed` says what the values of members can be, by their names.
  package static func value(
    of text: [UInt8], allowed: [String: String] = [:]
  ) throws(Refusal) -> JSON {
    // Foundation also reads UTF-16 and UTF-32, in which a text contains NUL bytes.
    guard String(validating: text, as: UTF8.self) != nil, !text.contains(0) else {
      throw Refusal(reason: "is not UTF-8")
    }
    let value = try decode(JSON.self, text, allowed)
    if let name = try repeatedName(in: text, decodedAs: value) {
      throw Refusal(reason: "has the member \"\(VisibleText.escaping(Array(name.utf8)))\" twice")
    }
    return value
  }

  private static func decode<Value: Decodable>(
    _ type: Value.Type, _ text: [UInt8], _ allowed: [String: String] = [:]
  ) throws(Refusal) -> Value {
    let decoder = JSONDecoder()
    if let allowedKey { decoder.userInfo[allowedKey] = allowed }
    do { return try decoder.decode(type, from: Data(text)) } catch let refusal as Refusal {
      throw refusal
    } catch {
      throw Refusal(reason: "is not JSON")
    }
  }

  // MARK: Duplicate members

  /// Returns a name that occurs more often in the text than in the value decoded from it, or nil.
  private static func repeatedName(
    in text: [UInt8], decodedAs value: JSON
  ) throws(Refusal) -> String? {
    var left: [String: Int] = [:]
    count(value, in: &left)
    let written = Array("[".utf8) + Array(names(in: text).joined(separator: [0x2C])) + [0x5D]
    for name in try decode([String].self, written) {
      guard let count = left[name], count > 0 else { return name }
      left[name] = count - 1
    }
    return nil
  }

  private static func count(_ value: JSON, in counts: inout [String: Int]) {
    switch value {
    case .null, .bool, .number, .string: break
    case .array(let values): for value in values { count(value, in: &counts) }
    case .object(let members):
      for member in members {
        counts[member.name, default: 0] += 1
        count(member.value, in: &counts)
      }
    }
  }

  /// Returns the name of every member in valid JSON, with its quotation marks: the strings before
  /// colons.
  private static func names(in text: [UInt8]) -> [ArraySlice<UInt8>] {
    var names: [ArraySlice<UInt8>] = []
    var string = text[..<0]
    var start: Int?
    var index = 0
    while index < text.count {
      switch (text[index], start) {
      // A backslash escapes at least one byte, which may be a quotation mark.
      case (UInt8(ascii: "\\"), _): index += 1
      case (UInt8(ascii: "\""), let begun?):
        string = text[begun...index]
        start = nil
      case (UInt8(ascii: "\""), nil): start = index
      case (UInt8(ascii: ":"), nil): names.append(string)
      case _: break
      }
      index += 1
    }
    return names
  }
}

extension JSON: Decodable {
  /// The name of a member.
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  package init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try Self.matching({ try value.decode(Bool.self) }) {
      self = .bool(bool)
    } else if let string = try Self.matching({ try value.decode(String.self) }) {
      self = .string(string)
    } else if var values = try Self.matching({ try decoder.unkeyedContainer() }) {
      var array: [JSON] = []
      while !values.isAtEnd { array.append(try values.decode(JSON.self)) }
      self = .array(array)
    } else if let members = try Self.matching({ try decoder.container(keyedBy: Name.self) }) {
      let names = members.allKeys.sorted { $0.stringValue < $1.stringValue }
      self = .object(
        try names.map { ($0.stringValue, try members.decode(JSON.self, forKey: $0)) })
    } else {
      do { self = .number(try value.decode(Int64.self)) } catch {
        throw Self.refusal(of: value, decoder)
      }
    }
  }

  /// Returns the result of `body`, or nil if the value in the text has a different type.
  private static func matching<Value>(_ body: () throws -> Value) throws -> Value? {
    do { return try body() } catch DecodingError.typeMismatch { return nil }
  }

  /// Returns why a number is refused.
  private static func refusal(
    of value: any SingleValueDecodingContainer, _ decoder: any Decoder
  ) -> JSONReader.Refusal {
    let allowed = JSONReader.allowedKey.flatMap { decoder.userInfo[$0] as? [String: String] }
    guard let name = decoder.codingPath.last?.stringValue, let expected = allowed?[name] else {
      return JSONReader.Refusal(
        reason: "has a number\(place(decoder.codingPath)) that is not a 64-bit integer")
    }
    let path = place(decoder.codingPath).trimmingPrefix(" at ")
    var shown = "a number of this size"
    do { shown = "\(try value.decode(Double.self))" } catch {}
    return JSONReader.Refusal(reason: "\(path): must be \(expected), not \(shown)")
  }

  /// Returns the place of a value, such as ` at mfa.providerConfigs[0]`; empty for the outermost
  /// value.
  private static func place(_ path: [any CodingKey]) -> String {
    let parts = path.map { key in
      key.intValue.map { "[\($0)]" } ?? "." + VisibleText.escaping(Array(key.stringValue.utf8))
    }
    return path.isEmpty ? "" : " at " + parts.joined().trimmingPrefix(".")
  }
}
