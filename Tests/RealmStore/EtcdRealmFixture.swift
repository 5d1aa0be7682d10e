import MFARealmStore
import MFAEtcdTestSupport
import MFATestSupport

/// A realm in a cluster, with a prefix that no other test uses.
struct EtcdRealmFixture: @unchecked Sendable {
  let cluster: EtcdCluster
  let configuration: EtcdConfiguration

  /// The cluster of all tests that do not disturb it. Each of them has a prefix of its own.
  private static let shared = Result { () throws(HarnessFailure) in
    Shared(cluster: try EtcdCluster())
  }

  private struct Shared: @unchecked Sendable { let cluster: EtcdCluster }

  /// Creates a realm in the shared cluster.
  init() throws { try self.init(Self.shared.get().cluster) }

  /// Creates a realm in a cluster.
  init(_ cluster: EtcdCluster) throws {
    self.cluster = cluster
    configuration = cluster.configuration(
      prefix: "/tests/\(UInt64.random(in: 0...UInt64.max))/")
    do throws(EngineFailure) {
      _ = try EtcdEngine(configuration).initializeRealm(now: 1_700_000_000)
    } catch {
      throw HarnessFailure("no realm: \(error.error.name) \(error.message)")
    }
  }

  /// Returns an engine with a connection of its own.
  func engine() -> EtcdEngine { EtcdEngine(configuration) }
}
