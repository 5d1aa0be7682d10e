import MFAStore

extension EtcdEngine {
  /// Returns the leader and the other members, by their names. How far a member is behind matters to no
  /// request, because each request is agreed on by a majority.
  package func servers() throws(EngineError) -> EngineServers? {
    let deadline = EtcdSession.deadline(after: configuration.loadDeadline)
    let status: Leader = try session.call(
      "maintenance/status", EtcdSession.nothing, until: deadline, repeatable: true)
    var servers = EngineServers(primary: "", others: [], lag: nil)
    for member in try EtcdMembers(of: session, until: deadline).members {
      let name = member.name ?? ""
      if member.id == status.leader {
        servers.primary = name
      } else {
        servers.others.append(member.isLearner == true ? "\(name) learner" : name)
      }
    }
    return servers
  }

  private struct Leader: Decodable { @PositiveInteger var leader: UInt64 }

  /// Returns a sentence for each finding of `checkCluster`.
  package func findings() throws(EngineError) -> [String]? { checkCluster().map(\.sentence) }
}
