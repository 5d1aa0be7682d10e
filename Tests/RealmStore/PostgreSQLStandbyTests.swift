import MFAPostgreSQLTestSupport
import MFASharedStoreTestSupport
import MFAStore
import MFATestSupport
import Testing

@testable import MFARealmStore

/// The engine with a primary and a synchronous standby.
@Suite("PostgreSQL standby", .privateMachine)
struct PostgreSQLStandbyTests {
  let database: RealmDatabase
  let standby: PostgreSQLCluster
  let engine: PostgreSQLEngine

  init() throws {
    database = try RealmDatabase()
    standby = try database.cluster.addStandby()
    engine = database.engine()
  }

  private func snapshot() throws -> EngineSnapshot {
    try engine.load(EngineSample.key(), EngineContext())
  }

  /// Ends the standby as a crash would, and waits until the primary has noticed.
  private func loseStandby() throws {
    try standby.kill()
    try database.cluster.wait(for: "0", "SELECT count(*) FROM pg_stat_replication")
  }

  @Test func commitIsOnTheStandby() throws {
    try engine.commit(version: 0)
    try database.cluster.kill()
    try standby.promote()
    let other = PostgreSQLEngine(standby.configuration())
    #expect(try other.load(EngineSample.key(), EngineContext()).row.version == 1)
  }

  @Test("the primary and its standbys are told, also by a verifier's role")
  func servers() throws {
    try engine.commit(version: 0)
    let servers = try #require(try engine.servers())
    #expect(servers.primary.contains(":"))
    #expect(servers.others.count == 1)
    #expect(servers.others.allSatisfy { $0.contains("streaming") })
    #expect(servers.lag != nil)
    try loseStandby()
    let alone = try #require(try engine.servers())
    #expect(alone.others.isEmpty && alone.lag == nil)
  }

  @Test func standbyIsRefused() throws {
    let reader = PostgreSQLEngine(standby.configuration())
    #expect(throws: EngineError.notPrimary) { try reader.load(EngineSample.key(), EngineContext()) }
    #expect(throws: EngineError.notPrimary) { try reader.commit(version: 0) }
    #expect(throws: EngineError.notPrimary) { try reader.logLines(after: 0, most: 1) }
    #expect(throws: EngineError.notPrimary) { try reader.lastLine() }
    #expect(try reader.checkDatabase() == [.inRecovery])
    // The functions themselves refuse as well, whatever the connection is.
    for (function, answer) in [
      ("(mfa.load_row(1, 'a', NULL, 0, NULL)).status", "3"),
      (
        "mfa.commit_change(1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,"
          + " NULL, NULL, NULL, NULL, NULL, NULL)", "3"
      ), ("mfa.replace_realm(1, 1, '', 0, 0, 0, 1)", "3"), ("(mfa.lock_log_end()).status", "3"),
    ] {
      #expect(try standby.sql("SELECT " + function, as: "mfa_verifier", in: "mfa") == answer)
    }
    for function in ["log_lines(0, 1)", "last_line()", "row_keys(1, '', 1)", "settle()"] {
      let command = try standby.query(
        "SELECT * FROM mfa." + function, as: "mfa_verifier", in: "mfa")
      #expect(!command.status.isSuccess, "\(function)")
    }
  }

  @Test func primaryIsFoundAmongTheHosts() throws {
    var configuration = database.cluster.configuration()
    configuration.connection =
      "host=\(standby.folder),\(database.cluster.folder) user=mfa_verifier dbname=mfa"
    let engine = PostgreSQLEngine(configuration)
    try engine.commit(version: 0)
    #expect(try engine.load(EngineSample.key(), EngineContext()).row.version == 1)
  }

  @Test func commitThatTheStandbyDoesNotAcknowledgeMissesItsDeadline() throws {
    try engine.commit(version: 0)
    try standby.pauseReplication()
    let hasty = database.hastyEngine()
    let clock = ContinuousClock()
    let began = clock.now
    #expect(throws: EngineError.deadline) { try hasty.commit(version: 1) }
    #expect(clock.now - began < .seconds(10))
    #expect(try snapshot().row.version == 1, "the commit is not visible while it waits")
    #expect(throws: EngineError.deadline) {
      try hasty.commit(EngineChange(epoch: 1)) { _ in
        EngineLogLine(number: 1, text: [1], end: [2])
      }
    }
    #expect(try engine.logLines(after: 0, most: 1) == [])
    try standby.continueReplication()
    try database.cluster.wait(
      for: "0", "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
    #expect(try snapshot().row.version == 2)
    #expect(try engine.logLines(after: 0, most: 1).count == 1)
  }

  @Test func commitWithoutStandbyIsRefusedAtOnce() throws {
    try loseStandby()
    let state = try snapshot().realm
    for _ in 0..<3 {
      #expect(throws: EngineError.refused) { try engine.commit(version: 0) }
      #expect(engine.lastMessage == "no synchronous standby is connected")
      #expect(throws: EngineError.refused) {
        try engine.commit(EngineChange(epoch: 1)) { _ in
          EngineLogLine(number: 1, text: [1], end: [2])
        }
      }
      #expect(throws: EngineError.refused) { try engine.replaceRealm(epoch: 1, with: state) }
    }
    try database.cluster.wait(
      for: "0", "SELECT count(*) FROM pg_stat_activity WHERE usename = 'mfa_verifier'")
    try standby.start()
    try database.cluster.wait(
      for: "1", "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")
    #expect(try snapshot().row == .none)
    try engine.commit(version: 0)
  }

  /// Calls a function with the number of the server's process that waits for the standby.
  private func administrator(calls function: String) throws -> ChildProcess {
    try database.cluster.session(
      """
      DO $$ BEGIN
        FOR turn IN 1..500 LOOP
          PERFORM pg_stat_clear_snapshot();
          EXIT WHEN (SELECT count(\(function)(pid)) > 0 FROM pg_stat_activity
            WHERE wait_event = 'SyncRep' AND usename = 'mfa_verifier');
          PERFORM pg_sleep(0.02);
        END LOOP;
      END $$
      """)
  }

  /// Commits while the standby acknowledges nothing and an administrator calls a function. Returns
  /// the error of the commit.
  private func commitWhile(_ function: String) throws -> EngineError? {
    try engine.commit(version: 0)
    try standby.pauseReplication()
    let administrator = try administrator(calls: function)
    let change = EngineSample.change(version: 1)
    let error = EngineSample.error(of: try engine.commit(change, entering: nil))
    #expect(try administrator.wait() != nil)
    return error
  }

  @Test func cancelledCommitThrows() throws {
    #expect(try commitWhile("pg_cancel_backend") == .notice)
    #expect(
      engine.lastMessage.contains("canceling wait for synchronous replication"),
      "\(engine.lastMessage)")
    #expect(try snapshot().row.version == 2, "the uncertain commit is visible")
  }

  @Test func terminatedCommitThrows() throws {
    let error = try commitWhile("pg_terminate_backend")
    #expect(error == .notice || error == .unreachable)
    #expect(try snapshot().row.version == 2, "the uncertain commit is visible")
  }

  @Test func cancelledCommitOfALineThrows() throws {
    try standby.pauseReplication()
    let administrator = try administrator(calls: "pg_cancel_backend")
    #expect(throws: EngineError.notice) {
      try engine.commit(EngineChange(epoch: 1)) { _ in
        EngineLogLine(number: 1, text: [1], end: [2])
      }
    }
    #expect(try administrator.wait() != nil)
    #expect(try engine.logLines(after: 0, most: 1).count == 1)
  }

  @Test func cancelledReplacementOfTheRealmThrows() throws {
    var state = try snapshot().realm
    state.fence += 1
    try standby.pauseReplication()
    let administrator = try administrator(calls: "pg_cancel_backend")
    #expect(throws: EngineError.notice) { try engine.replaceRealm(epoch: 1, with: state) }
    #expect(try administrator.wait() != nil)
  }

  @Test func answerOfAnUncertainCommitIsWithheld() throws {
    try standby.pauseReplication()
    let hasty = database.hastyEngine()
    var change = EngineSample.change(version: 0)
    let nonce = [UInt8](repeating: 1, count: 16)
    change.answer = EngineAnswer(nonce: nonce, answer: [1], expires: 4_000_000_000)
    let administrator = try administrator(calls: "pg_cancel_backend")
    #expect(throws: EngineError.self) { try engine.commit(change, entering: nil) }
    #expect(try administrator.wait() != nil)
    #expect(try snapshot().row.version == 1, "the uncertain commit is visible")
    let context = EngineContext(nonce: nonce)
    #expect(throws: EngineError.deadline) { try hasty.load(EngineSample.key(), context) }

    // After a crash of the primary, no standby is connected.
    try database.cluster.kill()
    try database.cluster.start()
    #expect(try snapshot().row.version == 1)
    #expect(throws: EngineError.refused) { try hasty.load(EngineSample.key(), context) }
    try standby.continueReplication()
    try database.cluster.wait(
      for: "1", "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")
    #expect(try engine.load(EngineSample.key(), context).answer == [1])
  }

  @Test func promotionChangesTheIncarnation() throws {
    var configuration = database.cluster.configuration()
    configuration.connection =
      "host=\(database.cluster.folder),\(standby.folder) user=mfa_verifier dbname=mfa"
    let engine = PostgreSQLEngine(configuration)
    try engine.commit(version: 0)
    let before = try engine.load(EngineSample.key(), EngineContext())
    #expect(before.incarnation == before.realm.incarnation)

    try database.cluster.kill()
    // Returns as soon as the server accepts changes; the checkpoint of the new timeline comes
    // later.
    try standby.sql("SELECT pg_promote(true, 20)")
    #expect(throws: EngineError.conflict) { try engine.commit(version: 1) }
    var after = try engine.load(EngineSample.key(), EngineContext())
    #expect(after.row == before.row)
    #expect(after.realm == before.realm)
    #expect(after.incarnation != before.incarnation)
    #expect(after.incarnation.prefix(8) == before.incarnation.prefix(8))
    #expect(after.incarnation.suffix(4) == [0, 0, 0, 2])

    var state = after.realm
    state.epoch = 2
    state.incarnation = after.incarnation
    state.fence = 1_700_000_600
    state.fenceIntervals = 3
    #expect(try engine.replaceRealm(epoch: 1, with: state))
    #expect(try !engine.replaceRealm(epoch: 1, with: state), "the epoch was replaced once")
    #expect(throws: EngineError.conflict) { try engine.commit(version: 1) }
    var change = EngineSample.change(version: 1)
    change.epoch = 2
    try engine.commit(change, entering: nil)
    after = try engine.load(EngineSample.key(), EngineContext())
    #expect(after.realm == state)
    #expect(after.row.version == 2)
  }
}
