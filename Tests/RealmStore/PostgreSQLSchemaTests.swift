import MFARealmStore
import MFAPostgreSQLTestSupport
import MFASharedStoreTestSupport
import MFAStore
import MFATestSupport
import Testing

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
    #expect(throws: EngineError.refused) {
      try stranger.load(EngineSample.key(), EngineContext())
    }
    #expect(stranger.lastMessage.contains("permission denied"))
  }

  @Test func installationCanBeRepeated() throws {
    let database = try RealmDatabase()
    try database.engine().commit(EngineSample.change(version: 0), entering: nil)
    let owner = database.cluster.configuration(as: .owner)
    try PostgreSQLEngine.installSchema(owner, verifiers: ["mfa_verifier", "mfa_stranger"])
    #expect(try !PostgreSQLEngine.initializeRealm(owner, now: 1))
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
    let failure = #expect(throws: EngineFailure.self) {
      try PostgreSQLEngine.installSchema(cluster.configuration(as: .owner), verifiers: [])
    }
    #expect(failure?.message == "the schema mfa belongs to another role")
    #expect(
      try cluster.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'mfa'", in: "mfa") == "0")
  }

  @Test func roleNamesAreQuoted() throws {
    let database = try RealmDatabase()
    try database.cluster.sql(#"CREATE ROLE "a""b; c" LOGIN"#)
    try PostgreSQLEngine.installSchema(
      database.cluster.configuration(as: .owner), verifiers: [#"a"b; c"#])
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
    #expect(throws: EngineError.refused) {
      try verifier.load(EngineSample.key(), EngineContext())
    }
    try PostgreSQLEngine.installSchema(
      cluster.configuration(as: .owner), verifiers: ["mfa_verifier"])
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
