import MFAStore

extension PostgreSQLEngine {
  /// Creates the schema in the database, or brings its functions up to date. Existing rows stay. The connection has
  /// the role that owns the schema: an ordinary role, a member of `pg_read_all_stats`, with the privilege CREATE on
  /// the database.
  ///
  /// - Parameter verifiers: the roles that may execute the functions from now on. They should own nothing
  ///   and be members of no other role. Roles that are not named keep their rights.
  /// - Throws: the error of the server, for example a missing privilege. Nothing is changed then,
  ///   unless the connection was lost.
  package func installSchema(verifiers: [String]) throws(EngineError) {
    let statements =
      ["BEGIN", "SET LOCAL client_min_messages = warning"]
      + PostgreSQLSchema.installation(verifiers: verifiers) + ["COMMIT"]
    _ = try administer(statements.map { SQLStatement($0) })
  }

  /// Creates the realm, whose first epoch begins in the present incarnation of the database. Its format
  /// is the newest one of this program. The connection has the role that owns the schema.
  ///
  /// - Parameter now: the time in seconds since the epoch of Unix, at which the realm's fence stands.
  /// - Returns: false if there is a realm already.
  /// - Throws: the error of the server.
  package func initializeRealm(now: Int64) throws(EngineError) -> Bool {
    let reply = try administer(
      [
        SQLStatement(
          """
          INSERT INTO mfa.realm (epoch, incarnation, fence, fence_intervals, configuration, format)
          VALUES (1, mfa.present_incarnation(), $1, 0, 0, $2::bigint) ON CONFLICT DO NOTHING
          """, [.number(now), .number(Int64(RealmState.currentFormat))])
      ])
    return reply.results.last?.tag == "INSERT 0 1"
  }

  /// Executes statements of the schema's owner. A notice is an error, as in every commit.
  private func administer(_ statements: [SQLStatement]) throws(EngineError) -> SQLReply {
    lastMessage = ""
    let deadline = EngineDeadline.after(configuration.commitDeadline)
    let session = try PostgreSQLSession(configuration, until: deadline) {
      lastMessage = Self.printable($0)
    }
    let reply = try session.exchange(statements, until: deadline)
    lastMessage = Self.printable(reply.refusal?.message ?? reply.notices.first ?? "")
    if let refusal = reply.refusal { throw refusal.error }
    guard reply.notices.isEmpty else { throw .notice }
    return reply
  }

  /// Returns what makes the database less safe for a realm, or unusable.
  ///
  /// SQL shows the state of one server at one moment, and not what a cluster manager will do later.
  /// Patroni without `synchronous_mode_strict` empties `synchronous_standby_names` when the last
  /// standby is gone, and commits are then on one machine only. The finding appears at that moment,
  /// not before. With `synchronous_mode_strict`, Patroni sets `*`, which looks like any other
  /// missing standby.
  ///
  /// SQL also does not show:
  /// - whether a standby is on another machine,
  /// - whether the cluster manager promotes only synchronous standbys,
  /// - whether disks keep what they have acknowledged,
  /// - whether an old copy of the data folder, such as a snapshot of the volume, replaced the
  ///   present one. The copy has the same system identifier and timeline. An administrator who
  ///   restores one must begin a new epoch.
  package func checkDatabase() throws(EngineError) -> [DatabaseFinding] {
    let found: [SQLRow]
    do throws(EngineError) { found = try rows(of: Prepared.check.with()) } catch .notPrimary {
      return [.inRecovery]
    } catch {
      if refusal?.isOfSchema == true { return [.schemaVersion(found: nil)] }
      if let version = foundVersion { return [.schemaVersion(found: version)] }
      throw error
    }
    guard let row = found.first else { throw .refused }
    return try findings(row)
  }

  /// Returns the primary and its standbys.
  package func servers() throws(EngineError) -> EngineServers? {
    let found = try rows(of: SQLStatement("SELECT name, state, behind FROM mfa.servers()"))
    var servers: EngineServers?
    var lag: UInt64?
    for var row in found {
      let name = try row.text()
      let state = try row.text()
      let behind = try row.optionalNumber()
      guard servers != nil else {
        servers = EngineServers(primary: name, others: [], lag: nil)
        continue
      }
      servers?.others.append("\(name) \(state)")
      guard let behind else { continue }
      lag = max(lag ?? 0, UInt64(clamping: behind))
    }
    servers?.lag = lag
    return servers
  }

  /// Returns a sentence for each finding of `checkDatabase`.
  package func findings() throws(EngineError) -> [String] { try checkDatabase().map(\.sentence) }

  private func findings(_ row: SQLRow) throws(EngineError) -> [DatabaseFinding] {
    var row = row
    var findings: [DatabaseFinding] = []
    if try row.number() == 0 { findings.append(.noRealm) }
    let isRequired = try row.number() != 0
    let synchronous = try row.number()
    let unknown = try row.number()
    if !isRequired {
      findings.append(.noStandbyRequired)
    } else if synchronous == 0 {
      findings.append(unknown > 0 ? .standbysNotVisible : .noStandbyConnected)
    }
    if try row.number() == 0 { findings.append(.synchronousCommitWeak) }
    if try row.number() == 0 { findings.append(.fsyncOff) }
    if try row.number() == 0 { findings.append(.fullPageWritesOff) }
    if try row.number() != 0 { findings.append(.tooManyPrivileges) }
    if isServerVerified == false { findings.append(.serverNotVerified) }
    return findings
  }
}
