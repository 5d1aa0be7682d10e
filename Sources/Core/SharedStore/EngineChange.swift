/// A change that takes effect as a whole.
public struct EngineChange: Sendable {
  /// The epoch that the realm must have.
  public var epoch: UInt64
  /// The row that is replaced, if it still has this version; nil to change no row.
  public var row: (key: EngineKey, version: UInt64)?
  /// The new parts of the row. The row stays, with a higher version, even if both are empty.
  public var record: [UInt8]
  /// See `record`.
  public var attempts: [UInt8]
  /// The new fingerprint of the configuration, with the one that it replaces; nil to leave it.
  public var configuration: (from: UInt64, to: UInt64)?
  /// The failures of a host that the change depends on; nil for none.
  public var budget: HostBudget?
  /// The answer to store, with its nonce; nil for none.
  public var answer: EngineAnswer?

  /// Creates a change that does nothing yet.
  public init(epoch: UInt64) {
    self.epoch = epoch
    record = []
    attempts = []
  }
}
