/// A change that takes effect as a whole.
package struct EngineChange: Sendable {
  /// The epoch that the realm must have.
  package var epoch: UInt64
  /// The row that is replaced; nil to change no row.
  package var row: EngineRowChange?
  /// Another row that is replaced with `row`. It requires a line in the audit log.
  package var otherRow: EngineRowChange?
  /// The new fingerprint of the configuration, with the one that it replaces; nil to leave it.
  package var configuration: (from: UInt64, to: UInt64)?
  /// The failures of a host that the change depends on; nil for none.
  package var budget: HostBudget?
  /// The answer to store, with its nonce; nil for none.
  package var answer: EngineAnswer?

  /// Whether the change gives way to others at the end of the audit log: if another change appends a line at the same
  /// moment, `commit` throws `.conflict` instead of trying again or waiting long.
  package var givesWay = false

  /// All rows to replace: none, one or two.
  package var rows: [EngineRowChange] { [row, otherRow].compactMap { $0 } }

  /// Creates a change that does nothing yet.
  package init(epoch: UInt64) { self.epoch = epoch }
}

/// A row that is replaced, if it still has this version.
package struct EngineRowChange: Sendable {
  /// The key of the row.
  package let key: EngineKey
  /// The version that the row must have; 0 if it must not exist.
  package var version: UInt64
  /// The new record. The row stays, with the next version, even if both parts are empty.
  package var record: [UInt8]
  /// The new attempt state.
  package var attempts: [UInt8]

  /// Creates a change of one row.
  package init(_ key: EngineKey, version: UInt64, record: [UInt8], attempts: [UInt8] = []) {
    self.key = key
    self.version = version
    self.record = record
    self.attempts = attempts
  }
}
