import FoundationEssentials
import Testing

@testable import MFARealmStore

@Suite("JSON of etcd's gateway")
struct EtcdJSONTests {
  /// Any value: what is refused is refused wherever it is.
  private enum Anything: Decodable, Equatable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case array([Anything])
    case object([String: Anything])

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      func matching<Value: Decodable>(_: Value.Type) throws -> Value? {
        do { return try value.decode(Value.self) } catch DecodingError.typeMismatch { return nil }
      }
      if value.decodeNil() {
        self = .null
      } else if let boolean = try matching(Bool.self) {
        self = .boolean(boolean)
      } else if let text = try matching(String.self) {
        self = .string(text)
      } else if let elements = try matching([Anything].self) {
        self = .array(elements)
      } else if let members = try matching([String: Anything].self) {
        self = .object(members)
      } else {
        self = .number(try value.decode(Double.self))
      }
    }
  }

  private struct Integer<Value: FixedWidthInteger & Sendable>: Decodable {
    @PositiveInteger var revision: Value
  }

  private func decoded(_ text: [UInt8]) -> Anything? { EtcdJSON.decoded(text) }

  @Test func answerOfEtcd() throws {
    let text =
      #" {"header":{"cluster_id":"18446744073709551615","revision":"7"},"n":-1.5e+3,"#
      + #""list":[true, false,null,{}, []],"text":"a\"\\\/\u00e9\ud83d\ude00\n"}"#
    let answer: EtcdReply.Answer = try #require(EtcdJSON.decoded(Array(text.utf8)))
    #expect(answer.header.cluster == .max)
    #expect(answer.header.revision == 7)
    guard case .object(let members) = decoded(Array(text.utf8)) else {
      Issue.record("no object")
      return
    }
    #expect(members["n"] == .number(-1.5e+3))
    #expect(
      members["list"] == .array([.boolean(true), .boolean(false), .null, .object([:]), .array([])]))
    #expect(members["text"] == .string("a\"\\/é😀\n"))
    #expect(members["none"] == nil)
  }

  @Test(arguments: ["18446744073709551615", "9223372036854775808", "0", "-1", "", "1.0", "7 ", "x"])
  func integerIsRefused(_ text: String) {
    let json = Array("{\"revision\":\"\(text)\"}".utf8)
    let integer: Integer<Int64>? = EtcdJSON.decoded(json)
    #expect(integer == nil)
  }

  @Test(arguments: [
    "", "{", "}", "{}x", "{\"a\"}", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "{a:1}", "[1,]", "[1 2]",
    "01", "-", "1.", "1e", ".5", "+1", "tru", "\"", "\"\u{1}\"", "\"\\x\"", "\"\\u12\"",
    "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "{\"a\":1,\"\\u0061\":2}",
    "{\"b\":[{\"a\":1,\"a\":2}]}", "{\"a\":1, }", "[1,\n]", "[1]]", "{\"a\":[1}]",
    String(repeating: "[", count: 17) + String(repeating: "]", count: 17),
  ])
  func refused(_ text: String) {
    #expect(decoded(Array(text.utf8)) == nil)
  }

  @Test(arguments: [
    #"{"a":{"a":1},"b":[{"a":1},{"a":2}]}"#, #"{"a":"\",\"a\":{[","b":",]"}"#, #"["a","a",":"]"#,
  ])
  func accepted(_ text: String) {
    #expect(decoded(Array(text.utf8)) != nil)
  }

  @Test func nestingUpToTheLimit() {
    let text = String(repeating: "[", count: 16) + String(repeating: "]", count: 16)
    #expect(decoded(Array(text.utf8)) != nil)
    #expect(decoded([UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)) == nil)
  }

  @Test func stringThatIsNotUTF8IsRefused() {
    #expect(decoded([0x22, 0xFF, 0x22]) == nil)
    #expect(decoded("[1]".utf16.flatMap { [UInt8(truncatingIfNeeded: $0), 0] }) == nil)
  }

  @Test func base64() throws {
    // RFC 4648, section 10.
    for (bytes, text) in [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ] {
      let encoded = try EtcdJSON.encoded([Data(bytes.utf8)])
      #expect(encoded == Array("[\"\(text)\"]".utf8))
      #expect(EtcdJSON.decoded(encoded) == [Data(bytes.utf8)])
    }
    for text in ["Z", "Zg=", "Zg", "Zh==", "Zm9=", "=m9v", "Z===", "Zg==Zg==", "Zm 9", "Zm9-"] {
      let decoded: [Data]? = EtcdJSON.decoded(Array("[\"\(text)\"]".utf8))
      #expect(decoded == nil, "\(text)")
    }
  }

  @Test func request() throws {
    let transaction = EtcdTransaction(
      compare: [.valueBelow([1], [255])],
      success: [.range([1], [2], most: 3, keysOnly: true), .remove([1], [2])],
      failure: [.put([], [], lease: 7)])
    let expected = Array(
      (#"{"compare":[{"key":"AQ==","target":"VALUE","result":"LESS","value":"/w=="}],"#
        + #""success":[{"request_range":{"key":"AQ==","range_end":"Ag==","limit":"3","#
        + #""keys_only":true}},{"request_delete_range":{"key":"AQ==","range_end":"Ag=="}}],"#
        + #""failure":[{"request_put":{"key":"","value":"","lease":"7"}}]}"#).utf8)
    #expect(try decoded(EtcdJSON.encoded(transaction)) == decoded(expected))
    #expect(try EtcdJSON.encoded(["TTL": "600"]) == Array(#"{"TTL":"600"}"#.utf8))
  }
}
