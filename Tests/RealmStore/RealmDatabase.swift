import MFARealmStore
import MFAPostgreSQLTestSupport
import MFATestSupport

/// A server with a realm.
struct RealmDatabase {
  let cluster: PostgreSQLCluster

  init(settings: [String] = []) throws {
    cluster = try PostgreSQLCluster(settings: settings)
    try cluster.createRealm()
  }

  /// Returns an engine with a connection of its own.
  func engine() -> PostgreSQLEngine { PostgreSQLEngine(cluster.configuration()) }

  /// A configuration whose calls may take two seconds.
  var hastyConfiguration: PostgreSQLConfiguration {
    var configuration = cluster.configuration()
    configuration.loadDeadline = .seconds(2)
    configuration.commitDeadline = .seconds(2)
    return configuration
  }

  /// Returns an engine whose calls may take two seconds.
  func hastyEngine() -> PostgreSQLEngine { PostgreSQLEngine(hastyConfiguration) }
}
