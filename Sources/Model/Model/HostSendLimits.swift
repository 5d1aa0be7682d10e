/// The limits on the codes that are sent to one phone number, and by the whole host.
package struct HostSendLimits: Equatable, Sendable {
  /// The valid numbers of codes for one phone number in an hour.
  package static var numberHourlyRange: ClosedRange<UInt32> { 1...20 }
  /// The valid numbers of codes of the host in a day.
  package static var hostDailyRange: ClosedRange<UInt32> { 1...2000 }
  /// The valid percentages of codes that must come back; 0 for no limit.
  package static var breakerRange: ClosedRange<UInt32> { 0...90 }

  /// The maximum number of codes that are sent to one phone number in an hour.
  package let perNumberHourly: UInt32
  /// The maximum number of codes that the host sends in 24 hours.
  package let perHostDaily: UInt32
  /// The percentage of the last codes that users must have typed; 0 for no limit.
  package let breakerPercent: UInt32

  /// The maximum number of codes that confirm one phone number in an hour: half of its limit.
  package var enrolmentsPerNumberHourly: UInt32 { max(perNumberHourly / 2, 1) }

  /// Creates limits. A value out of range is replaced by the nearest valid one.
  package init(
    perNumberHourly: UInt32 = 5, perHostDaily: UInt32 = 200, breakerPercent: UInt32 = 20
  ) {
    self.perNumberHourly = Self.numberHourlyRange.nearest(to: perNumberHourly)
    self.perHostDaily = Self.hostDailyRange.nearest(to: perHostDaily)
    self.breakerPercent = Self.breakerRange.nearest(to: breakerPercent)
  }
}
