/// What one user has changed in the present hour. It bounds how fast a user can make the audit log
/// grow.
public struct HourlyCount: Equatable, Sendable {
  /// The hour, in hours since the epoch.
  public let hour: Int64
  /// How many changes there were.
  public let count: UInt16

  /// The largest number of changes in an hour.
  public static var most: UInt16 { 30 }

  /// Creates a count.
  public init(hour: Int64 = 0, count: UInt16 = 0) {
    self.hour = hour
    self.count = count
  }

  /// Returns the count with one more change at `now` (seconds since the epoch), or nil when that would
  /// be more than `most`. A clock that was set back begins no new hour.
  public func adding(at now: Int64) -> HourlyCount? {
    let present = now / 3600
    guard present <= hour else { return HourlyCount(hour: present, count: 1) }
    guard count < Self.most else { return nil }
    return HourlyCount(hour: hour, count: count &+ 1)
  }

  /// Returns how many seconds of the hour are left at `now` (seconds since the epoch).
  public func secondsLeft(at now: Int64) -> Int64 {
    let (next, overflow) = hour.addingReportingOverflow(1)
    guard !overflow, next >= now / 3600 else { return 0 }
    return max((next &- now / 3600) &* 3600 &- now % 3600, 1)
  }
}
