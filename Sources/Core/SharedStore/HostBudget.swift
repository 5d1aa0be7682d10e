/// The failures that a host may cause in a period.
public struct HostBudget: Equatable, Sendable {
  /// The host.
  public var host: [UInt8]
  /// The period.
  public var period: Int64
  /// The change is refused if the host has caused this many failures in the period already.
  public var limit: UInt32
  /// Whether the change counts one more.
  public var isFailure: Bool

  /// Creates a budget.
  public init(host: [UInt8], period: Int64, limit: UInt32, isFailure: Bool) {
    self.host = host
    self.period = period
    self.limit = limit
    self.isFailure = isFailure
  }
}
