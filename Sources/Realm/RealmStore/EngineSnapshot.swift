/// What an engine has about a user or another row at one moment.
package struct EngineSnapshot: Equatable, Sendable {
  /// The row.
  package var row: EngineRow
  /// The state of the realm.
  package var realm: RealmState
  /// The time by the engine's clock, in seconds since the epoch; 0 if it has none.
  package var time: Int64
  /// The present incarnation of the database. It differs from the one in `realm` after a failover or a
  /// restore.
  package var incarnation: [UInt8]
  /// The number of failures of the host in the period.
  package var hostFailures: UInt32
  /// The answer that was committed with the nonce; nil if there is none.
  package var answer: [UInt8]?

  /// Creates a snapshot.
  package init(
    row: EngineRow, realm: RealmState, incarnation: [UInt8], time: Int64 = 0,
    hostFailures: UInt32 = 0, answer: [UInt8]? = nil
  ) {
    self.time = time
    self.row = row
    self.realm = realm
    self.incarnation = incarnation
    self.hostFailures = hostFailures
    self.answer = answer
  }
}
