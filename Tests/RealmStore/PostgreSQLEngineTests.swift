import MFABase
import MFAPostgreSQLTestSupport
import MFASharedStoreTestSupport
import MFAStore
import MFATestSupport
import Testing

@testable import MFARealmStore

/// The engine with one real server.
@Suite("PostgreSQL engine", .privateMachine)
struct PostgreSQLEngineTests {
  let database: RealmDatabase
  let engine: PostgreSQLEngine

  init() throws {
    database = try RealmDatabase()
    engine = database.engine()
  }

  /// Returns the number of the server's process for the engines of this test.
  private func backends() throws -> String {
    try database.cluster.sql(
      "SELECT string_agg(pid::text, ' ') FROM pg_stat_activity WHERE usename = 'mfa_verifier'")
  }

  private func snapshot(_ name: String = "alice") throws -> EngineSnapshot {
    try engine.load(EngineSample.key(name), EngineContext())
  }

  // MARK: - Rows

  @Test func databaseWithoutRealmIsRefused() throws {
    try database.cluster.sql("DELETE FROM mfa.realm", in: "mfa")
    #expect(throws: EngineError.notPrimary) { try snapshot() }
    #expect(throws: EngineError.notPrimary) { try engine.commit(version: 0) }
  }

  @Test func conflictKeepsTheConnection() throws {
    try engine.commit(version: 0)
    let backend = try backends()
    #expect(throws: EngineError.conflict) { try engine.commit(version: 0) }
    _ = try snapshot()
    #expect(try backends() == backend)
  }

  @Test func timeOfTheServerIsLoaded() throws {
    #expect(abs(try snapshot().time - (try Clock.now())) < 60)
  }

  // MARK: - Host budgets, answers

  @Test func parallelCommitsStayWithinTheHostBudget() throws {
    let changes = try (0..<12).map {
      try engine.commit("user \($0)", version: 0)
      var change = EngineSample.failure("user \($0)", limit: 3)
      change.row?.version = 1
      return change
    }
    // All commits find that the host has failures left, before the first one counts its own.
    let holder = try lockedRow()
    let cluster = SendableCluster(cluster: database.cluster)
    let configuration = database.cluster.configuration()
    let errors = EngineSample.inThreads(13) { index -> EngineError? in
      if index == 12 {
        _ = try? cluster.cluster.wait(
          for: "12",
          "SELECT count(*) FROM pg_stat_activity"
            + " WHERE usename = 'mfa_verifier' AND wait_event_type = 'Lock'")
        _ = try? cluster.cluster.sql(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
        return .abandoned
      }
      let engine = PostgreSQLEngine(configuration)
      return EngineSample.error { () throws(EngineError) in
        try engine.commit(changes[index], entering: nil)
      }
    }
    withExtendedLifetime(holder) {}
    #expect(errors.count { $0 == nil } == 3)
    #expect(errors.count { $0 == .budgetUsedUp } == 9)
    let context = EngineContext(host: [9], period: 5)
    #expect(try engine.load(EngineSample.key(), context).hostFailures == 3)
    #expect(
      try database.cluster.sql("SELECT count(*) FROM mfa.rows WHERE version = 2", in: "mfa")
        == "3")
  }

  @Test func oldPeriodsAreRemoved() throws {
    for period in Int64(1)...20 {
      try engine.commit(EngineSample.failure("user \(period)", period: period), entering: nil)
    }
    #expect(try database.cluster.sql("SELECT count(*) FROM mfa.host_failures", in: "mfa") == "3")
  }

  @Test func expiredAnswersAreRemoved() throws {
    for nonce in UInt8(1)...20 {
      try engine.commit(
        EngineSample.answering("user \(nonce)", nonce: nonce, expires: 1), entering: nil)
    }
    #expect(try database.cluster.sql("SELECT count(*) FROM mfa.answers", in: "mfa") == "0")
  }

  // MARK: - Audit log

  @Test func abandonedCommitKeepsTheConnection() throws {
    _ = try snapshot()
    let backend = try backends()
    #expect(throws: EngineError.abandoned) {
      try engine.commit(EngineSample.change(version: 0)) { _ in nil }
    }
    _ = try snapshot()
    #expect(try backends() == backend)
  }

  @Test func silentHolderOfTheLogIsDisconnected() throws {
    let other = PostgreSQLEngine(database.hastyConfiguration)
    try other.commit(EngineSample.change(version: 0)) { end in
      _ = try? Command.succeed(["/usr/bin/env", "sleep", "0.1"])
      return EngineSample.line("a\n", after: end)
    }
    let error = EngineSample.error { () throws(EngineError) in
      try other.commit(EngineChange(epoch: 1)) { end in
        _ = try? Command.succeed(["/usr/bin/env", "sleep", "4.5"])
        return EngineSample.line("b\n", after: end)
      }
    }
    #expect([.deadline, .unreachable].contains(error))
    try engine.commit(EngineChange(epoch: 1)) { EngineSample.line("c\n", after: $0) }
    #expect(
      try engine.logLines(after: 0, most: 9).map { String(decoding: $0.text, as: UTF8.self) }
        == ["a\n", "c\n"])
  }

  @Test func reportGivesWayAtTheLog() throws {
    let holder = try locked("mfa.log_end")
    var report = EngineSample.change(version: 0)
    report.givesWay = true
    let began = ContinuousClock.now
    for _ in 0..<2 {
      #expect(throws: EngineError.conflict) {
        try engine.commit(report) { EngineSample.line("report\n", after: $0) }
      }
    }
    #expect(ContinuousClock.now - began < .seconds(2))
    try database.cluster.sql(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)'"
        + " AND pid <> pg_backend_pid()")
    try engine.commit(report) { EngineSample.line("report\n", after: $0) }
    #expect(try engine.logLines(after: 0, most: 9).count == 1)
    withExtendedLifetime(holder) {}
  }

  // MARK: - Deadlines and lost connections

  /// Locks the row of a user until the returned process ends.
  private func lockedRow() throws -> ChildProcess {
    try engine.commit(version: 0)
    return try locked("mfa.rows")
  }

  /// Locks a table's rows until the returned process ends.
  private func locked(_ table: String) throws -> ChildProcess {
    let holder = try database.cluster.session(
      "BEGIN; SELECT FROM \(table) FOR UPDATE; SELECT pg_sleep(60)")
    try database.cluster.wait(
      for: "1",
      "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)'"
        + " AND wait_event = 'PgSleep'")
    return holder
  }

  @Test func deadlineOfACommitHolds() throws {
    let holder = try lockedRow()
    let hasty = database.hastyEngine()
    let clock = ContinuousClock()
    let began = clock.now
    #expect(throws: EngineError.deadline) { try hasty.commit(version: 1) }
    #expect(clock.now - began < .seconds(10))
    #expect(try hasty.load(EngineSample.key(), EngineContext()).row.version == 1)
    withExtendedLifetime(holder) {}
  }

  @Test func deadlineOfAConnectionHolds() throws {
    try database.cluster.accepts(false)
    let clock = ContinuousClock()
    let began = clock.now
    #expect(throws: EngineError.deadline) { try snapshot() }
    #expect(clock.now - began < .seconds(10))
    try database.cluster.accepts(true)
    #expect(try snapshot().row == .none)
  }

  @Test func hostsAreTriedTogether() throws {
    let silent = try PostgreSQLCluster()
    try silent.accepts(false)
    var configuration = database.cluster.configuration()
    configuration.connection =
      "host=/nonexistent,\(silent.folder),\(database.cluster.folder) user=mfa_verifier dbname=mfa"
    let engine = PostgreSQLEngine(configuration)
    #expect(try engine.load(EngineSample.key(), EngineContext()).row == .none)
  }

  @Test func unreachableServerIsReported() throws {
    _ = try snapshot()
    try database.cluster.stop()
    #expect(throws: EngineError.unreachable) { try snapshot() }
    #expect(engine.lastMessage.contains("No such file or directory"), "\(engine.lastMessage)")
    try database.cluster.start()
    #expect(try snapshot().row == .none)
  }

  @Test func lostConnectionIsReplaced() throws {
    _ = try snapshot()
    let terminate =
      "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity"
      + " WHERE usename = 'mfa_verifier'"
    #expect(try database.cluster.sql(terminate) == "1")
    #expect(try snapshot().row == .none, "a connection that ended between two calls is replaced")

    let holder = try lockedRow()
    let configuration = database.cluster.configuration()
    let cluster = SendableCluster(cluster: database.cluster)
    let results = EngineSample.inThreads(2) { index -> [EngineError?] in
      if index == 1 {
        _ = try? cluster.cluster.wait(
          for: "1",
          "SELECT count(*) FROM pg_stat_activity"
            + " WHERE usename = 'mfa_verifier' AND wait_event_type = 'Lock'")
        _ = try? cluster.cluster.sql(terminate)
        return []
      }
      let engine = PostgreSQLEngine(configuration)
      let (change, key) = (EngineSample.change(version: 1), EngineSample.key())
      return [
        EngineSample.error { () throws(EngineError) in try engine.commit(change, entering: nil) },
        EngineSample.error { () throws(EngineError) in
          _ = try engine.load(key, EngineContext())
        },
      ]
    }
    #expect(results.flatMap { $0 } == [.unreachable, nil])
    withExtendedLifetime(holder) {}
  }

  @Test func crashOfTheServerIsReported() throws {
    let holder = try lockedRow()
    let cluster = SendableCluster(cluster: database.cluster)
    let configuration = database.cluster.configuration()
    let results = EngineSample.inThreads(2) { index -> EngineError? in
      if index == 1 {
        _ = try? cluster.cluster.wait(
          for: "1",
          "SELECT count(*) FROM pg_stat_activity"
            + " WHERE usename = 'mfa_verifier' AND wait_event_type = 'Lock'")
        _ = try? cluster.cluster.kill()
        return nil
      }
      let engine = PostgreSQLEngine(configuration)
      let change = EngineSample.change(version: 1)
      return EngineSample.error { () throws(EngineError) in
        try engine.commit(change, entering: nil)
      }
    }
    #expect(results.compactMap { $0 } == [.unreachable])
    withExtendedLifetime(holder) {}
    try database.cluster.start()
    #expect(try snapshot().row.version == 1)
  }

  @Test func copyOfTheProcessOpensItsOwnConnection() async throws {
    let folder = database.cluster.folder
    // Only the test's thread exists in the process of an exit test, so that it may be copied.
    await #expect(processExitsWith: .success) { [folder = folder as String] in
      let configuration = PostgreSQLConfiguration(
        connection: "host=\(folder) user=mfa_verifier dbname=mfa")
      let engine = PostgreSQLEngine(configuration)
      let key = EngineSample.key()
      _ = try engine.load(key, EngineContext())
      let backends = { () throws(HarnessFailure) -> String in
        try Command.succeed(
          [
            "/usr/bin/psql", "-AtqX", "-h", folder, "-U", "postgres", "-c",
            "SELECT string_agg(pid::text, ' ') FROM pg_stat_activity"
              + " WHERE usename = 'mfa_verifier'",
          ])
      }
      let before = try backends()
      switch try WorkerProcess.start() {
      case .copy(let process):
        try #require(ExitStatus.ofChild(process) == .exited(7))
      case .thisProcess:
        Alarm.set(seconds: 20)
        do throws(EngineError) { _ = try engine.load(key, EngineContext()) } catch {
          WorkerProcess.leave(1)
        }
        WorkerProcess.leave(7)
      }
      // Nothing tells the server to end the connection of the process that was copied.
      let deadline = Deadline.usual
      while try backends() != before, !deadline.isOver {}
      _ = try engine.load(key, EngineContext())
      try #require(try backends() == before)
    }
  }

  @Test func connectionIsClosedAfterAnError() throws {
    var change = EngineSample.change(version: 0)
    change.row?.record = [UInt8](repeating: 0, count: EngineRow.longestPart + 1)
    #expect(throws: EngineError.refused) { try engine.commit(change, entering: nil) }
    #expect(engine.lastMessage.contains("violates check constraint"), "\(engine.lastMessage)")
    try database.cluster.wait(
      for: "0", "SELECT count(*) FROM pg_stat_activity WHERE usename = 'mfa_verifier'")
  }

  @Test func lateAnswerIsNotReadAsTheNext() throws {
    try engine.commit(version: 0)
    let own = try backends()
    let hasty = database.hastyEngine()
    _ = try hasty.load(EngineSample.key(), EngineContext())
    let backend = try backends().split(separator: " ").map(String.init).first { $0 != own }
    let process = try #require(backend)
    try Command.succeed(["/bin/kill", "-STOP", process])
    #expect(throws: EngineError.deadline) {
      try hasty.commit(EngineSample.change(version: 1, "late"), entering: nil)
    }
    try Command.succeed(["/bin/kill", "-CONT", process])
    for name in ["bob", "carol", "dave"] {
      try hasty.commit(EngineSample.change(name, version: 0, name), entering: nil)
      #expect(
        try hasty.load(EngineSample.key(name), EngineContext()).row.attempts == Array(name.utf8))
    }
  }
}

/// A cluster that a second thread uses while the first one waits for the server.
private struct SendableCluster: @unchecked Sendable {
  let cluster: PostgreSQLCluster
}

/// The shared store with a real server behind it. Each store has a connection of its own, as
/// separate verifiers have.
@Suite("A shared store in PostgreSQL conforms", .privateMachine)
struct PostgreSQLConformanceTests {
  private let database: RealmDatabase

  init() throws { database = try RealmDatabase() }

  private var conformance:
    FactorStoreConformance<SharedFactorStore<EngineWithoutClock<PostgreSQLEngine>>>
  {
    FactorStoreConformance { TestRealm(EngineWithoutClock(database.engine())).store() }
  }

  @Test(arguments: FactorStoreCheck.allCases)
  func conforms(_ check: FactorStoreCheck) throws { try conformance.run(check) }

  @Test("the engine conforms", arguments: StoreEngineCheck.allCases)
  func engineConforms(_ check: StoreEngineCheck) throws {
    try StoreEngineConformance(database.engine).run(check)
  }
}
