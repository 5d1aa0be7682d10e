import MFAEtcd
import MFAPostgreSQL

extension DatabaseFinding {
  /// What is wrong, and what to do.
  var sentence: String {
    switch self {
    case .inRecovery: "the server is a standby: name the primary in the key database"
    case .schemaVersion: "the schema is missing or has another version: mfa-verifier setup"
    case .noRealm: "there is no realm: mfa-verifier setup"
    case .noStandbyRequired:
      "synchronous_standby_names is empty: a failover can lose accepted codes and revocations"
    case .noStandbyConnected: "no synchronous standby is connected: commits wait, and sign-ins fail"
    case .standbysNotVisible:
      "the owner of the schema cannot see standbys: GRANT pg_read_all_stats TO OWNER"
    case .synchronousCommitWeak: "synchronous_commit is weaker than on for the verifiers' role"
    case .fsyncOff: "fsync is off: a crash loses accepted codes and revocations"
    case .fullPageWritesOff: "full_page_writes is off: a crash can destroy data"
    case .tooManyPrivileges: "the verifiers' role can change tables: use a role of its own"
    case .serverNotVerified:
      "the connection crosses a network without sslmode=verify-full: anyone there can answer"
    }
  }
}

extension EtcdFinding {
  /// What is wrong, and what to do.
  var sentence: String {
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
