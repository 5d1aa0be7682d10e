import MFATestSupport

extension PostgreSQLCluster {
  /// Writes a dump of the database `mfa`, and returns its path in this server's folder.
  package func dump() throws(HarnessFailure) -> String {
    let path = folder + "/dump.sql"
    try run("pg_dump", "-f", path, "-d", connection(as: "postgres"))
    return path
  }

  /// Replaces the database `mfa` with a dump.
  package func restore(_ dump: String) throws(HarnessFailure) {
    try sql("DROP DATABASE IF EXISTS mfa WITH (FORCE)")
    try sql("CREATE DATABASE mfa OWNER mfa_owner")
    try run(
      "psql", "-qX", "-v", "ON_ERROR_STOP=1", "-f", dump, "-d", connection(as: "postgres"))
  }

  /// Creates the roles of the realm, which a dump does not contain.
  package func createRoles() throws(HarnessFailure) {
    for role in [
      "mfa_owner LOGIN IN ROLE pg_read_all_stats", "mfa_verifier LOGIN", "mfa_stranger LOGIN",
    ] {
      try sql("CREATE ROLE " + role)
    }
  }
}
