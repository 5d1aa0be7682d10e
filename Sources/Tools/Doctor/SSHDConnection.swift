/// A connection that `sshd -T -C` evaluates: the user, the client's address and the server's address.
struct SSHDConnection: Hashable {
  /// A name that no user has, unless another one is set.
  var user = "mfa-admin-doctor"

  /// The addresses are from a network reserved for documentation (RFC 5737).
  private var values: [SSHDCriteria.Field: String] = [
    .host: "localhost", .address: "192.0.2.1", .localAddress: "192.0.2.2", .localPort: "22",
    .rdomain: "",
  ]

  /// Creates a connection that no specific `Match` line matches.
  init() {}

  /// Creates a connection of one user.
  init(user: String) { self.user = user }

  /// Returns the same connection of another user.
  func of(_ user: String) -> SSHDConnection {
    var connection = self
    connection.user = user
    return connection
  }

  /// The value that sshd compares with a criterion.
  subscript(field: SSHDCriteria.Field) -> String {
    get { values[field] ?? "" }
    set { values[field] = newValue }
  }

  /// The argument for `sshd -C`, or nil if the values cannot be passed to it.
  var specification: String? {
    var parts = [
      ("user", user), ("host", self[.host]), ("addr", self[.address]),
      ("laddr", self[.localAddress]), ("lport", self[.localPort]),
    ]
    // Without a routing domain, sshd compares none.
    if !self[.rdomain].isEmpty { parts.append(("rdomain", self[.rdomain])) }
    let isAccepted = parts.allSatisfy { part in
      part.1.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: ",") }
    }
    guard isAccepted else { return nil }
    return parts.map { "\($0.0)=\($0.1)" }.joined(separator: ",")
  }
}
