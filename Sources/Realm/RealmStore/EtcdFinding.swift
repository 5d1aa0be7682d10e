/// A property of an etcd cluster that makes a fleet's store less safe, or unusable.
package enum EtcdFinding: Equatable, Hashable, Sendable {
  /// An address begins with `http://`: anyone in between can read, change and answer.
  case withoutTLS(endpoint: String)
  /// A member serves clients without a certificate: anyone who reaches it can change the realm.
  case clientsNotVerified(endpoint: String)
  /// A member does not answer.
  case memberUnreachable(endpoint: String, message: String)
  /// Two endpoints belong to different clusters.
  case otherCluster(endpoint: String)
  /// The cluster has fewer than three voting members, so that the loss of one ends the service.
  case fewMembers(Int)
  /// The cluster has members that no endpoint in the configuration belongs to.
  case membersWithoutEndpoint(Int)
  /// No majority of the members is connected: every sign-in with a code is denied.
  case withoutQuorum(message: String)
  /// The alarm NOSPACE is raised: every commit is refused.
  case withoutSpace
  /// The alarm CORRUPT is raised: members have different data.
  case corrupt
  /// Old revisions are not removed, so that the database grows until the alarm NOSPACE.
  case notCompacted(revisions: Int64)
  /// etcd's users and roles are enabled, which the engine does not support.
  case usersEnabled
  /// The prefix has no realm.
  case withoutRealm
}
