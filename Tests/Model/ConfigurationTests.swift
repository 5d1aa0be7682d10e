import MFABase
import MFAModel
import MFAMessages
import Testing

@Suite struct ConfigurationTests {
  struct Accepted: Sendable {
    let number: Int
    let text: String
    var state: Configuration.State = .enabled
    var adjacentIntervals: UInt8 = 5
    var issuer: String?
    var throttleAfter: UInt32 = 5
    var firstWait: Int64 = 30
    var longestWait: Int64 = 900
    var disableAfter: UInt32 = 100
  }

  @Test(arguments: [
    Accepted(number: 1, text: ""),
    Accepted(number: 2, text: "\n"),
    Accepted(number: 3, text: "[project]"),
    Accepted(number: 4, text: "[project]\n"),
    Accepted(number: 5, text: "  \t[project]\t  \n"),
    Accepted(number: 6, text: "# nothing\n\n   # nothing\n[project]\n#state = disabled\n"),
    Accepted(number: 7, text: "[project]\nstate = enabled\n"),
    Accepted(number: 8, text: "[project]\nstate = disabled\n", state: .disabled),
    Accepted(number: 9, text: "[project]\nstate=observe", state: .observe),
    Accepted(number: 10, text: "[project]\n\tstate\t=\tobserve\t\n", state: .observe),
    Accepted(number: 11, text: "[project]\nadjacent_intervals = 0\n", adjacentIntervals: 0),
    Accepted(number: 12, text: "[project]\nadjacent_intervals = 10\n", adjacentIntervals: 10),
    Accepted(number: 13, text: "[project]\nissuer = Example\n", issuer: "Example"),
    Accepted(
      number: 14, text: "[project]\nissuer =  Example GmbH = \u{FC}ber # [1]  \n",
      issuer: "Example GmbH = \u{FC}ber # [1]"),
    Accepted(number: 15, text: "[project]\nissuer = \u{1F511}\n", issuer: "\u{1F511}"),
    Accepted(
      number: 16, text: "[project]\nissuer = " + String(repeating: "\u{20AC}", count: 64),
      issuer: String(repeating: "\u{20AC}", count: 64)),
    Accepted(number: 17, text: "[project]\nissuer = \u{5E9}\u{5DC}", issuer: "\u{5E9}\u{5DC}"),
    Accepted(number: 18, text: "[project]\nenrollment = self-service\n"),
    Accepted(number: 19, text: "[project]\nthrottle_after = 1\n", throttleAfter: 1),
    Accepted(number: 20, text: "[project]\nthrottle_after = 100\n", throttleAfter: 100),
    Accepted(number: 21, text: "[project]\nthrottle_first_wait = 1s\n", firstWait: 1),
    Accepted(number: 22, text: "[project]\nthrottle_first_wait = 15m\n", firstWait: 900),
    Accepted(number: 23, text: "[project]\nthrottle_longest_wait = 30s\n", longestWait: 30),
    Accepted(number: 24, text: "[project]\nthrottle_longest_wait = 24h\n", longestWait: 86_400),
    Accepted(number: 25, text: "[project]\nthrottle_longest_wait = 1440m\n", longestWait: 86_400),
    Accepted(number: 26, text: "[project]\nthrottle_longest_wait = 86400s\n", longestWait: 86_400),
    Accepted(number: 27, text: "[project]\nthrottle_longest_wait = 90s\n", longestWait: 90),
    Accepted(number: 28, text: "[project]\ndisable_after = 5\n", disableAfter: 5),
    Accepted(
      number: 29, text: "[project]\nthrottle_after = 3\ndisable_after = 3\n", throttleAfter: 3,
      disableAfter: 3),
    Accepted(
      number: 30,
      text: """
        # Everything at once, in another order.
        [project]
        disable_after         = 50
        throttle_longest_wait = 2h
        throttle_first_wait   = 1h
        throttle_after        = 10

        enrollment            = self-service
        issuer                = Example
        adjacent_intervals    = 1
        state                 = observe
        """,
      state: .observe, adjacentIntervals: 1, issuer: "Example", throttleAfter: 10,
      firstWait: 3600, longestWait: 7200, disableAfter: 50),
    Accepted(
      number: 31, text: "#" + String(repeating: "x", count: 1023) + "\n[project]\nstate=disabled",
      state: .disabled),
    Accepted(number: 32, text: String(repeating: "\n", count: 65_536)),
    Accepted(number: 34, text: "[tenant a]\nusers = b\n[project]\nstate=observe", state: .observe),
    Accepted(number: 33, text: "# f\u{FC}r alle: \u{20AC} \u{1F511}\n"),
  ])
  func accepts(_ row: Accepted) throws {
    let project = try parse(row.text).project
    #expect(project.state == row.state, "row \(row.number)")
    #expect(project.adjacentIntervals == row.adjacentIntervals, "row \(row.number)")
    #expect(project.issuer == row.issuer.map { Array($0.utf8) }, "row \(row.number)")
    #expect(project.enrollment == .selfService, "row \(row.number)")
    let throttle = ThrottlePolicy(
      waitsAfter: row.throttleAfter, firstWait: row.firstWait, longestWait: row.longestWait,
      locksAfter: row.disableAfter)
    #expect(project.throttle == throttle, "row \(row.number)")
  }

  struct Refused: Sendable {
    let number: Int
    let text: String
    let line: Int
    let reason: ConfigurationError.Reason

    init(_ number: Int, _ text: String, line: Int, _ reason: ConfigurationError.Reason) {
      self.number = number
      self.text = text
      self.line = line
      self.reason = reason
    }

    /// Creates a row with an invalid value for its key.
    init(_ number: Int, _ key: Configuration.Key, _ value: String) {
      self.init(
        number, "[project]\n\(key.name) = \(value)\n", line: 2,
        .invalidValue(key, excerpt(value)))
    }
  }

  @Test("keys are accepted in British spelling, and are printed in the other")
  func britishSpelling() throws {
    let text =
      "[project]\nenrolment = required\nend_sessions_on_unenrol = on\n"
      + "[tenant a]\nusers = bob\nenrolment = offered\noffer_sign_ins = 3\n"
    let configuration = try parse(text)
    #expect(configuration.project.enrollment == .required)
    #expect(configuration.project.endsSessionsOnUnenrolling)
    let printed = String(decoding: configuration.printed(), as: UTF8.self)
    #expect(printed.contains("enrollment = required\n") && !printed.contains("enrolment"))
    #expect(try parse(printed) == configuration)
  }

  @Test("a key is repeated in whichever spelling")
  func repeatedInBritishSpelling() {
    #expect(throws: ConfigurationError.self) {
      try parse("[project]\nenrolment = required\nenrollment = required\n")
    }
  }

  /// MUST 2.
  @Test(arguments: [
    // The file and its lines.
    Refused(1, String(repeating: "\n", count: 65_537), line: 0, .fileTooLong),
    Refused(2, "\n#" + String(repeating: "x", count: 1024), line: 2, .lineTooLong),
    Refused(3, "\u{FEFF}[project]\n", line: 1, .byteOrderMark),
    Refused(4, "[project]\r\n", line: 1, .controlCharacter),
    Refused(5, "[project]\nstate = enabled\r\n", line: 2, .controlCharacter),
    Refused(6, "[project]\n\0", line: 2, .controlCharacter),
    Refused(7, "# \u{1B}[2J\n", line: 1, .controlCharacter),
    Refused(8, "# \u{7F}\n", line: 1, .controlCharacter),
    Refused(9, "\n\n# \u{85}\n", line: 3, .controlCharacter),
    Refused(10, "# \u{9F}\n", line: 1, .controlCharacter),
    // Sections.
    Refused(11, "[project", line: 1, .unfinishedSection),
    Refused(12, "[", line: 1, .unfinishedSection),
    Refused(13, "[project] # mine\n", line: 1, .unfinishedSection),
    Refused(14, "[project]]\n", line: 1, .unknownSection(excerpt("project]"))),
    Refused(15, "[]\n", line: 1, .unknownSection(excerpt(""))),
    Refused(16, "[ project ]\n", line: 1, .unknownSection(excerpt(" project "))),
    Refused(17, "[Project]\n", line: 1, .unknownSection(excerpt("Project"))),
    Refused(18, "[projects]\n", line: 1, .unknownSection(excerpt("projects"))),
    Refused(19, "\n[tenants staff]\n", line: 2, .unknownSection(excerpt("tenants staff"))),
    Refused(20, "[project]\n[project]\n", line: 2, .repeatedSection(firstLine: 1)),
    Refused(
      21, "\n[project]\nstate = disabled\n\n[project]\n", line: 5, .repeatedSection(firstLine: 2)),
    // Settings.
    Refused(22, "state = enabled\n", line: 1, .outsideSection(excerpt("state"))),
    Refused(23, "# first\nnonsense=1\n[project]\n", line: 2, .outsideSection(excerpt("nonsense"))),
    Refused(24, "project\n", line: 1, .notASetting(excerpt("project"))),
    Refused(25, "[project]\nstate\n", line: 2, .notASetting(excerpt("state"))),
    Refused(26, "[project]\nstate enabled\n", line: 2, .notASetting(excerpt("state enabled"))),
    Refused(27, "[project]\nstate: enabled\n", line: 2, .notASetting(excerpt("state: enabled"))),
    Refused(28, "[project]\n; state\n", line: 2, .notASetting(excerpt("; state"))),
    Refused(29, "[project]\n= enabled\n", line: 2, .unknownKey(excerpt(""), in: .project)),
    Refused(
      30, "[project]\nState = enabled\n", line: 2, .unknownKey(excerpt("State"), in: .project)),
    Refused(31, "[project]\nstat = enabled\n", line: 2, .unknownKey(excerpt("stat"), in: .project)),
    Refused(
      32, "[project]\nstates = enabled\n", line: 2, .unknownKey(excerpt("states"), in: .project)),
    Refused(
      33, "[project]\nadjacent-intervals = 1\n", line: 2,
      .unknownKey(excerpt("adjacent-intervals"), in: .project)
    ),
    Refused(
      34, "[project]\n\u{1F511} = 1\n", line: 2, .unknownKey(excerpt("\u{1F511}"), in: .project)),
    Refused(
      35, "[project]\nstate = enabled\nstate = enabled\n", line: 3,
      .repeatedKey(.state, firstLine: 2)),
    Refused(
      36, "[project]\nissuer = A\n\nstate = observe\nissuer = B\n", line: 5,
      .repeatedKey(.issuer, firstLine: 2)),
    Refused(
      37, "[project]\nstate = enabled\nstate = nonsense\n", line: 3,
      .repeatedKey(.state, firstLine: 2)),
    // Values.
    Refused(38, .state, ""),
    Refused(39, .state, "Enabled"),
    Refused(40, .state, "enable"),
    Refused(41, .state, "enabledd"),
    Refused(42, .state, "\"enabled\""),
    Refused(43, .state, "disabled # for now"),
    Refused(44, .state, "= disabled"),
    Refused(45, .adjacentIntervals, ""),
    Refused(46, .adjacentIntervals, "11"),
    Refused(47, .adjacentIntervals, "-1"),
    Refused(48, .adjacentIntervals, "+1"),
    Refused(49, .adjacentIntervals, "01"),
    Refused(50, .adjacentIntervals, "00"),
    Refused(51, .adjacentIntervals, "1.0"),
    Refused(52, .adjacentIntervals, "0x1"),
    Refused(53, .adjacentIntervals, "1 0"),
    Refused(54, .adjacentIntervals, "\u{661}"),
    Refused(55, .adjacentIntervals, "256"),
    Refused(56, .adjacentIntervals, "4294967301"),
    Refused(57, .adjacentIntervals, "18446744073709551621"),
    Refused(58, .adjacentIntervals, String(repeating: "9", count: 900)),
    Refused(59, .issuer, ""),
    Refused(60, .issuer, "Example: Berlin"),
    Refused(61, .issuer, String(repeating: "x", count: 65)),
    Refused(62, .issuer, "a\u{2028}b"),
    Refused(63, .issuer, "a\u{2029}b"),
    Refused(64, .issuer, "a\u{202A}b"),
    Refused(65, .issuer, "a\u{202E}b"),
    Refused(66, .issuer, "a\u{2066}b"),
    Refused(67, .issuer, "a\u{2069}b"),
    Refused(68, .issuer, "a\u{200B}b"),
    Refused(69, .issuer, "\u{E0041}"),
    Refused(70, .issuer, String(repeating: "\u{1F511}", count: 64)),
    Refused(71, "[project]\nissuer = a\tb\n", line: 2, .invalidValue(.issuer, excerpt("a\tb"))),
    Refused(72, .enrollment, ""),
    Refused(73, .enrollment, "Required"),
    Refused(74, .enrollment, "self_service"),
    Refused(75, .throttleAfter, "0"),
    Refused(76, .throttleAfter, "101"),
    Refused(77, .throttleAfter, "5s"),
    Refused(78, .throttleFirstWait, "0s"),
    Refused(79, .throttleFirstWait, "30"),
    Refused(80, .throttleFirstWait, "s"),
    Refused(81, .throttleFirstWait, "30 s"),
    Refused(82, .throttleFirstWait, "30S"),
    Refused(83, .throttleFirstWait, "30ms"),
    Refused(84, .throttleFirstWait, "1m30s"),
    Refused(85, .throttleFirstWait, "05m"),
    Refused(86, .throttleFirstWait, "-5m"),
    Refused(87, .throttleFirstWait, "1d"),
    Refused(88, .throttleLongestWait, "86401s"),
    Refused(89, .throttleLongestWait, "1441m"),
    Refused(90, .throttleLongestWait, "25h"),
    Refused(91, .throttleLongestWait, "0h"),
    Refused(92, .throttleLongestWait, "9223372036854775807h"),
    Refused(93, .throttleLongestWait, "99999999999999999999h"),
    Refused(94, .throttleLongestWait, "999999999h"),
    Refused(95, .disableAfter, "0"),
    Refused(96, .disableAfter, "101"),
    Refused(97, .disableAfter, "never"),
    // Contradictory values: the error names the later line.
    Refused(
      98, "[project]\nthrottle_first_wait = 16m\n", line: 2,
      .aboveLimit(.throttleFirstWait, limit: .throttleLongestWait, excerpt("15m"))),
    Refused(
      99, "[project]\nthrottle_longest_wait = 29s\n", line: 2,
      .belowLimit(.throttleLongestWait, limit: .throttleFirstWait, excerpt("30s"))),
    Refused(
      100, "[project]\nthrottle_first_wait = 60s\n\nthrottle_longest_wait = 59s\n", line: 4,
      .belowLimit(.throttleLongestWait, limit: .throttleFirstWait, excerpt("1m"))),
    Refused(
      101, "[project]\nthrottle_longest_wait = 59s\nthrottle_first_wait = 1m\n", line: 3,
      .aboveLimit(.throttleFirstWait, limit: .throttleLongestWait, excerpt("59s"))),
    Refused(
      102, "[project]\ndisable_after = 4\n", line: 2,
      .belowLimit(.disableAfter, limit: .throttleAfter, excerpt("5"))),
    Refused(
      103, "[project]\ndisable_after = 4\nthrottle_after = 6\n", line: 3,
      .aboveLimit(.throttleAfter, limit: .disableAfter, excerpt("4"))),
    // Offers and switches.
    Refused(106, .offerSignIns, ""),
    Refused(107, .offerSignIns, "1001"),
    Refused(108, .offerSignIns, "-1"),
    Refused(109, .offerSignIns, "05"),
    Refused(110, .offerSignIns, "never"),
    Refused(111, .offerUntil, ""),
    Refused(112, .offerUntil, "2027-1-31"),
    Refused(113, .offerUntil, "2027-02-29"),
    Refused(114, .offerUntil, "2100-02-29"),
    Refused(115, .offerUntil, "2027-13-01"),
    Refused(116, .offerUntil, "2027-00-01"),
    Refused(117, .offerUntil, "2027-01-00"),
    Refused(118, .offerUntil, "2027-04-31"),
    Refused(119, .offerUntil, "1969-12-31"),
    Refused(120, .offerUntil, "31.01.2027"),
    Refused(121, .offerUntil, "2027/01/31"),
    Refused(122, .offerUntil, "2027-01-31T00:00:00Z"),
    Refused(123, .offerUntil, "+027-01-31"),
    Refused(124, .offerUntil, "10000-01-01"),
    Refused(125, .offerUntil, "2027-01-32"),
    Refused(126, .promptHints, ""),
    Refused(127, .promptHints, "On"),
    Refused(128, .promptHints, "true"),
    Refused(129, .promptHints, "offf"),
    Refused(130, .endSessionsOnUnenroll, "yes"),
    Refused(131, .endSessionsOnUnenroll, "of"),
    Refused(132, "[project]\n\nenrollment = offered\n", line: 3, .offerNeverEnds),
    Refused(
      133, "[project]\noffer_sign_ins = 0\nenrollment = offered\n", line: 3, .offerNeverEnds),
    // Remembered codes.
    Refused(136, .remember, ""),
    Refused(137, .remember, "0s"),
    Refused(138, .remember, "on"),
    Refused(139, .remember, "Off"),
    Refused(140, .remember, "2592001s"),
    Refused(141, .remember, "1d"),
    Refused(142, .rememberServices, ""),
    Refused(143, .rememberServices, "sshd,"),
    Refused(144, .rememberServices, "sshd, sshd"),
    Refused(145, .freshFor, "0m"),
    Refused(146, .freshFor, "86401s"),
    Refused(149, .language, ""),
    Refused(150, .language, "EN"),
    Refused(151, .language, "en_US"),
    Refused(152, .language, "de"),
    Refused(153, .language, "zh"),
    Refused(154, .language, "zh-tw"),
    // The keys of a tenant.
    Refused(134, "[project]\nusers = a\n", line: 2, .unknownKey(excerpt("users"), in: .project)),
    Refused(
      135, "[project]\nnetworks = ::/0\n", line: 2, .unknownKey(excerpt("networks"), in: .project)),
    // The first error is reported.
    Refused(
      104, "[project]\nstate = x\nstate = y\n[\n", line: 2, .invalidValue(.state, excerpt("x"))),
    Refused(
      105, "[project]\nthrottle_first_wait = 16m\n[tenant]\n", line: 3,
      .unknownSection(excerpt("tenant"))),
  ])
  func refuses(_ row: Refused) {
    let error = configurationRefusal(of: Array(row.text.utf8))
    #expect(error?.line == row.line, "row \(row.number)")
    #expect(error?.reason == row.reason, "row \(row.number)")
  }

  struct NotUTF8: Sendable {
    let number: Int
    let bytes: [UInt8]
  }

  @Test(arguments: [
    NotUTF8(number: 1, bytes: [0x80]),
    NotUTF8(number: 2, bytes: [0xC3]),
    NotUTF8(number: 3, bytes: [0xC3, 0x28]),
    NotUTF8(number: 4, bytes: [0xC0, 0xAF]),
    NotUTF8(number: 5, bytes: [0xC1, 0x81]),
    NotUTF8(number: 6, bytes: [0xE0, 0x80, 0xAF]),
    NotUTF8(number: 7, bytes: [0xE2, 0x82]),
    NotUTF8(number: 8, bytes: [0xED, 0xA0, 0x80]),
    NotUTF8(number: 9, bytes: [0xF0, 0x80, 0x80, 0xAF]),
    NotUTF8(number: 10, bytes: [0xF4, 0x90, 0x80, 0x80]),
    NotUTF8(number: 11, bytes: [0xF5, 0x80, 0x80, 0x80]),
    NotUTF8(number: 12, bytes: [0xFF, 0xFE]),
  ])
  func refusesWhatIsNotUTF8(_ row: NotUTF8) {
    let comment = configurationRefusal(of: Array("[project]\n# ".utf8) + row.bytes)
    #expect(comment == ConfigurationError(line: 2, reason: .notUTF8), "row \(row.number)")
    let issuer = configurationRefusal(
      of: Array("\n[project]\nissuer = a".utf8) + row.bytes + Array("b\n".utf8))
    #expect(issuer == ConfigurationError(line: 3, reason: .notUTF8), "row \(row.number)")
  }

  // MARK: Printing

  @Test func theDefaultsPrintEveryKeyButTheIssuer() {
    #expect(
      readable(Configuration.defaults.printed()) == """
        [project]
        state = enabled
        adjacent_intervals = 5
        language = en
        enrollment = self-service
        offer_sign_ins = 0
        prompt_hints = off
        end_sessions_on_unenroll = off
        remember = off
        fresh_for = off
        throttle_after = 5
        throttle_first_wait = 30s
        throttle_longest_wait = 15m
        disable_after = 100
        recovery_unlocks = off
        factors = totp, phone
        phone_waiting_time = 24h
        phone_interval = 30s
        phone_per_ten_minutes = 3
        phone_per_day = 10
        phone_number_hourly = 5
        phone_host_daily = 200
        phone_breaker = 20

        """)
  }

  @Test(arguments: [
    ("en", Language.english), ("fr", .french), ("es", .spanish), ("ja", .japanese),
    ("zh-TW", .traditionalChinese),
  ])
  func languageIsSetByItsTag(tag: String, language: Language) throws {
    #expect(try parse("").project.language == .english)
    #expect(try parse("[project]\nlanguage = \(tag)\n").project.language == language)
  }

  @Test func theDefaultsAreThoseOfAnEmptyFile() throws {
    #expect(try parse("") == Configuration.defaults)
  }

  @Test(arguments: [
    (1, "1s", "1s"), (2, "59s", "59s"), (3, "60s", "1m"), (4, "61s", "61s"), (5, "90s", "90s"),
    (6, "120s", "2m"), (7, "3599s", "3599s"), (8, "3600s", "1h"), (9, "60m", "1h"),
    (10, "61m", "61m"), (11, "1440m", "24h"), (12, "86399s", "86399s"), (13, "24h", "24h"),
  ])
  func durationsPrintInTheirLargestUnit(number: Int, text: String, printed: String) throws {
    let configuration = try parse(
      "[project]\nthrottle_first_wait = 1s\nthrottle_longest_wait = \(text)")
    let lines = readable(configuration.printed()).split(separator: "\n")
    #expect(lines.contains("throttle_longest_wait = \(printed)"), "row \(number)")
  }

  /// MUST 3.
  @Test func printedConfigurationParsesBackEqual() throws {
    var random = FixedRandom(seed: 3)
    let issuers: [String?] = [nil, "A", "Example GmbH", "a = b # [c]", "\u{1F511} \u{FC}"]
    for _ in 0..<2000 {
      let first = Int.random(in: 1...86_400, using: &random)
      let longest = Int.random(in: first...86_400, using: &random)
      let waits = Int.random(in: 1...100, using: &random)
      let disables = Int.random(in: waits...100, using: &random)
      let state = Configuration.State.allCases.randomElement(using: &random) ?? .enabled
      var text = "[project]\nstate = \(state.name)\n"
      text += "adjacent_intervals = \(Int.random(in: 0...10, using: &random))\n"
      let issuer = issuers.randomElement(using: &random) ?? nil
      if let issuer { text += "issuer = \(issuer)\n" }
      let enrollment = Configuration.Enrollment.allCases.randomElement(using: &random)
      text += "enrollment = \(enrollment?.name ?? "")\n"
      text += "offer_sign_ins = \(Int.random(in: 1...1000, using: &random))\n"
      if Bool.random(using: &random) { text += "offer_until = 2028-02-29\n" }
      text += "language = \(Language.allCases.randomElement(using: &random)?.tag ?? "")\n"
      text += "prompt_hints = \(Bool.random(using: &random) ? "on" : "off")\n"
      text += "end_sessions_on_unenroll = \(Bool.random(using: &random) ? "on" : "off")\n"
      text += "throttle_after = \(waits)\ndisable_after = \(disables)\n"
      text += "throttle_first_wait = \(first)s\nthrottle_longest_wait = \(longest)s\n"
      text += TenantTests.randomTenants(waits: waits, disables: disables, using: &random)
      let configuration = try parse(text)
      let printed = configuration.printed()
      #expect(try Configuration.parse(printed.span) == configuration, "\(text)")
      #expect(try Configuration.parse(printed.span).printed() == printed, "\(text)")
    }
  }

  // MARK: Damaged text (MUST 1, and MUST 3 for text that is still accepted)

  /// A file that contains every kind of line.
  static let everything = Array(
    """
    # The second factor.

    [project]
    state = observe
    adjacent_intervals = 10
    issuer = \u{DC}bung GmbH
    enrollment = offered
    offer_sign_ins = 3
    offer_until = 2027-01-31
    prompt_hints = on
    end_sessions_on_unenroll = on
    throttle_after = 10
    throttle_first_wait = 45s
    throttle_longest_wait = 24h
    disable_after = 100

    [tenant a]
    users = b, c
    groups = d
    services = su
    networks = 192.0.2.0/24, ::/0
    state = enabled
    throttle_after = 9
    [tenant B]
    users = e
    enrollment = required

    """.utf8)

  /// Checks that text either parses to something that prints and parses back equal, or is refused
  /// with an existing line number.
  private func judge(_ text: [UInt8]) {
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).count
    do throws(ConfigurationError) {
      let configuration = try Configuration.parse(text.span)
      let printed = configuration.printed()
      #expect(try Configuration.parse(printed.span) == configuration, "\(readable(text))")
    } catch {
      #expect((1...lines).contains(error.line), "\(readable(text))")
      let message = error.message(file: Array("mfa.conf".utf8))
      #expect(message.allSatisfy { (0x20...0x7E).contains($0) }, "\(readable(message))")
      #expect(message.count < 512, "\(readable(message))")
    }
  }

  @Test func everyPrefixIsRefusedOrParsed() {
    #expect(configurationRefusal(of: Self.everything) == nil)
    for count in 0...Self.everything.count { judge(Array(Self.everything.prefix(count))) }
  }

  @Test func changedBytesAreRefusedOrParsed() {
    let bytes = Array("\0\t\n\r \"#,-./0:=[]_az\u{7F}".utf8) + [0x80, 0xC3, 0xFF]
    for index in Self.everything.indices {
      for byte in bytes + [Self.everything[index] ^ 1, Self.everything[index] ^ 0x20] {
        var text = Self.everything
        text[index] = byte
        judge(text)
      }
    }
  }

  @Test func missingOrRepeatedBytesAreRefusedOrParsed() {
    for index in Self.everything.indices {
      var text = Self.everything
      text.remove(at: index)
      judge(text)
      text = Self.everything
      text.insert(text[index], at: index)
      judge(text)
    }
  }

  @Test func randomBytesAreRefusedOrParsed() {
    var random = FixedRandom(seed: 1)
    for _ in 0..<10_000 {
      let count = Int.random(in: 0...200, using: &random)
      judge((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
  }

  @Test func randomPiecesAreRefusedOrParsed() {
    let words = [
      "[", "]", "[project]\n", "=", " = ", "\n", "#", " ", "\t", "0", "1", "9", "99999999999", "s",
      "m", "h", "enabled", "observe", "self-service", "\u{FC}", "\u{FEFF}", ":", "\r", "offered",
      "on", "2027-01-31", "[tenant a]\n", "[tenant b]\n", "users = a\n", ",", "::/0", "10.0.0.0/8",
    ]
    var pieces: [[UInt8]] = [[0xC3], [0xFF], [0]]
    pieces += words.map { Array($0.utf8) }
    pieces += Configuration.Key.allCases.map { Array($0.name.utf8) }
    var random = FixedRandom(seed: 2)
    for _ in 0..<10_000 {
      var text = Array("[project]\n".utf8)
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        text += pieces.randomElement(using: &random) ?? []
      }
      judge(text)
    }
  }
}
