import MFARealmStore
import MFAStore

/// An engine that does not tell the time, for tests whose time is not the present one.
package struct EngineWithoutClock<Engine: StoreEngine>: StoreEngine {
  private let engine: Engine

  /// Uses another engine.
  package init(_ engine: Engine) { self.engine = engine }

  /// Returns a row and the state of the realm.
  package func load(
    _ key: EngineKey, _ context: EngineContext
  ) throws(EngineError) -> EngineSnapshot {
    var snapshot = try engine.load(key, context)
    snapshot.time = 0
    return snapshot
  }

  /// Makes a change.
  package func commit(
    _ change: EngineChange, entering: ((_ end: [UInt8]) -> EngineLogLine?)?
  ) throws(EngineError) { try engine.commit(change, entering: entering) }

  /// Replaces the state of the realm.
  package func replaceRealm(epoch: UInt64, with state: RealmState) throws(EngineError) -> Bool {
    try engine.replaceRealm(epoch: epoch, with: state)
  }

  /// Returns lines of the audit log.
  package func logLines(after number: UInt32, most: Int) throws(EngineError) -> [EngineLogLine] {
    try engine.logLines(after: number, most: most)
  }

  /// Returns the last line of the audit log.
  package func lastLine() throws(EngineError) -> EngineLogLine? { try engine.lastLine() }

  /// Returns keys of rows.
  package func keys(
    _ kind: EngineKey.Kind, after id: [UInt8], most: Int
  ) throws(EngineError) -> [EngineKey] { try engine.keys(kind, after: id, most: most) }
}
