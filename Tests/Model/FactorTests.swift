import MFABase
import MFAModel
import Testing

@Suite struct DisplayNameTests {
  struct Row: Sendable {
    let text: [UInt8]
    let name: String?

    init(_ text: String, is name: String? = nil) {
      self.text = Array(text.utf8)
      self.name = name
    }

    init(_ text: [UInt8]) {
      self.text = text
      name = nil
    }
  }

  @Test(arguments: [
    Row("phone", is: "phone"),
    Row("  my  phone\t", is: "my  phone"),
    Row("T\u{E9}l\u{E9}phone d\u{2019}Ana\u{EF}s", is: "T\u{E9}l\u{E9}phone d\u{2019}Ana\u{EF}s"),
    Row("\u{643}\u{647}\u{631}\u{628}", is: "\u{643}\u{647}\u{631}\u{628}"),
    Row("\u{1F511}", is: "\u{1F511}"),
    Row("e\u{301}", is: "e\u{301}"),
    Row("a\\\"'<&>$(x)`;%s", is: "a\\\"'<&>$(x)`;%s"),
    Row(String(repeating: "x", count: 64), is: String(repeating: "x", count: 64)),
    Row(" " + String(repeating: "x", count: 64) + " ", is: String(repeating: "x", count: 64)),
    Row(
      String(repeating: "\u{1F511}", count: 63) + "\u{20AC}",
      is: String(repeating: "\u{1F511}", count: 63) + "\u{20AC}"),
    // Empty names.
    Row(""),
    Row(" \t "),
    // Names that are too long.
    Row(String(repeating: "x", count: 65)),
    Row(String(repeating: "\u{1F511}", count: 64)),
    Row(String(repeating: "x", count: 1 << 20)),
    // Characters that change the direction, position or visibility of surrounding text.
    Row("a\0b"),
    Row("a\nb"),
    Row("a\rb"),
    Row("a\tb"),
    Row("\u{1B}[31mred"),
    Row("\u{1B}]52;c;AAAA\u{7}"),
    Row("a\u{7F}"),
    Row("a\u{85}b"),
    Row("a\u{9B}31m"),
    Row("a\u{AD}b"),
    Row("a\u{61C}b"),
    Row("a\u{180E}b"),
    Row("a\u{200B}b"),
    Row("a\u{200F}b"),
    Row("a\u{2028}b"),
    Row("a\u{2029}b"),
    Row("a\u{202E}b"),
    Row("a\u{2060}b"),
    Row("a\u{2066}b"),
    Row("a\u{2069}b"),
    Row("\u{FEFF}a"),
    Row("a\u{FFF9}b"),
    Row("a\u{E0041}b"),
    Row("a\n"),
    // Invalid UTF-8: continuation bytes alone, truncated, overlong, a surrogate, beyond the last
    // code point.
    Row([0x80]),
    Row([0x61, 0xFF]),
    Row([0x61, 0xC3]),
    Row([0xE2, 0x82]),
    Row([0xC0, 0x80]),
    Row([0xC1, 0xBF]),
    Row([0xED, 0xA0, 0x80]),
    Row([0xF4, 0x90, 0x80, 0x80]),
    Row([0x9B, 0x33, 0x31, 0x6D]),
    // A name that is invisible, a joiner, and an emoji with a variation selector.
    Row("\u{3164}"),
    Row("a\u{200D}b"),
    Row("\u{1F5A5}\u{FE0F} desktop", is: "\u{1F5A5}\u{FE0F} desktop"),
  ])
  func reads(_ row: Row) {
    let name = DisplayName(row.text)
    #expect(name?.utf8 == row.name.map { Array($0.utf8) }, "\(row)")
    // An accepted name does not change when it is read again.
    if let name { #expect(DisplayName(name.utf8) == name, "\(row)") }
    // Only an empty answer stands for the usual name.
    #expect(DisplayName.isBlank(row.text) == row.text.allSatisfy { $0 == 0x20 || $0 == 0x09 })
  }

  @Test func deceptiveCharactersAreRefused() {
    let wrong = (UInt32(0)...0x10_FFFF).compactMap(Unicode.Scalar.init).filter { scalar in
      let text = Array("a".utf8) + Array(String(scalar).utf8) + Array("b".utf8)
      return (DisplayName(text) == nil) != scalar.isDeceptive
    }
    #expect(wrong.map { "U+" + String($0.value, radix: 16) } == [])
  }
}

@Suite struct FactorIDTests {
  private static let bytes: [UInt8] = [
    0x00, 0x01, 0x09, 0x0A, 0x0F, 0x10, 0x7F, 0x80, 0x99, 0x9A, 0xA0, 0xAF, 0xBC, 0xDE, 0xF0, 0xFF,
  ]
  private static let text = "0001090a0f107f80999aa0afbcdef0ff"

  @Test func textIsHexadecimalOfBytes() throws {
    let id = try #require(FactorID(bytes: Self.bytes))
    #expect(id.hexadecimal == Array(Self.text.utf8))
    #expect(FactorID(hexadecimal: Array(Self.text.utf8)) == id)
    #expect(FactorID.zero.hexadecimal == [UInt8](repeating: UInt8(ascii: "0"), count: 32))
  }

  @Test func everyByteComesBack() throws {
    for byte in UInt8.min...UInt8.max {
      let id = try #require(FactorID(bytes: [UInt8](repeating: byte, count: 16)))
      #expect(FactorID(hexadecimal: id.hexadecimal) == id)
    }
  }

  @Test(arguments: [0, 1, 15, 17, 32])
  func wrongLengthIsRefused(count: Int) {
    #expect(FactorID(bytes: [UInt8](repeating: 0, count: count)) == nil)
  }

  struct Refused: Sendable {
    let text: String
  }

  @Test(arguments: [
    Refused(text: ""),
    Refused(text: "0001090a0f107f80999aa0afbcdef0f"),
    Refused(text: "0001090a0f107f80999aa0afbcdef0ff0"),
    Refused(text: "0001090A0f107f80999aa0afbcdef0ff"),
    Refused(text: "0001090g0f107f80999aa0afbcdef0ff"),
    Refused(text: "0001090`0f107f80999aa0afbcdef0ff"),
    Refused(text: "0001090/0f107f80999aa0afbcdef0ff"),
    Refused(text: "0001090:0f107f80999aa0afbcdef0ff"),
    Refused(text: " 001090a0f107f80999aa0afbcdef0ff"),
    Refused(text: "0001090a0f107f80999aa0afbcdef0f\n"),
    Refused(text: "0x01090a0f107f80999aa0afbcdef0ff"),
  ])
  func refuses(_ row: Refused) {
    #expect(FactorID(hexadecimal: Array(row.text.utf8)) == nil, "\(row)")
  }
}

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
