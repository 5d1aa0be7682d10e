/// The servers of a database.
public struct EngineServers: Equatable, Sendable {
  /// The server that makes changes.
  public var primary: String
  /// The other servers, each with its state in words.
  public var others: [String]
  /// How far the last of them is behind, in bytes; nil if that is not known.
  public var lag: UInt64?

  /// Creates a value.
  public init(primary: String, others: [String], lag: UInt64?) {
    self.primary = primary
    self.others = others
    self.lag = lag
  }
}
