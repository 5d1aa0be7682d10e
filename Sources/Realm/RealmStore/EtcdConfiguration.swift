import MFARealm
import MFAWire

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

/// The incarnation of a cluster's database.
///
/// A cluster that `etcdctl snapshot restore` creates has another ID than before only if another token or
/// other addresses were given. It always has a new Raft log, but the revision of the snapshot. The *lead*
/// is the index of the Raft log minus the revision. Each entry of the log raises the revision by 1 at
/// most, so that the lead of one database never falls. After a restore, the lead is smaller by the index
/// that the log had at the snapshot.
struct EtcdIncarnation: EncodedValue, Equatable, Sendable {
  /// The cluster's ID.
  private(set) var cluster: UInt64
  /// A lead that the database had when the epoch began, or a smaller number.
  private(set) var lead: Int64
  /// A random number.
  private(set) var nonce: UInt64

  init(cluster: UInt64, lead: Int64) {
    self.cluster = cluster
    self.lead = lead
    nonce = UInt64.random(in: 0...UInt64.max)
  }

  /// An incarnation whose fields are read next.
  static var placeholder: EtcdIncarnation { EtcdIncarnation(cluster: 0, lead: 0) }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.number(&cluster)
    try coder.number(&lead)
    try coder.number(&nonce)
  }
}

/// The lead of a database at one moment: not below `least`, and not above `most`.
struct EtcdLead: Equatable, Sendable {
  let least: Int64
  let most: Int64

  /// Computes the lead. `appliedBefore` is the index that was applied before the revision was read;
  /// `committedAfter` is the index that was committed after it was read.
  init(appliedBefore: Int64, committedAfter: Int64, revision: Int64) {
    least = appliedBefore.subtractingReportingOverflow(revision).partialValue
    most = committedAfter.subtractingReportingOverflow(revision).partialValue
  }
}
