/// The limits on the codes that are sent to the phones of one user.
package struct UserSendLimits: Equatable, Sendable {
  /// The valid times between two codes, in seconds.
  package static var intervalRange: ClosedRange<Int64> { 10...3600 }
  /// The valid numbers of codes in 10 minutes.
  package static var tenMinutesRange: ClosedRange<UInt32> { 1...10 }
  /// The valid numbers of codes in a day.
  package static var dayRange: ClosedRange<UInt32> { 1...12 }

  /// The minimum time between two codes, in seconds.
  package let interval: Int64
  /// The maximum number of codes in 10 minutes.
  package let perTenMinutes: UInt32
  /// The maximum number of codes in 24 hours.
  package let perDay: UInt32

  /// Creates limits. A value out of range is replaced by the nearest valid one.
  package init(interval: Int64 = 30, perTenMinutes: UInt32 = 3, perDay: UInt32 = 10) {
    self.interval = Self.intervalRange.nearest(to: interval)
    self.perTenMinutes = Self.tenMinutesRange.nearest(to: perTenMinutes)
    self.perDay = Self.dayRange.nearest(to: perDay)
  }

  /// The limits on the codes that the user's own processes can request without a password. They leave
  /// some of the codes for sign-ins.
  package var forOwnProcesses: UserSendLimits {
    UserSendLimits(
      interval: interval, perTenMinutes: max(perTenMinutes &- 1, 1), perDay: perDay / 2)
  }
}

extension ClosedRange {
  /// Returns the value of the range that is nearest to `value`.
  func nearest(to value: Bound) -> Bound { Swift.min(Swift.max(value, lowerBound), upperBound) }
}
