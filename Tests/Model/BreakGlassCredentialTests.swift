import MFAModel
import Testing

@Suite("The file of the break-glass code")
struct BreakGlassCredentialTests {
  private static let credential = BreakGlassCredential(
    users: [Array("root".utf8), Array("anna maria".utf8), Array("a\"b,c\\d".utf8)], costLog2: 15,
    salt: [UInt8](1...16), hash: [UInt8](1...32))

  @Test("what is written is read")
  func roundTrip() {
    #expect(BreakGlassCredential(Self.credential.text) == Self.credential)
    #expect(Self.credential.names(Array("anna maria".utf8)))
    #expect(!Self.credential.names(Array("anna".utf8)))
  }

  @Test("a file of which any byte is missing names no user")
  func truncated() {
    let text = Self.credential.text
    // Without its line feed, the file is complete.
    for length in 0..<(text.count - 1) {
      #expect(BreakGlassCredential(Array(text.prefix(length))) == nil, "\(length)")
    }
  }

  @Test(
    "another line, a repeated or malformed one is refused",
    arguments: [
      "user = x", "users = x", "cost = 15", "salt = 00", "x", "=", "",
    ])
  func otherLines(line: String) {
    let text = String(decoding: Self.credential.text, as: UTF8.self)
    let isRefused = BreakGlassCredential(Array((text + line + "\n").utf8)) == nil
    #expect(isRefused == !line.isEmpty)
  }

  @Test(
    "a malformed value is refused",
    arguments: [
      ("cost = 15", "cost = 13"), ("cost = 15", "cost = 18"), ("cost = 15", "cost = 015"),
      ("users = \"root\"", "users = \"root"), ("users = \"root\"", "users = "),
      ("salt = 01", "salt = 0"), ("salt = 01", "salt = 0g"), ("hash = 01", "hash = "),
      ("hash = 01", "hash = 0101"),
    ])
  func otherValues(present: String, other: String) {
    let text = String(decoding: Self.credential.text, as: UTF8.self)
    #expect(text.contains(present))
    #expect(BreakGlassCredential(Array(text.replacing(present, with: other).utf8)) == nil)
  }
}
