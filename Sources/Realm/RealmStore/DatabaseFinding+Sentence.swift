extension DatabaseFinding {
  /// What is wrong, and what to do.
  package var sentence: String {
    switch self {
    case .inRecovery: "the server is a standby: name the primary in the key database"
    case .schemaVersion(let found) where found ?? 0 > PostgreSQLEngine.schemaVersion:
      "the schema is newer than this mfa-verifier: install the version that the other verifiers have"
    case .schemaVersion: "the schema is missing or older than this mfa-verifier: mfa-verifier setup"
    case .noRealm: "there is no realm: mfa-verifier setup"
    case .noStandbyRequired:
      "synchronous_standby_names is empty: a failover can lose accepted codes and revocations"
    case .noStandbyConnected: "no synchronous standby is connected: commits wait, and sign-ins fail"
    case .standbysNotVisible:
      "the owner of the schema cannot see standbys: GRANT pg_read_all_stats TO OWNER"
    case .synchronousCommitWeak: "synchronous_commit is weaker than on for the verifiers' role"
    case .fsyncOff: "fsync is off: a crash loses accepted codes and revocations"
    case .fullPageWritesOff: "full_page_writes is off: a crash can destroy data"
    case .tooManyPrivileges: "the verifiers' role can change tables: use a role of its own"
    case .serverNotVerified:
      "the connection crosses a network without sslmode=verify-full: anyone there can answer"
    }
  }
}
