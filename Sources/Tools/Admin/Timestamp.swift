import FoundationEssentials

/// A time, created from seconds since the epoch and written in UTC.
package struct Timestamp: Equatable {
  private let date: Date

  /// The format of times for display. A format style always writes seconds.
  private static let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space)
    .year().month().day().time(includingFractionalSeconds: false)

  /// Creates a timestamp from seconds since the epoch, or nil outside the years 1583 to 9999. ISO
  /// 8601 has no other years without an agreement with the reader, and Foundation writes earlier
  /// days in the Julian calendar.
  package init?(_ seconds: Int64) {
    guard (-12_212_553_600...253_402_300_799).contains(seconds) else { return nil }
    date = Date(timeIntervalSince1970: Double(seconds))
  }

  /// Creates the start time of a time step, or nil if it is out of range.
  package init?(step: Int64, period: UInt16) {
    let (seconds, overflow) = step.multipliedReportingOverflow(by: Int64(period))
    guard !overflow else { return nil }
    self.init(seconds)
  }

  /// The time in ISO 8601: `2026-11-21T10:18:00Z`.
  package var iso8601: String { date.formatted(.iso8601) }

  /// The time for display, with seconds: `2026-11-21 10:18:00 UTC`.
  package var full: String { Self.style.format(date) + " UTC" }

  /// The time for tables, without seconds: `2026-11-21 10:18`.
  package var short: String { String(Self.style.format(date).prefix(16)) }
}
