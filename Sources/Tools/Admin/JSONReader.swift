import FoundationEssentials

/// Reads JSON (RFC 8259) with Foundation.
///
/// MUST 1: an object with duplicate members is refused. Foundation's decoder silently uses the
/// first of them. (`JSONReaderTests`)
package enum JSONReader {
  /// Returns the error for a reason, which is the end of a sentence.
  package static func refusal(_ reason: String) -> AdminError { AdminError(at: "", reason) }

  /// What the values of members can be, by the names of the members, for messages.
  fileprivate static var allowedKey: CodingUserInfoKey? { CodingUserInfoKey(rawValue: "allowed") }

  /// Returns the value that `text` (in UTF-8) represents, with the members of objects sorted by
  /// name. `allowed` says what the values of members can be, by their names.
  package static func value(
    of text: [UInt8], allowed: [String: String] = [:]
  ) throws(AdminError) -> JSON {
    // Foundation also reads UTF-16 and UTF-32, in which a text contains NUL bytes.
    guard String(validating: text, as: UTF8.self) != nil, !text.contains(0) else {
      throw refusal("is not UTF-8")
    }
    let decoder = JSONDecoder()
    if let allowedKey { decoder.userInfo[allowedKey] = allowed }
    let value: JSON
    do { value = try decoder.decode(JSON.self, from: Data(text)) } catch let error as AdminError {
      throw error
    } catch {
      throw refusal("is not JSON")
    }
    if let name = ObjectLiteral.repeatedName(in: text) {
      throw refusal("has the member \"\(VisibleText.escaping(Array(name.utf8)))\" twice")
    }
    return value
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
  ) -> AdminError {
    let allowed = JSONReader.allowedKey.flatMap { decoder.userInfo[$0] as? [String: String] }
    guard let name = decoder.codingPath.last?.stringValue, let expected = allowed?[name] else {
      return JSONReader.refusal(
        "has a number\(place(decoder.codingPath)) that is not a 64-bit integer")
    }
    let path = place(decoder.codingPath).trimmingPrefix(" at ")
    var shown = "a number of this size"
    do { shown = "\(try value.decode(Double.self))" } catch {}
    return JSONReader.refusal("\(path): must be \(expected), not \(shown)")
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
