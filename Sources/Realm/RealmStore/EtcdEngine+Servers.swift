import MFAStore

extension EtcdEngine {
  /// Returns the leader and the other members, by their names. How far a member is behind matters to no
  /// request, because each request is agreed on by a majority.
  package func servers() throws(EngineError) -> EngineServers? {
    let deadline = EtcdSession.deadline(after: configuration.loadDeadline)
    let empty = Array("{}".utf8)
    let status = try session.call("maintenance/status", empty, until: deadline, repeatable: true)
    let list = try session.call("cluster/member/list", empty, until: deadline, repeatable: true)
    guard let leader = status["leader"]?.integer(as: UInt64.self),
      let members = list["members"]?.elements
    else { throw .refused }
    var servers = EngineServers(primary: "", others: [], lag: nil)
    for member in members {
      let name = member["name"]?.text ?? ""
      if member["ID"]?.integer(as: UInt64.self) == leader {
        servers.primary = name
      } else {
        servers.others.append(member["isLearner"] == .boolean(true) ? "\(name) learner" : name)
      }
    }
    return servers
  }

  /// Returns a sentence for each finding of `checkCluster`.
  package func findings() throws(EngineError) -> [String]? { checkCluster().map(\.sentence) }
}
