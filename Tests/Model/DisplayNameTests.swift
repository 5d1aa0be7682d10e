import MFABase
import MFAModel
import Testing

@Suite struct DisplayNameTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let number: Int
    let text: [UInt8]
    let name: String?
    let refusal: DisplayName.Refusal?

    var testDescription: String { "row \(number)" }

    init(_ number: Int, _ text: String, is name: String) {
      self.number = number
      self.text = Array(text.utf8)
      self.name = name
      refusal = nil
    }

    init(_ number: Int, _ text: String, _ refusal: DisplayName.Refusal) {
      self.init(number, Array(text.utf8), refusal)
    }

    init(_ number: Int, _ text: [UInt8], _ refusal: DisplayName.Refusal) {
      self.number = number
      self.text = text
      name = nil
      self.refusal = refusal
    }
  }

  @Test(arguments: [
    Row(1, "phone", is: "phone"),
    Row(2, "  my  phone\t", is: "my  phone"),
    Row(
      3, "T\u{E9}l\u{E9}phone d\u{2019}Ana\u{EF}s", is: "T\u{E9}l\u{E9}phone d\u{2019}Ana\u{EF}s"),
    Row(4, "\u{643}\u{647}\u{631}\u{628}", is: "\u{643}\u{647}\u{631}\u{628}"),
    Row(5, "\u{1F511}", is: "\u{1F511}"),
    Row(6, "e\u{301}", is: "e\u{301}"),
    Row(7, "a\\\"'<&>$(x)`;%s", is: "a\\\"'<&>$(x)`;%s"),
    Row(8, String(repeating: "x", count: 64), is: String(repeating: "x", count: 64)),
    Row(9, " " + String(repeating: "x", count: 64) + " ", is: String(repeating: "x", count: 64)),
    Row(
      10, String(repeating: "\u{1F511}", count: 63) + "\u{20AC}",
      is: String(repeating: "\u{1F511}", count: 63) + "\u{20AC}"),
    // Empty names.
    Row(11, "", .empty),
    Row(12, " \t ", .empty),
    // Names that are too long.
    Row(13, String(repeating: "x", count: 65), .tooLong),
    Row(14, String(repeating: "\u{1F511}", count: 64), .tooLong),
    Row(15, String(repeating: "x", count: 1 << 20), .tooLong),
    // Characters that change the direction, position or visibility of surrounding text.
    Row(16, "a\0b", .controlCharacter),
    Row(17, "a\nb", .controlCharacter),
    Row(18, "a\rb", .controlCharacter),
    Row(19, "a\tb", .controlCharacter),
    Row(20, "\u{1B}[31mred", .controlCharacter),
    Row(21, "\u{1B}]52;c;AAAA\u{7}", .controlCharacter),
    Row(22, "a\u{7F}", .controlCharacter),
    Row(23, "a\u{85}b", .controlCharacter),
    Row(24, "a\u{9B}31m", .controlCharacter),
    Row(25, "a\u{AD}b", .controlCharacter),
    Row(26, "a\u{61C}b", .controlCharacter),
    Row(27, "a\u{180E}b", .controlCharacter),
    Row(28, "a\u{200B}b", .controlCharacter),
    Row(29, "a\u{200F}b", .controlCharacter),
    Row(30, "a\u{2028}b", .controlCharacter),
    Row(31, "a\u{2029}b", .controlCharacter),
    Row(32, "a\u{202E}b", .controlCharacter),
    Row(33, "a\u{2060}b", .controlCharacter),
    Row(34, "a\u{2066}b", .controlCharacter),
    Row(35, "a\u{2069}b", .controlCharacter),
    Row(36, "\u{FEFF}a", .controlCharacter),
    Row(37, "a\u{FFF9}b", .controlCharacter),
    Row(38, "a\u{E0041}b", .controlCharacter),
    Row(39, "a\n", .controlCharacter),
    // Invalid UTF-8: continuation bytes alone, truncated, overlong, a surrogate, beyond the last
    // code point.
    Row(40, [0x80], .notUTF8),
    Row(41, [0x61, 0xFF], .notUTF8),
    Row(42, [0x61, 0xC3], .notUTF8),
    Row(43, [0xE2, 0x82], .notUTF8),
    Row(44, [0xC0, 0x80], .notUTF8),
    Row(45, [0xC1, 0xBF], .notUTF8),
    Row(46, [0xED, 0xA0, 0x80], .notUTF8),
    Row(47, [0xF4, 0x90, 0x80, 0x80], .notUTF8),
    Row(48, [0x9B, 0x33, 0x31, 0x6D], .notUTF8),
    // A name that is invisible, a joiner, and an emoji with a variation selector.
    Row(49, "\u{3164}", .controlCharacter),
    Row(50, "a\u{200D}b", .controlCharacter),
    Row(51, "\u{1F5A5}\u{FE0F} desktop", is: "\u{1F5A5}\u{FE0F} desktop"),
  ])
  func reads(_ row: Row) {
    do throws(DisplayName.Refusal) {
      let name = try DisplayName(row.text)
      #expect(name.utf8 == row.name.map { Array($0.utf8) }, "row \(row.number)")
      // An accepted name is accepted again unchanged.
      #expect(try DisplayName(name.utf8) == name, "row \(row.number)")
    } catch {
      #expect(error == row.refusal, "row \(row.number)")
    }
  }

  @Test func deceptiveCharactersAreRefused() {
    let wrong = (UInt32(0)...0x10_FFFF).compactMap(Unicode.Scalar.init).filter { scalar in
      let text = Array("a".utf8) + Array(String(scalar).utf8) + Array("b".utf8)
      do throws(DisplayName.Refusal) {
        _ = try DisplayName(text)
        return scalar.isDeceptive
      } catch {
        return !scalar.isDeceptive || error != .controlCharacter
      }
    }
    #expect(wrong.map { "U+" + String($0.value, radix: 16) } == [])
  }
}
