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
