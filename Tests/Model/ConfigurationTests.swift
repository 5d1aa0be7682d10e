import MFABase
import MFAModel
import MFAMessages
import Testing

@Suite struct ConfigurationTests {
  struct Accepted: Sendable {
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
    Accepted(text: ""),
    Accepted(text: "\n"),
    Accepted(text: "[project]"),
    Accepted(text: "[project]\n"),
    Accepted(text: "  \t[project]\t  \n"),
    Accepted(text: "# nothing\n\n   # nothing\n[project]\n#state = disabled\n"),
    Accepted(text: "[project]\nstate = enabled\n"),
    Accepted(text: "[project]\nstate = disabled\n", state: .disabled),
    Accepted(text: "[project]\nstate=observe", state: .observe),
    Accepted(text: "[project]\n\tstate\t=\tobserve\t\n", state: .observe),
    Accepted(text: "[project]\nadjacent_intervals = 0\n", adjacentIntervals: 0),
    Accepted(text: "[project]\nadjacent_intervals = 10\n", adjacentIntervals: 10),
    Accepted(text: "[project]\nissuer = Example\n", issuer: "Example"),
    Accepted(
      text: "[project]\nissuer =  Example GmbH = \u{FC}ber # [1]  \n",
      issuer: "Example GmbH = \u{FC}ber # [1]"),
    Accepted(text: "[project]\nissuer = \u{1F511}\n", issuer: "\u{1F511}"),
    Accepted(
      text: "[project]\nissuer = " + String(repeating: "\u{20AC}", count: 64),
      issuer: String(repeating: "\u{20AC}", count: 64)),
    Accepted(text: "[project]\nissuer = \u{5E9}\u{5DC}", issuer: "\u{5E9}\u{5DC}"),
    Accepted(text: "[project]\nenrollment = self-service\n"),
    Accepted(text: "[project]\nthrottle_after = 1\n", throttleAfter: 1),
    Accepted(text: "[project]\nthrottle_after = 100\n", throttleAfter: 100),
    Accepted(text: "[project]\nthrottle_first_wait = 1s\n", firstWait: 1),
    Accepted(text: "[project]\nthrottle_first_wait = 15m\n", firstWait: 900),
    Accepted(text: "[project]\nthrottle_longest_wait = 30s\n", longestWait: 30),
    Accepted(text: "[project]\nthrottle_longest_wait = 24h\n", longestWait: 86_400),
    Accepted(text: "[project]\nthrottle_longest_wait = 1440m\n", longestWait: 86_400),
    Accepted(text: "[project]\nthrottle_longest_wait = 86400s\n", longestWait: 86_400),
    Accepted(text: "[project]\nthrottle_longest_wait = 90s\n", longestWait: 90),
    Accepted(text: "[project]\ndisable_after = 5\n", disableAfter: 5),
    Accepted(
      text: "[project]\nthrottle_after = 3\ndisable_after = 3\n", throttleAfter: 3,
      disableAfter: 3),
    Accepted(
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
      text: "#" + String(repeating: "x", count: 1023) + "\n[project]\nstate=disabled",
      state: .disabled),
    Accepted(text: String(repeating: "\n", count: 65_536)),
    Accepted(text: "[tenant a]\nusers = b\n[project]\nstate=observe", state: .observe),
    Accepted(text: "# f\u{FC}r alle: \u{20AC} \u{1F511}\n"),
  ])
  func accepts(_ row: Accepted) throws {
    let project = try parse(row.text).project
    #expect(project.state == row.state, "\(row)")
    #expect(project.adjacentIntervals == row.adjacentIntervals, "\(row)")
    #expect(project.issuer == row.issuer.map { Array($0.utf8) }, "\(row)")
    #expect(project.enrollment == .selfService, "\(row)")
    let throttle = ThrottlePolicy(
      waitsAfter: row.throttleAfter, firstWait: row.firstWait, longestWait: row.longestWait,
      locksAfter: row.disableAfter)
    #expect(project.throttle == throttle, "\(row)")
  }

  struct Refused: Sendable {
    let text: String
    let line: Int
    let reason: ConfigurationError.Reason

    init(_ text: String, line: Int, _ reason: ConfigurationError.Reason) {
      self.text = text
      self.line = line
      self.reason = reason
    }

    /// Creates a row with an invalid value for its key.
    init(_ key: Configuration.Key, _ value: String) {
      self.init(
        "[project]\n\(key.name) = \(value)\n", line: 2,
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
    Refused(String(repeating: "\n", count: 65_537), line: 0, .fileTooLong),
    Refused("\n#" + String(repeating: "x", count: 1024), line: 2, .lineTooLong),
    Refused("\u{FEFF}[project]\n", line: 1, .byteOrderMark),
    Refused("[project]\r\n", line: 1, .controlCharacter),
    Refused("[project]\nstate = enabled\r\n", line: 2, .controlCharacter),
    Refused("[project]\n\0", line: 2, .controlCharacter),
    Refused("# \u{1B}[2J\n", line: 1, .controlCharacter),
    Refused("# \u{7F}\n", line: 1, .controlCharacter),
    Refused("\n\n# \u{85}\n", line: 3, .controlCharacter),
    Refused("# \u{9F}\n", line: 1, .controlCharacter),
    // Sections.
    Refused("[project", line: 1, .unfinishedSection),
    Refused("[", line: 1, .unfinishedSection),
    Refused("[project] # mine\n", line: 1, .unfinishedSection),
    Refused("[project]]\n", line: 1, .unknownSection(excerpt("project]"))),
    Refused("[]\n", line: 1, .unknownSection(excerpt(""))),
    Refused("[ project ]\n", line: 1, .unknownSection(excerpt(" project "))),
    Refused("[Project]\n", line: 1, .unknownSection(excerpt("Project"))),
    Refused("[projects]\n", line: 1, .unknownSection(excerpt("projects"))),
    Refused("\n[tenants staff]\n", line: 2, .unknownSection(excerpt("tenants staff"))),
    Refused("[project]\n[project]\n", line: 2, .repeatedSection(firstLine: 1)),
    Refused(
      "\n[project]\nstate = disabled\n\n[project]\n", line: 5, .repeatedSection(firstLine: 2)),
    // Settings.
    Refused("state = enabled\n", line: 1, .outsideSection(excerpt("state"))),
    Refused("# first\nnonsense=1\n[project]\n", line: 2, .outsideSection(excerpt("nonsense"))),
    Refused("project\n", line: 1, .notASetting(excerpt("project"))),
    Refused("[project]\nstate\n", line: 2, .notASetting(excerpt("state"))),
    Refused("[project]\nstate enabled\n", line: 2, .notASetting(excerpt("state enabled"))),
    Refused("[project]\nstate: enabled\n", line: 2, .notASetting(excerpt("state: enabled"))),
    Refused("[project]\n; state\n", line: 2, .notASetting(excerpt("; state"))),
    Refused("[project]\n= enabled\n", line: 2, .unknownKey(excerpt(""), in: .project)),
    Refused("[project]\nState = enabled\n", line: 2, .unknownKey(excerpt("State"), in: .project)),
    Refused("[project]\nstat = enabled\n", line: 2, .unknownKey(excerpt("stat"), in: .project)),
    Refused("[project]\nstates = enabled\n", line: 2, .unknownKey(excerpt("states"), in: .project)),
    Refused(
      "[project]\nadjacent-intervals = 1\n", line: 2,
      .unknownKey(excerpt("adjacent-intervals"), in: .project)
    ),
    Refused("[project]\n\u{1F511} = 1\n", line: 2, .unknownKey(excerpt("\u{1F511}"), in: .project)),
    Refused(
      "[project]\nstate = enabled\nstate = enabled\n", line: 3,
      .repeatedKey(.state, firstLine: 2)),
    Refused(
      "[project]\nissuer = A\n\nstate = observe\nissuer = B\n", line: 5,
      .repeatedKey(.issuer, firstLine: 2)),
    Refused(
      "[project]\nstate = enabled\nstate = nonsense\n", line: 3,
      .repeatedKey(.state, firstLine: 2)),
    // Values.
    Refused(.state, ""),
    Refused(.state, "Enabled"),
    Refused(.state, "enable"),
    Refused(.state, "enabledd"),
    Refused(.state, "\"enabled\""),
    Refused(.state, "disabled # for now"),
    Refused(.state, "= disabled"),
    Refused(.adjacentIntervals, ""),
    Refused(.adjacentIntervals, "11"),
    Refused(.adjacentIntervals, "-1"),
    Refused(.adjacentIntervals, "+1"),
    Refused(.adjacentIntervals, "01"),
    Refused(.adjacentIntervals, "00"),
    Refused(.adjacentIntervals, "1.0"),
    Refused(.adjacentIntervals, "0x1"),
    Refused(.adjacentIntervals, "1 0"),
    Refused(.adjacentIntervals, "\u{661}"),
    Refused(.adjacentIntervals, "256"),
    Refused(.adjacentIntervals, "4294967301"),
    Refused(.adjacentIntervals, "18446744073709551621"),
    Refused(.adjacentIntervals, String(repeating: "9", count: 900)),
    Refused(.issuer, ""),
    Refused(.issuer, "Example: Berlin"),
    Refused(.issuer, String(repeating: "x", count: 65)),
    Refused(.issuer, "a\u{2028}b"),
    Refused(.issuer, "a\u{2029}b"),
    Refused(.issuer, "a\u{202A}b"),
    Refused(.issuer, "a\u{202E}b"),
    Refused(.issuer, "a\u{2066}b"),
    Refused(.issuer, "a\u{2069}b"),
    Refused(.issuer, "a\u{200B}b"),
    Refused(.issuer, "\u{E0041}"),
    Refused(.issuer, String(repeating: "\u{1F511}", count: 64)),
    Refused("[project]\nissuer = a\tb\n", line: 2, .invalidValue(.issuer, excerpt("a\tb"))),
    Refused(.enrollment, ""),
    Refused(.enrollment, "Required"),
    Refused(.enrollment, "self_service"),
    Refused(.throttleAfter, "0"),
    Refused(.throttleAfter, "101"),
    Refused(.throttleAfter, "5s"),
    Refused(.throttleFirstWait, "0s"),
    Refused(.throttleFirstWait, "30"),
    Refused(.throttleFirstWait, "s"),
    Refused(.throttleFirstWait, "30 s"),
    Refused(.throttleFirstWait, "30S"),
    Refused(.throttleFirstWait, "30ms"),
    Refused(.throttleFirstWait, "1m30s"),
    Refused(.throttleFirstWait, "05m"),
    Refused(.throttleFirstWait, "-5m"),
    Refused(.throttleFirstWait, "1d"),
    Refused(.throttleLongestWait, "86401s"),
    Refused(.throttleLongestWait, "1441m"),
    Refused(.throttleLongestWait, "25h"),
    Refused(.throttleLongestWait, "0h"),
    Refused(.throttleLongestWait, "9223372036854775807h"),
    Refused(.throttleLongestWait, "99999999999999999999h"),
    Refused(.throttleLongestWait, "999999999h"),
    Refused(.disableAfter, "0"),
    Refused(.disableAfter, "101"),
    Refused(.disableAfter, "never"),
    // Contradictory values: the error names the later line.
    Refused(
      "[project]\nthrottle_first_wait = 16m\n", line: 2,
      .aboveLimit(.throttleFirstWait, limit: .throttleLongestWait, excerpt("15m"))),
    Refused(
      "[project]\nthrottle_longest_wait = 29s\n", line: 2,
      .belowLimit(.throttleLongestWait, limit: .throttleFirstWait, excerpt("30s"))),
    Refused(
      "[project]\nthrottle_first_wait = 60s\n\nthrottle_longest_wait = 59s\n", line: 4,
      .belowLimit(.throttleLongestWait, limit: .throttleFirstWait, excerpt("1m"))),
    Refused(
      "[project]\nthrottle_longest_wait = 59s\nthrottle_first_wait = 1m\n", line: 3,
      .aboveLimit(.throttleFirstWait, limit: .throttleLongestWait, excerpt("59s"))),
    Refused(
      "[project]\ndisable_after = 4\n", line: 2,
      .belowLimit(.disableAfter, limit: .throttleAfter, excerpt("5"))),
    Refused(
      "[project]\ndisable_after = 4\nthrottle_after = 6\n", line: 3,
      .aboveLimit(.throttleAfter, limit: .disableAfter, excerpt("4"))),
    // Offers and switches.
    Refused(.offerSignIns, ""),
    Refused(.offerSignIns, "1001"),
    Refused(.offerSignIns, "-1"),
    Refused(.offerSignIns, "05"),
    Refused(.offerSignIns, "never"),
    Refused(.offerUntil, ""),
    Refused(.offerUntil, "2027-1-31"),
    Refused(.offerUntil, "2027-02-29"),
    Refused(.offerUntil, "2100-02-29"),
    Refused(.offerUntil, "2027-13-01"),
    Refused(.offerUntil, "2027-00-01"),
    Refused(.offerUntil, "2027-01-00"),
    Refused(.offerUntil, "2027-04-31"),
    Refused(.offerUntil, "1969-12-31"),
    Refused(.offerUntil, "31.01.2027"),
    Refused(.offerUntil, "2027/01/31"),
    Refused(.offerUntil, "2027-01-31T00:00:00Z"),
    Refused(.offerUntil, "+027-01-31"),
    Refused(.offerUntil, "10000-01-01"),
    Refused(.offerUntil, "2027-01-32"),
    Refused(.prompt, ""),
    Refused(.prompt, "\"OTP: \""),
    Refused(.prompt, "OTP \"code\":"),
    Refused(.prompt, String(repeating: "x", count: 65)),
    Refused(.prompt, "a\u{202E}b"),
    Refused(.prompt, "a\u{2028}b"),
    Refused(.tries, ""),
    Refused(.tries, "0"),
    Refused(.tries, "6"),
    Refused(.tries, "02"),
    Refused(.tries, "one"),
    Refused(.promptHints, ""),
    Refused(.promptHints, "On"),
    Refused(.promptHints, "true"),
    Refused(.promptHints, "offf"),
    Refused(.endSessionsOnUnenroll, "yes"),
    Refused(.endSessionsOnUnenroll, "of"),
    Refused("[project]\n\nenrollment = offered\n", line: 3, .offerNeverEnds),
    Refused("[project]\noffer_sign_ins = 0\nenrollment = offered\n", line: 3, .offerNeverEnds),
    // Remembered codes.
    Refused(.remember, ""),
    Refused(.remember, "0s"),
    Refused(.remember, "on"),
    Refused(.remember, "Off"),
    Refused(.remember, "2592001s"),
    Refused(.remember, "1d"),
    Refused(.rememberServices, ""),
    Refused(.rememberServices, "sshd,"),
    Refused(.rememberServices, "sshd, sshd"),
    Refused(.freshFor, "0m"),
    Refused(.freshFor, "86401s"),
    Refused(.language, ""),
    Refused(.language, "EN"),
    Refused(.language, "en_US"),
    Refused(.language, "de"),
    Refused(.language, "zh"),
    Refused(.language, "zh-tw"),
    // The keys of a tenant.
    Refused("[project]\nusers = a\n", line: 2, .unknownKey(excerpt("users"), in: .project)),
    Refused(
      "[project]\nnetworks = ::/0\n", line: 2, .unknownKey(excerpt("networks"), in: .project)),
    // The first error is reported.
    Refused("[project]\nstate = x\nstate = y\n[\n", line: 2, .invalidValue(.state, excerpt("x"))),
    Refused(
      "[project]\nthrottle_first_wait = 16m\n[tenant]\n", line: 3,
      .unknownSection(excerpt("tenant"))),
  ])
  func refuses(_ row: Refused) {
    let error = configurationRefusal(of: Array(row.text.utf8))
    #expect(error?.line == row.line, "\(row)")
    #expect(error?.reason == row.reason, "\(row)")
  }

  struct NotUTF8: Sendable {
    let bytes: [UInt8]
  }

  @Test(arguments: [
    NotUTF8(bytes: [0x80]),
    NotUTF8(bytes: [0xC3]),
    NotUTF8(bytes: [0xC3, 0x28]),
    NotUTF8(bytes: [0xC0, 0xAF]),
    NotUTF8(bytes: [0xC1, 0x81]),
    NotUTF8(bytes: [0xE0, 0x80, 0xAF]),
    NotUTF8(bytes: [0xE2, 0x82]),
    NotUTF8(bytes: [0xED, 0xA0, 0x80]),
    NotUTF8(bytes: [0xF0, 0x80, 0x80, 0xAF]),
    NotUTF8(bytes: [0xF4, 0x90, 0x80, 0x80]),
    NotUTF8(bytes: [0xF5, 0x80, 0x80, 0x80]),
    NotUTF8(bytes: [0xFF, 0xFE]),
  ])
  func refusesWhatIsNotUTF8(_ row: NotUTF8) {
    let comment = configurationRefusal(of: Array("[project]\n# ".utf8) + row.bytes)
    #expect(comment == ConfigurationError(line: 2, .notUTF8), "\(row)")
    let issuer = configurationRefusal(
      of: Array("\n[project]\nissuer = a".utf8) + row.bytes + Array("b\n".utf8))
    #expect(issuer == ConfigurationError(line: 3, .notUTF8), "\(row)")
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
        tries = 3
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
      let prompt = ["OTP:", "a = b # [c], d", "\u{78BA}\u{8A8D}"].randomElement(using: &random)
      text += "prompt = \(prompt ?? "")\n"
      text += "tries = \(Int.random(in: 1...5, using: &random))\n"
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
    prompt = \u{DC}bung, code:
    prompt_hints = on
    tries = 1
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
      let message = error.message(file: "mfa.conf")
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
