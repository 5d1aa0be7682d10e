import MFABase

/// A local date and time of day, without a time zone.
package struct LocalTime: Equatable, Sendable {
  private let date: CalendarDay
  /// The year, 1970 to 9999.
  package let year: Int
  /// The month, 1 to 12.
  package let month: Int
  /// The day of the month, from 1.
  package let day: Int
  /// The hour, 0 to 23.
  package let hour: Int
  /// The minute, 0 to 59.
  package let minute: Int
  /// The second, 0 to 60.
  package let second: Int

  /// Parses the format `2006-12-31T23:59:59L`, which liboath writes. Returns nil for anything else.
  init?(_ text: Span<UInt8>, in range: Range<Int>) {
    let start = range.lowerBound
    guard range.count == 20 else { return nil }
    for (offset, mark) in [(10, "T"), (13, ":"), (16, ":"), (19, "L")] {
      guard Text.matches(text, in: start + offset..<start + offset + 1, mark) else { return nil }
    }
    func number(_ offset: Int, _ length: Int) -> Int? {
      Text.number(text, in: start + offset..<start + offset + length).map { Int($0) }
    }
    guard let date = CalendarDay(text.extracting(start..<start + 10)),
      let year = number(0, 4), let month = number(5, 2), let day = number(8, 2),
      let hour = number(11, 2), let minute = number(14, 2), let second = number(17, 2),
      0...23 ~= hour, 0...59 ~= minute, 0...60 ~= second
    else { return nil }
    self.date = date
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// The seconds since the epoch if this is a time in UTC.
  package var secondsSinceEpochAsUTC: Int64 {
    date.end - 86_400 + Int64((hour * 60 + minute) * 60 + second)
  }
}
