import MFACPOSIX

/// A time as users read it, in the time zone of the process: normally that of the host.
package struct HostTime: Equatable, Sendable {
  /// The time in the form `2027-01-31 09:05 CET`; empty if the system cannot convert it.
  ///
  /// The zone's abbreviation is left out if it contains anything but letters, digits, `+` and `-`,
  /// because users can choose it in the environment of their own programs.
  package let text: [UInt8]

  /// Creates the time `seconds` after 1970-01-01 00:00 UTC.
  package init(_ seconds: Int64) {
    var time = time_t(seconds)
    // SAFETY: a structure of numbers and a null pointer, which the call below fills.
    var parts = unsafe tm()
    // SAFETY: both objects outlive the call.
    guard seconds >= 0, unsafe localtime_r(&time, &parts) != nil else {
      text = []
      return
    }
    // SAFETY: this reads numbers.
    let numbers = unsafe [
      Int64(parts.tm_year) &+ 1900, Int64(parts.tm_mon) &+ 1, Int64(parts.tm_mday),
      Int64(parts.tm_hour), Int64(parts.tm_min),
    ]
    var text: [UInt8] = []
    for (number, separator) in zip(numbers, ["", "-", "-", " ", ":"] as [StaticString]) {
      text += separator.bytes
      if number < 10 { text.append(UInt8(ascii: "0")) }
      text += bytes(of: decimal(number))
    }
    // SAFETY: the zone is null or a NUL-terminated string that lives until the zone is set again,
    // which only this function's callers cause.
    if let zone = unsafe parts.tm_zone.flatMap({ unsafe Self.name($0) }) { text += [0x20] + zone }
    self.text = text
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
