import MFACPOSIX

/// A process on this machine, as /proc describes it.
public struct RunningProcess: Equatable, Sendable {
  /// The parent's process ID, or 0 if the parent is not visible to this process.
  public let parent: Int32
  /// The time when it was started, in clock ticks since the machine was started. Together with the
  /// process ID, it identifies one process until the machine is restarted.
  public let start: UInt64
  /// The device number of the controlling terminal, or 0 if it has none.
  let terminalNumber: UInt32

  /// Reads the process with this id. Returns nil if it does not exist or cannot be read.
  public init?(_ number: Int32) {
    var parent: pid_t = 0
    var terminal: UInt32 = 0
    var ticks: UInt64 = 0
    // SAFETY: the call writes the three values, which outlive it.
    guard unsafe cposix_process_start(number, &parent, &terminal, &ticks) == 0 else { return nil }
    self.parent = parent
    terminalNumber = terminal
    start = ticks
  }
}
