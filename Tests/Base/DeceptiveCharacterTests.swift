import MFABase
import Testing

@Suite struct DeceptiveCharacterTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let scalar: Unicode.Scalar
    let isDeceptive: Bool
    let name: String
    var testDescription: String { "\(name)" }

    init(_ scalar: Unicode.Scalar, _ isDeceptive: Bool, _ name: String) {
      self.scalar = scalar
      self.isDeceptive = isDeceptive
      self.name = name
    }
  }

  static let rows: [Row] = [
    Row("\0", true, "NUL"),
    Row("\t", true, "tab"),
    Row("\n", true, "line feed"),
    Row("\u{1B}", true, "escape"),
    Row(" ", false, "space"),
    Row("~", false, "tilde"),
    Row("\u{7F}", true, "delete"),
    Row("\u{9B}", true, "control sequence introducer"),
    Row("\u{A0}", false, "no-break space"),
    Row("\u{AD}", true, "soft hyphen"),
    Row("é", false, "e with acute accent"),
    Row("\u{301}", false, "combining acute accent"),
    Row("\u{34F}", true, "combining grapheme joiner"),
    Row("\u{61C}", true, "Arabic letter mark"),
    Row("\u{115F}", true, "Hangul choseong filler"),
    Row("\u{17B4}", true, "Khmer inherent vowel"),
    Row("\u{180B}", false, "Mongolian variation selector"),
    Row("\u{180E}", true, "Mongolian vowel separator"),
    Row("\u{200B}", true, "zero-width space"),
    Row("\u{200C}", true, "zero-width non-joiner"),
    Row("\u{200D}", true, "zero-width joiner"),
    Row("\u{200E}", true, "left-to-right mark"),
    Row("\u{2028}", true, "line separator"),
    Row("\u{2029}", true, "paragraph separator"),
    Row("\u{202E}", true, "right-to-left override"),
    Row("\u{202F}", false, "narrow no-break space"),
    Row("\u{2060}", true, "word joiner"),
    Row("\u{2066}", true, "left-to-right isolate"),
    Row("\u{206F}", true, "nominal digit shapes"),
    Row("\u{3164}", true, "Hangul filler"),
    Row("한", false, "Hangul syllable"),
    Row("\u{FE0F}", false, "emoji variation selector"),
    Row("\u{FEFF}", true, "byte order mark"),
    Row("\u{FFA0}", true, "halfwidth Hangul filler"),
    Row("\u{FFF9}", true, "interlinear annotation anchor"),
    Row("\u{FFFD}", false, "replacement character"),
    Row("🔑", false, "key"),
    Row("\u{1BCA0}", true, "shorthand format letter overlap"),
    Row("\u{1D173}", true, "musical symbol begin beam"),
    Row("\u{E0001}", true, "language tag"),
    Row("\u{E0041}", true, "tag letter"),
    Row("\u{E0100}", false, "ideographic variation selector"),
    Row("\u{E0FFF}", true, "unassigned, invisible by default"),
    Row("\u{10FFFF}", false, "last code point"),
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
