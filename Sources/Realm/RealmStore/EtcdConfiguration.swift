/// The connection of an engine to an etcd cluster, and the deadlines of its calls.
package struct EtcdConfiguration: Equatable, Sendable {
  /// The client addresses of the members, such as `https://192.0.2.1:2379`: at least one, no path.
  ///
  /// A numeric address is used at once. libcurl starts a thread to look up a name.
  package var endpoints: [String]

  /// The path of the client's certificate (PEM), or nil.
  package var certificate: String?
  /// The path of the certificate's private key (PEM), or nil.
  package var key: String?
  /// The path of the certificates (PEM) of the authorities that may issue a member's certificate. Nil for
  /// a cluster without TLS.
  package var authority: String?

  /// The beginning of all keys of the realm.
  package var prefix: [UInt8]

  /// The time that a load may take, including a new connection.
  package var loadDeadline: Duration
  /// The time that a commit may take, including a new connection.
  package var commitDeadline: Duration

  /// The seconds that the cluster keeps the answers of a lease, from 2. The engine uses a lease for a
  /// third of this time.
  var leaseSeconds: Int64 = 600

  /// The prefix of a realm whose configuration names none.
  package static let usualPrefix = Array("/mfa/".utf8)
  /// The maximum length of a prefix in bytes.
  package static let longestPrefix = 128

  /// Creates a configuration.
  package init(
    endpoints: [String], certificate: String? = nil, key: String? = nil, authority: String? = nil,
    prefix: [UInt8] = Self.usualPrefix, loadDeadline: Duration = .seconds(2),
    commitDeadline: Duration = .seconds(5)
  ) {
    self.endpoints = endpoints
    self.certificate = certificate
    self.key = key
    self.authority = authority
    self.prefix = prefix
    self.loadDeadline = loadDeadline
    self.commitDeadline = commitDeadline
  }

  /// Whether no connection can be made without TLS.
  package var isEncrypted: Bool { endpoints.allSatisfy { $0.hasPrefix("https://") } }
}
