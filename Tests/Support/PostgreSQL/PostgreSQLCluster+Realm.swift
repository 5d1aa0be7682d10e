import MFARealmStore
import MFAStore
import MFATestSupport

extension PostgreSQLCluster {
  /// The roles of a realm's database.
  package enum Role: String, Sendable {
    /// Owns the schema.
    case owner = "mfa_owner"
    /// May execute the functions of the schema.
    case verifier = "mfa_verifier"
    /// Has no rights in the schema.
    case stranger = "mfa_stranger"
  }

  /// Creates the roles and the database `mfa`, without the schema.
  package func createDatabase() throws(HarnessFailure) {
    try createRoles()
    try sql("CREATE DATABASE mfa OWNER mfa_owner")
  }

  /// Creates the roles, the database, the schema and the realm.
  package func createRealm() throws(HarnessFailure) {
    try createDatabase()
    let owner = PostgreSQLEngine(configuration(as: .owner))
    do throws(EngineError) {
      try owner.installSchema(verifiers: ["mfa_verifier"])
      _ = try owner.initializeRealm(now: 1_700_000_000)
    } catch {
      throw HarnessFailure(
        "the realm was not created: \(error.name)", evidence: [("message", owner.lastMessage)])
    }
  }

  /// Returns how an engine reaches this server.
  package func configuration(as role: Role = .verifier) -> PostgreSQLConfiguration {
    PostgreSQLConfiguration(connection: connection(as: role.rawValue))
  }
}
