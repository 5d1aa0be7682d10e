/// What a host may cause in a period: failed attempts, or entries in the audit log.
package struct HostBudget: Equatable, Sendable {
  /// The host.
  package var host: [UInt8]
  /// The period.
  package var period: Int64
  /// The change is refused if the host has caused this many in the period already.
  package var limit: UInt32
  /// Whether the change counts one more.
  package var isFailure: Bool

  // Entries are counted like failures, under names that no host has: `RealmHostName` permits no slash and no colon.

  /// Returns the name under which the entries that a host causes by reports are counted.
  package static func reports(of host: [UInt8]) -> [UInt8] { host + [UInt8(ascii: "/")] }

  /// Returns the name under which the renewals of a host's certificate are counted.
  package static func renewals(of host: [UInt8]) -> [UInt8] { host + [UInt8(ascii: ":")] }

  /// Creates a budget.
  package init(host: [UInt8], period: Int64, limit: UInt32, isFailure: Bool) {
    self.host = host
    self.period = period
    self.limit = limit
    self.isFailure = isFailure
  }
}
