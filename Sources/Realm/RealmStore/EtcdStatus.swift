import MFAStore

/// The state of one member.
struct EtcdStatus: Equatable, Sendable {
  /// The ID of the member's cluster.
  let cluster: UInt64
  /// The index of the Raft log up to which the member has applied entries.
  let applied: Int64
  /// The index of the Raft log up to which the member knows entries as committed.
  let committed: Int64
  /// The number of changes of the database.
  let revision: Int64

  /// Asks the member of the session's connection, or another one.
  init(of session: EtcdSession, until deadline: EtcdSession.Deadline) throws(EngineError) {
    let answer = try session.call(
      "maintenance/status", Array("{}".utf8), until: deadline, repeatable: true)
    let header = try EtcdHeader(answer)
    guard let applied = answer["raftAppliedIndex"]?.integer(as: Int64.self),
      let committed = answer["raftIndex"]?.integer(as: Int64.self), applied > 0, committed > 0
    else { throw .refused }
    cluster = header.cluster
    revision = header.revision
    self.applied = applied
    self.committed = committed
  }
}
