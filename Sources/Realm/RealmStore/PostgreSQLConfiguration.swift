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
