/// A property of the database that makes a fleet's store less safe, or unusable.
package enum DatabaseFinding: Equatable, Hashable, Sendable {
  /// The server is a standby.
  case inRecovery
  /// The schema is missing, has another version, or the role has no access to it.
  case schemaVersion(found: Int64?)
  /// The schema has no realm yet.
  case noRealm
  /// `synchronous_standby_names` is empty: a commit is acknowledged that is on one machine only.
  case noStandbyRequired
  /// A synchronous standby is required, and none is connected: commits wait for one.
  case noStandbyConnected
  /// The owner of the schema may not see the state of standbys (`pg_read_all_stats`).
  case standbysNotVisible
  /// The default of `synchronous_commit` for this role is weaker than `on`. The engine overrides
  /// it.
  case synchronousCommitWeak
  /// `fsync` is off: a crash loses commits.
  case fsyncOff
  /// `full_page_writes` is off: a crash can destroy pages.
  case fullPageWritesOff
  /// The role can change tables of the schema without its functions.
  case tooManyPrivileges
  /// The connection goes through a network, and the server's certificate was not verified.
  case serverNotVerified
}
