/// A process on this machine, as /proc describes it.
package struct RunningProcess: Equatable, Sendable {
  /// The parent's process ID, or 0 if the parent is not visible to this process.
  package let parent: Int32
  /// The time when the process was started, in clock ticks since the machine was started. Together
  /// with the process ID, it identifies one process until the machine is restarted.
  package let start: UInt64
  /// The device number of the controlling terminal, or 0 if the process has none.
  let terminalNumber: UInt32

  /// Reads the process with this id. Returns nil if it does not exist or cannot be read.
  package init?(_ number: Int32) {
    let path = bytes(of: joined("/proc/", decimal(Int64(number)), "/stat"))
    guard let text = File.contents(at: path, atMost: 1024),
      let process = RunningProcess(text)
    else { return nil }
    self = process
  }

  /// Parses a line of proc_pid_stat(5). Returns nil if it ends before field 22.
  init?(_ line: [UInt8]) {
    // The second field, the program's name, is in parentheses and may contain any character.
    guard let name = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    var parent: UInt64 = 0
    var terminal: UInt64 = 0
    var field = 2
    var value: UInt64 = 0
    var isNegative = false
    let bytes = line.span
    for index in name..<bytes.count {
      let byte = bytes[index]
      if let digit = byte.decimalDigit {
        value = value &* 10 &+ UInt64(digit)
      } else if byte == UInt8(ascii: "-") {
        isNegative = true
      } else if byte == UInt8(ascii: " ") {
        if isNegative { value = 0 &- value }
        if field == 4 { parent = value }
        if field == 7 { terminal = value }
        if field == 22 {
          self.parent = Int32(truncatingIfNeeded: parent)
          terminalNumber = UInt32(truncatingIfNeeded: terminal)
          start = value
          return
        }
        field &+= 1
        value = 0
        isNegative = false
      }
    }
    return nil
  }
}
