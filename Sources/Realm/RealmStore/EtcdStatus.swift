import MFAStore

/// The state of one member.
struct EtcdStatus: Decodable, Equatable, Sendable {
  private let header: EtcdHeader
  /// The index of the Raft log up to which the member has applied entries.
  @PositiveInteger var applied: Int64
  /// The index of the Raft log up to which the member knows entries as committed.
  @PositiveInteger var committed: Int64

  /// The ID of the member's cluster.
  var cluster: UInt64 { header.cluster }
  /// The number of changes of the database.
  var revision: Int64 { header.revision }

  private enum CodingKeys: String, CodingKey {
    case header
    case applied = "raftAppliedIndex"
    case committed = "raftIndex"
  }

  /// Asks the member of the session's connection, or another one.
  init(of session: EtcdSession, until deadline: EtcdSession.Deadline) throws(EngineError) {
    self = try session.call(
      "maintenance/status", EtcdSession.nothing, until: deadline, repeatable: true)
  }
}

/// The members of a cluster.
struct EtcdMembers: Decodable {
  let members: [Member]

  /// A member, without the properties that are empty.
  struct Member: Decodable {
    @PositiveInteger var id: UInt64
    let name: String?
    let isLearner: Bool?

    private enum CodingKeys: String, CodingKey {
      case id = "ID"
      case name, isLearner
    }
  }

  /// Asks the member of the session's connection, or another one.
  init(of session: EtcdSession, until deadline: EtcdSession.Deadline) throws(EngineError) {
    self = try session.call(
      "cluster/member/list", EtcdSession.nothing, until: deadline, repeatable: true)
  }
}
