import Foundation
import MFAEtcd
import MFAEtcdTestSupport
import MFASharedStore
import MFAStoreFiles
import MFATestSupport

/// A realm of its own in a cluster, and shorthands for changes.
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

  static func key(_ name: String = "alice") throws -> EngineKey {
    guard let key = EngineKey(.user, Array(name.utf8)) else { throw HarnessFailure("no key") }
    return key
  }

  /// Returns a change of a row in the first epoch.
  static func change(
    _ name: String = "alice", version: UInt64, _ attempts: String = "attempts"
  ) throws -> EngineChange {
    var change = EngineChange(epoch: 1)
    change.row = (try key(name), version)
    change.record = Array("record of \(name)".utf8)
    change.attempts = Array(attempts.utf8)
    return change
  }

  /// Returns the error of a call.
  static func error(_ body: () throws(EngineError) -> Void) -> EngineError? {
    do throws(EngineError) { try body() } catch { return error }
    return nil
  }

  /// Runs a function in threads at the same time, and returns the results.
  static func inThreads<Result: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) -> Result
  ) -> [Result] {
    let results = Results<Result>()
    DispatchQueue.concurrentPerform(iterations: count) { results.append(body($0)) }
    return results.all
  }

  private final class Results<Result: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var results: [Result] = []

    var all: [Result] { lock.withLock { results } }

    func append(_ result: Result) { lock.withLock { results.append(result) } }
  }
}
