import FoundationEssentials
import MFAStore

/// What every answer of etcd begins with.
struct EtcdHeader: Decodable, Equatable, Sendable {
  /// The cluster's ID, which is computed from the addresses and the token of its first members.
  @PositiveInteger var cluster: UInt64
  /// The number of changes of the database, which begins with 1.
  @PositiveInteger var revision: Int64

  private enum CodingKeys: String, CodingKey {
    case revision
    case cluster = "cluster_id"
  }
}

/// A key that the cluster has.
struct EtcdEntry: Decodable, Equatable, Sendable {
  let key: [UInt8]
  /// How often the key was written since it was created, from 1.
  let version: Int64
  /// The value; empty if only keys were asked for.
  let value: [UInt8]

  private enum CodingKeys: CodingKey { case key, version, value }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    key = Array(try members.decode(Data.self, forKey: .key))
    version = try members.decode(PositiveInteger.self, forKey: .version).wrappedValue
    // The gateway leaves out what is empty.
    value = Array(try members.decodeIfPresent(Data.self, forKey: .value) ?? Data())
  }
}

/// The answer to a transaction.
struct EtcdReply: Sendable {
  let header: EtcdHeader
  /// Whether all comparisons held.
  let succeeded: Bool
  /// What each operation returned; nothing for operations that write.
  let results: [[EtcdEntry]]

  /// The answer as the gateway writes it, which leaves out what is false or empty.
  struct Answer: Decodable {
    let header: EtcdHeader
    let succeeded: Bool?
    let responses: [Response]?
  }

  /// What one operation returned.
  struct Response: Decodable {
    let range: Range?
    let put: Written?
    let removal: Written?

    struct Range: Decodable { let kvs: [EtcdEntry]? }
    struct Written: Decodable {}

    private enum CodingKeys: String, CodingKey {
      case range = "response_range"
      case put = "response_put"
      case removal = "response_delete_range"
    }
  }

  init(_ answer: Answer, of transaction: EtcdTransaction) throws(EngineError) {
    header = answer.header
    succeeded = answer.succeeded ?? false
    let operations = succeeded ? transaction.success : transaction.failure
    let responses = answer.responses ?? []
    guard responses.count == operations.count else { throw .refused }
    var results: [[EtcdEntry]] = []
    for (operation, response) in zip(operations, responses) {
      guard (response.range != nil) == (operation.requestRange != nil),
        (response.put != nil) == (operation.requestPut != nil),
        (response.removal != nil) == (operation.requestDeleteRange != nil)
      else { throw .refused }
      results.append(response.range?.kvs ?? [])
    }
    self.results = results
  }

  /// Returns the key that an operation asked for, or nil if the cluster does not have it.
  func entry(_ index: Int, _ key: [UInt8]) throws(EngineError) -> EtcdEntry? {
    guard results.indices.contains(index) else { throw .refused }
    guard let entry = results[index].first else { return nil }
    guard results[index].count == 1, entry.key == key else { throw .refused }
    return entry
  }
}

/// The texts of etcd's gateway in JSON (RFC 8259), which Foundation reads and writes.
///
/// MUST 1: a text that is not JSON, nests deeper than `deepest`, or names a member of an object twice, is
/// refused. (`EtcdJSONTests.refused`)
/// MUST 2: bytes in another Base64 encoding than that of RFC 4648, section 4, are refused.
/// (`EtcdJSONTests.base64`)
enum EtcdJSON {
  /// The greatest depth of arrays and objects.
  static let deepest = 16

  /// Returns the value of a text, or nil if it is refused.
  static func decoded<Value: Decodable>(_ text: [UInt8]) -> Value? {
    // Foundation also reads UTF-16 and UTF-32, in which a text contains NUL bytes.
    guard String(validating: text, as: UTF8.self) != nil, !text.contains(0), isStrict(text) else {
      return nil
    }
    let decoder = JSONDecoder()
    decoder.dataDecodingStrategy = .custom { decoder in
      let text = try String(from: decoder)
      // Foundation ignores the bits that the padding leaves over.
      guard let bytes = Data(base64Encoded: text), bytes.base64EncodedString() == text else {
        throw EngineError.refused
      }
      return bytes
    }
    do { return try decoder.decode(Value.self, from: Data(text)) } catch { return nil }
  }

  /// Returns the text of a request. The names of properties become names of members in snake case; keys of
  /// dictionaries stay.
  static func encoded(_ request: some Encodable) throws(EngineError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    do { return Array(try encoder.encode(request)) } catch { throw .refused }
  }

  /// Returns whether a text has nothing of what Foundation accepts: deep nesting, a member that is named
  /// twice, and a comma after the last element. A name that contains an escape sequence is refused, so that
  /// equal names have equal bytes.
  private static func isStrict(_ text: [UInt8]) -> Bool {
    /// The names in the arrays and objects that are open.
    var names: [Set<ArraySlice<UInt8>>] = []
    var (string, start): (ArraySlice<UInt8>, Int?) = ([], nil)
    var last: UInt8 = 0
    var index = 0
    while index < text.count {
      let byte = text[index]
      switch (UnicodeScalar(byte), start) {
      // The next byte may be a quotation mark that does not end the string.
      case ("\\", _): index += 1
      case ("\"", let begun?): (string, start) = (text[begun..<index], nil)
      case ("\"", nil): start = index + 1
      case ("{", nil), ("[", nil):
        guard names.count < deepest else { return false }
        names.append([])
      case ("}", nil), ("]", nil):
        guard names.popLast() != nil, last != UInt8(ascii: ",") else { return false }
      case (":", nil):
        guard let object = names.indices.last, names[object].insert(string).inserted,
          !string.contains(UInt8(ascii: "\\"))
        else { return false }
      default: break
      }
      if ![0x20, 0x0A, 0x0D, 0x09].contains(byte) { last = byte }
      index += 1
    }
    return true
  }
}

/// An integer of 64 bits, which the gateway writes as a string. It leaves out zero, and the engine reads no
/// negative number.
@propertyWrapper
struct PositiveInteger<Value: FixedWidthInteger & Sendable>: Decodable, Equatable, Sendable {
  let wrappedValue: Value

  init(from decoder: any Decoder) throws {
    guard let value = Value(try String(from: decoder)), value > 0 else { throw EngineError.refused }
    wrappedValue = value
  }
}
