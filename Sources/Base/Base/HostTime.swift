import MFACPOSIX

/// A time as users read it, in the time zone of the process: normally that of the host.
package struct HostTime: Equatable, Sendable {
  /// The year, the month from 1 to 12, and the day of the month.
  package let year: Int64
  package let month: UInt8
  package let day: Int64
  /// The time of day with the zone, such as `09:05 CET`.
  ///
  /// The zone's abbreviation is left out if it contains anything but letters, digits, `+` and `-`,
  /// because users can choose it in the environment of their own programs.
  package let clock: [UInt8]

  /// Creates the time `seconds` after 1970-01-01 00:00 UTC. Returns nil if the system cannot convert it.
  package init?(_ seconds: Int64) {
    var time = time_t(seconds)
    // SAFETY: a structure of numbers and a null pointer, which the call below fills.
    var parts = unsafe tm()
    // SAFETY: both objects outlive the call.
    guard seconds >= 0, unsafe localtime_r(&time, &parts) != nil else { return nil }
    // SAFETY: this reads numbers.
    let (year, month, day, hour, minute) = unsafe (
      parts.tm_year, parts.tm_mon, parts.tm_mday, parts.tm_hour, parts.tm_min
    )
    self.year = Int64(year) &+ 1900
    self.month = UInt8(truncatingIfNeeded: month &+ 1)
    self.day = Int64(day)
    var clock = Self.twoDigits(Int64(hour)) + [UInt8(ascii: ":")] + Self.twoDigits(Int64(minute))
    // SAFETY: the zone is null or a NUL-terminated string that lives until the zone is set again,
    // which only this function's callers cause.
    if let zone = unsafe parts.tm_zone.flatMap({ unsafe Self.name($0) }) { clock += [0x20] + zone }
    self.clock = clock
  }

  /// The day in the form `2027-01-31`.
  package var date: [UInt8] {
    let separator = UInt8(ascii: "-")
    return bytes(of: decimal(year)) + [separator] + Self.twoDigits(Int64(month)) + [separator]
      + Self.twoDigits(day)
  }

  /// The time in the form `2027-01-31 09:05 CET`, for tables.
  package var text: [UInt8] { date + [0x20] + clock }

  private static func twoDigits(_ number: Int64) -> [UInt8] {
    let digits = bytes(of: decimal(number))
    return number < 10 ? [UInt8(ascii: "0")] + digits : digits
  }

  private static var longestZone: Int { 8 }

  /// Returns the abbreviation of a time zone, or nil if it is not an ordinary one.
  private static func name(_ zone: UnsafePointer<CChar>) -> [UInt8]? {
    var name: [UInt8] = []
    while name.count <= longestZone {
      // SAFETY: no byte beyond the terminating NUL is read.
      let byte = unsafe UInt8(bitPattern: zone[name.count])
      switch byte {
      case 0: return name.isEmpty ? nil : name
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"):
        name.append(byte)
      default: return nil
      }
    }
    return nil
  }
}
