import MFARealm
import MFASharedStoreTestSupport
import MFAStore
import MFABase
import Testing

@testable import MFAVerifier
@testable import MFARealmStore

/// MUST 3 and 4 of OfflineDecisions.swift.
@Suite("Reports of hosts", .privateMachine)
struct OfflineReportTests {
  private static let host = Array("web1.example.org".utf8)

  /// The decisions about a host in these groups, in a realm in memory.
  private struct Fixture {
    let decisions: OfflineDecisions<MemoryEngine>
    let realm: DecisionTests.Realm

    init(_ configuration: String, groups: [String] = ["web"]) throws {
      realm = try DecisionTests.Realm()
      let key = try #require(TrustedPath(Array(realm.key.utf8)))
      decisions = OfflineDecisions(
        realm: DecisionRealm(
          realm.engine, try DecisionConfiguration(Array(("database = x\n" + configuration).utf8)),
          key: key, owner: 0, mail: try realm.mail(), policy: realm.policy()),
        host: HostRecord(
          name: OfflineReportTests.host, groups: groups.map { Array($0.utf8) }, serials: [[1]],
          joinedAt: 1))
    }

    /// The lines of the audit log about outages.
    var lines: [String] {
      realm.engine.lines.map { String(decoding: $0.text, as: UTF8.self) }
        .filter { $0.contains(" event=offline-") }
    }

    /// Their events.
    var events: [String] {
      lines.compactMap { line in
        line.split(separator: " ").first { $0.hasPrefix("event=") }.map { String($0.dropFirst(6)) }
      }
    }
  }

  private static func record(
    _ number: Int, _ kind: OfflineRecord.Kind = .attempt, _ user: String = "alice",
    _ service: String = "sshd"
  ) -> OfflineRecord {
    OfflineRecord(
      number: UInt64(number), time: 5, kind: kind, user: Array(user.utf8),
      service: Array(service.utf8), source: [])
  }

  private static func report(_ records: [OfflineRecord]) -> OfflineReport {
    OfflineReport(
      isDamaged: false, base: 0, chain: OfflineChain.beginning,
      records: records.map { $0.encoded() })
  }

  private static let web = """
    [hosts web]
    users = alice bob
    services = sshd
    offline = recovery allow
    break_glass = admins
    [users admins]
    members = bob

    """

  @Test("a host whose groups do not permit offline access reports nothing")
  func notPermitted() throws {
    for configuration in ["[hosts web]\n", "[hosts web]\noffline = deny\n", "[hosts other]\n"] {
      let fixture = try Fixture(configuration)
      let flood = Self.report((1...100).map { Self.record($0, .breakGlass, "root") })
      let damaged = OfflineReport(
        isDamaged: true, base: 0, chain: OfflineChain.beginning, records: [])
      for report in [flood, damaged] {
        #expect(try fixture.decisions.enter(report) == nil)
      }
      #expect(fixture.events.isEmpty)
      try fixture.realm.remove()
    }
  }

  @Test("what a host reports is what it may do: users, services and methods of its groups")
  func records() throws {
    let fixture = try Fixture(Self.web)
    let rows: [(OfflineRecord, Bool)] = [
      (Self.record(1), true), (Self.record(1, .remembered), false),
      (Self.record(1, .breakGlass), false), (Self.record(1, .breakGlass, "bob"), true),
      (Self.record(1, .breakGlass, "root"), false), (Self.record(1, .attempt, "root"), false),
      (Self.record(1, .attempt, "alice", "sudo"), false),
      (Self.record(1, .attempt, "bob", "sshd"), true), (Self.record(1, .attempt, "-x"), false),
    ]
    for (record, isPermitted) in rows {
      #expect(fixture.decisions.permits(record) == isPermitted, "\(record)")
    }
    let all = try Fixture("[hosts web]\noffline = recovery\n")
    for (service, isPermitted) in [
      ("sshd", true), ("gdm-password", true), ("", false), ("a b", false), ("../x", false),
      ("a\nb", false), (String(repeating: "a", count: 65), false),
    ] {
      #expect(all.decisions.permits(Self.record(1, .attempt, "carol", service)) == isPermitted)
    }
    try fixture.realm.remove()
    try all.realm.remove()
  }

  @Test(
    "records that a host may not report are entered as a number, and the rest of the queue goes on")
  func refusedRecords() throws {
    let fixture = try Fixture(Self.web)
    let report = Self.report([
      Self.record(1), Self.record(2, .breakGlass, "root"), Self.record(3, .attempt, "root"),
      Self.record(4, .breakGlass, "bob"),
    ])
    let entered = try fixture.decisions.enter(report)
    guard case .position(let number, _)? = entered else {
      Issue.record("nothing was entered")
      return
    }
    #expect(number == 4)
    #expect(
      fixture.events == ["offline-attempt", "offline-records-refused", "offline-break-glass"])
    let text = fixture.lines.joined()
    #expect(!text.contains("root"))
    #expect(try fixture.decisions.enter(report) == entered)
    #expect(fixture.events.count == 3)
    try fixture.realm.remove()
  }

  @Test(
    "a host floods the audit log: it causes as many entries in an hour as it may, and is told when to go on"
  )
  func flood() throws {
    let fixture = try Fixture(
      Self.web + "\n[hosts more]\noffline = recovery\noffline_records_hourly = 100\n",
      groups: ["more"])
    let report = Self.report((1...300).map { Self.record($0) })
    #expect(try fixture.decisions.enter(report) == Self.position(64, report))
    #expect(try fixture.decisions.enter(report) == Self.position(100, report))
    for _ in 0..<3 {
      guard case .later(let seconds) = try fixture.decisions.enter(report) else {
        Issue.record("more was entered")
        return
      }
      #expect((1...3600).contains(seconds))
    }
    // Reports of another kind count, too.
    let damaged = OfflineReport(
      isDamaged: true, base: 0, chain: OfflineChain.beginning, records: [])
    let anew = OfflineReport(
      isDamaged: false, base: 7, chain: [UInt8](repeating: 9, count: 32), records: [])
    for report in [damaged, anew] {
      guard case .later = try fixture.decisions.enter(report) else {
        Issue.record("an entry was made")
        return
      }
    }
    #expect(fixture.events.count == 100)
    try fixture.realm.remove()
  }

  /// The position after a number of records.
  private static func position(
    _ number: Int, _ report: OfflineReport
  ) throws -> OfflineReply {
    var chain = report.chain
    for record in report.records.prefix(number) {
      chain = try OfflineChain.value(after: chain, record)
    }
    return .position(number: UInt64(number), chain: chain)
  }

  @Test("another change at the end of the audit log is not held up: the host repeats the report")
  func givesWay() throws {
    let fixture = try Fixture(Self.web)
    let report = Self.report([Self.record(1)])
    fixture.realm.engine.contendForLines(10)
    #expect(
      try fixture.decisions.enter(report)
        == .later(seconds: OfflineDecisions<MemoryEngine>.pause))
    #expect(fixture.events.isEmpty)
    fixture.realm.engine.contendForLines(0)
    #expect(try fixture.decisions.enter(report) == Self.position(1, report))
    try fixture.realm.remove()
  }
}
