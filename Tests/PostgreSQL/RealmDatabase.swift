import Foundation
import MFAPostgreSQL
import MFAPostgreSQLTestSupport
import MFASharedStore
import MFAStoreFiles
import MFATestSupport

/// A server with a realm, and shorthands for changes.
struct RealmDatabase {
  let cluster: PostgreSQLCluster

  init(settings: [String] = []) throws {
    cluster = try PostgreSQLCluster(settings: settings)
    try cluster.createRealm()
  }

  /// Returns an engine with a connection of its own.
  func engine() -> PostgreSQLEngine { PostgreSQLEngine(cluster.configuration()) }

  /// A configuration whose calls may take two seconds.
  var hastyConfiguration: PostgreSQLConfiguration {
    var configuration = cluster.configuration()
    configuration.loadDeadline = .seconds(2)
    configuration.commitDeadline = .seconds(2)
    return configuration
  }

  /// Returns an engine whose calls may take two seconds.
  func hastyEngine() -> PostgreSQLEngine { PostgreSQLEngine(hastyConfiguration) }

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
    let ready = DispatchSemaphore(value: 0)
    let start = DispatchSemaphore(value: 0)
    let end = DispatchGroup()
    for index in 0..<count {
      end.enter()
      Thread {
        ready.signal()
        start.wait()
        results.append(body(index))
        end.leave()
      }.start()
    }
    for _ in 0..<count { ready.wait() }
    for _ in 0..<count { start.signal() }
    end.wait()
    return results.all
  }

  private final class Results<Result: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var results: [Result] = []

    var all: [Result] { lock.withLock { results } }

    func append(_ result: Result) { lock.withLock { results.append(result) } }
  }
}
