import MFAModel
import Testing

/// The settings about codes that are sent to phones.
@Suite struct PhoneSettingTests {
  typealias Key = Configuration.Key

  struct Row: Sendable {
    let number: Int
    let key: Key
    let value: String
    /// The value in canonical form, or nil if it is refused.
    let printed: String?

    init(_ number: Int, _ key: Key, _ value: String, _ printed: String?) {
      self.number = number
      self.key = key
      self.value = value
      self.printed = printed
    }
  }

  static func numbers(_ count: Int) -> String {
    (0..<count).map { "+1510555120\($0)=12345\($0)" }.joined(separator: ", ")
  }

  @Test(arguments: [
    Row(1, .factors, "totp", "totp"),
    Row(2, .factors, "phone", "phone"),
    Row(3, .factors, "phone,totp", "totp, phone"),
    Row(4, .factors, "none", nil),
    Row(5, .factors, "", nil),
    Row(6, .factors, "totp, totp", nil),
    Row(7, .factors, "totp,", nil),
    Row(8, .factors, "sms", nil),
    Row(10, .gateway, "/usr/lib/mfa/gateways/gammu-smsd", "/usr/lib/mfa/gateways/gammu-smsd"),
    Row(11, .gateway, "/a", "/a"),
    Row(12, .gateway, "gammu-smsd", nil),
    Row(13, .gateway, "/", nil),
    Row(14, .gateway, "//a", nil),
    Row(15, .gateway, "/a/", nil),
    Row(16, .gateway, "/a/../b", nil),
    Row(17, .gateway, "/a/./b", nil),
    Row(18, .gateway, "/a b/c", "/a b/c"),
    Row(20, .regions, "+33,+81", "+33, +81"),
    Row(21, .regions, "+1", "+1"),
    Row(22, .regions, "+1242, +447, +352", "+1242, +447, +352"),
    Row(23, .regions, "+4471234", nil),
    Row(24, .regions, "+447123", "+447123"),
    // Not a whole calling code: the numbers of many countries begin with these.
    Row(25, .regions, "+3", nil),
    Row(26, .regions, "+4", nil),
    Row(27, .regions, "+35", nil),
    Row(28, .regions, "+0", nil),
    Row(29, .regions, "33", nil),
    Row(30, .regions, "US", nil),
    Row(31, .regions, "+33, +33", nil),
    Row(32, .regions, "+", nil),
    Row(33, .regions, "+3a", nil),
    Row(34, .regions, "*", nil),
    Row(40, .phoneTestNumbers, "+15105551234=123456", "+15105551234=123456"),
    Row(41, .phoneTestNumbers, numbers(10), numbers(10)),
    Row(42, .phoneTestNumbers, numbers(10) + ", +15105551234=123456", nil),
    Row(43, .phoneTestNumbers, "+15105551234=12345", nil),
    Row(44, .phoneTestNumbers, "+15105551234=1234567", nil),
    Row(45, .phoneTestNumbers, "+15105551234=12345a", nil),
    Row(46, .phoneTestNumbers, "15105551234=123456", nil),
    Row(47, .phoneTestNumbers, "+15105551234", nil),
    Row(48, .phoneTestNumbers, "+1510555=123456", nil),
    Row(49, .phoneTestNumbers, "+15105551=123456", "+15105551=123456"),
    Row(50, .phoneTestNumbers, "+123456789012345=123456", "+123456789012345=123456"),
    Row(51, .phoneTestNumbers, "+1234567890123456=123456", nil),
    Row(52, .phoneTestNumbers, "+05105551234=123456", nil),
    Row(53, .phoneTestNumbers, "+15105551234=123456, +15105551234=654321", nil),
    Row(54, .phoneTestNumbers, "+1 510 555 1234=123456", nil),
    Row(60, .phoneWaitingTime, "off", "off"),
    Row(61, .phoneWaitingTime, "720h", "720h"),
    Row(62, .phoneWaitingTime, "721h", nil),
    Row(63, .phoneInterval, "10s", "10s"),
    Row(64, .phoneInterval, "9s", nil),
    Row(65, .phoneInterval, "off", nil),
    Row(66, .phonePerTenMinutes, "0", nil),
    Row(67, .phonePerTenMinutes, "11", nil),
    Row(68, .phonePerDay, "13", nil),
    Row(69, .phoneNumberHourly, "21", nil),
    Row(70, .phoneHostDaily, "2000", "2000"),
    Row(71, .phoneHostDaily, "2001", nil),
    Row(72, .phoneBreaker, "0", "0"),
    Row(73, .phoneBreaker, "91", nil),
  ])
  func valueIsPrintedInCanonicalFormOrRefused(row: Row) throws {
    let text = "[project]\n\(row.key.name) = \(row.value)\n"
    guard let printed = row.printed else {
      let reason = configurationRefusal(of: Array(text.utf8))?.reason
      #expect(
        reason == .invalidValue(row.key, excerpt(row.value)), "row \(row.number): \(text)")
      return
    }
    let lines = readable(try parse(text).printed()).split(separator: "\n")
    #expect(lines.contains("\(row.key.name) = \(printed)"), "row \(row.number)")
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
    #expect(
      settings.userSendLimits == UserSendLimits(interval: 60, perTenMinutes: 2, perDay: 4))
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
