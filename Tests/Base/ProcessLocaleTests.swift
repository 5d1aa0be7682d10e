import Testing

@testable import MFABase

@Suite("The locale of the process")
struct ProcessLocaleTests {
  @Test(
    "only UTF-8 is UTF-8",
    arguments: [
      ("C.UTF-8", true), ("de_DE.utf8", true), ("fr_FR.UTF-8@euro", true), ("C", false),
      ("POSIX", false), ("", false), ("de_DE@euro", false), ("ja_JP.eucJP", false),
      ("x.UTF", false),
    ])
  func names(name: String, isUTF8: Bool) {
    #expect(ProcessLocale.isUTF8(Array(name.utf8)) == isUTF8)
  }
}
