import MFABase
import MFAModel
import Testing

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

  struct Row: CustomTestStringConvertible {
    let number: Int
    let user: String
    let service: String
    let address: String?
    let groups: [String]?
    /// The settings that do not come from `[project]`.
    let expected: [String]
    var testDescription: String { "\(number)" }
  }

  static let rows = [
    Row(
      number: 1, user: "alice", service: "sshd", address: "203.0.113.1", groups: [], expected: []),
    Row(
      number: 2, user: "alice", service: "sshd", address: "203.0.113.1", groups: ["staff"],
      expected: ["enrollment=required staff 7", "throttle_after=50 staff 8"]),
    Row(
      number: 3, user: "alice", service: "sshd", address: "192.0.2.7", groups: [],
      expected: ["state=observe office 12", "adjacent_intervals=2 office 13"]),
    // If a lookup failed, only stricter values apply: neither more attempts nor the observe state.
    Row(
      number: 4, user: "alice", service: "sshd", address: nil, groups: nil,
      expected: ["adjacent_intervals=2 office in doubt 13", "enrollment=required staff in doubt 7"]),
    // The later tenant takes precedence, and of two contradictory numbers the stricter one.
    Row(
      number: 5, user: "backup", service: "cron", address: "192.0.2.7", groups: ["staff"],
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
