import MFABase
import Testing

@Suite struct DeceptiveCharacterTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let number: Int
    let scalar: Unicode.Scalar
    let isDeceptive: Bool
    let name: String
    var testDescription: String { "\(number) \(name)" }

    init(_ number: Int, _ scalar: Unicode.Scalar, _ isDeceptive: Bool, _ name: String) {
      self.number = number
      self.scalar = scalar
      self.isDeceptive = isDeceptive
      self.name = name
    }
  }

  static let rows: [Row] = [
    Row(1, "\0", true, "NUL"),
    Row(2, "\t", true, "tab"),
    Row(3, "\n", true, "line feed"),
    Row(4, "\u{1B}", true, "escape"),
    Row(5, " ", false, "space"),
    Row(6, "~", false, "tilde"),
    Row(7, "\u{7F}", true, "delete"),
    Row(8, "\u{9B}", true, "control sequence introducer"),
    Row(9, "\u{A0}", false, "no-break space"),
    Row(10, "\u{AD}", true, "soft hyphen"),
    Row(11, "é", false, "e with acute accent"),
    Row(12, "\u{301}", false, "combining acute accent"),
    Row(13, "\u{34F}", true, "combining grapheme joiner"),
    Row(14, "\u{61C}", true, "Arabic letter mark"),
    Row(15, "\u{115F}", true, "Hangul choseong filler"),
    Row(16, "\u{17B4}", true, "Khmer inherent vowel"),
    Row(17, "\u{180B}", false, "Mongolian variation selector"),
    Row(18, "\u{180E}", true, "Mongolian vowel separator"),
    Row(19, "\u{200B}", true, "zero-width space"),
    Row(20, "\u{200C}", true, "zero-width non-joiner"),
    Row(21, "\u{200D}", true, "zero-width joiner"),
    Row(22, "\u{200E}", true, "left-to-right mark"),
    Row(23, "\u{2028}", true, "line separator"),
    Row(24, "\u{2029}", true, "paragraph separator"),
    Row(25, "\u{202E}", true, "right-to-left override"),
    Row(26, "\u{202F}", false, "narrow no-break space"),
    Row(27, "\u{2060}", true, "word joiner"),
    Row(28, "\u{2066}", true, "left-to-right isolate"),
    Row(29, "\u{206F}", true, "nominal digit shapes"),
    Row(30, "\u{3164}", true, "Hangul filler"),
    Row(31, "한", false, "Hangul syllable"),
    Row(32, "\u{FE0F}", false, "emoji variation selector"),
    Row(33, "\u{FEFF}", true, "byte order mark"),
    Row(34, "\u{FFA0}", true, "halfwidth Hangul filler"),
    Row(35, "\u{FFF9}", true, "interlinear annotation anchor"),
    Row(36, "\u{FFFD}", false, "replacement character"),
    Row(37, "🔑", false, "key"),
    Row(38, "\u{1BCA0}", true, "shorthand format letter overlap"),
    Row(39, "\u{1D173}", true, "musical symbol begin beam"),
    Row(40, "\u{E0001}", true, "language tag"),
    Row(41, "\u{E0041}", true, "tag letter"),
    Row(42, "\u{E0100}", false, "ideographic variation selector"),
    Row(43, "\u{E0FFF}", true, "unassigned, invisible by default"),
    Row(44, "\u{10FFFF}", false, "last code point"),
  ]

  @Test(arguments: rows) func deceptiveCharactersAreRecognised(_ row: Row) {
    #expect(row.scalar.isDeceptive == row.isDeceptive)
  }

  @Test func everyScalarAgreesWithItsUnicodeProperties() {
    let wrong = (UInt32(0)...0x10_FFFF).compactMap(Unicode.Scalar.init).filter { scalar in
      let properties = scalar.properties
      let category = properties.generalCategory
      let isSeparator = category == .lineSeparator || category == .paragraphSeparator
      let isInvisible = properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
      let isAnnotation = (0xFFF9...0xFFFB).contains(scalar.value)
      let isDeceptive =
        category == .control || isSeparator || properties.isBidiControl || isInvisible
        || isAnnotation
      return scalar.isDeceptive != isDeceptive || scalar.isControl != (category == .control)
        || scalar.isJoiner != properties.isJoinControl
    }
    #expect(wrong.map { "U+" + String($0.value, radix: 16) } == [])
  }
}
