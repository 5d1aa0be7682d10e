/// A time, created from seconds since the epoch and written in UTC.
struct Timestamp: Equatable {
  private let year: Int64
  private let month: Int64
  private let day: Int64
  private let secondOfDay: Int64

  /// Creates a timestamp from seconds since the epoch, or nil outside the years 1 to 9999, which
  /// ISO 8601 writes in four digits.
  init?(_ seconds: Int64) {
    guard (-62_135_596_800...253_402_300_799).contains(seconds) else { return nil }
    let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
    secondOfDay = seconds - days * 86_400
    // Counts years from March, in eras of 400 years with 146,097 days each. The leap day is then
    // the last day of the year, so every month begins at a fixed day of the year.
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Creates the start time of a time step, or nil if it is out of range.
  init?(step: Int64, period: UInt16) {
    let (seconds, overflow) = step.multipliedReportingOverflow(by: Int64(period))
    guard !overflow else { return nil }
    self.init(seconds)
  }

  /// The time in ISO 8601: `2026-11-21T10:18:00Z`.
  var iso8601: String { text(between: "T", seconds: true, end: "Z") }

  /// The time for display, with seconds: `2026-11-21 10:18:00 UTC`.
  var full: String { text(between: " ", seconds: true, end: " UTC") }

  /// The time for tables, without seconds: `2026-11-21 10:18`.
  var short: String { text(between: " ", seconds: false, end: "") }

  private func text(between separator: String, seconds: Bool, end: String) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(24)
    Self.add(year, width: 4, to: &text)
    text.append(UInt8(ascii: "-"))
    Self.add(month, width: 2, to: &text)
    text.append(UInt8(ascii: "-"))
    Self.add(day, width: 2, to: &text)
    text.append(contentsOf: separator.utf8)
    Self.add(secondOfDay / 3_600, width: 2, to: &text)
    text.append(UInt8(ascii: ":"))
    Self.add(secondOfDay / 60 % 60, width: 2, to: &text)
    if seconds {
      text.append(UInt8(ascii: ":"))
      Self.add(secondOfDay % 60, width: 2, to: &text)
    }
    text.append(contentsOf: end.utf8)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends the last `width` (2 or 4) digits of a non-negative number.
  private static func add(_ number: Int64, width: Int, to text: inout [UInt8]) {
    var divisor: Int64 = width == 4 ? 1000 : 10
    while divisor > 0 {
      text.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
  }
}
