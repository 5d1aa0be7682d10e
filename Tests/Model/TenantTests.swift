import MFABase
import MFAModel
import Testing

@Suite struct TenantTests {
  /// Anna signs in through sshd from 192.0.2.7. She belongs to `staff` and `admins`; the lookup of
  /// the group `lost` fails.
  struct Row: Sendable {
    let text: String
    var user = "anna"
    var service = "sshd"
    var address: String? = "192.0.2.7"
    /// The equivalent settings in the section `[project]`.
    let expected: String
  }

  /// Returns the sign-in; `asked` is called for each group that is looked up.
  private func subject(
    _ row: Row, asked: @escaping (String) -> Void = { _ in }
  ) -> Subject {
    Subject(
      user: Array(row.user.utf8), service: Array(row.service.utf8),
      address: row.address.flatMap(address(of:))
    ) { group in
      asked(readable(group))
      return readable(group).hasPrefix("lost")
        ? nil : ["staff", "admins"].contains(readable(group))
    }
  }

  private static let twoTenants = """
    [tenant one]
    groups = staff
    adjacent_intervals = 1
    state = observe
    [tenant two]
    services = sshd
    adjacent_intervals = 2
    """

  private static let remembering = "[project]\nremember = 8h\nremember_services = sshd\n"

  @Test(arguments: [
    // Single selectors.
    Row(text: "", expected: ""),
    Row(text: "[project]\nstate = observe", expected: "state = observe"),
    Row(text: "[tenant t]\nusers = anna\nstate = disabled", expected: "state = disabled"),
    Row(text: "[tenant t]\nusers = bob, anna\nstate=observe", expected: "state = observe"),
    Row(text: "[tenant t]\nusers = bob, ann\nstate = disabled", expected: ""),
    Row(text: "[tenant t]\nusers = Anna\nstate = disabled", expected: ""),
    Row(text: "[tenant t]\nusers = anna\nstate=disabled", user: "annabel", expected: ""),
    Row(text: "[tenant t]\ngroups = staff\nstate=disabled", expected: "state = disabled"),
    Row(text: "[tenant t]\ngroups = guests, admins\nstate=disabled", expected: "state = disabled"),
    Row(text: "[tenant t]\ngroups = guests\nstate = disabled", expected: ""),
    Row(text: "[tenant t]\nservices = sudo, sshd\nstate=disabled", expected: "state = disabled"),
    Row(text: "[tenant t]\nservices = sudo\nstate = disabled", expected: ""),
    Row(
      text: "[tenant t]\nservices = sudo\nenrollment = required", service: "sudo",
      address: nil, expected: "enrollment = required"),
    Row(
      text: "[tenant t]\nnetworks = 192.0.2.0/24\nstate = disabled",
      expected: "state = disabled"),
    Row(
      text: "[tenant t]\nnetworks = 192.0.2.0/29\nstate = disabled",
      expected: "state = disabled"),
    Row(text: "[tenant t]\nnetworks = 192.0.2.8/29\nstate = disabled", expected: ""),
    Row(
      text: "[tenant t]\nnetworks = 192.0.2.7/32\nstate = disabled",
      expected: "state = disabled"),
    Row(text: "[tenant t]\nnetworks = 192.0.2.6/32\nstate = disabled", expected: ""),
    Row(
      text: "[tenant t]\nnetworks = 10.0.0.0/8, 0.0.0.0/0\nstate = disabled",
      expected: "state = disabled"),
    Row(text: "[tenant t]\nnetworks = ::/0\nstate = disabled", expected: ""),
    Row(
      text: "[tenant t]\nnetworks = 192.0.2.0/24\nstate = disabled",
      address: "::ffff:192.0.2.9", expected: "state = disabled"),
    Row(
      text: "[tenant t]\nnetworks = ::/0\nstate = disabled",
      address: "::ffff:192.0.2.9", expected: ""),
    Row(text: "[tenant t]\nnetworks = 0.0.0.0/0\nstate = disabled", address: "::1", expected: ""),
    Row(
      text: "[tenant t]\nnetworks = 2001:db8::/32\nstate = disabled",
      address: "2001:db8:ffff::1", expected: "state = disabled"),
    Row(
      text: "[tenant t]\nnetworks = 2001:db8::/32\nstate = disabled",
      address: "2001:db9::1", expected: ""),
    Row(
      text: "[tenant t]\nnetworks = ::1/128\nstate = disabled", address: "::1",
      expected: "state = disabled"),
    Row(
      text: "[tenant t]\nnetworks = fe80::/10\nstate = disabled", address: "febf::1",
      expected: "state = disabled"),
    Row(
      text: "[tenant t]\nnetworks = fe80::/10\nstate = disabled", address: "fec0::1",
      expected: ""),
    // All selectors of a tenant must match.
    Row(
      text: "[tenant t]\nusers=anna\ngroups=staff\nservices=sshd\nnetworks=192.0.2.0/24\n"
        + "state = disabled", expected: "state = disabled"),
    Row(text: "[tenant t]\nusers=bob\ngroups=staff\nstate=disabled", expected: ""),
    Row(text: "[tenant t]\nusers=anna\ngroups=guests\nstate=disabled", expected: ""),
    Row(text: "[tenant t]\nservices=sudo\ngroups=staff\nstate=disabled", expected: ""),
    Row(text: "[tenant t]\nnetworks=10.0.0.0/8\nusers=anna\nstate=disabled", expected: ""),
    // The later tenant takes precedence for each key.
    Row(text: twoTenants, expected: "adjacent_intervals = 2\nstate = observe"),
    Row(text: twoTenants, service: "login", expected: "adjacent_intervals = 1\nstate = observe"),
    Row(
      text: twoTenants + "\n[project]\nadjacent_intervals = 0\nissuer = X",
      expected: "adjacent_intervals = 2\nstate = observe\nissuer = X"),
    Row(
      text: "[project]\nenrollment = required\n[tenant t]\nusers = anna\nenrollment = self-service",
      expected: "enrollment = self-service"),
    Row(
      text:
        "[tenant t]\nusers = anna\nprompt_hints = on\n[tenant u]\nusers = bob\nprompt_hints=off",
      expected: "prompt_hints = on"),
    Row(
      text: "[project]\nenrollment = offered\noffer_sign_ins = 3\n"
        + "[tenant t]\nusers = anna\noffer_sign_ins = 0\noffer_until = 2027-01-31",
      expected: "enrollment = offered\noffer_until = 2027-01-31"),
    Row(
      text: "[tenant t]\nusers = anna\nthrottle_after = 2\nthrottle_first_wait = 1m\n"
        + "throttle_longest_wait = 2m\ndisable_after = 3",
      expected:
        "throttle_after=2\nthrottle_first_wait=1m\nthrottle_longest_wait=2m\ndisable_after=3"
    ),
    // Tenants may contradict each other; the stricter value applies.
    Row(
      text: "[tenant t]\nusers = anna\nthrottle_after = 50\n"
        + "[tenant u]\nusers = anna\ndisable_after = 10",
      expected: "throttle_after = 10\ndisable_after = 10"),
    Row(
      text: "[tenant t]\nusers = anna\nthrottle_first_wait = 10m\n"
        + "[tenant u]\nusers = anna\nthrottle_longest_wait = 1m",
      expected: "throttle_first_wait = 10m\nthrottle_longest_wait = 10m"),
    Row(
      text: "[tenant t]\nusers = anna\nthrottle_after = 50\n"
        + "[tenant u]\nusers = anna\ndisable_after = 10\n"
        + "[tenant v]\nusers = anna\ndisable_after = 90",
      expected: "throttle_after = 50\ndisable_after = 90"),
    // After a failed lookup, only stricter values apply.
    Row(text: "[tenant t]\ngroups = lost\nstate = disabled", expected: ""),
    Row(
      text: "[project]\nstate = disabled\n[tenant t]\ngroups = lost\nstate = observe",
      expected: "state = observe"),
    Row(
      text: "[project]\nstate = observe\n[tenant t]\ngroups = lost\nstate = enabled",
      expected: "state = enabled"),
    Row(
      text: "[project]\nstate = observe\n[tenant t]\ngroups = lost\nstate = disabled",
      expected: "state = observe"),
    Row(
      text: "[tenant t]\ngroups = guests, lost\nenrollment = required",
      expected: "enrollment = required"),
    Row(
      text: "[project]\nenrollment=required\n[tenant t]\ngroups = lost\nenrollment=offered\n"
        + "offer_sign_ins = 5", expected: "enrollment = required\noffer_sign_ins = 5"),
    Row(
      text: "[tenant t]\ngroups = lost\nenrollment=offered\noffer_until=2027-01-31",
      expected: "enrollment = offered\noffer_until = 2027-01-31"),
    Row(
      text: "[project]\nenrollment=offered\noffer_sign_ins = 5\noffer_until = 2027-01-31\n"
        + "[tenant t]\ngroups = lost\noffer_sign_ins = 0\noffer_until = 2027-02-01",
      expected: "enrollment=offered\noffer_sign_ins = 5\noffer_until = 2027-01-31"),
    Row(
      text: "[project]\nenrollment=offered\noffer_sign_ins = 5\noffer_until = 2027-01-31\n"
        + "[tenant t]\ngroups = lost\noffer_sign_ins = 4\noffer_until = 2027-01-30",
      expected: "enrollment=offered\noffer_sign_ins = 4\noffer_until = 2027-01-30"),
    Row(text: "[tenant t]\ngroups = lost\nadjacent_intervals = 6\nprompt_hints = on", expected: ""),
    Row(
      text: "[project]\nprompt_hints = on\n"
        + "[tenant t]\ngroups = lost\nadjacent_intervals = 4\nprompt_hints = off",
      expected: "adjacent_intervals = 4"),
    Row(
      text: "[tenant t]\ngroups = lost\nthrottle_after = 6\nthrottle_first_wait = 29s\n"
        + "throttle_longest_wait = 14m\ndisable_after = 99",
      expected: "disable_after = 99"),
    Row(
      text: "[tenant t]\ngroups = lost\nthrottle_after = 4\nthrottle_first_wait = 31s\n"
        + "throttle_longest_wait = 16m",
      expected: "throttle_after = 4\nthrottle_first_wait = 31s\nthrottle_longest_wait = 16m"),
    // The maximum age of a code depends on three keys together: if one of them is uncertain, no
    // code is remembered.
    Row(
      text: remembering + "[tenant t]\ngroups = staff\nremember = 1h\nfresh_for = 5m",
      expected: "remember = 1h\nremember_services = sshd\nfresh_for = 5m"),
    Row(
      text: remembering + "[tenant t]\ngroups = staff\nremember = off",
      expected: "remember_services = sshd"),
    Row(
      text: remembering + "[tenant t]\ngroups = lost\nremember = off",
      expected: "remember_services = sshd"),
    Row(
      text: remembering + "[tenant t]\ngroups = lost\nremember = 720h",
      expected: "remember_services = sshd"),
    Row(
      text: remembering + "[tenant t]\ngroups = lost\nfresh_for = 1m",
      expected: "remember_services = sshd"),
    Row(
      text: remembering + "[tenant t]\ngroups = lost\nremember_services = sudo",
      expected: "remember_services = sshd"),
    Row(
      text: remembering + "[tenant t]\ngroups = lost\nprompt_hints = off",
      expected: "remember = 8h\nremember_services = sshd"),
    Row(
      text: remembering + "[tenant t]\ngroups = guests\nfresh_for = 1m",
      expected: "remember = 8h\nremember_services = sshd"),
    // The default can be repeated in a tenant if there is no limit that it removes.
    Row(text: "[tenant t]\nusers = anna\noffer_sign_ins = 0", expected: ""),
    Row(
      text: "[tenant t]\nusers = anna\noffer_sign_ins = 0\n"
        + "[tenant u]\nusers = anna\nenrollment = offered\noffer_until = 2027-01-31",
      expected: "enrollment = offered\noffer_until = 2027-01-31"),
    // No language is stricter than another: a tenant that may match does not change it.
    Row(text: "[tenant t]\nusers = anna\nlanguage = ja", expected: "language = ja"),
    Row(text: "[tenant t]\ngroups = lost\nlanguage = ja", expected: ""),
    Row(
      text: "[project]\nlanguage = fr\n[tenant t]\ngroups = lost\nlanguage = en",
      expected: "language = fr"),
    // A text is not stricter than another either, but fewer tries are.
    Row(
      text: "[project]\nprompt = a\ntries = 2\n"
        + "[tenant t]\nservices = sshd\nprompt = OTP:\ntries = 4",
      expected: "prompt = OTP:\ntries = 4"),
    Row(
      text: "[project]\nprompt = a\ntries = 2\n[tenant t]\ngroups = lost\nprompt = OTP:\ntries = 4",
      expected: "prompt = a\ntries = 2"),
    Row(text: "[tenant t]\ngroups = lost\nprompt = OTP:\ntries = 1", expected: "tries = 1"),
    // Other selectors can still decide the result.
    Row(text: "[tenant t]\ngroups = lost, staff\nstate = disabled", expected: "state = disabled"),
    Row(text: "[tenant t]\ngroups = lost\nusers = bob\nenrollment = required", expected: ""),
    Row(
      text: "[tenant t]\nnetworks = ::/0\nusers = anna\nstate = disabled", address: nil,
      expected: ""),
    Row(
      text: "[tenant t]\nnetworks = ::1/128\nenrollment = required", address: nil,
      expected: "enrollment = required"),
    Row(
      text: "[tenant t]\nnetworks = ::1/128\nenrollment = required",
      address: "host.example", expected: "enrollment = required"),
    Row(
      text: "[tenant t]\nnetworks = ::1/128\ngroups = guests\nenrollment = required",
      address: nil, expected: ""),
    Row(
      text: "[tenant t]\nnetworks = ::1/128\ngroups = staff\nstate = disabled",
      address: nil, expected: ""),
    Row(
      text: "[tenant t]\ngroups = lost\nenrollment = required\n"
        + "[tenant u]\nusers = anna\nenrollment = self-service", expected: ""),
    Row(
      text:
        "[tenant t]\nusers = anna\nstate = disabled\n[tenant u]\ngroups = lost\nstate = observe",
      expected: "state = observe"),
    Row(text: "[tenant t]\nusers = anna", expected: ""),
  ])
  func settings(_ row: Row) throws {
    let settings = try parse(row.text).settings(for: subject(row))
    #expect(try settings == parse("[project]\n" + row.expected).project, "\(row)")
  }

  @Test(arguments: [
    Row(text: "[tenant t]\nusers = anna\ngroups = a, staff, b", expected: "a staff"),
    Row(text: "[tenant t]\nusers = bob\ngroups = staff", expected: ""),
    Row(text: "[tenant t]\nservices = su\ngroups = staff", expected: ""),
    Row(text: "[tenant t]\nnetworks = ::/0\ngroups = staff", expected: ""),
    Row(text: "[tenant t]\ngroups = lost, b", expected: "lost b"),
  ])
  func groupsAreLookedUpOnlyWhereTheyDecide(_ row: Row) throws {
    var asked: [String] = []
    _ = try parse(row.text).settings(for: subject(row) { asked.append($0) })
    #expect(asked.joined(separator: " ") == row.expected, "\(row)")
  }

  @Test(arguments: [
    ("users = anna", Tenant.Match.yes), ("users = bob", .no), ("groups = lost", .unknown),
    ("groups = lost\nusers = bob", .no), ("groups = lost, staff", .yes),
  ])
  func matches(text: String, match: Tenant.Match) throws {
    let tenant = try #require(try parse("[tenant A.b_c-9]\n" + text).tenants.first)
    #expect(readable(tenant.name) == "A.b_c-9")
    #expect(tenant.match(subject(Row(text: text, expected: ""))) == match)
  }

  // MARK: Errors

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
        "[tenant t]\n\(key.name) = \(value)\n", line: 2,
        .invalidValue(key, excerpt(value)))
    }

    /// Creates a row with a network that is not in canonical form.
    init(network: String, meant: String) {
      self.init(
        "[tenant t]\nnetworks = \(network)\n", line: 2,
        .nonCanonicalNetwork(excerpt(network), meant: excerpt(meant)))
    }
  }

  @Test(arguments: [
    Refused("[tenant]\n", line: 1, .unknownSection(excerpt("tenant"))),
    Refused("[tenant ]\n", line: 1, .invalidName(excerpt(""), of: .tenant)),
    Refused("[tenant  a]\n", line: 1, .invalidName(excerpt(" a"), of: .tenant)),
    Refused("[tenant a/b]\n", line: 1, .invalidName(excerpt("a/b"), of: .tenant)),
    Refused("[tenant \u{E4}]\n", line: 1, .invalidName(excerpt("\u{E4}"), of: .tenant)),
    Refused(
      "[tenant \(String(repeating: "a", count: 65))]\n", line: 1,
      .invalidName(excerpt(String(repeating: "a", count: 65)), of: .tenant)),
    Refused("[tenant\ta]\n", line: 1, .unknownSection(excerpt("tenant\ta"))),
    Refused(
      "[tenant a]\nusers=x\n[project]\n[tenant a]\n", line: 4,
      .repeatedName(excerpt("a"), of: .tenant, firstLine: 1)),
    Refused("[project]\n[tenant a]\nusers=x\n[project]\n", line: 4, .repeatedSection(firstLine: 1)),
    Refused("\n[tenant a]\n", line: 2, .noSelector(excerpt("a"))),
    Refused("[daemon]\n", line: 1, .unknownSection(excerpt("daemon"))),
    Refused("[daemon a b]\n", line: 1, .invalidName(excerpt("a b"), of: .daemon)),
    Refused("\n[daemon a]\n", line: 2, .incompleteDaemon(excerpt("a"))),
    Refused("[daemon a]\nuser=x\nservices=y\n", line: 1, .incompleteDaemon(excerpt("a"))),
    Refused("[daemon a]\nuser=x\nusers=y\n", line: 1, .incompleteDaemon(excerpt("a"))),
    Refused("[daemon a]\nservices=x\nusers=y\n", line: 1, .incompleteDaemon(excerpt("a"))),
    Refused("[daemon a]\nuser = x, y\n", line: 2, .invalidValue(.user, excerpt("x, y"))),
    Refused("[daemon a]\nstate = observe\n", line: 2, .unknownKey(excerpt("state"), in: .daemon)),
    Refused(
      "[daemon a]\nnetworks = ::/0\n", line: 2, .unknownKey(excerpt("networks"), in: .daemon)),
    Refused("[tenant a]\nuser = x\n", line: 2, .unknownKey(excerpt("user"), in: .tenant)),
    Refused("[project]\nuser = x\n", line: 2, .unknownKey(excerpt("user"), in: .project)),
    Refused(
      "[daemon a]\nuser=x\n[daemon a]\n", line: 3,
      .repeatedName(excerpt("a"), of: .daemon, firstLine: 1)),
    Refused("[tenant a]\nusers=x\n[tenant b]\n", line: 3, .noSelector(excerpt("b"))),
    Refused("[tenant a]\nusers=x\nusers=y\n", line: 3, .repeatedKey(.users, firstLine: 2)),
    Refused("[tenant a]\nissuer = x\n", line: 2, .unknownKey(excerpt("issuer"), in: .tenant)),
    Refused(
      "[tenant a]\nend_sessions_on_unenroll = on\n", line: 2,
      .unknownKey(excerpt("end_sessions_on_unenroll"), in: .tenant)),
    Refused(.users, ""), Refused(.users, ","), Refused(.users, "a,"),
    Refused(.users, ",a"), Refused(.users, "a,,b"), Refused(.users, "a, b, a"),
    Refused(.users, "*"), Refused(.users, "@staff"), Refused(.users, "%staff"),
    Refused(.users, "!bob"), Refused(.users, "\"bob"), Refused(.users, "bob # me"),
    Refused(.users, "a/b"), Refused(.users, "a:b"), Refused(.users, "-a"),
    Refused(.users, String(repeating: "a", count: 256)), Refused(.groups, "+a"),
    Refused(.groups, "a?"), Refused(.groups, "= a"), Refused(.services, "Sshd"),
    Refused(.services, "ssh d"), Refused(.services, "/etc/pam.d/sshd"),
    Refused(.networks, ""), Refused(.networks, "192.0.2.0/33"),
    Refused(.networks, "::/129"), Refused(.networks, "192.0.2.0/"),
    Refused(.networks, "192.0.2.0/024"), Refused(.networks, "192.0.2.0/255.255.255.0"),
    Refused(.networks, "192.0.2/24"), Refused(.networks, "::1/128, ::1/128"),
    Refused(.networks, "fe80::1%eth0/64"), Refused(.networks, "::ffff:0:0/95"),
    Refused(.networks, "192.0.2.0/-1"), Refused(.networks, "/8"),
    Refused(network: "192.0.2.7/24", meant: "192.0.2.0/24"),
    Refused(network: "2001:db8::1/32", meant: "2001:db8::/32"),
    Refused(network: "192.0.2.7", meant: "192.0.2.7/32"),
    Refused(network: "::1", meant: "::1/128"),
    Refused(network: "2001:DB8::/32", meant: "2001:db8::/32"),
    Refused(network: "2001:db8:0::/48", meant: "2001:db8::/48"),
    Refused(network: "::ffff:192.0.2.0/120", meant: "192.0.2.0/24"),
    Refused(network: "1.2.3.4/0", meant: "0.0.0.0/0"),
    Refused(.state, "off"), Refused(.enrollment, "on"), Refused(.promptHints, "1"),
    // Contradictions, also with the project's settings, whatever their position.
    Refused(
      "[tenant a]\nusers=x\nthrottle_after = 9\ndisable_after = 8\n", line: 4,
      .belowLimit(.disableAfter, limit: .throttleAfter, excerpt("9"))),
    Refused(
      "[tenant a]\nusers=x\nthrottle_after = 9\n[project]\ndisable_after = 8\n", line: 3,
      .aboveLimit(.throttleAfter, limit: .disableAfter, excerpt("8"))),
    Refused(
      "[project]\ndisable_after = 8\n[tenant a]\nusers=x\nthrottle_after = 9\n", line: 5,
      .aboveLimit(.throttleAfter, limit: .disableAfter, excerpt("8"))),
    Refused(
      "[tenant a]\nusers=x\nthrottle_first_wait = 1h\n", line: 3,
      .aboveLimit(.throttleFirstWait, limit: .throttleLongestWait, excerpt("15m"))),
    Refused("[tenant a]\nusers=x\nenrollment=offered\n", line: 3, .offerNeverEnds),
    Refused(
      "[project]\nenrollment=offered\noffer_sign_ins=1\n[tenant a]\nusers=x\noffer_sign_ins=0",
      line: 6, .offerNeverEnds),
    Refused(
      "[tenant a]\nusers=x\noffer_sign_ins = 0\n"
        + "[tenant b]\nusers=y\nenrollment=offered\noffer_sign_ins=1", line: 3, .offerNeverEnds),
    Refused(manyTenants(65), line: 129, .tooMany(.tenant)),
    Refused(.users, "\"\""), Refused(.users, "\"a\" b"), Refused(.users, "a \"b\""),
    Refused(.users, "\"a\\b\""), Refused(.users, "\"a\", a"),
    Refused(.users, "\"a/b\""), Refused(.users, "\"a:b\""),
    Refused(.users, "\"" + String(repeating: "a", count: 256) + "\""),
    Refused(.users, "\"a\", *"), Refused(.users, "\"a\","),
    Refused(.services, "\"sshd\""),
  ])
  func refuses(_ row: Refused) {
    let error = configurationRefusal(of: Array(row.text.utf8))
    #expect(error?.line == row.line, "\(row)")
    #expect(error?.reason == row.reason, "\(row)")
  }

  @Test func sixtyFourTenantsAreAccepted() throws {
    #expect(try parse(manyTenants(64)).tenants.count == 64)
  }

  @Test(
    "names in quotes are read, and printed so that they are read again",
    arguments: [
      (1, #""bob""#, ["bob"], "bob"),
      (
        2, ##"anna, "50%", "a=b", "#1", "@x", "-y", "+z""##,
        ["anna", "50%", "a=b", "#1", "@x", "-y", "+z"],
        ##"anna, "50%", "a=b", "#1", "@x", "-y", "+z""##
      ),
      (
        3, #""a,b" ,"*" , "what?", "!no""#, ["a,b", "*", "what?", "!no"],
        #""a,b", "*", "what?", "!no""#
      ),
      (
        4, #""say \"hi\"", "back\\slash""#, [#"say "hi""#, #"back\slash"#],
        #""say \"hi\"", back\slash"#
      ),
      (
        5, #"domain users, "domain admins""#, ["domain users", "domain admins"],
        "domain users, domain admins"
      ),
      (6, #"" padded ""#, [" padded "], #"" padded ""#),
      (7, "\"\u{434}\u{430}, %\"", ["\u{434}\u{430}, %"], "\"\u{434}\u{430}, %\""),
    ])
  func quotedNames(row: Int, text: String, names: [String], printed: String) throws {
    for key in ["users", "groups"] {
      let configuration = try parse("[tenant t]\n\(key) = \(text)\n")
      let printedText = readable(configuration.printed())
      #expect(printedText.hasSuffix("\n\(key) = \(printed)\n"), "row \(row): \(printedText)")
      let again = try parse(printedText)
      #expect(again.printed() == configuration.printed(), "row \(row)")
      for name in names {
        let subject = Subject(
          user: key == "users" ? Array(name.utf8) : Array("x".utf8), service: [], address: nil
        ) { $0 == Array(name.utf8) }
        #expect(configuration.tenants[0].match(subject) == .yes, "row \(row): \(name)")
      }
    }
  }

  @Test func tenantsPrintWhatTheySet() throws {
    let configuration = try parse(
      """
      [tenant b]
      enrollment = offered
      offer_until = 2027-01-31
      networks=::/0,10.0.0.0/8
      users = anna ,  domain users
      [tenant a]
      prompt_hints = on
      services = su
      offer_sign_ins = 1
      throttle_longest_wait = 3600s
      """)
    let printed = readable(configuration.printed())
    #expect(
      printed.hasSuffix(
        """
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

        [tenant b]
        users = anna, domain users
        networks = ::/0, 10.0.0.0/8
        enrollment = offered
        offer_until = 2027-01-31

        [tenant a]
        services = su
        offer_sign_ins = 1
        prompt_hints = on
        throttle_longest_wait = 1h

        """), "\(printed)")
  }

  // MARK: Random configurations

  /// Returns random tenants that are consistent with a project with these numbers of failures.
  /// Each tenant selects the group of the same name.
  static func randomTenants(
    waits: Int, disables: Int, using random: inout FixedRandom
  ) -> String {
    var text = ""
    for name in ["g1", "g2", "g3"] where Bool.random(using: &random) {
      text += "[tenant \(name)]\ngroups = \(name)\n"
      var lines = [
        "state = \(Configuration.State.allCases.randomElement(using: &random)?.name ?? "")",
        "adjacent_intervals = \(Int.random(in: 0...10, using: &random))",
        "offer_until = 2027-01-0\(Int.random(in: 1...9, using: &random))",
        "language = \(["en", "fr", "es", "ja", "zh-TW"].randomElement(using: &random) ?? "")",
        "prompt_hints = \(Bool.random(using: &random) ? "on" : "off")",
        "tries = \(Int.random(in: 1...5, using: &random))",
        "enrollment = \(["self-service", "required"].randomElement(using: &random) ?? "")",
        "offer_sign_ins = \(Int.random(in: 1...1000, using: &random))",
        "throttle_after = \(Int.random(in: 1...disables, using: &random))",
        "disable_after = \(Int.random(in: waits...100, using: &random))",
        "factors = \(["totp", "phone", "totp, phone"].randomElement(using: &random) ?? "")",
        "phone_waiting_time = \(["off", "1h", "30h"].randomElement(using: &random) ?? "")",
        "phone_per_day = \(Int.random(in: 1...12, using: &random))",
      ]
      lines.removeAll { _ in Bool.random(using: &random) }
      if Bool.random(using: &random) {
        lines.removeAll { $0.hasPrefix("offer_") || $0.hasPrefix("enrollment") }
        lines += ["enrollment = offered", "offer_until = 2028-01-01", "offer_sign_ins = 0"]
      }
      // The two numbers must not contradict each other within a section.
      if lines.contains(where: { $0.hasPrefix("throttle_after") }) {
        lines.removeAll { $0.hasPrefix("disable_after") }
      }
      text += lines.joined(separator: "\n") + "\n"
    }
    return text
  }

  private func settings(
    _ configuration: Configuration, members: Int, failing: Int
  ) -> Settings {
    configuration.settings(
      for: Subject(user: [0x61], service: [0x73], address: nil) { group in
        let bit = 1 << (Int(group.last ?? 0x31) - 0x31)
        return failing & bit != 0 ? nil : members & bit != 0
      })
  }

  private func rank(_ state: Configuration.State) -> Int {
    switch state {
    case .disabled: 0
    case .observe: 1
    case .enabled: 2
    }
  }

  /// MUST 4 and 5, whatever the results of the failed lookups would have been.
  @Test func noFailedLookUpWeakensASetting() throws {
    var random = FixedRandom(seed: 7)
    for _ in 0..<500 {
      let waits = Int.random(in: 1...100, using: &random)
      let disables = Int.random(in: waits...100, using: &random)
      var text = "[project]\nthrottle_after = \(waits)\ndisable_after = \(disables)\n"
      text += "offer_sign_ins = \(Int.random(in: 0...3, using: &random))\n"
      text += Self.randomTenants(waits: waits, disables: disables, using: &random)
      let configuration = try parse(text)
      for failing in 0..<8 {
        for members in 0..<8 {
          let unsure = settings(configuration, members: members, failing: failing)
          #expect(unsure.enrollment != .offered || unsure.offer.ends, "\(text)")
          #expect(unsure.throttle.waitsAfter <= unsure.throttle.locksAfter, "\(text)")
          for answers in 0..<8 {
            let sure = settings(
              configuration, members: members & ~failing | answers & failing, failing: 0)
            #expect(rank(unsure.state) >= rank(sure.state), "\(text)")
            #expect(unsure.adjacentIntervals <= sure.adjacentIntervals, "\(text)")
            #expect(unsure.enrollment.rawValue >= sure.enrollment.rawValue, "\(text)")
            #expect(unsure.offer.signIns ?? 1001 <= sure.offer.signIns ?? 1001, "\(text)")
            #expect(unsure.offer.until ?? .max <= sure.offer.until ?? .max, "\(text)")
            #expect(!unsure.promptHints || sure.promptHints, "\(text)")
            // One expectation, because each of them takes time.
            let isAsStrict =
              (!unsure.allows(.totp) || sure.allows(.totp))
              && (!unsure.allows(.phone) || sure.allows(.phone))
              && unsure.tries <= sure.tries
              && unsure.phoneWaitingTime >= sure.phoneWaitingTime
              && unsure.userSendLimits.perDay <= sure.userSendLimits.perDay
            #expect(isAsStrict, "\(text)")
            #expect(unsure.throttle.waitsAfter <= sure.throttle.waitsAfter, "\(text)")
            #expect(unsure.throttle.locksAfter <= sure.throttle.locksAfter, "\(text)")
          }
        }
      }
    }
  }
}
