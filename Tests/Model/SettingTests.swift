import MFABase
import MFAModel
import Testing

@Suite struct OfferTests {
  private func offer(_ lines: String) throws -> Settings.Offer {
    try parse("[project]\n\(lines)").project.offer
  }

  /// The expected seconds are the output of `date -u -d '... + 1 day' +%s`.
  @Test(arguments: [
    (1, "1970-01-01", 86_400), (2, "1970-12-31", 31_536_000), (3, "1972-02-29", 68_256_000),
    (4, "2000-02-29", 951_868_800), (5, "2000-12-31", 978_307_200),
    (6, "2027-01-31", 1_801_440_000),
    (7, "2028-02-29", 1_835_481_600), (8, "2038-01-19", 2_147_558_400),
    (9, "2100-02-28", 4_107_542_400), (10, "9999-12-31", 253_402_300_800),
  ])
  func days(number: Int, text: String, end: Int64) throws {
    let offer = try offer("offer_until = \(text)")
    #expect(offer.until == end, "row \(number)")
    #expect(offer.lastDay.map(readable) == text, "row \(number)")
  }

  @Test func successiveDaysAreADayApart() throws {
    var last: Int64 = 0
    for year in 1970...2110 {
      let isLeapYear = year % 4 == 0 && year != 2100
      for (month, days) in zip(
        1...12, [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
      {
        for day in 1...days {
          let pad: (Int) -> String = { $0 < 10 ? "0\($0)" : "\($0)" }
          let text = "\(year)-\(pad(month))-\(pad(day))"
          let offer = try offer("offer_until = \(text)")
          #expect(offer.until == last + 86_400, "\(text)")
          #expect(offer.lastDay.map(readable) == text)
          last += 86_400
        }
      }
    }
  }

  struct Row: Sendable {
    let lines: String
    let made: UInt32
    let now: Int64
    let isAllowed: Bool

    init(_ lines: String, made: UInt32, now: Int64, _ isAllowed: Bool) {
      self.lines = lines
      self.made = made
      self.now = now
      self.isAllowed = isAllowed
    }
  }

  @Test(arguments: [
    Row("", made: 0, now: 0, false),
    Row("offer_sign_ins = 0", made: 0, now: 0, false),
    Row("offer_sign_ins = 1", made: 0, now: .max, true),
    Row("offer_sign_ins = 1", made: 1, now: 0, false),
    Row("offer_sign_ins = 1000", made: 999, now: 0, true),
    Row("offer_sign_ins = 1000", made: .max, now: 0, false),
    Row("offer_until = 1970-01-01", made: .max, now: 86_399, true),
    Row("offer_until = 1970-01-01", made: 0, now: 86_400, false),
    Row("offer_until = 1970-01-01", made: 0, now: .min, true),
    Row("offer_until = 1970-01-01\noffer_sign_ins = 2", made: 1, now: 86_399, true),
    Row("offer_until = 1970-01-01\noffer_sign_ins = 2", made: 2, now: 86_399, false),
    Row("offer_until = 1970-01-01\noffer_sign_ins = 2", made: 1, now: 86_400, false),
  ])
  func whatEndsItFirst(_ row: Row) throws {
    let offer = try offer(row.lines)
    #expect(offer.allowsPostponing(afterSignIns: row.made, now: row.now) == row.isAllowed, "\(row)")
  }
}

/// Settings that have no effect because another key is not set.
@Suite struct UnusedSettingTests {
  struct Row: Sendable {
    let text: String
    /// The line, the key and what it needs, for each setting without effect.
    let unused: [String]

    init(_ text: String, _ unused: String...) {
      self.text = text
      self.unused = unused
    }
  }

  @Test(arguments: [
    Row(""),
    Row("[project]\nremember = 8h", "2 remember remember_services"),
    Row("[project]\nremember_services = sshd", "2 remember_services remember"),
    Row("[project]\nremember = 8h\nremember_services = sshd"),
    Row("[project]\noffer_until = 2030-12-31", "2 offer_until enrollment = offered"),
    Row("[project]\noffer_sign_ins = 3", "2 offer_sign_ins enrollment = offered"),
    Row("[project]\noffer_sign_ins = 3\nenrollment = offered"),
    // Defaults.
    Row("[project]\nremember = off\noffer_sign_ins = 0\nfresh_for = off"),
    // The other key can be in another section.
    Row("[project]\nremember = 8h\n[tenant a]\nusers = a\nremember_services = sshd"),
    Row(
      "[tenant a]\nusers = a\noffer_until = 2030-12-31\n"
        + "[tenant b]\ngroups = b\nenrollment = offered\noffer_sign_ins = 1"),
    Row(
      "[tenant a]\nusers = a\nremember = 1h\noffer_sign_ins = 1",
      "4 offer_sign_ins enrollment = offered", "3 remember remember_services"),
    Row(
      "[project]\nenrollment = required\noffer_until = 2030-12-31",
      "3 offer_until enrollment = offered"),
    Row("[project]\ngateway = /a", "2 gateway regions"),
    Row("[project]\nregions = +33", "2 regions gateway"),
    Row("[project]\ngateway = /a\nregions = +33"),
  ])
  func settingWithoutTheKeyThatItNeedsIsFound(row: Row) throws {
    let unused = try parse(row.text).unusedSettings
    #expect(
      unused.map { "\($0.origin.line) \($0.key.name) \($0.needed)" } == row.unused, "\(row)")
  }

  /// Nothing is remembered, as if the key were not set.
  @Test func rememberWithoutServicesRemembersNothing() throws {
    let settings = try parse("[project]\nremember = 8h").project
    #expect(settings.oldestCode(in: Array("sshd".utf8)) == 0)
  }
}

@Suite("Sources of settings")
struct OriginTests {
  static let text = """
    [project]
    enrollment = offered
    offer_sign_ins = 5

    [tenant staff]
    groups = staff
    enrollment = required
    throttle_after = 50

    [tenant office]
    networks = 192.0.2.0/24
    state = observe
    adjacent_intervals = 2

    [tenant backup]
    users = backup
    services = cron, sshd
    state = disabled
    disable_after = 10

    """

  private func subject(
    _ user: String, _ service: String, _ address: String?, groups: [String]?
  ) -> Subject {
    Subject(
      user: Array(user.utf8), service: Array(service.utf8),
      address: address.flatMap { IPAddress(Array($0.utf8).span) }
    ) { group in groups.map { $0.contains(String(decoding: group, as: UTF8.self)) } }
  }

  struct Row {
    let user: String
    let service: String
    let address: String?
    let groups: [String]?
    /// The settings that do not come from `[project]`.
    let expected: [String]
  }

  static let rows = [
    Row(user: "alice", service: "sshd", address: "203.0.113.1", groups: [], expected: []),
    Row(
      user: "alice", service: "sshd", address: "203.0.113.1", groups: ["staff"],
      expected: ["enrollment=required staff 7", "throttle_after=50 staff 8"]),
    Row(
      user: "alice", service: "sshd", address: "192.0.2.7", groups: [],
      expected: ["state=observe office 12", "adjacent_intervals=2 office 13"]),
    // If a lookup failed, only stricter values apply: neither more attempts nor the observe state.
    Row(
      user: "alice", service: "sshd", address: nil, groups: nil,
      expected: ["adjacent_intervals=2 office in doubt 13", "enrollment=required staff in doubt 7"]),
    // The later tenant takes precedence, and of two contradictory numbers the stricter one.
    Row(
      user: "backup", service: "cron", address: "192.0.2.7", groups: ["staff"],
      expected: [
        "state=disabled backup 18", "adjacent_intervals=2 office 13",
        // The line of the other number, which lowered this one.
        "enrollment=required staff 7", "throttle_after=10 backup 19", "disable_after=10 backup 19",
      ]),
  ]

  @Test("each setting names the last section that decides it", arguments: rows)
  func table(row: Row) throws {
    let configuration = try Configuration.parse(Array(Self.text.utf8).span)
    let subject = subject(row.user, row.service, row.address, groups: row.groups)
    let origins = configuration.settingsInForce(for: subject)
    let shown = origins.filter { $0.tenant != nil }.map { origin in
      let value = String(decoding: origin.value ?? [], as: UTF8.self)
      let tenant = String(decoding: origin.tenant ?? [], as: UTF8.self)
      let line = origin.origin.map { "\($0.line)" } ?? "nowhere"
      return
        "\(origin.key.name)=\(value) \(tenant)\(origin.isFromUncertainMatch ? " in doubt" : "") \(line)"
    }
    #expect(shown == row.expected)
    let own = origins.filter { $0.tenant == nil && $0.origin != nil }
    #expect(own.allSatisfy { $0.origin == configuration.origin(of: $0.key) })
    #expect(own.count == (row.expected.contains { $0.hasPrefix("enrollment") } ? 1 : 2))
    // The result equals the settings of a sign-in.
    let settings = configuration.settings(for: subject)
    let text = origins.compactMap { origin in
      origin.value.map { "\(origin.key.name) = \(String(decoding: $0, as: UTF8.self))\n" }
    }
    let again = try Configuration.parse(Array(("[project]\n" + text.joined()).utf8).span)
    #expect(again.project == settings)
  }

  @Test("a tenant names its matching and its other selectors")
  func reasons() throws {
    let configuration = try Configuration.parse(Array(Self.text.utf8).span)
    let shown = configuration.tenants.flatMap { tenant in
      tenant.reasons(for: subject("backup", "login", nil, groups: [])).map {
        "\($0.key.name) \(String(decoding: $0.value, as: UTF8.self)) \($0.match) \($0.origin.line)"
      }
    }
    #expect(
      shown == [
        "groups staff no 6", "networks 192.0.2.0/24 unknown 11", "users backup yes 16",
        "services cron, sshd no 17",
      ])
  }

  @Test("a tenant's sign-ins have its services and networks, and the host's have none")
  func subjects() throws {
    let configuration = try Configuration.parse(Array(Self.text.utf8).span)
    func shown(_ tenant: Tenant?) -> [String] {
      configuration.subjects(of: tenant, user: Array("backup".utf8)) { _ in false }.map {
        String(decoding: $0.service + [0x20] + ($0.address?.text ?? []), as: UTF8.self)
      }
    }
    #expect(
      configuration.tenants.map { shown($0) } == [
        [" 2001:db8::"], [" 192.0.2.0"],
        ["cron 2001:db8::", "sshd 2001:db8::"],
      ])
    #expect(shown(nil) == [" 2001:db8::"])
  }
}
