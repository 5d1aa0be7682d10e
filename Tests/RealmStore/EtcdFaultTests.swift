import MFAEtcdTestSupport
import MFASharedStoreTestSupport
import MFAStore
import MFATestSupport
import Testing

@testable import MFARealmStore

/// The engine while members of the cluster fail. Each test has a cluster of its own.
@Suite("etcd faults", .privateMachine, .serialized)
struct EtcdFaultTests {
  let realm: EtcdRealmFixture
  let cluster: EtcdCluster

  init() throws {
    cluster = try EtcdCluster(settings: ["--quota-backend-bytes", "4000000"])
    realm = try EtcdRealmFixture(cluster)
  }

  private func snapshot(_ engine: EtcdEngine) throws -> EngineSnapshot {
    try engine.load(EngineSample.key(), EngineContext())
  }

  /// Loads until the cluster answers.
  private func eventualSnapshot(_ engine: EtcdEngine) throws -> EngineSnapshot {
    let deadline = Deadline.usual
    while true {
      do {
        return try snapshot(engine)
      } catch let error as EngineError {
        guard !deadline.isOver else { throw error }
      }
    }
  }

  @Test func killedLeaderLosesNoCommit() throws {
    let engine = realm.engine()
    var acknowledged: UInt64 = 0
    for round in 0..<2 {
      for _ in 0..<5 {
        let before = try eventualSnapshot(engine).row.version
        #expect(before >= acknowledged)
        let change = EngineSample.change(version: before)
        let error = EngineSample.error(of: try engine.commit(change, entering: nil))
        if error == nil { acknowledged = before + 1 }
      }
      #expect(acknowledged > 0)
      guard round == 0 else { break }
      let leader = try cluster.leader()
      try cluster.kill([leader])
    }
    #expect(try eventualSnapshot(engine).row.version >= acknowledged)
    #expect(
      engine.checkCluster().contains {
        if case .memberUnreachable = $0 { true } else { false }
      })
  }

  @Test func lostQuorumDenies() throws {
    var configuration = realm.configuration
    (configuration.loadDeadline, configuration.commitDeadline) = (.seconds(1), .seconds(1))
    let engine = EtcdEngine(configuration)
    try engine.commit(version: 0)
    try cluster.kill([0, 1])
    for _ in 0..<2 {
      #expect(throws: EngineError.self) { try snapshot(engine) }
      #expect(throws: EngineError.self) { try engine.commit(version: 1) }
    }
    let findings = engine.checkCluster()
    #expect(findings.contains { if case .withoutQuorum = $0 { true } else { false } })
    try cluster.start([0, 1])
    let after = try eventualSnapshot(engine)
    #expect(after.row.version >= 1)
    #expect(after.incarnation == after.realm.incarnation)
  }

  @Test func pausedMemberIsReplaced() throws {
    var configuration = realm.configuration
    // Enough for an election while the leader is paused.
    (configuration.loadDeadline, configuration.commitDeadline) = (.seconds(20), .seconds(2))
    let engine = EtcdEngine(configuration)
    try engine.commit(version: 0)
    let index = try #require(
      cluster.endpoints.firstIndex { $0 == engine.session.endpoint })
    try cluster.suspend(index)
    #expect(throws: EngineError.deadline) {
      try engine.commit(EngineSample.change(version: 1, "late"), entering: nil)
    }
    #expect(engine.session.endpoint != cluster.endpoints[index])
    let version = try snapshot(engine).row.version
    #expect([1, 2].contains(version))
    cluster.resume(index)
    #expect(try eventualSnapshot(engine).row.version >= version)
  }

  @Test func pausedMemberIsReplacedInALoad() throws {
    var configuration = realm.configuration
    configuration.loadDeadline = .seconds(20)
    let engine = EtcdEngine(configuration)
    try engine.commit(version: 0)
    let index = try #require(
      cluster.endpoints.firstIndex { $0 == engine.session.endpoint })
    try cluster.suspend(index)
    #expect(try snapshot(engine).row.version == 1)
    #expect(engine.session.endpoint != cluster.endpoints[index])
    cluster.resume(index)
  }

  @Test func restartIsNoOtherIncarnation() throws {
    let engine = realm.engine()
    try engine.commit(version: 0)
    try cluster.kill()
    try cluster.start()
    for engine in [engine, realm.engine()] {
      let after = try eventualSnapshot(engine)
      #expect(after.incarnation == after.realm.incarnation)
      #expect(after.row.version == 1)
    }
    try engine.commit(version: 1)
  }

  @Test func restoredSnapshotChangesTheIncarnation() throws {
    let engine = realm.engine()
    try engine.commit(version: 0)
    let before = try snapshot(engine)
    let copy = try cluster.snapshot()
    try engine.commit(version: 1)
    try cluster.restore(copy)

    // Neither engine has to know the other database: the first one was started after the restore.
    for engine in [realm.engine(), engine] {
      let after = try eventualSnapshot(engine)
      #expect(after.row == before.row)
      #expect(after.realm == before.realm)
      #expect(after.incarnation != after.realm.incarnation)
      #expect(
        after.incarnation.prefix(8) == before.incarnation.prefix(8), "the cluster has the same ID")
      #expect(throws: EngineError.conflict) { try engine.commit(version: 1) }
    }

    let found = try snapshot(engine)
    var state = found.realm
    state.epoch = 2
    state.incarnation = found.incarnation
    state.fence = 1_700_000_600
    state.fenceIntervals = 3
    #expect(try engine.replaceRealm(epoch: 1, with: state))
    #expect(try !engine.replaceRealm(epoch: 1, with: state), "the epoch was replaced once")
    var change = EngineSample.change(version: 1)
    #expect(throws: EngineError.conflict) { try engine.commit(change, entering: nil) }
    change.epoch = 2
    try engine.commit(change, entering: nil)
    for engine in [engine, realm.engine()] {
      let last = try snapshot(engine)
      #expect(last.realm == state)
      #expect(last.incarnation == state.incarnation)
      #expect(last.row.version == 2)
    }
  }

  @Test func commitAfterARestoreIsNotAcknowledged() throws {
    let engine = realm.engine()
    try engine.commit(version: 0)
    _ = try snapshot(engine)
    try cluster.restore(try cluster.snapshot())
    // The row and the realm have the versions that the engine knows.
    let change = EngineSample.change(version: 1)
    let error = EngineSample.error(of: try engine.commit(change, entering: nil))
    #expect(error != nil)
    let after = try eventualSnapshot(engine)
    #expect(after.incarnation != after.realm.incarnation)
  }

  @Test func alarmOfSpaceDeniesWithAMessage() throws {
    let engine = realm.engine()
    var version: UInt64 = 0
    var error: EngineError?
    while error == nil, version < 200 {
      var change = EngineSample.change(version: version)
      change.row?.record = [UInt8](repeating: 7, count: EngineRow.longestPart)
      error = EngineSample.error(of: try engine.commit(change, entering: nil))
      if error == nil { version += 1 }
    }
    #expect(error == .refused)
    #expect(engine.lastMessage.contains("NOSPACE"), "\(engine.lastMessage)")
    // Loads are answered. If the space ends between the check of a request and its execution, etcd executes the
    // request, and reports the error all the same.
    let stored = try snapshot(engine).row.version
    #expect(stored == version || stored == version + 1, "\(stored) \(version)")
    #expect(engine.checkCluster() == [.withoutSpace])
  }

  @Test func clientsWithoutCertificateAreFound() throws {
    let open = try EtcdCluster(verifiesClients: false)
    let findings = EtcdEngine(open.configuration()).checkCluster()
    #expect(
      findings == open.endpoints.map { .clientsNotVerified(endpoint: $0) } + [.withoutRealm])
  }
}

/// A server that fails in one way; see server.py. Destroying the value ends it.
final class FailingServer {
  private let folder: String
  private let address: String
  private let process: ChildProcess

  init(_ mode: String, redirectingTo target: String = "") throws {
    let number = UInt32.random(in: 0...UInt32.max)
    folder = "/tmp/mfa-failing-\(number)"
    address = "127.\(Int.random(in: 64...250)).\(Int.random(in: 1...250)).9"
    try Command.succeed(["/usr/bin/env", "mkdir", "-m", "0700", folder])
    try Command.succeed(["/usr/bin/env", "tee", folder + "/target"], input: Array(target.utf8))
    let output = try Descriptor.memory()
    process = try ChildProcess(
      [
        "/usr/bin/python3", Checkout.folder + "/Tests/RealmStore/server.py", mode, address, folder,
      ], descriptors: [1: output.number, 2: output.number])
    let isReady = try Deadline.usual.waits {
      try Command.run(["/usr/bin/env", "test", "-e", folder + "/ready"]).status.isSuccess
    }
    guard isReady else { throw HarnessFailure("the server does not start") }
  }

  deinit {
    process.send(signal: 9)
    do { try Command.succeed(["/usr/bin/env", "rm", "-rf", "--one-file-system", folder]) } catch {}
  }

  /// The address of the server.
  var endpoint: String { "http://\(address):2379" }

  /// How many requests the server has received.
  func requests() throws(HarnessFailure) -> Int {
    try Command.run(["/usr/bin/env", "cat", folder + "/requests"]).text
      .split(separator: "\n").count
  }
}
