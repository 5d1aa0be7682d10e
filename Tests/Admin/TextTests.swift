import MFABase
import MFAModel
import Testing

@testable import MFAAdmin

@Suite struct TextTests {
  static let visible: [(Int, [UInt8], String)] = [
    (1, Array("alice".utf8), "alice"),
    (2, Array("jürgen".utf8), "jürgen"),
    (3, [0x61, 0x1B, 0x5B, 0x6D], "a\\x1b[m"),
    (4, [0x61, 0x0A, 0x62], "a\\x0ab"),
    (5, [0x61, 0xFF], "a\\xff"),
    (6, Array("a\u{202E}b".utf8), "a\\xe2\\x80\\xaeb"),
    (7, Array("a\u{9B}b".utf8), "a\\xc2\\x9bb"),
    (8, [], ""),
    (9, Array("a b".utf8), "a b"),
    (10, Array("\u{1B}\\".utf8), "\\x1b\\x5c"),
    (11, Array("a\u{200D}b".utf8), "a\\xe2\\x80\\x8db"),
    (12, Array("a\u{3164}b".utf8), "a\\xe3\\x85\\xa4b"),
  ]

  @Test(arguments: visible)
  func deceptiveCharactersAreEscaped(_ number: Int, _ bytes: [UInt8], _ expected: String) {
    #expect(VisibleText.escaping(bytes) == expected, "case \(number)")
  }

  @Test func lineFeedsAreKept() {
    #expect(VisibleText.escaping("one\ntwo\u{7}\n") == "one\ntwo\\x07\n")
  }

  static let widths: [(Int, String, Int)] = [
    (1, "", 0),
    (2, "abc", 3),
    (3, "e\u{301}", 1),
    (4, "電話", 4),
    (5, "📱", 2),
    (6, "ü…", 2),
    // Combining marks: enclosing, Thai and Arabic.
    (7, "a\u{20DD}", 1),
    (8, "ก\u{E31}", 1),
    (9, "ب\u{64E}", 1),
    (10, "한글", 4),
    (11, "\u{1112}\u{1161}\u{11AB}", 2),
    (12, "Ａｱ、", 5),
    (13, "\u{1FAE0}😀", 4),
    (14, "a\u{200B}b", 2),
    (15, "\u{378}\u{9B}", 2),
    (16, "\u{20000}", 2),
  ]

  @Test(arguments: widths) func width(_ number: Int, _ text: String, _ expected: Int) {
    #expect(TextWidth.of(text) == expected, "case \(number)")
  }

  static let cuts: [(Int, String, Int, String)] = [
    (1, "telephone", 9, "telephone"),
    (2, "telephone", 8, "telepho…"),
    (3, "電話電話", 8, "電話電話"),
    (4, "電話電話", 7, "電話電…"),
    (5, "電話電話", 6, "電話…"),
    (6, "ab", 1, "…"),
  ]

  @Test(arguments: cuts)
  func cut(_ number: Int, _ text: String, _ columns: Int, _ expected: String) {
    #expect(TextWidth.cut(text, to: columns) == expected, "case \(number)")
    #expect(TextWidth.of(TextWidth.cut(text, to: columns)) <= columns, "case \(number)")
  }

  @Test func padding() {
    #expect(TextWidth.pad("電", to: 4) == "電  ")
    #expect(TextWidth.pad("long", to: 2) == "long")
  }
}

@Suite("Widths of texts")
struct TextWidthTests {
  @Test(
    "long lines are broken at spaces, with their indentation",
    arguments: [
      (1, "", 10, ""), (2, "one two", 10, "one two"), (3, "one two thr", 10, "one two\n    thr"),
      (4, "  one two thr", 10, "  one two\n      thr"),
      (5, "a verylongword b", 8, "a\n    verylongword\n    b"),
      (6, "one two thr\n  x\n", 10, "one two\n    thr\n  x\n"),
      // Wide characters take two columns.
      (7, "\u{4E00}\u{4E00} \u{4E00}\u{4E00} x", 9, "\u{4E00}\u{4E00} \u{4E00}\u{4E00}\n    x"),
    ] as [(Int, String, Int, String)])
  func wrapped(number: Int, text: String, columns: Int, expected: String) {
    #expect(TextWidth.wrapped(text, to: columns) == expected, "row \(number)")
    #expect(TextWidth.wrapped(text, to: nil) == text, "row \(number)")
  }
}

@Suite struct TimestampTests {
  static let cases: [(Int, Int64, String?)] = [
    (1, 0, "1970-01-01T00:00:00Z"),
    (2, -1, "1969-12-31T23:59:59Z"),
    (3, 951_782_399, "2000-02-28T23:59:59Z"),
    (4, 951_782_400, "2000-02-29T00:00:00Z"),
    (5, 951_868_800, "2000-03-01T00:00:00Z"),
    (6, 4_107_542_399, "2100-02-28T23:59:59Z"),
    (7, 4_107_542_400, "2100-03-01T00:00:00Z"),
    (8, 253_402_300_799, "9999-12-31T23:59:59Z"),
    (9, 253_402_300_800, nil),
    (10, -12_212_553_600, "1583-01-01T00:00:00Z"),
    (11, -12_212_553_601, nil),
    (12, .max, nil),
    (13, .min, nil),
  ]

  @Test(arguments: cases) func written(_ number: Int, _ seconds: Int64, _ expected: String?) {
    #expect(Timestamp(seconds)?.iso8601 == expected, "case \(number)")
  }

  @Test func dayMatchesOtherCalendarCode() throws {
    for seconds in stride(from: Int64(0), through: 253_402_300_799, by: 86_399 * 997) {
      let other = String(decoding: UTCTime.precise(seconds), as: UTF8.self)
      #expect(Timestamp(seconds)?.iso8601 == other)
    }
  }

  @Test func forPeople() {
    #expect(Timestamp(1_795_000_089)?.short == "2026-11-18 11:08")
    #expect(Timestamp(1_795_000_089)?.full == "2026-11-18 11:08:09 UTC")
  }

  static let steps: [(Int, Int64, UInt16, String?)] = [
    (1, 2, 30, "1970-01-01T00:01:00Z"),
    (2, .max, 30, nil),
    (3, .min, 120, nil),
    (4, .max / 30, 30, nil),
  ]

  @Test(arguments: steps)
  func ofAStep(_ number: Int, _ step: Int64, _ period: UInt16, _ expected: String?) {
    #expect(Timestamp(step: step, period: period)?.iso8601 == expected, "case \(number)")
  }
}

@Suite("Progress")
struct ProgressTests {
  /// Returns what is shown for 2048 steps at these times. The first time is the start.
  private func shown(_ times: [Int64?]) -> [String] {
    var times = times
    var texts: [String] = []
    var progress = Progress(
      seconds: { times.isEmpty ? nil : times.removeFirst() }, show: { texts.append($0) })
    for count in 1...2048 { progress.step(count, of: 2048) }
    progress.finish()
    return texts
  }

  @Test(
    "progress is shown once a second, and removed at the end",
    arguments: [
      (1, [7, 7, 7, 7, 7], []),
      (2, [7, 7, 8, 8, 9], ["\r1024 of 2048\u{1B}[K", "\r2048 of 2048\u{1B}[K", "\r\u{1B}[K"]),
      (3, [7, 6, 5, nil, 8], ["\r2048 of 2048\u{1B}[K", "\r\u{1B}[K"]),
      (4, [nil, 1, 2, 3, 4], []),
    ] as [(Int, [Int64?], [String])])
  func table(row: Int, times: [Int64?], expected: [String]) {
    #expect(shown(times) == expected, "row \(row)")
  }
}

@Suite struct ConfigurationTextTests {
  func configuration() throws -> Configuration {
    var draft = ConfigurationDraft()
    try draft.add(
      Array("[project]\nstate = observe\nissuer = A\n[tenant a]\nusers = x, y\n".utf8).span,
      from: Array("/one".utf8))
    try draft.add(
      Array("[project]\n# comment\nadjacent_intervals = 3\n[tenant a]\nstate=enabled\n".utf8).span,
      from: Array("/t\u{1B}wo".utf8))
    return try draft.finish()
  }

  @Test func showsSourceOfEachValue() throws {
    #expect(
      ConfigurationText(try configuration()).text == #"""
        [project]
        state = observe  # /one:2
        adjacent_intervals = 3  # /t\x1bwo:3
        issuer = A  # /one:3
        language = en  # default
        enrollment = self-service  # default
        offer_sign_ins = 0  # default
        prompt_hints = off  # default
        tries = 3  # default
        end_sessions_on_unenroll = off  # default
        remember = off  # default
        fresh_for = off  # default
        throttle_after = 5  # default
        throttle_first_wait = 30s  # default
        throttle_longest_wait = 15m  # default
        disable_after = 100  # default
        recovery_unlocks = off  # default
        factors = totp, phone  # default
        phone_waiting_time = 24h  # default
        phone_interval = 30s  # default
        phone_per_ten_minutes = 3  # default
        phone_per_day = 10  # default
        phone_number_hourly = 5  # default
        phone_host_daily = 200  # default
        phone_breaker = 20  # default

        [tenant a]
        users = x, y  # /one:5
        state = enabled  # /t\x1bwo:5

        """#)
  }

  @Test func showsEffectiveTenantSettings() throws {
    let configuration = try configuration()
    let tenant = try #require(configuration.tenants.first)
    let text = ConfigurationText(configuration).text(of: tenant)
    #expect(text.hasPrefix("[tenant a]\nusers = x, y  # /one:5\nstate = enabled  # /t\\x1bwo:5\n"))
    #expect(text.contains("\nadjacent_intervals = 3  # /t\\x1bwo:3, [project]\n"))
    #expect(text.contains("\nenrollment = self-service  # default\n"))
    #expect(text.contains("\nend_sessions_on_unenroll = off  # default\n"))
  }

  @Test func convertsToIdentityPlatformSettings() throws {
    let configuration = try configuration()
    let configurationText = ConfigurationText(configuration)
    let project = configurationText.identityPlatform(nil, nil)
    #expect(project.settings == IdentityPlatform(isEnabled: false, adjacentIntervals: 3))
    #expect(project.warning?.contains("observe") == true)
    let form = IdentityPlatformForm(root: .adminSDK, statePlace: .outer, intervals: .string)
    let applied = AppliedSection(Array("[a]".utf8), in: Array("[a]\n".utf8), form: form)
    let tenant = configurationText.identityPlatform(configuration.tenants.first, applied)
    #expect(tenant.settings == IdentityPlatform(isEnabled: true, adjacentIntervals: 3, form: form))
    #expect(tenant.warning == nil)
  }
}
