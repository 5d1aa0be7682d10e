import MFAStore

/// A database in which several verifiers keep one realm: sealed rows with versions, the state of the
/// realm, and the lines of its audit log.
///
/// An engine understands none of the bytes that it keeps. Everything that decides about a sign-in is in
/// `SharedFactorStore`, which is the same for all engines.
///
/// MUST 1: `load` and `commit` are answered by the primary only, and `load` returns nothing older than
/// the last acknowledged commit.
/// MUST 2: a commit takes effect as a whole, or not at all, and only if each row still has the version,
/// and the realm still has the epoch and the incarnation, that the change names.
/// MUST 3: a commit is acknowledged only if it is on as many machines as the database requires. A commit
/// that misses its deadline, is cancelled, or brings a notice of any kind, throws.
/// MUST 4: a function that throws anything but `conflict` and `budgetUsedUp` may have committed.
package protocol StoreEngine {
  /// Returns a row, the state of the realm, and what the realm knows of a host and an earlier answer.
  func load(_ key: EngineKey, _ context: EngineContext) throws(EngineError) -> EngineSnapshot

  /// Makes a change.
  ///
  /// If `entering` is given, a line is appended to the audit log in the same commit. The function gets
  /// the sealed end of the log (empty before the first line), and returns the line and the new end. It is
  /// called again if another line was appended meanwhile. If it returns nil, nothing is changed, and
  /// `commit` throws `.abandoned`.
  func commit(
    _ change: EngineChange, entering: ((_ end: [UInt8]) -> EngineLogLine?)?
  ) throws(EngineError)

  /// Replaces the state of the realm, if it still has this epoch. Returns false if it has another one.
  func replaceRealm(epoch: UInt64, with state: RealmState) throws(EngineError) -> Bool

  /// Returns lines of the audit log in order, those with numbers above `number`, at most `most` lines.
  func logLines(after number: UInt32, most: Int) throws(EngineError) -> [EngineLogLine]

  /// Returns the last line of the audit log, or nil if it has none.
  func lastLine() throws(EngineError) -> EngineLogLine?

  /// Returns keys of rows of one kind in the order of their ids, those with ids after `id`, at most
  /// `most` keys.
  func keys(
    _ kind: EngineKey.Kind, after id: [UInt8], most: Int
  ) throws(EngineError) -> [EngineKey]

  /// Returns the servers of the database, or nil if the engine cannot tell them.
  func servers() throws(EngineError) -> EngineServers?

  /// Returns a sentence for each property of the database that makes the realm less safe, or nil if the
  /// engine cannot tell them.
  func findings() throws(EngineError) -> [String]?
}

extension StoreEngine {
  /// Returns nil.
  package func servers() throws(EngineError) -> EngineServers? { nil }

  /// Returns nil.
  package func findings() throws(EngineError) -> [String]? { nil }
}
