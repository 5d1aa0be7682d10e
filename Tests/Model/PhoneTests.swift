import MFAModel
import MFATestSupport
import Testing

@Suite struct PhoneNumberTests {
  private static func read(_ text: String) -> Result<String, PhoneNumber.Refusal> {
    do throws(PhoneNumber.Refusal) {
      let number = try PhoneNumber(typed: Array(text.utf8).span)
      return .success(
        number.span.text + " " + String(decoding: number.masked.ascii, as: UTF8.self))
    } catch {
      return .failure(error)
    }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let text: String
    let result: Result<String, PhoneNumber.Refusal>
    var testDescription: String { text }

    init(_ text: String, _ number: String) {
      self.text = text
      result = .success(number)
    }

    init(_ text: String, _ refusal: PhoneNumber.Refusal) {
      self.text = text
      result = .failure(refusal)
    }
  }

  @Test(
    "a number in international form is read, and anything else is refused with the reason",
    arguments: [
      Row("+15105551234", "+15105551234 +1 *** *** **34"),
      Row(" +1 510-555-1234 ", "+15105551234 +1 *** *** **34"),
      Row("+33612345678", "+33612345678 +33 *** *** *78"),
      Row("+352621123456", "+352621123456 +352 *** *** *56"),
      Row("+4512345678", "+4512345678 +45 *** *** 78"),
      Row("+29012345", "+29012345 +290 *** 45"),
      Row("+123456789012345", "+123456789012345 +1 *** *** *** *** 45"),
      Row("15105551234", .noPlus), Row("0033612345678", .noPlus), Row("", .noPlus),
      Row("  ", .noPlus), Row("-+15105551234", .noPlus), Row("++15105551234", .notDigits),
      Row("+1510555123a", .notDigits), Row("+44 (0)20 7946 0000", .notDigits),
      Row("+1510555\t1234", .notDigits),
      Row("\u{FF0B}1\u{2011}510\u{A0}555\u{2013}123\u{FF14}", "+15105551234 +1 *** *** **34"),
      Row("+1510555", .tooShort), Row("+", .tooShort), Row("+1234567890123456", .tooLong),
      Row(String(repeating: " ", count: 65), .tooLong), Row("+0123456789", .noSuchCallingCode),
      Row("+21012345678", .noSuchCallingCode), Row("+99912345678", .noSuchCallingCode),
    ])
  func reads(row: Row) { #expect(Self.read(row.text) == row.result) }

  /// MUST 1. The judge is Debian's python3-phonenumbers.
  @Test("python3-phonenumbers reads the same numbers with the same calling codes")
  func agrees() throws {
    let judged = try Command.succeed([
      "/usr/bin/python3", "-c",
      """
      import phonenumbers as p
      for region in sorted(p.SUPPORTED_REGIONS):
          for kind in range(11):
              n = p.example_number_for_type(region, kind)
              if n: print(p.format_number(n, p.PhoneNumberFormat.E164), n.country_code)
      for code in sorted(p.COUNTRY_CODE_TO_REGION_CODE):
          n = p.example_number_for_non_geo_entity(code)
          if n: print(p.format_number(n, p.PhoneNumberFormat.E164), n.country_code)
      """,
    ])
    var read = 0
    for line in judged.split(separator: "\n") {
      let fields = line.split(separator: " ")
      let (text, code) = (fields[0], fields[1])
      // National service numbers can be shorter than any that a phone receives messages at.
      guard PhoneNumber.digitCounts.contains(text.count - 1) else { continue }
      let number = try PhoneNumber(typed: Array(text.utf8).span)
      #expect(number.callingCode.length == code.count, "\(text)")
      read += 1
    }
    #expect(read > 1000)
  }

  /// MUST 1. Numbers of each length that are not possible in their country for python3-phonenumbers
  /// are accepted if they have 8 to 15 digits, and those of other lengths are refused, whatever it says.
  @Test("numbers of 8 to 15 digits are accepted, whatever lengths their country has")
  func numbersOfOtherLengths() throws {
    let judged = try Command.succeed([
      "/usr/bin/python3", "-c",
      """
      import phonenumbers as p
      names = {p.ValidationResult.IS_POSSIBLE: "possible", p.ValidationResult.TOO_SHORT: "too-short",
               p.ValidationResult.IS_POSSIBLE_LOCAL_ONLY: "local",
               p.ValidationResult.TOO_LONG: "too-long", p.ValidationResult.INVALID_LENGTH: "length",
               p.ValidationResult.INVALID_COUNTRY_CODE: "code"}
      codes = set(p.COUNTRY_CODE_TO_REGION_CODE)
      for code in sorted(codes) + [c for c in range(1, 1000) if c not in codes]:
          for digits in range(7, 17):
              text = str(code) + "2" * (digits - len(str(code)))
              try:
                  n = p.parse("+" + text, None)
                  result = names[p.is_possible_number_with_reason(n)]
              except p.NumberParseException as error:
                  result = {error.INVALID_COUNTRY_CODE: "code", error.TOO_LONG: "too-long"}.get(
                      error.error_type, "too-short")
              print("+" + text, result)
      """,
    ])
    var counts: [String: [Bool: Int]] = [:]
    for line in judged.split(separator: "\n") {
      let fields = line.split(separator: " ")
      let (text, reason) = (String(fields[0]), String(fields[1]))
      let hasOurLength = PhoneNumber.digitCounts.contains(text.count - 1)
      let isAccepted: Bool
      switch Self.read(text) {
      case .success(let shown):
        isAccepted = true
        #expect(shown.hasPrefix(text + " "))
      case .failure: isAccepted = false
      }
      // The lengths of a country do not matter; an unassigned calling code and our own lengths do.
      #expect(isAccepted == (hasOurLength && reason != "code"), "\(text) \(reason)")
      counts[reason, default: [:]][isAccepted, default: 0] += 1
    }
    // Accepted although the number is impossible: too short or too long for its country, or of a
    // length between its lengths.
    for reason in ["too-short", "too-long", "length"] {
      #expect(counts[reason]?[true] ?? 0 > 50, "\(counts)")
    }
    // Refused although it is possible: numbers of 7 and fewer digits, of small countries, and of 16
    // and more digits, which are longer than E.164 allows.
    #expect(counts["possible"]?[false] ?? 0 > 0, "\(counts)")
    #expect(counts["code"]?[true] == nil, "\(counts)")
  }

  @Test("the calling codes are those that python3-phonenumbers knows")
  func callingCodes() throws {
    let known = try Command.succeed([
      "/usr/bin/python3", "-c",
      "import phonenumbers as p; print(*sorted(p.COUNTRY_CODE_TO_REGION_CODE))",
    ]).split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    var found: [Int] = []
    for code in 1...999 {
      let digits = Array("\(code)".utf8)
      if CallingCode(startOf: digits.span)?.length == digits.count { found.append(code) }
    }
    #expect(found.filter { !known.contains($0) } == [])
    #expect(known.filter { !found.contains($0) } == [])
  }

  @Test("a stored text is read only if it is the mask of a number")
  func stored() throws {
    for row in ["+15105551234", "+29012345", "+123456789012345"] {
      let masked = try PhoneNumber(typed: Array(row.utf8).span).masked
      #expect(MaskedPhoneNumber(ascii: masked.ascii) == masked)
      #expect(masked.ascii.count <= MaskedPhoneNumber.maximumLength)
      for index in masked.ascii.indices {
        var changed = masked.ascii
        changed.remove(at: index)
        let read = MaskedPhoneNumber(ascii: changed)
        #expect(read == nil || read?.ascii == changed)
      }
    }
    for text in ["", "+1 510 555 1234", "+1 *** *** *234", "+1 *** *** ****", "+1 **********34"] {
      #expect(MaskedPhoneNumber(ascii: Array(text.utf8)) == nil, "\(text)")
    }
  }
}

extension Span<UInt8> {
  fileprivate var text: String {
    var bytes: [UInt8] = []
    for index in indices { bytes.append(self[index]) }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The settings about codes that are sent to phones.
@Suite struct PhoneSettingTests {
  typealias Key = Configuration.Key

  struct Row: Sendable {
    let key: Key
    let value: String
    /// The value in canonical form, or nil if it is refused.
    let printed: String?

    init(_ key: Key, _ value: String, _ printed: String?) {
      self.key = key
      self.value = value
      self.printed = printed
    }
  }

  static func numbers(_ count: Int) -> String {
    (0..<count).map { "+1510555120\($0)=12345\($0)" }.joined(separator: ", ")
  }

  @Test(arguments: [
    Row(.factors, "totp", "totp"),
    Row(.factors, "phone", "phone"),
    Row(.factors, "phone,totp", "totp, phone"),
    Row(.factors, "none", nil),
    Row(.factors, "", nil),
    Row(.factors, "totp, totp", nil),
    Row(.factors, "totp,", nil),
    Row(.factors, "sms", nil),
    Row(.gateway, "/usr/lib/mfa/gateways/gammu-smsd", "/usr/lib/mfa/gateways/gammu-smsd"),
    Row(.gateway, "/a", "/a"),
    Row(.gateway, "gammu-smsd", nil),
    Row(.gateway, "/", nil),
    Row(.gateway, "//a", nil),
    Row(.gateway, "/a/", nil),
    Row(.gateway, "/a/../b", nil),
    Row(.gateway, "/a/./b", nil),
    Row(.gateway, "/a b/c", "/a b/c"),
    Row(.regions, "+33,+81", "+33, +81"),
    Row(.regions, "+1", "+1"),
    Row(.regions, "+1242, +447, +352", "+1242, +447, +352"),
    Row(.regions, "+4471234", nil),
    Row(.regions, "+447123", "+447123"),
    // Not a whole calling code: the numbers of many countries begin with these.
    Row(.regions, "+3", nil),
    Row(.regions, "+4", nil),
    Row(.regions, "+35", nil),
    Row(.regions, "+0", nil),
    Row(.regions, "33", nil),
    Row(.regions, "US", nil),
    Row(.regions, "+33, +33", nil),
    Row(.regions, "+", nil),
    Row(.regions, "+3a", nil),
    Row(.regions, "*", nil),
    Row(.phoneTestNumbers, "+15105551234=123456", "+15105551234=123456"),
    Row(.phoneTestNumbers, numbers(10), numbers(10)),
    Row(.phoneTestNumbers, numbers(10) + ", +15105551234=123456", nil),
    Row(.phoneTestNumbers, "+15105551234=12345", nil),
    Row(.phoneTestNumbers, "+15105551234=1234567", nil),
    Row(.phoneTestNumbers, "+15105551234=12345a", nil),
    Row(.phoneTestNumbers, "15105551234=123456", nil),
    Row(.phoneTestNumbers, "+15105551234", nil),
    Row(.phoneTestNumbers, "+1510555=123456", nil),
    Row(.phoneTestNumbers, "+15105551=123456", "+15105551=123456"),
    Row(.phoneTestNumbers, "+123456789012345=123456", "+123456789012345=123456"),
    Row(.phoneTestNumbers, "+1234567890123456=123456", nil),
    Row(.phoneTestNumbers, "+05105551234=123456", nil),
    Row(.phoneTestNumbers, "+15105551234=123456, +15105551234=654321", nil),
    Row(.phoneTestNumbers, "+1 510 555 1234=123456", nil),
    Row(.phoneWaitingTime, "off", "off"),
    Row(.phoneWaitingTime, "720h", "720h"),
    Row(.phoneWaitingTime, "721h", nil),
    Row(.phoneInterval, "10s", "10s"),
    Row(.phoneInterval, "9s", nil),
    Row(.phoneInterval, "off", nil),
    Row(.phonePerTenMinutes, "0", nil),
    Row(.phonePerTenMinutes, "11", nil),
    Row(.phonePerDay, "13", nil),
    Row(.phoneNumberHourly, "21", nil),
    Row(.phoneHostDaily, "2000", "2000"),
    Row(.phoneHostDaily, "2001", nil),
    Row(.phoneBreaker, "0", "0"),
    Row(.phoneBreaker, "91", nil),
  ])
  func valueIsPrintedInCanonicalFormOrRefused(row: Row) throws {
    let text = "[project]\n\(row.key.name) = \(row.value)\n"
    guard let printed = row.printed else {
      let reason = configurationRefusal(of: Array(text.utf8))?.reason
      #expect(reason == .invalidValue(row.key, excerpt(row.value)), "\(row): \(text)")
      return
    }
    let lines = readable(try parse(text).printed()).split(separator: "\n")
    #expect(lines.contains("\(row.key.name) = \(printed)"), "\(row)")
  }

  @Test func onlyTheProjectHasSettingsOfTheHost() {
    for key in [
      Key.gateway, .regions, .phoneTestNumbers, .phoneNumberHourly, .phoneHostDaily, .phoneBreaker,
    ] {
      #expect(key.isOfTheHost, "\(key.name)")
    }
  }

  @Test func noNumberIsAllowedWithoutRegions() throws {
    #expect(!(try parse("").project.allowsRegion(of: Array("+33612345678".utf8).span)))
  }

  @Test(arguments: [
    ("+33612345678", true), ("+447700900123", true), ("+442079460000", false),
    ("+81312345678", false), ("+33", false), ("", false),
  ])
  func numberIsAllowedIfARegionIsItsBeginning(number: String, isAllowed: Bool) throws {
    let settings = try parse("[project]\nregions = +33, +447\n").project
    #expect(settings.allowsRegion(of: Array(number.utf8).span) == isAllowed)
  }

  @Test(arguments: [
    ("+15105551234", "123456"), ("+15105551235", "654321"), ("+1510555123", nil),
    ("+151055512345", nil), ("", nil),
  ])
  func testNumberHasItsCode(number: String, code: String?) throws {
    let settings = try parse(
      "[project]\nphone_test_numbers = +15105551234=123456, +15105551235=654321\n"
    ).project
    #expect(settings.testCode(of: Array(number.utf8).span) == code.map { Array($0.utf8) })
  }

  @Test func limitsAreThoseOfTheFile() throws {
    #expect(try parse("").project.userSendLimits == UserSendLimits())
    #expect(try parse("").project.hostSendLimits == HostSendLimits())
    let settings = try parse(
      """
      [project]
      phone_interval = 1m
      phone_per_ten_minutes = 2
      phone_per_day = 4
      phone_number_hourly = 3
      phone_host_daily = 50
      phone_breaker = 0
      phone_waiting_time = 2h
      """
    ).project
    #expect(settings.userSendLimits == UserSendLimits(interval: 60, perTenMinutes: 2, perDay: 4))
    #expect(
      settings.hostSendLimits
        == HostSendLimits(perNumberHourly: 3, perHostDaily: 50, breakerPercent: 0))
    #expect(settings.phoneWaitingTime == 7200)
  }

  /// MUST 4 of `Configuration`: after a failed lookup, only types of both settings are accepted.
  @Test func typesThatBothSettingsAllowApplyAfterAFailedLookup() throws {
    for (first, second, expected) in [
      ("totp, phone", "totp", "totp"), ("totp", "totp, phone", "totp"), ("phone", "totp", "none"),
    ] {
      let configuration = try parse(
        "[project]\nfactors = \(first)\n[tenant a]\ngroups = x\nfactors = \(second)\n")
      let subject = Subject(user: [0x61], service: [0x62], address: nil) { _ in nil }
      let printed = configuration.settingsInForce(for: subject).first { $0.key == .factors }?.value
      #expect(printed == Array(expected.utf8), "\(first), \(second)")
      let settings = configuration.settings(for: subject)
      #expect(settings.allows(.totp) == (expected == "totp"))
      #expect(!settings.allows(.phone))
    }
  }
}
