import MFAStore

/// A connection whose settings are known.
///
/// MUST 1: every setting that decides what a commit is worth is set and read back before the first
/// statement (`PostgreSQLSessionTests.settingsOfTheRoleAreOverridden`).
/// MUST 2: the server reports warnings to the client, whatever the role's own settings are
/// (`PostgreSQLSessionTests.settingsOfTheRoleAreOverridden`).
final class PostgreSQLSession {
  /// The connection.
  let connection: ServerConnection
  /// The server's last error.
  private(set) var refusal: SQLRefusal?

  /// Connects to the primary. If that fails, the function gets the message of the server or of
  /// libpq.
  init(
    _ configuration: PostgreSQLConfiguration, until deadline: EngineDeadline,
    onFailure failure: (String) -> Void
  ) throws(EngineError) {
    let whole = [
      // These two may be overridden by the connection string. Kerberos could wait for its servers.
      ConnectionParameter("gssencmode", "disable"),
      ConnectionParameter("fallback_application_name", "mfad"),
      ConnectionParameter("dbname", configuration.connection),
      ConnectionParameter("target_session_attrs", "read-write"),
      ConnectionParameter("client_encoding", "UTF8"),
    ]
    guard let first = ServerConnection(whole, expands: true) else { throw .unreachable }
    let hosts = ConnectionParameter.ofEachHost(first.parameters.filter { $0.keyword != "service" })
    let connections = hosts.count > 1 ? hosts.compactMap { ServerConnection($0) } : [first]
    guard let index = try ServerConnection.first(of: connections, until: deadline) else {
      failure(connections.last?.message ?? "")
      throw connections.contains { $0.isStandby } ? .notPrimary : .unreachable
    }
    connection = connections[index]
    let settings = Self.settings(configuration)
    let reply = try exchange(
      [
        // Until this statement, a schema that comes first in the path could replace operators.
        SQLStatement("SELECT pg_catalog.set_config('search_path', $1, false)", [.text(Self.path)])
      ]
        + settings.map {
          SQLStatement("SELECT set_config($1, $2, false)", [.text($0.name), .text($0.value)])
        }
        + [
          SQLStatement(
            """
            SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit')
              WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false)
            """),
          SQLStatement(
            """
            SELECT current_setting('search_path'),
              current_setting('synchronous_commit') IN ('on', 'remote_apply'),
              current_setting('client_encoding')
            """),
          // The view computes every setting of the server each time.
          SQLStatement(
            """
            SELECT setting FROM pg_settings WHERE name = ANY (string_to_array($1, ','))
              ORDER BY array_position(string_to_array($1, ','), name)
            """,
            [.text(settings.map(\.name).joined(separator: ","))]),
        ],
      until: deadline)
    if let refusal = reply.refusal {
      failure(refusal.message)
      throw refusal.error
    }
    var row = try reply.row(ofStatement: settings.count + 2)
    guard try row.text() == Self.path, try row.bytes() == [1], try row.text() == "UTF8" else {
      failure("the server did not accept the settings of the session")
      throw .refused
    }
    let found = reply.results.last?.rows ?? []
    guard found.count == settings.count else {
      failure("the server does not know all settings of the session")
      throw .refused
    }
    for (var row, setting) in zip(found, settings) {
      guard try row.text() == setting.value else {
        failure("the server did not accept the setting \(setting.name)")
        throw .refused
      }
    }
  }

  private static let path = "pg_catalog, mfa, pg_temp"

  /// The settings whose values do not depend on those of the role. Times are in milliseconds, as in
  /// `pg_settings`.
  ///
  /// The server gives up before the client does, and reports why. Its limits do not apply to the
  /// wait for a standby, which comes after the statement: a commit must not be cancelled then,
  /// because it would become visible.
  private static func settings(
    _ configuration: PostgreSQLConfiguration
  ) -> [(name: String, value: String)] {
    let (seconds, attoseconds) = configuration.commitDeadline.components
    let limit = min(max(seconds, 0), 3600) * 1000 + attoseconds / 1_000_000_000_000_000
    let part = { (percent: Int64) in String(max(limit * percent / 100, 1)) }
    return [
      ("client_min_messages", "notice"), ("default_transaction_isolation", "read committed"),
      ("standard_conforming_strings", "on"), ("lock_timeout", part(80)),
      ("statement_timeout", part(90)), ("idle_in_transaction_session_timeout", part(100)),
    ]
  }

  /// Sends statements together, and returns what the server answered; see `ServerConnection`.
  func exchange(
    _ statements: [SQLStatement], until deadline: EngineDeadline
  ) throws(EngineError) -> SQLReply {
    let reply = try connection.exchange(statements, until: deadline)
    refusal = reply.refusal
    return reply
  }
}

/// The connection of an engine to its database, and the deadlines of its calls.
package struct PostgreSQLConfiguration: Sendable {
  /// A connection string of libpq, such as `host=a,b dbname=mfa user=mfa_verifier` or
  /// `service=mfa`. All hosts are tried at the same time, and the first one that accepts changes is
  /// used.
  ///
  /// The C library resolves host names, and its waiting time is not limited by the deadlines.
  /// Addresses (`hostaddr`), Unix sockets and names in /etc/hosts need no waiting. A password
  /// belongs in a password file (`passfile`), so that it is in no message.
  package var connection: String

  /// The time that a load may take, including a new connection.
  package var loadDeadline: Duration

  /// The time that a commit may take, including a new connection.
  package var commitDeadline: Duration

  /// Creates a configuration.
  package init(
    connection: String, loadDeadline: Duration = .seconds(2), commitDeadline: Duration = .seconds(5)
  ) {
    self.connection = connection
    self.loadDeadline = loadDeadline
    self.commitDeadline = commitDeadline
  }
}
