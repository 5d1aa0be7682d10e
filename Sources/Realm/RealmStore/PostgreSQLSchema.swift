/// The tables and functions of the schema `mfa`.
///
/// A verifier's role may execute the functions and do nothing else. The functions have a pinned
/// search path and run with the rights of the schema's owner. The owner should not be a superuser.
///
/// All locks are taken in this order, so that commits do not wait for each other in a circle: end
/// of the log, realm, row, host's failures, answer.
enum PostgreSQLSchema {
  /// The version of the schema, which rises when a function or a table changes.
  ///
  /// `mfa-verifier setup` of the new program is run first, while verifiers of the version before still
  /// use the schema. A schema therefore serves programs of its own version and of the one before,
  /// unless that one was never released.
  static let version: Int64 = 1

  /// Returns whether a schema of this version serves this program: its own version and the next one.
  static func serves(_ found: Int64) -> Bool { found == version || found == version + 1 }

  /// The functions that a verifier's role may execute, with the types of their parameters.
  static let functions = [
    "schema_version()", "present_incarnation()", "settle()", "lock_log_end()", "check_database()",
    "servers()",
    "load_row(bigint, bytea, bytea, bigint, bytea)",
    """
    commit_change(bigint, bigint, bytea, bigint, bytea, bytea, bigint, bigint, bytea, bigint, bigint,
      bigint, bytea, bytea, bigint, bigint, bytea, bytea)
    """,
    "replace_realm(bigint, bigint, bytea, bigint, bigint, bigint, bigint)",
    "log_lines(bigint, bigint)", "last_line()", "row_keys(bigint, bytea, bigint)",
  ]

  /// Returns the statements that create the schema or bring it up to date, for one transaction. The
  /// verifiers are the roles that may execute the functions.
  static func installation(verifiers: [String]) -> [String] {
    let names = verifiers.map(quoted).joined(separator: ", ")
    let rights =
      verifiers.isEmpty
      ? []
      : ["GRANT USAGE ON SCHEMA mfa TO \(names)"]
        + functions.map { "GRANT EXECUTE ON FUNCTION mfa.\($0) TO \(names)" }
    return ["CREATE SCHEMA IF NOT EXISTS mfa", ownerCheck] + tables + code
      + [
        "REVOKE ALL ON SCHEMA mfa FROM PUBLIC",
        "REVOKE ALL ON ALL TABLES IN SCHEMA mfa FROM PUBLIC",
        "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA mfa FROM PUBLIC",
      ] + rights
  }

  /// Returns a name as SQL writes identifiers.
  private static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }

  /// Refuses a schema that another role created and could change.
  private static let ownerCheck = """
    DO $$ BEGIN
      IF (SELECT nspowner <> current_user::regrole FROM pg_namespace WHERE nspname = 'mfa') THEN
        RAISE EXCEPTION 'the schema mfa belongs to another role' USING ERRCODE = '42501';
      END IF;
    END $$
    """

  // Records and attempts are sealed, so PostgreSQL could not compress them. Rows leave room on
  // their page for the next version, which then needs no new index entries.
  private static let tables = [
    """
    CREATE TABLE IF NOT EXISTS mfa.rows (
      kind smallint NOT NULL,
      id bytea NOT NULL CHECK (octet_length(id) BETWEEN 1 AND 255),
      version bigint NOT NULL,
      record bytea NOT NULL CHECK (octet_length(record) <= 65536),
      attempts bytea NOT NULL CHECK (octet_length(attempts) <= 65536),
      PRIMARY KEY (kind, id)) WITH (fillfactor = 50)
    """,
    "ALTER TABLE mfa.rows ALTER record SET STORAGE EXTERNAL, ALTER attempts SET STORAGE EXTERNAL",
    """
    CREATE TABLE IF NOT EXISTS mfa.realm (
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      epoch bigint NOT NULL,
      incarnation bytea NOT NULL,
      fence bigint NOT NULL,
      fence_intervals smallint NOT NULL,
      configuration bigint NOT NULL,
      format smallint NOT NULL)
    """,
    """
    CREATE TABLE IF NOT EXISTS mfa.log (
      number bigint PRIMARY KEY,
      line bytea NOT NULL,
      sealed_end bytea NOT NULL)
    """,
    """
    CREATE TABLE IF NOT EXISTS mfa.log_end (
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      number bigint NOT NULL,
      sealed_end bytea NOT NULL)
    """,
    "INSERT INTO mfa.log_end (number, sealed_end) VALUES (0, '') ON CONFLICT DO NOTHING",
    """
    CREATE TABLE IF NOT EXISTS mfa.host_failures (
      host bytea NOT NULL CHECK (octet_length(host) BETWEEN 1 AND 255),
      period bigint NOT NULL,
      failures bigint NOT NULL,
      PRIMARY KEY (host, period)) WITH (fillfactor = 50)
    """,
    "CREATE INDEX IF NOT EXISTS host_failures_period ON mfa.host_failures (period)",
    """
    CREATE TABLE IF NOT EXISTS mfa.answers (
      nonce bytea PRIMARY KEY CHECK (octet_length(nonce) = 16),
      answer bytea NOT NULL CHECK (octet_length(answer) <= 1024),
      expires bigint NOT NULL)
    """,
    "CREATE INDEX IF NOT EXISTS answers_expires ON mfa.answers (expires)",
  ]

  /// The results of functions that can refuse.
  enum Status {
    static let done: Int64 = 0
    static let conflict: Int64 = 1
    static let budgetUsedUp: Int64 = 2
    static let notPrimary: Int64 = 3
    static let wrongLine: Int64 = 4
    static let noStandby: Int64 = 5
  }

  /// The rights and the search path of all functions.
  private static let safely = "SECURITY DEFINER SET search_path = pg_catalog, pg_temp"

  /// The advisory lock that stands for the realm's state: commits share it, and a change of the
  /// state excludes them. A lock on the row itself would write to the row in every commit.
  private static let realmLock = "7236278910201377"

  private static let code = [
    """
    CREATE OR REPLACE FUNCTION mfa.schema_version() RETURNS bigint
    LANGUAGE sql IMMUTABLE \(safely) AS 'SELECT \(version)::bigint'
    """,
    // initdb chooses the system identifier. A promotion begins a new timeline, as does the recovery
    // of a backup to a point in time. The first eight digits of the present WAL file's name are the
    // timeline. pg_control_checkpoint() cannot be used: it returns the timeline of the last
    // checkpoint, which was still the old one five seconds after a promotion.
    """
    CREATE OR REPLACE FUNCTION mfa.present_incarnation() RETURNS bytea
    LANGUAGE sql VOLATILE \(safely) AS $$
      SELECT int8send((pg_control_system()).system_identifier)
        || decode(substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), 'hex')
    $$
    """,
    // A commit that waits for a standby keeps its locks and its connection after the client has
    // given up. While no standby is connected, these commits would use up all connections of the
    // server. A standby that still catches up counts as connected, and so does one whose state is
    // not visible.
    """
    CREATE OR REPLACE FUNCTION mfa.lacks_standby() RETURNS boolean
    LANGUAGE sql VOLATILE \(safely) AS $$
      SELECT current_setting('synchronous_standby_names') <> '' AND NOT EXISTS (
        SELECT FROM pg_stat_get_wal_senders() WHERE sync_state IS DISTINCT FROM 'async')
    $$
    """,
    // Writes a message to the WAL, which changes no table. Its commit waits until the standby has
    // the WAL up to this point, and with it all commits that are visible now.
    """
    CREATE OR REPLACE FUNCTION mfa.settle() RETURNS bigint
    LANGUAGE plpgsql VOLATILE \(safely) AS $$
    BEGIN
      IF mfa.lacks_standby() THEN
        RETURN \(Status.noStandby);
      END IF;
      PERFORM pg_logical_emit_message(true, 'mfa', '');
      RETURN \(Status.done);
    END $$
    """,
    // Even a transaction that only locks a row waits for the standby at its end.
    """
    CREATE OR REPLACE FUNCTION mfa.lock_log_end(OUT status bigint, OUT sealed_end bytea)
    LANGUAGE plpgsql VOLATILE \(safely) AS $$
    BEGIN
      IF pg_is_in_recovery() THEN
        status := \(Status.notPrimary);
      ELSIF mfa.lacks_standby() THEN
        status := \(Status.noStandby);
      ELSE
        SELECT \(Status.done), l.sealed_end INTO status, sealed_end
          FROM mfa.log_end l FOR UPDATE;
      END IF;
    END $$
    """,
    // The results and parameters of a function cannot be changed in place.
    "DROP FUNCTION IF EXISTS mfa.load_row(bigint, bytea, bytea, bigint, bytea)",
    """
    CREATE OR REPLACE FUNCTION mfa.load_row(
      p_kind bigint, p_id bytea, p_host bytea, p_period bigint, p_nonce bytea,
      OUT status bigint, OUT version bigint, OUT record bytea, OUT attempts bytea, OUT epoch bigint,
      OUT realm_incarnation bytea, OUT fence bigint, OUT fence_intervals bigint,
      OUT configuration bigint, OUT incarnation bytea, OUT present bigint, OUT failures bigint,
      OUT answer bytea, OUT format bigint)
    LANGUAGE plpgsql STABLE \(safely) AS $$
    BEGIN
      IF pg_is_in_recovery() THEN
        status := \(Status.notPrimary);
        RETURN;
      END IF;
      SELECT \(Status.done), coalesce(r.version, 0), coalesce(r.record, ''),
          coalesce(r.attempts, ''), m.epoch, m.incarnation, m.fence, m.fence_intervals,
          m.configuration, mfa.present_incarnation(), extract(epoch FROM now())::bigint,
          coalesce(h.failures, 0), a.answer, m.format
        INTO status, version, record, attempts, epoch, realm_incarnation, fence, fence_intervals,
          configuration, incarnation, present, failures, answer, format
        FROM mfa.realm m
        LEFT JOIN mfa.rows r ON r.kind = p_kind::smallint AND r.id = p_id
        LEFT JOIN mfa.host_failures h ON h.host = p_host AND h.period = p_period
        LEFT JOIN mfa.answers a ON a.nonce = p_nonce;
      IF NOT FOUND THEN
        status := \(Status.notPrimary);
      END IF;
    END $$
    """,
    // Nothing is written before everything is checked, except the row, whose version the statement
    // checks itself. What fails after that raises an error, which undoes the statement.
    """
    CREATE OR REPLACE FUNCTION mfa.commit_change(
      p_epoch bigint, p_kind bigint, p_id bytea, p_version bigint, p_record bytea,
      p_attempts bytea, p_configuration_from bigint, p_configuration_to bigint, p_host bytea,
      p_period bigint, p_limit bigint, p_failure bigint, p_nonce bytea, p_answer bytea,
      p_expires bigint, p_number bigint, p_line bytea, p_sealed_end bytea) RETURNS bigint
    LANGUAGE plpgsql VOLATILE \(safely) AS $$
    DECLARE
      realm mfa.realm;
      last_number bigint;
    BEGIN
      IF pg_is_in_recovery() THEN
        RETURN \(Status.notPrimary);
      END IF;
      IF mfa.lacks_standby() THEN
        RETURN \(Status.noStandby);
      END IF;
      IF p_number IS NOT NULL THEN
        SELECT number INTO last_number FROM mfa.log_end FOR UPDATE;
        IF p_number IS DISTINCT FROM last_number + 1 THEN
          RETURN \(Status.wrongLine);
        END IF;
      END IF;
      IF p_configuration_to IS NULL THEN
        PERFORM pg_advisory_xact_lock_shared(\(realmLock));
      ELSE
        PERFORM pg_advisory_xact_lock(\(realmLock));
      END IF;

      SELECT * INTO realm FROM mfa.realm;
      IF NOT FOUND THEN
        RETURN \(Status.notPrimary);
      END IF;
      IF realm.epoch <> p_epoch OR realm.incarnation <> mfa.present_incarnation()
        OR p_configuration_to IS NOT NULL AND realm.configuration <> p_configuration_from
        OR p_nonce IS NOT NULL AND EXISTS (SELECT FROM mfa.answers WHERE nonce = p_nonce)
      THEN
        RETURN \(Status.conflict);
      END IF;
      IF p_host IS NOT NULL AND coalesce((
          SELECT failures FROM mfa.host_failures WHERE host = p_host AND period = p_period), 0)
        >= p_limit
      THEN
        RETURN \(Status.budgetUsedUp);
      END IF;

      IF p_version = 0 THEN
        INSERT INTO mfa.rows (kind, id, version, record, attempts)
          VALUES (p_kind::smallint, p_id, 1, p_record, p_attempts) ON CONFLICT DO NOTHING;
      ELSIF p_version IS NOT NULL THEN
        -- A record that stays as it is stays where it is stored.
        UPDATE mfa.rows AS r SET version = r.version + 1, attempts = p_attempts,
            record = CASE WHEN r.record = p_record THEN r.record ELSE p_record END
          WHERE r.kind = p_kind::smallint AND r.id = p_id AND r.version = p_version;
      END IF;
      IF p_version IS NOT NULL AND NOT FOUND THEN
        RETURN \(Status.conflict);
      END IF;

      IF p_host IS NOT NULL AND p_failure <> 0 THEN
        INSERT INTO mfa.host_failures AS h (host, period, failures) VALUES (p_host, p_period, 1)
          ON CONFLICT (host, period) DO UPDATE SET failures = h.failures + 1
          WHERE h.failures < p_limit;
        IF NOT FOUND THEN
          RAISE EXCEPTION 'host budget used up' USING ERRCODE = '\(SQLRefusal.budgetUsedUp)';
        END IF;
        -- A host whose clock is a little late still finds its own period.
        DELETE FROM mfa.host_failures WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM mfa.host_failures WHERE period < p_period - 2 ORDER BY period LIMIT 2
          FOR UPDATE SKIP LOCKED));
      END IF;
      IF p_nonce IS NOT NULL THEN
        INSERT INTO mfa.answers (nonce, answer, expires) VALUES (p_nonce, p_answer, p_expires);
        DELETE FROM mfa.answers WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM mfa.answers WHERE expires < extract(epoch FROM now())::bigint
          ORDER BY expires LIMIT 2 FOR UPDATE SKIP LOCKED));
      END IF;
      IF p_configuration_to IS NOT NULL THEN
        UPDATE mfa.realm SET configuration = p_configuration_to;
      END IF;
      IF p_number IS NOT NULL THEN
        INSERT INTO mfa.log (number, line, sealed_end) VALUES (p_number, p_line, p_sealed_end);
        UPDATE mfa.log_end SET number = p_number, sealed_end = p_sealed_end;
      END IF;
      RETURN \(Status.done);
    END $$
    """,
    "DROP FUNCTION IF EXISTS mfa.replace_realm(bigint, bigint, bytea, bigint, bigint, bigint)",
    """
    CREATE OR REPLACE FUNCTION mfa.replace_realm(
      p_old_epoch bigint, p_epoch bigint, p_incarnation bytea, p_fence bigint,
      p_fence_intervals bigint, p_configuration bigint, p_format bigint) RETURNS bigint
    LANGUAGE plpgsql VOLATILE \(safely) AS $$
    BEGIN
      IF pg_is_in_recovery() THEN
        RETURN \(Status.notPrimary);
      END IF;
      IF mfa.lacks_standby() THEN
        RETURN \(Status.noStandby);
      END IF;
      PERFORM pg_advisory_xact_lock(\(realmLock));
      UPDATE mfa.realm SET epoch = p_epoch, incarnation = p_incarnation, fence = p_fence,
          fence_intervals = p_fence_intervals, configuration = p_configuration,
          format = p_format
        WHERE epoch = p_old_epoch;
      IF FOUND THEN
        RETURN \(Status.done);
      END IF;
      PERFORM FROM mfa.realm;
      RETURN CASE WHEN FOUND THEN \(Status.conflict) ELSE \(Status.notPrimary) END;
    END $$
    """,
    """
    CREATE OR REPLACE FUNCTION mfa.log_lines(p_after bigint, p_most bigint)
    RETURNS TABLE (number bigint, line bytea, sealed_end bytea)
    LANGUAGE plpgsql STABLE \(safely) AS $$
    BEGIN
      IF pg_is_in_recovery() THEN
        RAISE EXCEPTION 'this is a standby' USING ERRCODE = '25006';
      END IF;
      RETURN QUERY SELECT l.number, l.line, l.sealed_end FROM mfa.log l WHERE l.number > p_after
        ORDER BY l.number LIMIT greatest(p_most, 0);
    END $$
    """,
    """
    CREATE OR REPLACE FUNCTION mfa.last_line()
    RETURNS TABLE (number bigint, line bytea, sealed_end bytea)
    LANGUAGE plpgsql STABLE \(safely) AS $$
    BEGIN
      IF pg_is_in_recovery() THEN
        RAISE EXCEPTION 'this is a standby' USING ERRCODE = '25006';
      END IF;
      RETURN QUERY SELECT l.number, l.line, l.sealed_end FROM mfa.log l
        ORDER BY l.number DESC LIMIT 1;
    END $$
    """,
    """
    CREATE OR REPLACE FUNCTION mfa.row_keys(p_kind bigint, p_after bytea, p_most bigint)
    RETURNS TABLE (id bytea)
    LANGUAGE plpgsql STABLE \(safely) AS $$
    BEGIN
      IF pg_is_in_recovery() THEN
        RAISE EXCEPTION 'this is a standby' USING ERRCODE = '25006';
      END IF;
      RETURN QUERY SELECT r.id FROM mfa.rows r WHERE r.kind = p_kind::smallint AND r.id > p_after
        ORDER BY r.id LIMIT greatest(p_most, 0);
    END $$
    """,
    // Without pg_read_all_stats, only the existence of a standby is visible, and its state is NULL.
    // reset_val is the default of synchronous_commit for the role; the engine overrides it.
    """
    CREATE OR REPLACE FUNCTION mfa.check_database(
      OUT has_realm bigint, OUT names_standbys bigint, OUT synchronous bigint, OUT unknown bigint,
      OUT commits_synchronously bigint, OUT syncs bigint, OUT writes_full_pages bigint,
      OUT is_powerful bigint)
    LANGUAGE sql STABLE \(safely) AS $$
      SELECT (SELECT count(*) FROM mfa.realm),
        (current_setting('synchronous_standby_names') <> '')::int::bigint,
        (SELECT count(*) FROM pg_stat_replication
          WHERE sync_state IN ('sync', 'quorum') AND state = 'streaming'),
        (SELECT count(*) FROM pg_stat_replication WHERE sync_state IS NULL),
        (SELECT count(*) FROM pg_settings
          WHERE name = 'synchronous_commit' AND reset_val IN ('on', 'remote_apply')),
        (current_setting('fsync') = 'on')::int::bigint,
        (current_setting('full_page_writes') = 'on')::int::bigint,
        (SELECT count(*) FROM pg_class c WHERE c.relnamespace = 'mfa'::regnamespace
          AND c.relkind = 'r'
          AND has_table_privilege(session_user, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE'))
    $$
    """,
    """
    CREATE OR REPLACE FUNCTION mfa.servers()
    RETURNS TABLE (name bytea, state bytea, behind bigint)
    LANGUAGE plpgsql STABLE \(safely) AS $$
    BEGIN
      IF pg_is_in_recovery() THEN
        RAISE EXCEPTION 'this is a standby' USING ERRCODE = '25006';
      END IF;
      RETURN QUERY SELECT convert_to(coalesce(host(inet_server_addr()), 'local') || ':'
          || current_setting('port'), 'UTF8'), ''::bytea, 0::bigint;
      RETURN QUERY SELECT convert_to(r.application_name, 'UTF8'),
          convert_to(coalesce(r.sync_state, 'unknown') || ' ' || coalesce(r.state, ''), 'UTF8'),
          pg_wal_lsn_diff(pg_current_wal_lsn(), r.replay_lsn)::bigint
        FROM pg_stat_replication r ORDER BY r.application_name;
    END $$
    """,
  ]
}
