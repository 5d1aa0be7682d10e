import Testing

@testable import MFACatalogueCompiler

@Suite struct CatalogueCompilerTests {
  static let template = """
    msgid ""
    msgstr "Plural-Forms: nplurals=2; plural=(n != 1);\\n"

    msgctxt "SignInMessage.codePrompt"
    msgid "Code: "
    msgstr ""

    #. A comment.
    msgctxt "SignInMessage.throttled(duration: seconds)"
    msgid "Try again in {duration}."
    msgstr ""

    msgctxt "NoticeMessage.failedCodes(count, .known(last: message))"
    msgid "{count} failed code{last}."
    msgid_plural "{count} failed codes{last}."
    msgstr[0] ""
    msgstr[1] ""

    msgctxt "FailureMessage.notPermitted"
    msgid "Not permitted."
    msgstr ""
    msgctxt "FailureMessage.notPermitted hint"
    msgid ""
    "Ask an "
    "administrator."
    msgstr ""
    """

  /// The template with texts in French, on the same lines as the English ones.
  static let french = template.replacing("(n != 1)", with: "(n > 1)")
    .replacing("msgid \"Code: \"\nmsgstr \"\"", with: "msgid \"Code: \"\nmsgstr \"Code\u{a0}: \"")
    .replacing("{duration}.\"\nmsgstr \"\"", with: "{duration}.\"\nmsgstr \"Dans {duration}.\"")
    .replacing("[0] \"\"", with: "[0] \"{count} code{last}.\"")
    .replacing("[1] \"\"", with: "[1] \"{count} codes{last}.\"")
    .replacing("permitted.\"\nmsgstr \"\"", with: "permitted.\"\nmsgstr \"Interdit.\"")
    .replacing(
      "administrator.\"\nmsgstr \"\"",
      with: "administrator.\"\nmsgstr \"\"\n\"\\\\ \\\"\\n\\\\(x)\"")

  /// Returns the code, or the problems as lines without the paths.
  static func compile(_ template: String, _ french: String) -> String {
    let files = [
      CatalogueFile(path: "messages.pot", text: template),
      CatalogueFile(path: "fr.po", text: french),
    ]
    do {
      return try CatalogueCompiler.compile(
        files, for: "M", languages: Array(CatalogueLanguage.all.prefix(2)),
        modules: [
          MessageModule(
            name: "M", messages: ["SignInMessage", "FailureMessage"], parts: ["NoticeMessage"])
        ])
    } catch {
      return error.description.replacing(": error: ", with: ": ")
    }
  }

  @Test("texts become string literals in the order of the template")
  func code() {
    let code = Self.compile(Self.template, Self.french)
    let english = """
      extension NoticeMessage {
        fileprivate var english: MessageText {
          switch self {
          case .failedCodes(1, .known(let last)): "1 failed code\\(last.english)."
          case .failedCodes(let count, .known(let last)): "\\(count) failed codes\\(last.english)."
          }
        }
      }
      """
    #expect(code.contains(english), "\(code)")
    for line in [
      "case .throttled(let duration): \"Dans \\(WrittenDuration(seconds: duration).french).\"",
      "case .failedCodes(let count, .known(let last)) where (count == 0 || count == 1):",
      "case .notPermitted: FailureText(\"Not permitted.\", hint: \"Ask an administrator.\")",
      "package func text(in language: Language) -> FailureText {",
    ] {
      #expect(code.contains(line), "\(line)\n\(code)")
    }
  }

  @Test("a text cannot leave its string literal")
  func escaping() {
    let code = Self.compile(Self.template, Self.french)
    #expect(code.contains(#"case .codePrompt: "Code\u{a0}: ""#), "\(code)")
    #expect(code.contains(#"hint: "\\ \"\n\\(x)")"#), "\(code)")
  }

  struct Row: Sendable, CustomTestStringConvertible {
    /// The change of a catalogue: a text, and what replaces it.
    let text: String
    let replacement: String
    var inTemplate = false
    let problem: String
    var testDescription: String { problem }
  }

  @Test(
    "a problem is reported with the catalogue, the line and the message",
    arguments: [
      Row(
        text: "msgctxt \"SignInMessage.codePrompt\"\nmsgid \"Code: \"\nmsgstr \"Code\u{a0}: \"\n",
        replacement: "",
        problem: """
          fr.po:23: SignInMessage.codePrompt: the message is missing (line 4 of \
          messages.pot)
          """),
      Row(
        text: "Code\u{a0}: ", replacement: "",
        problem: "fr.po:4: SignInMessage.codePrompt: the message is not translated"),
      Row(
        text: "msgctxt \"SignInMessage.codePrompt\"", replacement: "msgctxt \"SignInMessage.old\"",
        problem: """
          fr.po:26: SignInMessage.codePrompt: the message is missing (line 4 of messages.pot)
          fr.po:4: SignInMessage.old: the message does not exist in messages.pot: \
          remove it
          """),
      Row(
        text: "msgid \"Code: \"", replacement: "msgid \"Enter a code: \"",
        problem: """
          fr.po:4: SignInMessage.codePrompt: the English text differs from line 4 of messages.pot: \
          check the translation, and copy the English text
          """),
      Row(
        text: "msgctxt \"SignInMessage.codePrompt\"",
        replacement: "#, fuzzy\nmsgctxt \"SignInMessage.codePrompt\"",
        problem: """
          fr.po:5: SignInMessage.codePrompt: the translation is marked as fuzzy: check it, and remove \
          the mark
          """),
      Row(
        text: "Dans {duration}", replacement: "Dans {durée}",
        problem: """
          fr.po:9: SignInMessage.throttled(duration: seconds): {durée} is unknown: the message has \
          {duration}
          fr.po:9: SignInMessage.throttled(duration: seconds): {duration} is missing
          """),
      Row(
        text: "Dans {duration}", replacement: "Dans {duration",
        problem: "fr.po:9: SignInMessage.throttled(duration: seconds): a brace is missing"),
      Row(
        text: "[1] \"{count} codes", replacement: "[1] \"Des codes",
        problem: """
          fr.po:13: NoticeMessage.failedCodes(count, .known(last: message)): {count} is missing
          """),
      Row(
        text: "msgstr[1] \"{count} codes{last}.\"\n", replacement: "",
        problem: """
          fr.po:13: NoticeMessage.failedCodes(count, .known(last: message)): the message has 1 texts \
          instead of 2
          """),
      Row(
        text: "plural=(n > 1);", replacement: "plural=n%7;",
        problem: """
          fr.po:1: Plural-Forms 'nplurals=2; plural=n%7;' is unknown: add it to \
          PluralRule.all
          """),
      Row(
        text: "msgstr \"Interdit.\"", replacement: "msgstr \"Interdit.",
        problem: """
          fr.po:21: expected a keyword and a string in quotation marks: msgstr "Interdit.
          """),
      Row(
        text: "msgctxt \"FailureMessage.notPermitted hint\"",
        replacement: "msgctxt \"FailureMessage.notPermitted\"",
        problem: "fr.po:22: FailureMessage.notPermitted: the message appears twice"),
      Row(
        text: "msgctxt \"FailureMessage.notPermitted hint\"",
        replacement: "msgctxt \"FailureMessage.notPermitted\"",
        inTemplate: true,
        problem: "messages.pot:22: FailureMessage.notPermitted: the message appears twice"),
      Row(
        text: "msgctxt \"FailureMessage.notPermitted hint\"",
        replacement: "msgctxt \"FailureMessage.b hint\"",
        inTemplate: true,
        problem: """
          messages.pot:19: FailureMessage.notPermitted: the message has no \
          hint
          """),
      Row(
        text: "SignInMessage.codePrompt", replacement: "SignInMessage.code-prompt",
        inTemplate: true,
        problem: """
          messages.pot:4: msgctxt is not a case of an enumeration: \
          'SignInMessage.code-prompt'
          """),
      Row(
        text: "SignInMessage.codePrompt", replacement: "Other.codePrompt", inTemplate: true,
        problem: """
          messages.pot:4: Other.codePrompt: the enumeration is unknown: add it to \
          MessageModule.all
          """),
      Row(
        text: "NoticeMessage.failedCodes(count, .known(last: message))",
        replacement: "SignInMessage.x(count)",
        inTemplate: true, problem: "messages.pot:1: NoticeMessage: the enumeration has no message"),
    ])
  func problems(row: Row) {
    let source = row.inTemplate ? Self.template : Self.french
    let changed = source.replacing(row.text, with: row.replacement)
    #expect(changed != source)
    let result =
      row.inTemplate ? Self.compile(changed, Self.french) : Self.compile(Self.template, changed)
    #expect(result.hasPrefix(row.problem), "\(result)")
  }
}
