import MFACPOSIX

/// The controlling terminal of a process, as the kernel reports it. The open files of a process,
/// and the way it was started, do not prove which terminal it has.
package enum ControllingTerminal {
  /// The name of this process's terminal, such as `pts/3`, or nil if it has none or the lookup
  /// failed.
  package static var name: [UInt8]? {
    guard let process = RunningProcess(getpid()) else { return nil }
    return name(of: process.terminalNumber)
  }

  /// Returns the name of the terminal with this device number, such as `pts/3`, `tty1` or `ttyS0`,
  /// or nil for any other device (admin-guide/devices.txt in the kernel's documentation).
  package static func name(of number: UInt32) -> [UInt8]? {
    // proc_pid_stat(5): the minor number is in bits 31 to 20 and 7 to 0.
    let major = number >> 8 & 0xFFF
    let minor = (number >> 12 & 0xF_FF00) | (number & 0xFF)
    return switch (major, minor) {
    case (136, _): named("pts/", minor)
    case (4, 0..<64): named("tty", minor)
    case (4, 64..<256): named("ttyS", minor &- 64)
    case (_, _): nil
    }
  }

  private static func named(_ prefix: StaticString, _ number: UInt32) -> [UInt8] {
    prefix.bytes + bytes(of: decimal(Int64(number)))
  }
}
