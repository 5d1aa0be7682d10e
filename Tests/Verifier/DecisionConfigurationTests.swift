import Testing

@testable import MFAVerifier

@Suite("The configuration of a verifier")
struct DecisionConfigurationTests {
  private static func configuration(_ text: String) throws -> DecisionConfiguration {
    try DecisionConfiguration(Array(text.utf8))
  }

  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func complete() throws {
    let configuration = try Self.configuration(
      """
      # The realm's database.
      database = host=/run/postgresql dbname=mfa
      front_user = front
      processes = 7

      [hosts web]
      users = alice bob
      services = sshd sudo
      enrolling = on
      importing = on
      failures_hourly = 5
      [hosts all]
      users = *
      """)
    #expect(configuration.database == Self.bytes("host=/run/postgresql dbname=mfa"))
    #expect(configuration.frontUser == Self.bytes("front"))
    #expect(configuration.processes == 7)
    #expect(configuration.groups.map(\.name) == [Self.bytes("web"), Self.bytes("all")])
    #expect(configuration.groups.map(\.mayImport) == [true, false])
    #expect(!configuration.permissions(of: [Self.bytes("all")]).allowsImport(of: Self.bytes("bob")))
    for (user, isAllowed) in [("bob", true), ("carol", false)] {
      let permissions = configuration.permissions(of: [Self.bytes("web"), Self.bytes("all")])
      #expect(permissions.allowsImport(of: Self.bytes(user)) == isAllowed)
    }
  }

  @Test("a name with spaces is written in quotes")
  func quotedNames() throws {
    let configuration = try Self.configuration(
      #"""
      database = host="a b" dbname=mfa
      [hosts "web servers"]
      users = alice "anna maria" "a\"b\\c" 50%
      break_glass = "on call"
      [users "on call"]
      members = "anna maria"
      """#)
    #expect(configuration.database == Self.bytes(#"host="a b" dbname=mfa"#))
    #expect(configuration.groups.map(\.name) == [Self.bytes("web servers")])
    #expect(
      configuration.groups[0].users
        == ["alice", "anna maria", #"a"b\c"#, "50%"].map { Self.bytes($0) })
    #expect(configuration.groups[0].breakGlass == Self.bytes("on call"))
    #expect(
      configuration.users == [
        Self.bytes("on call"): UserGroup(members: [Self.bytes("anna maria")])
      ])
  }

  @Test func cluster() throws {
    let configuration = try Self.configuration(
      """
      engine = etcd
      endpoints = https://192.0.2.1:2379 https://[2001:db8::1]:2379
      certificate = /c
      key = /k
      authority = /a
      prefix = /realm/
      """)
    #expect(configuration.engine == .etcd)
    #expect(
      configuration.etcd.endpoints == ["https://192.0.2.1:2379", "https://[2001:db8::1]:2379"])
    #expect(configuration.etcd.certificate == "/c")
    #expect(configuration.etcd.key == "/k")
    #expect(configuration.etcd.authority == "/a")
    #expect(configuration.etcd.prefix == Self.bytes("/realm/"))
  }

  @Test(
    "keys that do not make up one engine are refused",
    arguments: [
      ("engine = sqlite", 1, .badValue), ("engine = etcd", 1, .noEndpoints),
      ("engine = etcd\nendpoints = https://a:1", 2, .noAuthority),
      ("engine = etcd\nendpoints = https://a:1 http://b:1", 2, .mixedEndpoints),
      ("engine = etcd\nendpoints = http://a:1\nauthority = /a", 3, .mixedEndpoints),
      ("engine = etcd\nendpoints = ftp://a:1", 2, .badValue),
      ("engine = etcd\nendpoints = https://a", 2, .badValue),
      ("engine = etcd\nendpoints = https://a:1/path", 2, .badValue),
      ("engine = etcd\nendpoints = https://b@a:1", 2, .badValue),
      ("engine = etcd\ncertificate = relative", 2, .badValue),
      ("engine = etcd\nprefix = mfa", 2, .badValue),
      ("engine = etcd\nendpoints = http://a:1\ndatabase = x", 3, .otherEngine),
      ("engine = etcd\nendpoints = https://a:1\nauthority = /a\nkey = /k", 4, .halfOfAPair),
      ("database = x\nendpoints = http://a:1", 2, .otherEngine),
      ("database = x\nprefix = /a/", 2, .otherEngine),
    ] as [(String, Int, DecisionConfiguration.Reason)])
  func otherKeys(_ text: String, _ line: Int, _ reason: DecisionConfiguration.Reason) {
    #expect(throws: reason.error(line)) {
      _ = try Self.configuration(text)
    }
  }

  @Test(
    "an unknown, repeated or malformed part is refused with its line",
    arguments: [
      ("database", 1, .notASetting), ("databose = x", 1, .unknownKey),
      ("database = x\ndatabase = y", 2, .repeatedKey), ("database =", 1, .badValue),
      ("database = x\n[hosts]", 2, .unknownSection),
      ("database = x\n[host web]", 2, .unknownSection),
      ("database = x\n[hosts web", 2, .unknownSection),
      ("database = x\n[hosts a]\n[hosts a]", 3, .repeatedGroup),
      ("database = x\n[hosts a]\nenrolling = yes", 3, .badValue),
      ("database = x\n[hosts a]\nimporting = yes", 3, .badValue),
      ("database = x\n[hosts a]\nfailures_hourly = -1", 3, .badValue),
      ("database = x\n[hosts a]\nfailures_hourly = 10001", 3, .badValue),
      ("database = x\n[hosts a]\ndatabase = y", 3, .unknownKey),
      ("database = x\n[hosts a]\nusers = \"b", 3, .badValue),
      ("database = x\n[hosts a]\nusers = b\"c", 3, .badValue),
      ("database = x\n[hosts \"a]", 2, .unknownSection),
      ("processes = 1\ndatabase = x", 1, .badValue), ("processes = 300", 1, .badValue),
      ("# nothing", 1, .noDatabase),
      ("database = x\n[hosts a]\noffline = deny recovery", 3, .badValue),
      ("database = x\n[hosts a]\noffline = recovery recovery", 3, .badValue),
      ("database = x\n[users a]\noffline = sometimes", 3, .badValue),
      ("database = x\n[users a]\noffline_days = 1", 3, .unknownKey),
      ("database = x\n[hosts a]\noffline_days = 0", 3, .badValue),
      ("database = x\n[hosts a]\noffline_hours = 169", 3, .badValue),
      ("database = x\n[hosts a]\noffline_records_hourly = 0", 3, .badValue),
      ("database = x\n[hosts a]\noffline_records_hourly = 10001", 3, .badValue),
      ("database = x\n[hosts a]\noffline = allow", 3, .noBreakGlass),
      ("database = x\n[hosts a]\nbreak_glass = b", 3, .noBreakGlass),
      ("database = x\n[users a]\nusers = b", 3, .unknownKey),
      ("database = x\n[users a]\n[users a]", 3, .repeatedGroup),
    ] as [(String, Int, DecisionConfiguration.Reason)])
  func refused(_ text: String, _ line: Int, _ reason: DecisionConfiguration.Reason) {
    #expect(throws: reason.error(line)) {
      _ = try Self.configuration(text)
    }
  }

  @Test("what hosts may do while no verifier answers, which is nothing by default")
  func offline() throws {
    let configuration = try Self.configuration(
      """
      database = x
      [hosts web]
      offline = recovery allow
      break_glass = admins
      offline_days = 3
      offline_hours = 2
      offline_records_hourly = 10000
      [users admins]
      members = alice bob
      [hosts all]
      """)
    #expect(configuration.groups.map(\.offline.rawValue) == [5, 0])
    #expect(configuration.groups.map(\.offlineDays) == [3, 7])
    #expect(configuration.groups.map(\.offlineHours) == [2, 12])
    #expect(configuration.groups.map(\.offlineRecordsHourly) == [10_000, 500])
    #expect(
      configuration.users == [
        Self.bytes("admins"): UserGroup(members: [Self.bytes("alice"), Self.bytes("bob")])
      ])
  }

  @Test(
    "while no verifier answers, a user may do what the group of the host and all groups of the user permit",
    arguments: [
      ("alice", 7), ("bob", 2), ("carol", 0), ("dave", 3), ("erin", 2),
    ])
  func offline(user: String, methods: Int) throws {
    let configuration = try Self.configuration(
      """
      database = x
      [hosts web]
      offline = recovery remembered allow
      break_glass = admins
      [users admins]
      members = alice carol
      [users contractors]
      members = bob erin
      offline = remembered
      [users guests]
      members = carol
      offline = deny
      [users auditors]
      members = erin
      offline = recovery remembered
      """)
    let group = try #require(configuration.groups.first)
    #expect(
      configuration.offlineMethods(of: Self.bytes(user), at: group).rawValue == UInt8(methods))
  }

  @Test("a host may ask what one of its groups permits, and nothing without a group")
  func permissions() throws {
    let configuration = try Self.configuration(
      """
      database = x
      [hosts web]
      users = alice
      services = sshd
      enrolling = on
      failures_hourly = 5
      [hosts ops]
      services = sudo
      failures_hourly = 9
      """)
    let (alice, bob) = (Self.bytes("alice"), Self.bytes("bob"))
    let (sshd, sudo) = (Self.bytes("sshd"), Self.bytes("sudo"))
    let web = configuration.permissions(of: [Self.bytes("web")])
    #expect(web.allows(alice, sshd))
    #expect(!web.allows(alice, sudo))
    #expect(!web.allows(bob, sshd))
    #expect(web.allowsEnrollment(of: alice))
    #expect(!web.allowsEnrollment(of: bob))
    let both = configuration.permissions(of: [Self.bytes("web"), Self.bytes("ops")])
    #expect(both.allows(bob, sudo))
    #expect(!both.allows(bob, sshd))
    #expect(!both.allowsEnrollment(of: bob))
    #expect(both.failuresHourly == 9)
    for names in [[], [Self.bytes("other")]] {
      let none = configuration.permissions(of: names)
      #expect(!none.allows(alice, sshd))
      #expect(!none.allowsEnrollment(of: alice))
      #expect(none.failuresHourly == 0)
    }
  }
}
