/// The servers of a database.
package struct EngineServers: Equatable, Sendable {
  /// The server that makes changes.
  package var primary: String
  /// The other servers, each with its state in words.
  package var others: [String]
  /// How far the last of them is behind, in bytes; nil if that is not known.
  package var lag: UInt64?

  /// Creates a value.
  package init(primary: String, others: [String], lag: UInt64?) {
    self.primary = primary
    self.others = others
    self.lag = lag
  }
}
