import MFABase

/// The incarnation of a cluster's database.
///
/// A cluster that `etcdctl snapshot restore` creates has another ID than before only if another token or
/// other addresses were given. It always has a new Raft log, but the revision of the snapshot. The *lead*
/// is the index of the Raft log minus the revision. Each entry of the log raises the revision by 1 at
/// most, so that the lead of one database never falls. After a restore, the lead is smaller by the index
/// that the log had at the snapshot.
struct EtcdIncarnation: Equatable, Sendable {
  /// The cluster's ID.
  let cluster: UInt64
  /// A lead that the database had when the epoch began, or a smaller number.
  let lead: Int64
  /// A random number.
  let nonce: UInt64

  init(cluster: UInt64, lead: Int64) {
    self.cluster = cluster
    self.lead = lead
    nonce = UInt64.random(in: 0...UInt64.max)
  }

  /// Reads stored bytes. Returns nil if they are malformed.
  init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes.span)
    guard let cluster = reader.read(UInt64.self), let lead = reader.read(Int64.self),
      let nonce = reader.read(UInt64.self), reader.isAtEnd
    else { return nil }
    self.cluster = cluster
    self.lead = lead
    self.nonce = nonce
  }

  /// The stored bytes.
  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.write(cluster)
    writer.write(lead)
    writer.write(nonce)
    return writer.bytes
  }
}

/// The lead of a database at one moment: not below `least`, and not above `most`.
struct EtcdLead: Equatable, Sendable {
  let least: Int64
  let most: Int64

  /// Computes the lead from the index that was applied before a revision was read, and the one that was
  /// committed after it.
  init(appliedBefore: Int64, committedAfter: Int64, revision: Int64) {
    least = appliedBefore.subtractingReportingOverflow(revision).partialValue
    most = committedAfter.subtractingReportingOverflow(revision).partialValue
  }
}
