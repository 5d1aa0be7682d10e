/// A property of the database that makes a realm's store less safe, or unusable.
package struct DatabaseFinding: Equatable, Sendable {
  /// What is wrong, and what to do.
  package let sentence: String

  private init(_ sentence: String) { self.sentence = sentence }

  package static let inRecovery = DatabaseFinding(
    "the server is a standby: name the primary in the key database")

  /// The schema is missing, has another version, or the role has no access to it.
  package static func schemaVersion(found: Int64?) -> DatabaseFinding {
    guard found ?? 0 > PostgreSQLEngine.schemaVersion else {
      return DatabaseFinding(
        "the schema is missing or older than this mfa-verifier: mfa-verifier setup")
    }
    return DatabaseFinding(
      "the schema is newer than this mfa-verifier: install the version that the other verifiers have"
    )
  }

  package static let noRealm = DatabaseFinding("there is no realm: mfa-verifier setup")
  /// A commit is acknowledged that is on one machine only.
  package static let noStandbyRequired = DatabaseFinding(
    "synchronous_standby_names is empty: a failover can lose accepted codes and revocations")
  package static let noStandbyConnected = DatabaseFinding(
    "no synchronous standby is connected: commits wait, and sign-ins fail")
  package static let standbysNotVisible = DatabaseFinding(
    "the owner of the schema cannot see standbys: GRANT pg_read_all_stats TO OWNER")
  /// The default for this role. The engine overrides it.
  package static let synchronousCommitWeak = DatabaseFinding(
    "synchronous_commit is weaker than on for the verifiers' role")
  package static let fsyncOff = DatabaseFinding(
    "fsync is off: a crash loses accepted codes and revocations")
  package static let fullPageWritesOff = DatabaseFinding(
    "full_page_writes is off: a crash can destroy data")
  /// Without the functions of the schema.
  package static let tooManyPrivileges = DatabaseFinding(
    "the verifiers' role can change tables: use a role of its own")
  /// The server's certificate was not verified.
  package static let serverNotVerified = DatabaseFinding(
    "the connection crosses a network without sslmode=verify-full: anyone there can answer")
}

/// A property of an etcd cluster that makes a realm's store less safe, or unusable.
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

extension EtcdFinding {
  /// What is wrong, and what to do.
  package var sentence: String {
    switch self {
    case .withoutTLS(let endpoint):
      "\(endpoint) is not https: anyone in between can answer and change the realm"
    case .clientsNotVerified(let endpoint):
      "\(endpoint) serves clients without a certificate: start etcd with --client-cert-auth"
    case .memberUnreachable(let endpoint, let message):
      "\(endpoint) does not answer (\(message)): start this member, or check its certificate"
    case .otherCluster(let endpoint):
      "\(endpoint) belongs to another cluster than the first endpoint: correct the key endpoints"
    case .fewMembers(let count):
      "the cluster has \(count) voting members: with fewer than 3, sign-ins fail when one is lost"
    case .membersWithoutEndpoint(let count):
      "\(count) members of the cluster are missing in the key endpoints: add their addresses"
    case .withoutQuorum(let message):
      "no majority of the members answers (\(message)): sign-ins with a code are denied"
    case .withoutSpace:
      "the alarm NOSPACE is raised: compact, defragment, then run etcdctl alarm disarm"
    case .corrupt:
      "the alarm CORRUPT is raised: restore a snapshot into a new cluster"
    case .notCompacted(let revisions):
      "more than \(revisions) old revisions are kept: start etcd with --auto-compaction-retention=1h"
    case .usersEnabled:
      "etcd's users are enabled, which the JSON gateway cannot use with certificates: etcdctl auth disable"
    case .withoutRealm: "there is no realm with this prefix: mfa-verifier setup"
    }
  }
}
