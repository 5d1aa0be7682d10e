import MFABase
import MFAEtcdTestSupport
import MFASharedStoreTestSupport
import MFAStore
import MFATestSupport
import Testing

@testable import MFARealmStore

/// The engine with a real cluster.
@Suite("etcd engine", .privateMachine)
struct EtcdEngineTests {
  let realm: EtcdRealmFixture
  let engine: EtcdEngine

  init() throws {
    realm = try EtcdRealmFixture()
    engine = realm.engine()
  }

  private func snapshot(_ name: String = "alice") throws -> EngineSnapshot {
    try engine.load(EngineSample.key(name), EngineContext())
  }

  // MARK: - Rows

  @Test func prefixWithoutRealmIsRefused() throws {
    var configuration = realm.configuration
    configuration.prefix.append(1)
    let other = EtcdEngine(configuration)
    #expect(throws: EngineError.notPrimary) { try other.load(EngineSample.key(), EngineContext()) }
    #expect(other.lastMessage == "there is no realm with this prefix")
    #expect(throws: EngineError.notPrimary) { try other.commit(version: 0) }
  }

  @Test func realmIsCreatedOnce() throws {
    let before = try snapshot().realm
    #expect(try !engine.initializeRealm(now: 1_800_000_000))
    #expect(try snapshot().realm == before)
  }

  @Test func timeOfTheServerIsLoaded() throws {
    let before = try Clock.now()
    let time = try snapshot().time
    #expect((before...(try Clock.now())).contains(time))
  }

  @Test func reportGivesWayAtTheLog() throws {
    let other = realm.engine()
    func enter(_ change: EngineChange) throws(EngineError) {
      var isFirst = true
      try engine.commit(change) { end in
        // Another change appends a line at the same moment.
        let error = EngineSample.error { () throws(EngineError) in
          guard isFirst else { return }
          isFirst = false
          try other.commit(EngineChange(epoch: 1)) { EngineSample.line("other\n", after: $0) }
        }
        #expect(error == nil)
        return EngineSample.line("line\n", after: end)
      }
    }
    var report = EngineSample.change(version: 0)
    report.givesWay = true
    #expect(throws: EngineError.conflict) { try enter(report) }
    #expect(try engine.logLines(after: 0, most: 9).count == 1)
    try enter(EngineSample.change("bob", version: 0))
    #expect(try engine.logLines(after: 0, most: 9).count == 3)
  }

  @Test func conflictKeepsTheConnection() throws {
    try engine.commit(version: 0)
    let connections = engine.session.generation
    #expect(throws: EngineError.conflict) { try engine.commit(version: 0) }
    _ = try snapshot()
    #expect(engine.session.generation == connections)
  }

  // MARK: - What is removed

  private func count(_ name: String) throws -> Int {
    let prefix = String(decoding: realm.configuration.prefix, as: UTF8.self)
    let text = try realm.cluster.controlled("get", "--prefix", "--keys-only", prefix + name)
    return text.split(separator: "\n").count { $0.hasPrefix(prefix) }
  }

  @Test func oldPeriodsAreRemoved() throws {
    // The bytes of keys are printed as they are: no period and no host has a line feed in it.
    for period in Int64(100)...119 {
      try engine.commit(
        EngineSample.failure("user \(period)", host: [65], period: period), entering: nil)
    }
    #expect(try count("failures/") == 3)
  }

  @Test func answersEndWithTheirLease() throws {
    var configuration = realm.configuration
    configuration.leaseSeconds = 2
    let hasty = EtcdEngine(configuration)
    for nonce in UInt8(65)...70 {
      try hasty.commit(EngineSample.answering("user \(nonce)", nonce: nonce), entering: nil)
    }
    #expect(try Deadline.usual.waits { try count("answer/") == 0 })
    #expect(try hasty.keys(.user, after: [], most: 20).count == 6, "rows stay")
  }

  @Test func lostLeaseIsReplaced() throws {
    try engine.commit(EngineSample.answering("a", nonce: 65), entering: nil)
    let leases = try realm.cluster.controlled("lease", "list").split(separator: "\n")
    // Other tests have leases, too, and replace them.
    for lease in leases where lease.count == 16 {
      _ = try realm.cluster.control(["lease", "revoke", String(lease)])
    }
    try engine.commit(EngineSample.answering("b", nonce: 66), entering: nil)
    #expect(try snapshot("b").row.version == 1)
  }

  @Test func copyOfTheProcessOpensItsOwnConnection() async throws {
    let configuration = realm.configuration
    let strings =
      configuration.endpoints
      + [configuration.certificate, configuration.key, configuration.authority].compactMap { $0 }
      + [String(decoding: configuration.prefix, as: UTF8.self)]
    // Only the test's thread exists in the process of an exit test, so that it may be copied.
    await #expect(processExitsWith: .success) { [strings = strings as [String]] in
      let engine = EtcdEngine(
        EtcdConfiguration(
          endpoints: [strings[0]], certificate: strings[3], key: strings[4],
          authority: strings[5], prefix: Array(strings[6].utf8)))
      let key = EngineSample.key()
      _ = try engine.load(key, EngineContext())
      try #require(engine.session.generation == 1)
      switch try WorkerProcess.start() {
      case .copy(let process):
        try #require(ExitStatus.ofChild(process) == .exited(7))
      case .thisProcess:
        Alarm.set(seconds: 20)
        do throws(EngineError) { _ = try engine.load(key, EngineContext()) } catch {
          WorkerProcess.leave(1)
        }
        WorkerProcess.leave(engine.session.generation == 2 ? 7 : 2)
      }
      // Nothing tells the server to end the connection of the process that was copied.
      _ = try engine.load(key, EngineContext())
      try #require(engine.session.generation == 1)
    }
  }
}

/// The shared store with a real cluster of three members behind it. Each store has a connection of its
/// own, as separate verifiers have.
@Suite("A shared store in etcd conforms", .privateMachine)
struct EtcdConformanceTests {
  private let realm: EtcdRealmFixture

  init() throws { realm = try EtcdRealmFixture() }

  private var conformance: FactorStoreConformance<SharedFactorStore<EngineWithoutClock<EtcdEngine>>>
  {
    FactorStoreConformance { TestRealm(EngineWithoutClock(realm.engine())).store() }
  }

  @Test(arguments: FactorStoreCheck.allCases)
  func conforms(_ check: FactorStoreCheck) throws { try conformance.run(check) }

  @Test("the engine conforms", arguments: StoreEngineCheck.allCases)
  func engineConforms(_ check: StoreEngineCheck) throws {
    try StoreEngineConformance(waitsForLines: false, realm.engine).run(check)
  }
}

/// A realm in a cluster, with a prefix that no other test uses.
struct EtcdRealmFixture: @unchecked Sendable {
  let cluster: EtcdCluster
  let configuration: EtcdConfiguration

  /// The cluster of all tests that do not disturb it. Each of them has a prefix of its own.
  private static let shared = Result { () throws(HarnessFailure) in
    Shared(cluster: try EtcdCluster())
  }

  private struct Shared: @unchecked Sendable { let cluster: EtcdCluster }

  /// Creates a realm in the shared cluster.
  init() throws { try self.init(Self.shared.get().cluster) }

  /// Creates a realm in a cluster.
  init(_ cluster: EtcdCluster) throws {
    self.cluster = cluster
    configuration = cluster.configuration(prefix: "/tests/\(UInt64.random(in: 0...UInt64.max))/")
    let engine = EtcdEngine(configuration)
    do throws(EngineError) { _ = try engine.initializeRealm(now: 1_700_000_000) } catch {
      throw HarnessFailure("no realm: \(error.name) \(engine.lastMessage)")
    }
  }

  /// Returns an engine with a connection of its own.
  func engine() -> EtcdEngine { EtcdEngine(configuration) }
}

/// Requests to servers that fail.
@Suite("etcd session", .privateMachine)
struct EtcdSessionTests {
  private static let empty = EtcdTransaction()

  private static func session(_ servers: [FailingServer]) -> EtcdSession {
    EtcdSession(EtcdConfiguration(endpoints: servers.map(\.endpoint)))
  }

  private static func send(
    _ session: EtcdSession, _ deadline: Duration = .seconds(20), repeatable: Bool = false
  ) throws(EngineError) {
    _ = try session.send(
      empty, until: EngineDeadline.after(deadline), repeatable: repeatable)
  }

  @Test func silentServerMissesTheDeadline() throws {
    let server = try FailingServer("silent")
    let session = Self.session([server])
    #expect(throws: EngineError.deadline) { try Self.send(session, .milliseconds(300)) }
    #expect(throws: EngineError.deadline) {
      try Self.send(session, .milliseconds(300), repeatable: true)
    }
    #expect(throws: EngineError.deadline) { try Self.send(session, .zero) }
    #expect(try server.requests() == 2)
  }

  @Test func lostRequestIsNotRepeated() throws {
    let servers = [try FailingServer("lost"), try FailingServer("lost")]
    let session = Self.session(servers)
    #expect(throws: EngineError.unreachable) { try Self.send(session) }
    #expect(try servers[0].requests() + servers[1].requests() == 1)
    #expect(throws: EngineError.unreachable) { try Self.send(session, repeatable: true) }
    #expect(try servers[0].requests() + servers[1].requests() == 3)
  }

  @Test func serverThatCannotBeReachedIsReplaced() throws {
    let server = try FailingServer("lost-later")
    // Nothing listens on these addresses.
    let session = EtcdSession(
      EtcdConfiguration(
        endpoints: ["http://127.63.0.1:2379", "http://127.63.0.2:2379", server.endpoint]))
    try Self.send(session)
    #expect(try server.requests() == 1)
    #expect(session.endpoint == server.endpoint)
  }

  /// libcurl repeats a request over a new connection if the old one is closed before an answer.
  @Test func connectionThatIsReplacedInARequestIsCounted() throws {
    let server = try FailingServer("lost-later")
    let session = Self.session([server])
    try Self.send(session)
    #expect(session.generation == 1)
    try Self.send(session)
    #expect(session.generation == 2)
    #expect(try server.requests() == 3)
  }

  @Test func redirectionIsNotFollowed() throws {
    let target = try FailingServer("lost-later")
    let server = try FailingServer("redirect", redirectingTo: target.endpoint + "/v3/kv/txn")
    let session = Self.session([server])
    #expect(throws: EngineError.refused) { try Self.send(session) }
    #expect(session.message == "HTTP status 307")
    #expect(try target.requests() == 0)
  }

  @Test func longAnswerIsRefused() throws {
    let server = try FailingServer("long")
    let session = Self.session([server])
    #expect(throws: EngineError.unreachable) { try Self.send(session) }
    #expect(session.message == "the answer is too long")
    #expect(try server.requests() == 1)
  }

  @Test func answerThatIsNotJSONIsRefused() throws {
    let server = try FailingServer("broken")
    let session = Self.session([server])
    #expect(throws: EngineError.refused) { try Self.send(session) }
    #expect(session.message == "the answer is not etcd's")
    #expect(try server.requests() == 1)
  }
}
