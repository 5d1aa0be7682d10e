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
