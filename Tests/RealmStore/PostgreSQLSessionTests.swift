@testable import MFARealmStore
import MFAPostgreSQLTestSupport
import MFATestSupport
import Testing

/// The settings of a session.
@Suite("PostgreSQL session", .privateMachine)
struct PostgreSQLSessionTests {
  private func settings(
    _ names: [String], of configuration: PostgreSQLConfiguration
  ) throws -> [String] {
    let deadline = MonotonicDeadline(after: .seconds(10))
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
      parameters("", "1.2.3.4,::1", "")
        == ["hostaddr=1.2.3.4 user=u", "hostaddr=::1 user=u"])
  }
}
