/// A day of the proleptic Gregorian calendar, from 1970-01-01 to 9999-12-31.
///
/// Day numbers have at most seven digits and seconds at most twelve, so no arithmetic here can
/// overflow. It uses wrapping operators, which cannot trap.
package struct CalendarDay: Equatable {
  private static var secondsPerDay: Int64 { 86_400 }

  /// The number of days since 1970-01-01.
  private let number: Int64

  /// Parses a day such as `2027-01-31`. Returns nil if the text is not a valid day.
  package init?(_ text: Span<UInt8>) {
    guard text.count == 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      let year = Self.digits(text.extracting(0..<4)),
      let month = Self.digits(text.extracting(5..<7)),
      let day = Self.digits(text.extracting(8..<10)),
      year >= 1970, (1...12).contains(month),
      (1...Self.days(inMonth: month, of: year)).contains(day)
    else { return nil }
    var number = Self.days(beforeYear: year) &+ day &- 1
    for earlier in 1..<month { number &+= Self.days(inMonth: earlier, of: year) }
    self.number = number
  }

  /// Creates the day that ends at `end`, in seconds since 1970-01-01 00:00 UTC. Returns nil if no
  /// day ends then.
  package init?(end: Int64) {
    let number = end / Self.secondsPerDay &- 1
    guard end % Self.secondsPerDay == 0, (0..<Self.days(beforeYear: 10_000)).contains(number) else {
      return nil
    }
    self.number = number
  }

  /// The first second after the day, in seconds since 1970-01-01 00:00 UTC.
  package var end: Int64 { (number &+ 1) &* Self.secondsPerDay }

  /// The day in the form `2027-01-31`.
  package var text: [UInt8] {
    // A lower bound, because no year is longer than 366 days. The loop corrects it.
    var year = 1970 &+ number / 366
    while Self.days(beforeYear: year &+ 1) <= number { year &+= 1 }
    var day = number &- Self.days(beforeYear: year)
    var month: Int64 = 1
    while month < 12, day >= Self.days(inMonth: month, of: year) {
      day &-= Self.days(inMonth: month, of: year)
      month &+= 1
    }
    let separator = [UInt8(ascii: "-")]
    return Self.text(year / 100) + Self.text(year % 100) + separator + Self.text(month) + separator
      + Self.text(day &+ 1)
  }

  /// Returns the number of days from 1970-01-01 to the first day of `year`.
  private static func days(beforeYear year: Int64) -> Int64 {
    let years = year &- 1
    return years &* 365 &+ years / 4 &- years / 100 &+ years / 400 &- 719_162
  }

  private static func days(inMonth month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Parses up to four decimal digits. Returns nil if there are other characters.
  private static func digits(_ text: Span<UInt8>) -> Int64? {
    var number: Int64 = 0
    for index in text.indices {
      guard let digit = text[index].decimalDigit else { return nil }
      number = number &* 10 &+ Int64(digit)
    }
    return number
  }

  /// Returns a number below 100 as two decimal digits.
  package static func text(_ number: Int64) -> [UInt8] {
    [
      UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / 10),
      UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number % 10),
    ]
  }
}

/// A time in readable form.
package struct UTCTime: Equatable, Sendable {
  /// The time in the form `2027-01-31 09:05 UTC`; empty if it is not from 1970 to 9999.
  package let text: [UInt8]

  /// Creates the time `seconds` after 1970-01-01 00:00 UTC.
  package init(_ seconds: Int64) {
    let secondsPerDay: Int64 = 86_400
    let rest = seconds >= 0 ? seconds % secondsPerDay : 0
    guard seconds >= 0, let day = CalendarDay(end: seconds &- rest &+ secondsPerDay) else {
      text = []
      return
    }
    let time = [CalendarDay.text(rest / 3600), CalendarDay.text(rest % 3600 / 60)]
    let zone: [UInt8] = [0x20, UInt8(ascii: "U"), UInt8(ascii: "T"), UInt8(ascii: "C")]
    text = day.text + [0x20] + time[0] + [UInt8(ascii: ":")] + time[1] + zone
  }

  /// Returns the time `seconds` after 1970-01-01 00:00 UTC in ISO 8601 form,
  /// `2027-01-31T09:05:59Z`; empty if it is not from 1970 to 9999.
  package static func precise(_ seconds: Int64) -> [UInt8] {
    let text = UTCTime(seconds).text
    guard text.count > 16 else { return [] }
    let colon = [UInt8(ascii: ":")]
    let day = text.span.part(from: 0, count: 10).copied()
    let time = text.span.part(from: 11, count: 5).copied()
    return day + [UInt8(ascii: "T")] + time + colon + CalendarDay.text(seconds % 60)
      + [UInt8(ascii: "Z")]
  }
}
