import MFAMessages
import Testing

@Suite struct LanguageTests {
  @Test(
    "a locale name selects a language",
    arguments: [
      ("en_GB.UTF-8", Language.english), ("C", .english), ("C.UTF-8", .english),
      ("POSIX", .english), ("fr", .french), ("fr_CA.UTF-8", .french), ("FR_fr@euro", .french),
      ("es_419", .spanish), ("es-MX", .spanish), ("ja_JP.eucJP", .japanese),
      ("zh_TW.UTF-8", .traditionalChinese), ("zh_HK", .traditionalChinese),
      ("zh-Hant-TW", .traditionalChinese), ("zh_CN.UTF-8", nil), ("zh", nil), ("de_DE", nil),
      ("", nil), ("._@", nil), ("french", nil),
    ] as [(String, Language?)])
  func localeNames(name: String, language: Language?) {
    #expect(Language(localeName: Array(name.utf8)) == language)
  }
}
