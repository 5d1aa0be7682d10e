import Testing

@testable import MFARealmStore

@Suite("JSON of etcd's gateway")
struct JSONValueTests {
  @Test func answerOfEtcd() throws {
    let json = try #require(
      JSONValue(
        Array(
          #" {"header":{"cluster_id":"18446744073709551615","revision":"7"},"n":-1.5e+3,"#.utf8)
          + Array(#""list":[true, false,null,{}, []],"text":"a\"\\\/\u00e9\ud83d\ude00\n"}"#.utf8)))
    #expect(json["header"]?["cluster_id"]?.integer(as: UInt64.self) == .max)
    #expect(json["header"]?["cluster_id"]?.integer(as: Int64.self) == nil)
    #expect(json["header"]?["revision"]?.integer(as: Int64.self) == 7)
    #expect(json["n"] == .number(Array("-1.5e+3".utf8)))
    #expect(
      json["list"]?.elements == [.boolean(true), .boolean(false), .null, .object([:]), .array([])])
    #expect(json["text"]?.text == "a\"\\/é😀\n")
    #expect(json["none"] == nil)
  }

  @Test(arguments: [
    "", "{", "}", "{}x", "{\"a\"}", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "{a:1}", "[1,]", "[1 2]",
    "01", "-", "1.", "1e", ".5", "+1", "tru", "\"", "\"\u{1}\"", "\"\\x\"", "\"\\u12\"",
    "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"",
    String(repeating: "[", count: 17) + String(repeating: "]", count: 17),
  ])
  func refused(_ text: String) {
    #expect(JSONValue(Array(text.utf8)) == nil)
  }

  @Test func nestingUpToTheLimit() {
    let text = String(repeating: "[", count: 16) + String(repeating: "]", count: 16)
    #expect(JSONValue(Array(text.utf8)) != nil)
    #expect(JSONValue([UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)) == nil)
  }

  @Test func stringThatIsNotUTF8IsRefused() {
    #expect(JSONValue([0x22, 0xFF, 0x22]) == nil)
  }

  @Test func base64() {
    // RFC 4648, section 10.
    for (bytes, text) in [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ] {
      var encoded: [UInt8] = []
      Base64.append(Array(bytes.utf8), to: &encoded)
      #expect(encoded == Array(text.utf8))
      #expect(Base64.decoded(Array(text.utf8)) == Array(bytes.utf8))
    }
    for text in ["Z", "Zg=", "Zg", "Zh==", "Zm9=", "=m9v", "Z===", "Zg==Zg==", "Zm 9", "Zm9-"] {
      #expect(Base64.decoded(Array(text.utf8)) == nil, "\(text)")
    }
  }
}
