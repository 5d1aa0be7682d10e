/// The number of changes that one user made in the current hour. Its limit bounds how fast a user
/// can make the audit log grow.
package struct HourlyCount: Equatable, Sendable {
  /// The hour, in hours since the epoch.
  package let hour: Int64
  /// The number of changes in this hour.
  package let count: UInt16

  /// The maximum number of changes in an hour.
  package static var most: UInt16 { 30 }

  /// Creates a count.
  package init(hour: Int64 = 0, count: UInt16 = 0) {
    self.hour = hour
    self.count = count
  }

  /// Returns the count after one more change at `now` (seconds since the epoch), or nil if that
  /// would exceed `most`. Setting the clock back does not begin a new hour.
  package func adding(at now: Int64) -> HourlyCount? {
    let present = now / 3600
    guard present <= hour else { return HourlyCount(hour: present, count: 1) }
    guard count < Self.most else { return nil }
    return HourlyCount(hour: hour, count: count &+ 1)
  }

  /// Returns the number of seconds left in `hour` at `now` (seconds since the epoch).
  package func secondsLeft(at now: Int64) -> Int64 {
    let (next, overflow) = hour.addingReportingOverflow(1)
    guard !overflow, next >= now / 3600 else { return 0 }
    return max((next &- now / 3600) &* 3600 &- now % 3600, 1)
  }
}
