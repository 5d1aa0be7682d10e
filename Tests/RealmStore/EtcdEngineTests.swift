import MFAEtcdTestSupport
@testable import MFARealmStore
import MFASharedStoreTestSupport
import MFAStore
import MFABase
import MFATestSupport
import Testing

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
    #expect(throws: EngineError.notPrimary) {
      try other.load(EngineSample.key(), EngineContext())
    }
    #expect(other.lastMessage == "there is no realm with this prefix")
    #expect(throws: EngineError.notPrimary) {
      try other.commit(EngineSample.change(version: 0), entering: nil)
    }
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
    try engine.commit(EngineSample.change(version: 0), entering: nil)
    let connections = engine.session.generation
    #expect(throws: EngineError.conflict) {
      try engine.commit(EngineSample.change(version: 0), entering: nil)
    }
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
