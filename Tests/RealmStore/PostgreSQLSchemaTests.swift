import MFAAttempt
import MFABase
import MFAModel
import MFAPostgreSQLTestSupport
import MFASharedStoreTestSupport
import MFASignInTestSupport
import MFAStore
import MFATestSupport
import Testing

@testable import MFARealmStore

/// The schema and the rights of its roles.
@Suite("PostgreSQL schema", .privateMachine)
struct PostgreSQLSchemaTests {
  private static let tables = ["rows", "realm", "log", "log_end", "host_failures", "answers"]

  @Test func verifierHasNoAccessToTables() throws {
    let database = try RealmDatabase()
    let cluster = database.cluster
    let tables = try cluster.sql(
      "SELECT string_agg(tablename, ' ' ORDER BY tablename) FROM pg_tables"
        + " WHERE schemaname = 'mfa'", in: "mfa")
    #expect(tables == Self.tables.sorted().joined(separator: " "))
    var statements = [
      "CREATE TABLE mfa.mine ()",
      "CREATE FUNCTION mfa.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
      "DROP FUNCTION mfa.settle()", "ALTER TABLE mfa.log RENAME TO old", "DROP SCHEMA mfa CASCADE",
    ]
    for table in Self.tables {
      statements += [
        "SELECT FROM mfa.\(table)", "SELECT FROM mfa.\(table) FOR UPDATE",
        "INSERT INTO mfa.\(table) DEFAULT VALUES", "DELETE FROM mfa.\(table)",
        "TRUNCATE mfa.\(table)", "BEGIN; LOCK mfa.\(table)", "DROP TABLE mfa.\(table)",
        "COPY mfa.\(table) TO STDOUT",
      ]
    }
    for statement in statements {
      let command = try cluster.query(statement, as: "mfa_verifier", in: "mfa")
      #expect(!command.status.isSuccess, "\(statement)")
      #expect(
        ["permission denied", "must be owner"].contains { command.errorText.contains($0) },
        "\(statement): \(command.errorText)")
    }
    #expect(
      try cluster.sql("SELECT mfa.schema_version()", as: "mfa_verifier", in: "mfa")
        == "\(PostgreSQLEngine.schemaVersion)")
  }

  @Test func otherRolesMayExecuteNoFunction() throws {
    let database = try RealmDatabase()
    try database.cluster.sql("GRANT USAGE ON SCHEMA mfa TO mfa_stranger", in: "mfa")
    let allowed = { (role: String) in
      try database.cluster.sql(
        "SELECT string_agg(proname, ' ' ORDER BY proname) FROM pg_proc"
          + " WHERE pronamespace = 'mfa'::regnamespace"
          + " AND has_function_privilege('\(role)', oid, 'EXECUTE')", in: "mfa")
    }
    #expect(try allowed("mfa_stranger") == "")
    #expect(
      try allowed("mfa_verifier")
        == "check_database commit_change last_line load_row lock_log_end log_lines present_incarnation"
        + " replace_realm row_keys schema_version servers settle")
    #expect(
      try database.cluster.sql(
        "SELECT count(*) FROM pg_proc WHERE pronamespace = 'mfa'::regnamespace AND NOT (prosecdef"
          + " AND proconfig = '{\"search_path=pg_catalog, pg_temp\"}')", in: "mfa") == "0")
    let stranger = PostgreSQLEngine(database.cluster.configuration(as: .stranger))
    #expect(throws: EngineError.refused) { try stranger.load(EngineSample.key(), EngineContext()) }
    #expect(stranger.lastMessage.contains("permission denied"))
  }

  @Test func installationCanBeRepeated() throws {
    let database = try RealmDatabase()
    try database.engine().commit(EngineSample.change(version: 0), entering: nil)
    let owner = PostgreSQLEngine(database.cluster.configuration(as: .owner))
    try owner.installSchema(verifiers: ["mfa_verifier", "mfa_stranger"])
    #expect(try !owner.initializeRealm(now: 1))
    let stranger = PostgreSQLEngine(database.cluster.configuration(as: .stranger))
    let snapshot = try stranger.load(EngineSample.key(), EngineContext())
    #expect(snapshot.row.version == 1)
    #expect(snapshot.realm.fence == 1_700_000_000)
  }

  @Test func schemaOfAnotherRoleIsRefused() throws {
    let cluster = try PostgreSQLCluster()
    try cluster.createDatabase()
    try cluster.sql("CREATE SCHEMA mfa AUTHORIZATION mfa_stranger", in: "mfa")
    try cluster.sql("GRANT ALL ON SCHEMA mfa TO mfa_owner", in: "mfa")
    let owner = PostgreSQLEngine(cluster.configuration(as: .owner))
    #expect(throws: EngineError.self) { try owner.installSchema(verifiers: []) }
    #expect(owner.lastMessage == "the schema mfa belongs to another role")
    #expect(
      try cluster.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'mfa'", in: "mfa") == "0")
  }

  @Test func roleNamesAreQuoted() throws {
    let database = try RealmDatabase()
    try database.cluster.sql(#"CREATE ROLE "a""b; c" LOGIN"#)
    try PostgreSQLEngine(database.cluster.configuration(as: .owner)).installSchema(
      verifiers: [#"a"b; c"#])
    #expect(
      try database.cluster.sql(
        "SELECT has_schema_privilege('a\"b; c', 'mfa', 'USAGE')", in: "mfa") == "t")
  }

  // MARK: - What doctor finds

  @Test func healthyDatabaseHasNoFindings() throws {
    let database = try RealmDatabase()
    let standby = try database.cluster.addStandby()
    #expect(try database.engine().checkDatabase() == [])
    try standby.kill()
    try database.cluster.wait(for: "0", "SELECT count(*) FROM pg_stat_replication")
    #expect(try database.engine().checkDatabase() == [.noStandbyConnected])
  }

  @Test func weakSettingsAreFound() throws {
    let database = try RealmDatabase()
    let engine = database.engine()
    #expect(try engine.checkDatabase() == [.noStandbyRequired])
    try database.cluster.set("synchronous_standby_names", "*")
    #expect(try engine.checkDatabase() == [.noStandbyConnected])
    try database.cluster.set("synchronous_standby_names", "")
    try database.cluster.set("fsync", "off")
    try database.cluster.set("full_page_writes", "off")
    for value in ["off", "local", "remote_write"] {
      try database.cluster.set("synchronous_commit", value)
      #expect(
        try database.engine().checkDatabase()
          == [.noStandbyRequired, .synchronousCommitWeak, .fsyncOff, .fullPageWritesOff])
    }
    try database.cluster.set("synchronous_commit", "remote_apply")
    #expect(
      try database.engine().checkDatabase() == [.noStandbyRequired, .fsyncOff, .fullPageWritesOff])
  }

  @Test func invisibleStandbyIsFound() throws {
    let database = try RealmDatabase()
    let standby = try database.cluster.addStandby()
    try database.cluster.sql("REVOKE pg_read_all_stats FROM mfa_owner")
    #expect(try database.engine().checkDatabase() == [.standbysNotVisible])
    withExtendedLifetime(standby) {}
  }

  @Test func missingSchemaAndRealmAreFound() throws {
    let cluster = try PostgreSQLCluster()
    try cluster.createDatabase()
    let verifier = PostgreSQLEngine(cluster.configuration())
    #expect(try verifier.checkDatabase() == [.schemaVersion(found: nil)])
    #expect(throws: EngineError.refused) { try verifier.load(EngineSample.key(), EngineContext()) }
    try PostgreSQLEngine(cluster.configuration(as: .owner)).installSchema(
      verifiers: ["mfa_verifier"])
    #expect(try verifier.checkDatabase() == [.noRealm, .noStandbyRequired])
    try cluster.sql(
      "CREATE OR REPLACE FUNCTION mfa.schema_version() RETURNS bigint LANGUAGE sql"
        + " AS 'SELECT 7::bigint'", in: "mfa")
    let later = PostgreSQLEngine(cluster.configuration())
    #expect(try later.checkDatabase() == [.schemaVersion(found: 7)])
    #expect(throws: EngineError.refused) { try later.load(EngineSample.key(), EngineContext()) }
  }

  @Test func schemaOfTheNextVersionServesThisProgram() throws {
    let database = try RealmDatabase()
    for (version, isServed) in [
      (PostgreSQLEngine.schemaVersion + 1, true), (PostgreSQLEngine.schemaVersion + 2, false),
      (PostgreSQLEngine.schemaVersion - 1, false),
    ] {
      try database.cluster.sql(
        "CREATE OR REPLACE FUNCTION mfa.schema_version() RETURNS bigint LANGUAGE sql"
          + " AS 'SELECT \(version)::bigint'", in: "mfa")
      let error = EngineSample.error { () throws(EngineError) in
        guard let key = EngineKey(.user, Array("alice".utf8)) else { throw .refused }
        _ = try database.engine().load(key, EngineContext())
      }
      #expect(error == (isServed ? nil : .refused), "\(version)")
    }
  }

  @Test func powerfulRoleIsFound() throws {
    let database = try RealmDatabase()
    let owner = PostgreSQLEngine(database.cluster.configuration(as: .owner))
    #expect(try owner.checkDatabase() == [.noStandbyRequired, .tooManyPrivileges])
    try database.cluster.sql("GRANT DELETE ON mfa.log TO mfa_verifier", in: "mfa")
    #expect(try database.engine().checkDatabase() == [.noStandbyRequired, .tooManyPrivileges])
  }
}

/// The settings of a session.
@Suite("PostgreSQL session", .privateMachine)
struct PostgreSQLSessionTests {
  private func settings(
    _ names: [String], of configuration: PostgreSQLConfiguration
  ) throws -> [String] {
    let deadline = EngineDeadline.after(.seconds(10))
    let session = try PostgreSQLSession(configuration, until: deadline) { print($0) }
    let reply = try session.exchange(
      names.map { SQLStatement("SELECT current_setting($1)", [.text($0)]) }, until: deadline)
    return try reply.results.map { result in
      var row = try #require(result.rows.first)
      return try row.text()
    }
  }

  @Test func settingsOfTheRoleAreOverridden() throws {
    let database = try RealmDatabase()
    for setting in [
      "synchronous_commit = off", "client_min_messages = error", "statement_timeout = 0",
      "lock_timeout = 0", "idle_in_transaction_session_timeout = 0",
      "default_transaction_isolation = serializable", "standard_conforming_strings = off",
      "search_path = public", "client_encoding = latin1",
    ] {
      try database.cluster.sql("ALTER ROLE mfa_verifier SET \(setting)")
    }
    let names = [
      "synchronous_commit", "client_min_messages", "statement_timeout", "lock_timeout",
      "idle_in_transaction_session_timeout", "transaction_isolation",
      "standard_conforming_strings", "search_path", "client_encoding",
    ]
    #expect(
      try settings(names, of: database.cluster.configuration()) == [
        "on", "notice", "4500ms", "4s", "5s", "read committed", "on", "pg_catalog, mfa, pg_temp",
        "UTF8",
      ])
    try database.cluster.sql("ALTER ROLE mfa_verifier SET synchronous_commit = remote_apply")
    #expect(
      try settings(["synchronous_commit"], of: database.cluster.configuration())
        == ["remote_apply"])
  }

  @Test func hostsOfAConnectionStringAreSeparated() {
    let parameters = { (host: String, address: String, port: String) in
      ConnectionParameter.ofEachHost(
        [("host", host), ("hostaddr", address), ("port", port), ("user", "u")]
          .filter { !$0.1.isEmpty }.map { ConnectionParameter($0.0, $0.1) }
      ).map { $0.map { "\($0.keyword)=\($0.value)" }.sorted().joined(separator: " ") }
    }
    #expect(parameters("a", "", "5432") == ["host=a port=5432 user=u"])
    #expect(parameters("", "", "5432") == ["port=5432 user=u"])
    #expect(
      parameters("a,b", "", "5432") == ["host=a port=5432 user=u", "host=b port=5432 user=u"])
    #expect(
      parameters("a,b", "1.2.3.4,", "1,2")
        == ["host=a hostaddr=1.2.3.4 port=1 user=u", "host=b port=2 user=u"])
    #expect(
      parameters("", "1.2.3.4,::1", "") == ["hostaddr=1.2.3.4 user=u", "hostaddr=::1 user=u"])
  }
}

/// A code that was used after the last backup, and backups that are restored in different ways.
@Suite("PostgreSQL restore", .privateMachine)
struct PostgreSQLRestoreTests {
  /// A way to restore a backup.
  enum Restore: CaseIterable {
    case dumpInTheSameServer
    case dumpInANewServer
    case baseBackupThatIsJustStarted
    case baseBackupThatIsRecovered

    /// Whether the database differs from the one that the realm knows.
    var isRecognized: Bool {
      switch self {
      case .dumpInTheSameServer, .baseBackupThatIsJustStarted: false
      case .dumpInANewServer, .baseBackupThatIsRecovered: true
      }
    }
  }

  private let database: RealmDatabase
  private let account = Account(name: Array("alice".utf8), uid: 1000)
  private let now: Int64

  init() throws {
    database = try RealmDatabase()
    now = try Clock.now()
  }

  private func attempt(
    _ code: String, at time: Int64, in cluster: PostgreSQLCluster
  ) throws -> Attempt.Result {
    let store = TestRealm(EngineWithoutClock(PostgreSQLEngine(cluster.configuration()))).store(
      at: time)
    return try Attempt.make(
      TypedCodes(whole: Array(code.utf8).span), by: account, in: store,
      Attempt.Context(settings: .defaults, clock: { time })
    ).result
  }

  private func enroll() throws {
    let (cluster, now) = (database.cluster, now)
    try FactorStoreConformance {
      TestRealm(EngineWithoutClock(PostgreSQLEngine(cluster.configuration()))).store(at: now)
    }.enroll()
  }

  /// Makes a backup, lets a code in, and returns the server with the backup.
  private func restored(_ restore: Restore, after use: () throws -> Void) throws
    -> PostgreSQLCluster
  {
    let cluster = database.cluster
    switch restore {
    case .dumpInTheSameServer:
      let dump = try cluster.dump()
      try use()
      try cluster.restore(dump)
      return cluster
    case .dumpInANewServer:
      let dump = try cluster.dump()
      try use()
      let other = try PostgreSQLCluster(hasOwnIdentifier: true)
      try other.createRoles()
      try other.restore(dump)
      return other
    case .baseBackupThatIsJustStarted, .baseBackupThatIsRecovered:
      let other = try PostgreSQLCluster(
        copyOf: cluster, isRecovering: restore == .baseBackupThatIsRecovered)
      try use()
      try cluster.stop()
      try other.start()
      if restore == .baseBackupThatIsRecovered {
        try other.wait(for: "f", "SELECT pg_is_in_recovery()")
      }
      return other
    }
  }

  @Test("a used code is refused after a restore and a new epoch", arguments: Restore.allCases)
  func newEpoch(_ restore: Restore) throws {
    try enroll()
    let code = try KnownFactor.code(at: now)
    let cluster = try restored(restore) {
      guard case .accepted = try attempt(code, at: now, in: database.cluster) else {
        throw HarnessFailure("the code was not accepted before the restore")
      }
    }
    let engine = PostgreSQLEngine(cluster.configuration())
    let snapshot = try engine.load(EngineSample.key(), EngineContext())
    #expect((snapshot.incarnation != snapshot.realm.incarnation) == restore.isRecognized)
    if !restore.isRecognized {
      let actor = AuditLogEvent.Actor(
        name: Array("root".utf8), uid: 0, program: Array("tests".utf8), source: Source([]))
      let state = try TestRealm(EngineWithoutClock(engine)).store(at: now).beginEpoch(by: actor)
      #expect(state.epoch == snapshot.realm.epoch + 1)
      #expect(state.fence >= now)
      #expect(state.fenceIntervals == 10)
    }
    guard case .rejected(.notYet) = try attempt(code, at: now, in: cluster) else {
      Issue.record("the code was accepted again")
      return
    }
    #expect(
      try engine.load(EngineSample.key(), EngineContext()).realm.epoch
        == snapshot.realm.epoch + 1)
    let later = now + 1200
    guard
      case .accepted = try attempt(try KnownFactor.code(at: later), at: later, in: cluster)
    else {
      Issue.record("a later code was refused")
      return
    }
  }
}
