import Foundation
import MFABase
import MFAEnrollMessages
import MFAMessages
import MFAQRCode
import Testing

@testable import mfa_enroll

@Suite struct ScreenTests {
  struct Row: Sendable {
    var size: TerminalSize? = TerminalSize(columns: 80, rows: 24)
    var term: String? = "xterm"
    var noColor: String?
    var colorFGBG: String?
    var isUTF8 = true
    let ink: TerminalColours?
    var obstacle: PictureObstacle?
  }

  static let rows: [Row] = [
    Row(ink: .blackOnWhite),
    Row(size: nil, ink: nil, obstacle: .notATerminal),
    Row(term: nil, ink: nil, obstacle: .unknownTerminal),
    Row(term: "dumb", ink: nil, obstacle: .unknownTerminal),
    Row(isUTF8: false, ink: .spaces),
    Row(noColor: "", ink: .blackOnWhite),
    Row(noColor: "1", ink: .blackOnWhite),
    Row(noColor: "1", colorFGBG: "15;0", ink: .terminalLightOnDark),
    Row(noColor: "1", colorFGBG: "0;15", ink: .terminalDarkOnLight),
    Row(noColor: "1", colorFGBG: "0;default;7", ink: .terminalDarkOnLight),
    Row(noColor: "1", colorFGBG: "15;8", ink: .terminalLightOnDark),
    Row(noColor: "1", colorFGBG: "x", ink: .blackOnWhite),
    Row(colorFGBG: "0;15", ink: .blackOnWhite),
  ]

  @Test("a picture is shown if the terminal supports it, in readable colours", arguments: rows)
  func judgement(row: Row) {
    let screen = Screen(
      size: row.size,
      environment: Screen.Environment(
        term: row.term, noColor: row.noColor, colorFGBG: row.colorFGBG),
      isUTF8: row.isUTF8)
    switch screen.judgement {
    case .able(let ink, let size):
      #expect(ink == row.ink)
      #expect(size == row.size)
    case .unable(let obstacle):
      #expect(row.ink == nil)
      #expect(obstacle == row.obstacle)
    }
  }

  @Test(
    "the codeset is found in a locale's name",
    arguments: [
      ("de_DE.UTF-8", true), ("C.utf8", true), ("de_DE.UTF-8@euro", true), ("de_DE", false),
      ("de_DE.ISO-8859-1", false), ("C", false), ("", false), ("@.UTF-8", false),
    ])
  func localeName(name: String, isUTF8: Bool) {
    #expect(LocaleSettings.isUTF8(localeName: name) == isUTF8)
  }

  @Test(
    "the language is that of LANGUAGE, of the locale, or of the host",
    arguments: [
      (1, "fr_FR.UTF-8", "", true, .french), (2, "en_US.UTF-8", "fr:en", true, .french),
      (3, "en_US.UTF-8", "de:es", true, .spanish), (4, "fr_FR.UTF-8", "de:en", true, .english),
      (5, "ja_JP.UTF-8", "de", true, .japanese), (6, "de_DE.UTF-8", "", true, .english),
      (7, "C", "fr", true, .english), (8, "POSIX", "fr", true, .english),
      (9, "C.UTF-8", "fr", true, .french), (10, "fr_FR", "es", false, .english),
      (11, "", "", true, .traditionalChinese), (12, "", "fr", false, .traditionalChinese),
    ] as [(Int, String, String, Bool, Language)])
  func language(row: Int, locale: String, list: String, isUTF8: Bool, language: Language) {
    #expect(
      LocaleSettings.language(
        locale: locale, list: list, isUTF8: isUTF8, ofHost: .traditionalChinese) == language,
      "row \(row)")
  }

  @Test("the language of the host is that of its last file, if the terminal can show it")
  func hostLanguage() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let dropIns = folder.appendingPathComponent("mfa.conf.d")
    try FileManager.default.createDirectory(at: dropIns, withIntermediateDirectories: true)
    defer { do { try FileManager.default.removeItem(at: folder) } catch {} }
    let main = folder.appendingPathComponent("mfa.conf")
    func read(_ terminal: String? = nil) -> Language? {
      HostLanguage.read(
        files: ["/nonexistent", main.path], folder: dropIns.path,
        terminal: terminal.map { Array($0.utf8) })
    }
    #expect(read() == nil)
    try Data("[project]\nlanguage = fr\n".utf8).write(to: main)
    #expect(read() == .french)
    try Data("[project]\nlanguage = ja\n".utf8).write(
      to: dropIns.appendingPathComponent("10-language.conf"))
    try Data("[project]\nlanguage = es\n".utf8).write(
      to: dropIns.appendingPathComponent("10-language.conf.dpkg-old"))
    #expect(read() == .japanese)
    #expect(read("tty1") == nil && read("pts/1") == .japanese)
    try Data("language\n".utf8).write(to: main)
    #expect(read() == nil)
  }
}

@Suite struct KeyScreenTests {
  static let key = "JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP"

  private static func secret(_ text: String) -> SecretBytes {
    let bytes = Array(text.utf8)
    return SecretBytes(copying: bytes.span)
  }

  private static func content(
    issuer: String = "Example%20Company", settings: EnrollMessage? = nil,
    language: Language = .english
  ) -> KeyScreenContent {
    let url = "otpauth://totp/\(issuer):alice?secret=" + key.replacing(" ", with: "")
    return KeyScreenContent(
      key: Self.secret(key), url: Self.secret(url + "&issuer=\(issuer)"),
      shortURL: Self.secret(url), name: "Example Company (alice)",
      settings: settings, words: KeyScreenText(language: language),
      deadline: .now.addingTimeInterval(300))
  }

  /// The lines of a screen, without the colours.
  private static func lines(_ drawing: borrowing KeyScreenContent.Drawing) -> [String] {
    let span = drawing.text.span
    return String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
      .replacing(/\u{1B}\[[0-9;]*m/, with: "")
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private static func screen(_ size: TerminalSize, isUTF8: Bool = true) -> Screen {
    Screen(
      size: size, environment: Screen.Environment(term: "xterm", noColor: nil, colorFGBG: nil),
      isUTF8: isUTF8)
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let columns: Int
    let rows: Int
    var form = KeyScreenContent.Form.picture
    var status: String?
    var isUTF8 = true
    let isPicture: Bool
    /// What the last line above the question says.
    var last: String?
    var testDescription: String { "\(columns)x\(rows)" }
  }

  static let tooSmall = "Window too small for a QR code: enlarge to 80x20, or type the key above."
  static let rows = [
    Row(columns: 80, rows: 24, isPicture: true),
    Row(columns: 80, rows: 23, isPicture: true),
    Row(columns: 60, rows: 20, isPicture: true),
    Row(columns: 80, rows: 23, status: "Wrong code.", isPicture: true),
    Row(columns: 35, rows: 21, isPicture: true),
    Row(columns: 80, rows: 19, isPicture: false, last: tooSmall),
    Row(columns: 80, rows: 24, form: .text, isPicture: false, last: "Press k for the QR code."),
    Row(
      columns: 80, rows: 24, isUTF8: false, isPicture: false,
      last: "Without UTF-8, the window is too small for a QR code. Type the key above, or run: "
        + "LC_ALL=C.UTF-8 mfa-enroll"),
    Row(columns: 78, rows: 41, isUTF8: false, isPicture: true),
  ]

  @Test("instruction, picture or key, and question are in the window together", arguments: rows)
  func isWhole(row: Row) {
    let size = TerminalSize(columns: row.columns, rows: row.rows)
    let drawing = Self.content().text(
      row.form, status: row.status, on: Self.screen(size, isUTF8: row.isUTF8), size: size)
    let lines = Self.lines(drawing)
    #expect(drawing.isPicture == row.isPicture)
    #expect(lines.count <= row.rows)
    #expect(lines.allSatisfy { $0.count <= row.columns || $0.hasPrefix("URL: ") })
    let time = row.columns < 60 ? "" : "5 min left. "
    #expect(lines.last == time + "Code from the app: ")
    let first = row.status ?? (row.isPicture ? "Scan this" : "Type this key")
    #expect(lines[0].hasPrefix(first))
    #expect(lines.contains("Key: " + Self.key) == !row.isPicture)
    #expect(lines.contains { $0.contains("\u{2580}") } == (row.isPicture && row.isUTF8))
    if let last = row.last {
      let text = lines.joined(separator: " ")
      #expect(text.contains(last), "\(lines)")
    }
  }

  @Test(
    "in every language, each usual window has room for the whole screen",
    arguments: Language.allCases, [(80, 24), (80, 23), (60, 20)])
  func languages(language: Language, window: (columns: Int, rows: Int)) {
    let size = TerminalSize(columns: window.columns, rows: window.rows)
    for form in [KeyScreenContent.Form.picture, .text] {
      let drawing = Self.content(language: language).text(
        form, status: nil, on: Self.screen(size), size: size)
      let lines = Self.lines(drawing)
      #expect(drawing.isPicture == (form == .picture) && lines.count <= window.rows, "\(lines)")
      #expect(
        lines.allSatisfy {
          KeyScreenText.columns(of: $0) <= window.columns || $0.contains("otpauth:")
        }, "\(lines)")
      let words = KeyScreenText(language: language)
      #expect(lines.last == words.text(.timeLeft(minutes: 5)) + words.question)
    }
  }

  @Test(
    "the longest URL that names the issuer twice has room in a window of 80 columns and 24 lines",
    arguments: Language.allCases)
  func longestURL(language: Language) {
    let size = TerminalSize(columns: 80, rows: 24)
    let issuer = String(repeating: "x", count: 32)
    let status = FailureMessage.wrongCode.text(in: language).description.string
    for status in [nil, status] {
      let content = Self.content(issuer: issuer, language: language)
      #expect(content.url.count == 133)
      let drawing = content.text(.picture, status: status, on: Self.screen(size), size: size)
      #expect(drawing.isPicture && Self.lines(drawing).count <= 24)
    }
  }

  @Test("the question says how long the key can be confirmed, where there is room")
  func timeLeft() {
    let content = Self.content()
    for (seconds, minutes) in [(0.0, 5), (1, 5), (61, 4), (241, 1), (299, 1), (300, 0), (900, 0)] {
      let now = content.deadline.addingTimeInterval(seconds - 300)
      #expect(content.question(columns: 60, now: now) == "\(minutes) min left. Code from the app: ")
      #expect(content.question(columns: 59, now: now) == "Code from the app: ")
    }
  }

  @Test(
    "after a rejected code, one line says why and how to see the key",
    arguments: Language.allCases, [(80, 24), (80, 23), (60, 20)])
  func rejected(language: Language, window: (columns: Int, rows: Int)) throws {
    let size = TerminalSize(columns: window.columns, rows: window.rows)
    for message in [FailureMessage.wrongCode, .usedCode, .notACode] {
      let status = message.text(in: language).description.string
      let drawing = Self.content(language: language).text(
        .picture, status: status, on: Self.screen(size), size: size)
      let lines = Self.lines(drawing)
      #expect(drawing.isPicture && lines.count <= window.rows, "\(lines)")
      let rest = lines[0].dropFirst(status.count)
      #expect(lines[0].hasPrefix(status) && rest.contains("k"), "\(lines[0])")
      #expect(KeyScreenText.columns(of: lines[0]) <= window.columns)
    }
    let text = KeyScreenText(language: language)
    let wrongCode = FailureMessage.wrongCode.text(in: language).description.string
    #expect(
      text.top(after: wrongCode, columns: window.columns)
        == [text.text(.retryOrShowKey(status: wrongCode))])
  }

  @Test("the size that a picture needs is true: in that window it is shown")
  func neededSize() throws {
    for issuer in ["Example%20Company", "server01.department.example.com", "x"] {
      let small = TerminalSize(columns: 20, rows: 100)
      let content = Self.content(issuer: issuer)
      let refused = Self.lines(
        content.text(.picture, status: nil, on: Self.screen(small), size: small)
      ).joined(separator: " ")
      let match = try #require(refused.firstMatch(of: /enlarge to (\d+)x(\d+)/), "\(refused)")
      let columns = try #require(Int(match.output.1))
      let rows = try #require(Int(match.output.2))
      for (missing, isPicture) in [(0, true), (1, false)] {
        for size in [
          TerminalSize(columns: columns - missing, rows: rows),
          TerminalSize(columns: columns, rows: rows - missing),
        ] {
          let drawing = content.text(.picture, status: nil, on: Self.screen(size), size: size)
          #expect(drawing.isPicture == isPicture, "\(issuer), \(size)")
        }
      }
    }
  }

  @Test("no window is too small for the key and the question", arguments: [1, 2, 3, 5, 8, 12, 20])
  func smallWindows(rows: Int) {
    for columns in [1, 20, 45, 60, 80, 200] {
      let size = TerminalSize(columns: columns, rows: rows)
      let drawing = Self.content(
        settings: .keyParameters(algorithm: "SHA256", digits: 8, seconds: 60)
      ).text(
        .text, status: nil, on: Self.screen(size), size: size)
      let lines = Self.lines(drawing)
      #expect(lines.last?.hasSuffix("Code from the app: ") == true)
      #expect(lines.contains("Key: " + Self.key))
      if rows > 2, columns >= 45 {
        let shown = lines.reduce(0) { $0 + max($1.count - 1, 0) / columns + 1 }
        #expect(shown <= rows, "\(lines)")
      }
    }
  }

  @Test("settings that apps do not assume are named")
  func settings() {
    let size = TerminalSize(columns: 80, rows: 24)
    let settings = EnrollMessage.keyParameters(algorithm: "SHA256", digits: 8, seconds: 60)
    let drawing = Self.content(settings: settings).text(
      .text, status: nil, on: Self.screen(size), size: size)
    #expect(
      Self.lines(drawing).contains("If you type the key, choose SHA256, 8 digits and 60 seconds."))
  }
}

@Suite struct TypedLineTests {
  private static func type(_ keys: String, into line: inout TypedLine) -> [TypedLine.Event] {
    keys.utf8.map { line.take($0) }
  }

  @Test(
    "a line is edited as elsewhere, and other keys do not get into it",
    arguments: [
      ("123456\r", "123456"), ("12\u{7F}3456\n", "13456"), ("99\u{15}12\r", "12"),
      ("1\u{1B}[A2\u{1B}OB3\u{1B}[1;5C4\r", "1234"), ("1\u{4}2\r", "12"), ("12k\r", "12k"),
      ("é\u{7F}1\r", "1"), ("1\u{C}", "1"),
    ])
  func editing(keys: String, text: String) {
    var line = TypedLine()
    let events = Self.type(keys, into: &line)
    #expect(events.last == (keys.hasSuffix("\u{C}") ? .redraw : .complete))
    let typed = line.text
    #expect(String(decoding: typed.span.indices.map { typed.span[$0] }, as: UTF8.self) == text)
  }

  @Test("keys of the screen mean something while nothing is typed")
  func keys() {
    var line = TypedLine()
    #expect(
      Self.type("kK\r\u{C}\u{4}", into: &line) == [
        .otherForm, .otherForm, .redraw, .redraw, .end,
      ])
    #expect(Self.type("1k", into: &line) == [.added, .added])
  }

  @Test("a line has a limit")
  func limit() {
    var line = TypedLine()
    for index in 0..<2000 { #expect(line.take(0x31) == (index < 513 ? .added : .edited)) }
    #expect(line.text.count == 513)
  }
}
