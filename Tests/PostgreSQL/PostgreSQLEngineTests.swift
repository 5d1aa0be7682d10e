import MFAPostgreSQL
import MFAPostgreSQLTestSupport
import MFASharedStore
import MFAStoreFiles
import MFASystem
import MFATestSupport
import Testing

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
    try engine.load(RealmDatabase.key(name), EngineContext())
  }

  // MARK: - Rows

  @Test func missingRowIsLoadedAsNone() throws {
    let snapshot = try engine.load(
      RealmDatabase.key(),
      EngineContext(host: [1], period: 7, nonce: [UInt8](repeating: 1, count: 16)))
    #expect(snapshot.row == .none)
    #expect(snapshot.realm.epoch == 1)
    #expect(snapshot.realm.fence == 1_700_000_000)
    #expect(snapshot.realm.fenceIntervals == 0)
    #expect(snapshot.realm.configuration == 0)
    #expect(snapshot.incarnation.count == 12)
    #expect(snapshot.incarnation == snapshot.realm.incarnation)
    #expect(abs(snapshot.time - (try Clock.now())) < 60)
    #expect(snapshot.hostFailures == 0)
    #expect(snapshot.answer == nil)
  }

  @Test func databaseWithoutRealmIsRefused() throws {
    try database.cluster.sql("DELETE FROM mfa.realm", in: "mfa")
    #expect(throws: EngineError.notPrimary) { try snapshot() }
    #expect(throws: EngineError.notPrimary) {
      try engine.commit(RealmDatabase.change(version: 0), entering: nil)
    }
  }

  @Test func rowIsInsertedAndUpdated() throws {
    try engine.commit(RealmDatabase.change(version: 0, "one"), entering: nil)
    #expect(
      try snapshot().row
        == EngineRow(
          version: 1, record: Array("record of alice".utf8), attempts: Array("one".utf8)))
    try engine.commit(RealmDatabase.change(version: 1, "two"), entering: nil)
    #expect(try snapshot().row.version == 2)
    #expect(try snapshot().row.attempts == Array("two".utf8))
    #expect(try snapshot("bob").row == .none)
  }

  @Test func rowsOfAnySizeAreKept() throws {
    var version: UInt64 = 0
    let largest = (0..<EngineRow.longestPart).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    for (record, attempts) in [([], []), (largest, [0]), (largest, largest), ([], largest)] {
      var change = try RealmDatabase.change(version: version)
      (change.record, change.attempts) = (record, attempts)
      try engine.commit(change, entering: nil)
      version += 1
      #expect(
        try snapshot().row == EngineRow(version: version, record: record, attempts: attempts))
    }
    var change = try RealmDatabase.change(version: version)
    change.record = largest + [0]
    #expect(throws: EngineError.refused) { try engine.commit(change, entering: nil) }
    #expect(try snapshot().row.version == version)
  }

  @Test func staleVersionConflicts() throws {
    try engine.commit(RealmDatabase.change(version: 0), entering: nil)
    try engine.commit(RealmDatabase.change(version: 1, "two"), entering: nil)
    let backend = try backends()
    for version: UInt64 in [0, 1, 3, .max] {
      #expect(throws: EngineError.conflict) {
        try engine.commit(RealmDatabase.change(version: version, "stale"), entering: nil)
      }
    }
    #expect(throws: EngineError.conflict) {
      try engine.commit(RealmDatabase.change("bob", version: 1), entering: nil)
    }
    #expect(try snapshot().row.attempts == Array("two".utf8))
    #expect(try backends() == backend, "a conflict does not cost the connection")
  }

  @Test func otherEpochConflicts() throws {
    var change = try RealmDatabase.change(version: 0)
    for epoch: UInt64 in [0, 2, .max] {
      change.epoch = epoch
      #expect(throws: EngineError.conflict) { try engine.commit(change, entering: nil) }
    }
    #expect(try snapshot().row == .none)
  }

  @Test func otherIncarnationConflicts() throws {
    var state = try snapshot().realm
    state.incarnation[0] ^= 1
    #expect(try engine.replaceRealm(epoch: 1, with: state))
    #expect(throws: EngineError.conflict) {
      try engine.commit(RealmDatabase.change(version: 0), entering: nil)
    }
    #expect(try snapshot().incarnation != state.incarnation)
    #expect(try snapshot().row == .none)
  }

  @Test(arguments: [UInt64(0), 1])
  func oneOfManyCommitsOfAVersionWins(version: UInt64) throws {
    if version == 1 { try engine.commit(RealmDatabase.change(version: 0), entering: nil) }
    let configuration = database.cluster.configuration()
    let errors = RealmDatabase.inThreads(12) { index in
      let engine = PostgreSQLEngine(configuration)
      guard let change = try? RealmDatabase.change(version: version, "thread \(index)") else {
        return EngineError?.some(.refused)
      }
      return RealmDatabase.error { () throws(EngineError) in
        try engine.commit(change, entering: nil)
      }
    }
    #expect(errors.count { $0 == nil } == 1)
    #expect(errors.count { $0 == .conflict } == 11)
    #expect(try snapshot().row.version == version + 1)
  }

  @Test func keysAreListedInPages() throws {
    for name in ["d", "a", "c", "b"] {
      try engine.commit(RealmDatabase.change(name, version: 0), entering: nil)
    }
    let names = { (keys: [EngineKey]) in keys.map { String(decoding: $0.id, as: UTF8.self) } }
    #expect(names(try engine.keys(.user, after: [], most: 3)) == ["a", "b", "c"])
    #expect(names(try engine.keys(.user, after: Array("c".utf8), most: 3)) == ["d"])
    #expect(try engine.keys(.host, after: [], most: 3) == [])
  }

  // MARK: - Host budgets, answers, configuration

  private func change(
    _ name: String, host: [UInt8] = [9], period: Int64 = 5, limit: UInt32 = 2,
    isFailure: Bool = true
  ) throws -> EngineChange {
    var change = try RealmDatabase.change(name, version: 0)
    change.budget = HostBudget(host: host, period: period, limit: limit, isFailure: isFailure)
    return change
  }

  private func failures(_ period: Int64 = 5) throws -> UInt32 {
    try engine.load(RealmDatabase.key(), EngineContext(host: [9], period: period)).hostFailures
  }

  @Test func hostBudgetIsCountedAndRefused() throws {
    try engine.commit(change("a", isFailure: false), entering: nil)
    #expect(try failures() == 0)
    try engine.commit(change("b"), entering: nil)
    try engine.commit(change("c"), entering: nil)
    #expect(try failures() == 2)
    for isFailure in [true, false] {
      #expect(throws: EngineError.budgetUsedUp) {
        try engine.commit(change("d", isFailure: isFailure), entering: nil)
      }
    }
    #expect(try snapshot("d").row == .none)
    #expect(try failures() == 2)
    try engine.commit(change("d", host: [8]), entering: nil)
    try engine.commit(change("e", period: 6), entering: nil)
    #expect(try failures(6) == 1)
    #expect(throws: EngineError.budgetUsedUp) {
      try engine.commit(change("f", period: 7, limit: 0), entering: nil)
    }
  }

  @Test func conflictDoesNotCountAFailure() throws {
    try engine.commit(change("a"), entering: nil)
    #expect(throws: EngineError.conflict) { try engine.commit(change("a"), entering: nil) }
    #expect(try failures() == 1)
  }

  @Test func parallelCommitsStayWithinTheHostBudget() throws {
    let changes = try (0..<12).map {
      try engine.commit(RealmDatabase.change("user \($0)", version: 0), entering: nil)
      var change = try change("user \($0)", limit: 3)
      change.row?.version = 1
      return change
    }
    // All commits find that the host has failures left, before the first one counts its own.
    let holder = try lockedRow()
    let cluster = SendableCluster(cluster: database.cluster)
    let configuration = database.cluster.configuration()
    let errors = RealmDatabase.inThreads(13) { index -> EngineError? in
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
      return RealmDatabase.error { () throws(EngineError) in
        try engine.commit(changes[index], entering: nil)
      }
    }
    withExtendedLifetime(holder) {}
    #expect(errors.count { $0 == nil } == 3)
    #expect(errors.count { $0 == .budgetUsedUp } == 9)
    #expect(try failures() == 3)
    #expect(
      try database.cluster.sql("SELECT count(*) FROM mfa.rows WHERE version = 2", in: "mfa")
        == "3")
  }

  @Test func oldPeriodsAreRemoved() throws {
    for period in Int64(1)...20 {
      try engine.commit(change("user \(period)", period: period), entering: nil)
    }
    #expect(try database.cluster.sql("SELECT count(*) FROM mfa.host_failures", in: "mfa") == "3")
  }

  private func answering(
    _ name: String, nonce: UInt8, expires: Int64 = 4_000_000_000
  ) throws -> EngineChange {
    var change = try RealmDatabase.change(name, version: 0)
    change.answer = EngineAnswer(
      nonce: [UInt8](repeating: nonce, count: 16), answer: Array("answer of \(name)".utf8),
      expires: expires)
    return change
  }

  @Test func answerIsStoredOnce() throws {
    let nonce = [UInt8](repeating: 3, count: 16)
    try engine.commit(answering("alice", nonce: 3), entering: nil)
    let key = try RealmDatabase.key()
    #expect(
      try engine.load(key, EngineContext(nonce: nonce)).answer == Array("answer of alice".utf8))
    #expect(throws: EngineError.conflict) {
      try engine.commit(answering("bob", nonce: 3), entering: nil)
    }
    #expect(try snapshot("bob").row == .none)
    #expect(
      try engine.load(key, EngineContext(nonce: nonce)).answer == Array("answer of alice".utf8))
  }

  @Test func oneOfManyCommitsWithANonceWins() throws {
    let changes = try (0..<12).map { try answering("user \($0)", nonce: 4) }
    let configuration = database.cluster.configuration()
    let errors = RealmDatabase.inThreads(12) { index in
      let engine = PostgreSQLEngine(configuration)
      return RealmDatabase.error { () throws(EngineError) in
        try engine.commit(changes[index], entering: nil)
      }
    }
    #expect(errors.count { $0 == nil } == 1)
    #expect(errors.count { $0 == .conflict } == 11)
    #expect(try engine.keys(.user, after: [], most: 20).count == 1)
  }

  @Test func expiredAnswersAreRemoved() throws {
    for nonce in UInt8(1)...20 {
      try engine.commit(answering("user \(nonce)", nonce: nonce, expires: 1), entering: nil)
    }
    #expect(try database.cluster.sql("SELECT count(*) FROM mfa.answers", in: "mfa") == "0")
  }

  @Test func configurationIsReplacedOnce() throws {
    var change = EngineChange(epoch: 1)
    change.configuration = (0, .max - 1)
    try engine.commit(change, entering: nil)
    #expect(try snapshot().realm.configuration == .max - 1)
    change.configuration = (0, 5)
    #expect(throws: EngineError.conflict) { try engine.commit(change, entering: nil) }
    #expect(try snapshot().realm.configuration == .max - 1)
  }

  // MARK: - Audit log

  /// Returns the line after a log's end: the number of the line and a checksum over all lines.
  private static func line(_ text: String, after end: [UInt8]) -> EngineLogLine {
    let number = end.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) } + 1
    var sum = end.dropFirst(4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    for byte in text.utf8 { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
    let sealed =
      (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
      + (0..<8).map { UInt8(truncatingIfNeeded: sum >> (56 - 8 * $0)) }
    return EngineLogLine(number: number, text: Array(text.utf8), end: sealed)
  }

  @Test func linesOfParallelCommitsFormOneChain() throws {
    let configuration = database.cluster.configuration()
    let errors = RealmDatabase.inThreads(6) { thread in
      let engine = PostgreSQLEngine(configuration)
      return (0..<10).compactMap { index -> EngineError? in
        guard let change = try? RealmDatabase.change("\(thread) \(index)", version: 0) else {
          return .refused
        }
        return RealmDatabase.error { () throws(EngineError) in
          try engine.commit(change) { Self.line("thread \(thread) line \(index)\n", after: $0) }
        }
      }
    }
    #expect(errors.flatMap { $0 } == [])
    let lines =
      try engine.logLines(after: 0, most: 40) + engine.logLines(after: 40, most: 40)
    #expect(lines.count == 60)
    var end: [UInt8] = []
    for line in lines {
      #expect(line == Self.line(String(decoding: line.text, as: UTF8.self), after: end))
      end = line.end
    }
    #expect(try engine.keys(.user, after: [], most: 100).count == 60)
  }

  @Test func refusedChangeAppendsNoLine() throws {
    #expect(throws: EngineError.conflict) {
      try engine.commit(RealmDatabase.change(version: 7)) { Self.line("a\n", after: $0) }
    }
    #expect(throws: EngineError.refused) {
      try engine.commit(RealmDatabase.change(version: 0)) {
        var line = Self.line("a\n", after: $0)
        line.number = 2
        return line
      }
    }
    #expect(try engine.logLines(after: 0, most: 9) == [])
    #expect(try snapshot().row == .none)
  }

  @Test func abandonedCommitChangesNothing() throws {
    _ = try snapshot()
    let backend = try backends()
    #expect(throws: EngineError.abandoned) {
      try engine.commit(RealmDatabase.change(version: 0)) { _ in nil }
    }
    #expect(try snapshot().row == .none)
    #expect(try engine.logLines(after: 0, most: 9) == [])
    #expect(try backends() == backend)
    try engine.commit(RealmDatabase.change(version: 0)) { Self.line("a\n", after: $0) }
    #expect(try snapshot().row.version == 1)
  }

  @Test func silentHolderOfTheLogIsDisconnected() throws {
    let other = PostgreSQLEngine(database.hastyConfiguration)
    try other.commit(RealmDatabase.change(version: 0)) { end in
      _ = try? Command.succeed(["/usr/bin/env", "sleep", "0.1"])
      return Self.line("a\n", after: end)
    }
    let error = RealmDatabase.error { () throws(EngineError) in
      try other.commit(EngineChange(epoch: 1)) { end in
        _ = try? Command.succeed(["/usr/bin/env", "sleep", "4.5"])
        return Self.line("b\n", after: end)
      }
    }
    #expect([.deadline, .unreachable].contains(error))
    try engine.commit(EngineChange(epoch: 1)) { Self.line("c\n", after: $0) }
    #expect(
      try engine.logLines(after: 0, most: 9).map { String(decoding: $0.text, as: UTF8.self) }
        == ["a\n", "c\n"])
  }

  // MARK: - Deadlines and lost connections

  /// Locks the row of a user until the returned process ends.
  private func lockedRow() throws -> ChildProcess {
    try engine.commit(RealmDatabase.change(version: 0), entering: nil)
    let holder = try database.cluster.session(
      "BEGIN; SELECT FROM mfa.rows FOR UPDATE; SELECT pg_sleep(60)")
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
    #expect(throws: EngineError.deadline) {
      try hasty.commit(RealmDatabase.change(version: 1), entering: nil)
    }
    #expect(clock.now - began < .seconds(10))
    #expect(try hasty.load(RealmDatabase.key(), EngineContext()).row.version == 1)
    withExtendedLifetime(holder) {}
  }

  @Test func deadlineOfAConnectionHolds() throws {
    database.cluster.accepts(false)
    let clock = ContinuousClock()
    let began = clock.now
    #expect(throws: EngineError.deadline) { try snapshot() }
    #expect(clock.now - began < .seconds(10))
    database.cluster.accepts(true)
    #expect(try snapshot().row == .none)
  }

  @Test func hostsAreTriedTogether() throws {
    let silent = try PostgreSQLCluster()
    silent.accepts(false)
    var configuration = database.cluster.configuration()
    configuration.connection =
      "host=/nonexistent,\(silent.folder),\(database.cluster.folder) user=mfa_verifier dbname=mfa"
    let engine = PostgreSQLEngine(configuration)
    #expect(try engine.load(RealmDatabase.key(), EngineContext()).row == .none)
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
    let results = RealmDatabase.inThreads(2) { index -> [EngineError?] in
      if index == 1 {
        _ = try? cluster.cluster.wait(
          for: "1",
          "SELECT count(*) FROM pg_stat_activity"
            + " WHERE usename = 'mfa_verifier' AND wait_event_type = 'Lock'")
        _ = try? cluster.cluster.sql(terminate)
        return []
      }
      let engine = PostgreSQLEngine(configuration)
      guard let change = try? RealmDatabase.change(version: 1), let key = try? RealmDatabase.key()
      else { return [.refused] }
      return [
        RealmDatabase.error { () throws(EngineError) in try engine.commit(change, entering: nil) },
        RealmDatabase.error { () throws(EngineError) in
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
    let results = RealmDatabase.inThreads(2) { index -> EngineError? in
      if index == 1 {
        _ = try? cluster.cluster.wait(
          for: "1",
          "SELECT count(*) FROM pg_stat_activity"
            + " WHERE usename = 'mfa_verifier' AND wait_event_type = 'Lock'")
        _ = try? cluster.cluster.kill()
        return nil
      }
      let engine = PostgreSQLEngine(configuration)
      guard let change = try? RealmDatabase.change(version: 1) else { return .refused }
      return RealmDatabase.error { () throws(EngineError) in
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
      let key = try RealmDatabase.key()
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
    var change = try RealmDatabase.change(version: 0)
    change.record = [UInt8](repeating: 0, count: EngineRow.longestPart + 1)
    #expect(throws: EngineError.refused) { try engine.commit(change, entering: nil) }
    #expect(engine.lastMessage.contains("violates check constraint"), "\(engine.lastMessage)")
    try database.cluster.wait(
      for: "0", "SELECT count(*) FROM pg_stat_activity WHERE usename = 'mfa_verifier'")
  }

  @Test func lateAnswerIsNotReadAsTheNext() throws {
    try engine.commit(RealmDatabase.change(version: 0), entering: nil)
    let own = try backends()
    let hasty = database.hastyEngine()
    _ = try hasty.load(RealmDatabase.key(), EngineContext())
    let backend = try backends().split(separator: " ").map(String.init).first { $0 != own }
    let process = try #require(backend)
    try Command.succeed(["/bin/kill", "-STOP", process])
    #expect(throws: EngineError.deadline) {
      try hasty.commit(RealmDatabase.change(version: 1, "late"), entering: nil)
    }
    try Command.succeed(["/bin/kill", "-CONT", process])
    for name in ["bob", "carol", "dave"] {
      try hasty.commit(RealmDatabase.change(name, version: 0, name), entering: nil)
      #expect(
        try hasty.load(RealmDatabase.key(name), EngineContext()).row.attempts == Array(name.utf8))
    }
  }
}

/// A cluster that a second thread uses while the first one waits for the server.
private struct SendableCluster: @unchecked Sendable {
  let cluster: PostgreSQLCluster
}
