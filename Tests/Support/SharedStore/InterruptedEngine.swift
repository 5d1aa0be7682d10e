import MFARealmStore
import MFAStore

/// An engine that fails at one call, and at each later one: the verifier that uses it is killed, or cannot reach the
/// database any more. The call may have had its effect.
package final class InterruptedEngine<Engine: StoreEngine>: StoreEngine {
  private let engine: Engine
  private let failing: Int
  private let hasEffect: Bool
  /// The number of calls so far.
  package private(set) var calls = 0

  /// Uses another engine, until the call with this number.
  package init(_ engine: Engine, failingAt number: Int, hasEffect: Bool) {
    self.engine = engine
    failing = number
    self.hasEffect = hasEffect
  }

  /// Whether the call that fails was made.
  package var isInterrupted: Bool { calls >= failing }

  private func interrupted<Result>(
    _ body: () throws(EngineError) -> Result
  ) throws(EngineError) -> Result {
    calls += 1
    guard calls >= failing else { return try body() }
    if calls == failing, hasEffect { _ = try body() }
    throw .unreachable
  }

  /// Returns a row and the state of the realm.
  package func load(
    _ key: EngineKey, _ context: EngineContext
  ) throws(EngineError) -> EngineSnapshot {
    try interrupted { () throws(EngineError) in try engine.load(key, context) }
  }

  /// Makes a change.
  package func commit(
    _ change: EngineChange, entering: ((_ end: [UInt8]) -> EngineLogLine?)?
  ) throws(EngineError) {
    try interrupted { () throws(EngineError) in try engine.commit(change, entering: entering) }
  }

  /// Replaces the state of the realm.
  package func replaceRealm(epoch: UInt64, with state: RealmState) throws(EngineError) -> Bool {
    try interrupted { () throws(EngineError) in try engine.replaceRealm(epoch: epoch, with: state) }
  }

  /// Returns lines of the audit log.
  package func logLines(after number: UInt32, most: Int) throws(EngineError) -> [EngineLogLine] {
    try interrupted { () throws(EngineError) in try engine.logLines(after: number, most: most) }
  }

  /// Returns the last line of the audit log.
  package func lastLine() throws(EngineError) -> EngineLogLine? {
    try interrupted { () throws(EngineError) in try engine.lastLine() }
  }

  /// Returns keys of rows.
  package func keys(
    _ kind: EngineKey.Kind, after id: [UInt8], most: Int
  ) throws(EngineError) -> [EngineKey] {
    try interrupted { () throws(EngineError) in try engine.keys(kind, after: id, most: most) }
  }
}
