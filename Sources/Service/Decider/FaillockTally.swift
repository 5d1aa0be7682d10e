import MFABase

/// The failures that pam_faillock has recorded for a user, and the settings that lock an account
/// (faillock.conf(5)).
///
/// The file of a user is in /run/faillock. It has a record of 64 bytes for each failure: 52 bytes for the
/// source, 2 that are reserved, 2 for the status, of which bit 0 says that the record is valid, and 8 for the
/// time in seconds since the epoch, in the byte order of the machine.
package struct FaillockTally: Equatable, Sendable {
  /// The settings of pam_faillock.
  package struct Policy: Equatable, Sendable {
    /// The number of failures that locks an account; 0 for none.
    package var deny: Int64 = 3
    /// The seconds in which these failures happen.
    package var failInterval: Int64 = 900
    /// The seconds after which the account is unlocked; 0 if an administrator has to do that.
    package var unlockTime: Int64 = 600
    /// Whether a line of a service file names the module.
    package var isUsed = false

    /// Creates the module's defaults.
    package init() {}

    /// Applies the settings in faillock.conf: `name = value`, one a line.
    package mutating func apply(configuration: [UInt8]) {
      for line in configuration.split(separator: UInt8(ascii: "\n")) {
        let setting = line.prefix { $0 != UInt8(ascii: "#") }
        let parts = setting.split(separator: UInt8(ascii: "="), maxSplits: 1)
        guard parts.count == 2 else { continue }
        apply(name: Self.trimmed(parts[0]), value: Self.trimmed(parts[1]))
      }
    }

    /// Applies the arguments in the lines of a service file that name the module.
    package mutating func apply(serviceFile: [UInt8]) {
      let module: StaticString = "pam_faillock.so"
      for line in serviceFile.split(separator: UInt8(ascii: "\n")) {
        let words = line.prefix { $0 != UInt8(ascii: "#") }
          .split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard
          let place = words.firstIndex(where: { word in
            word.split(separator: UInt8(ascii: "/")).last.map { Array($0) } == module.bytes
          })
        else { continue }
        isUsed = true
        for word in words[(place &+ 1)...] {
          let parts = word.split(separator: UInt8(ascii: "="), maxSplits: 1)
          if parts.count == 2 { apply(name: Array(parts[0]), value: Array(parts[1])) }
        }
      }
    }

    private mutating func apply(name: [UInt8], value: [UInt8]) {
      let never: StaticString = "never"
      let number = value == never.bytes ? 0 : Self.number(value)
      guard let number else { return }
      let (deny, interval, unlock): (StaticString, StaticString, StaticString) = (
        "deny", "fail_interval", "unlock_time"
      )
      if name == deny.bytes { self.deny = number }
      if name == interval.bytes { failInterval = number }
      if name == unlock.bytes { unlockTime = number }
    }

    private static func number(_ text: [UInt8]) -> Int64? {
      guard !text.isEmpty, text.count <= 9 else { return nil }
      var number: Int64 = 0
      for byte in text {
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
        number = number &* 10 &+ Int64(byte &- UInt8(ascii: "0"))
      }
      return number
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> [UInt8] {
      var text = text
      let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
      while let byte = text.first, isBlank(byte) { text = text.dropFirst() }
      while let byte = text.last, isBlank(byte) { text = text.dropLast() }
      return Array(text)
    }
  }

  /// The times of the valid failures, in seconds since the epoch.
  package let times: [Int64]

  /// Reads a file of pam_faillock. A record that is cut off is left out.
  package init(_ bytes: [UInt8]) {
    var times: [Int64] = []
    var start = 0
    while start &+ 64 <= bytes.count {
      let status = UInt16(bytes[start &+ 54]) | UInt16(bytes[start &+ 55]) << 8
      var time: UInt64 = 0
      for index in (0..<8).reversed() { time = time << 8 | UInt64(bytes[start &+ 56 &+ index]) }
      if UInt16(littleEndian: status) & 1 == 1 { times.append(Int64(clamping: time)) }
      start &+= 64
    }
    self.times = times
  }

  /// Returns whether the account is locked at `now`, in seconds since the epoch.
  package func isLocked(_ policy: Policy, at now: Int64) -> Bool {
    guard policy.isUsed, policy.deny > 0, let latest = times.max() else { return false }
    let recent = times.count { latest &- $0 < policy.failInterval }
    guard recent >= Int(policy.deny) else { return false }
    guard policy.unlockTime > 0 else { return true }
    let (age, overflow) = now.subtractingReportingOverflow(latest)
    return overflow || age <= policy.unlockTime
  }
}
