import CPOSIX

/// A process of this machine's, as /proc tells of it.
public struct RunningProcess: Equatable, Sendable {
  /// Its parent's number; 0 for none that this process can see.
  public let parent: Int32
  /// When it was started, in clock ticks since the machine was. Together with its number it tells the
  /// process from every other since then.
  public let start: UInt64
  /// The number of the terminal that controls it; 0 for none.
  let terminalNumber: UInt32

  /// The process of this number; nil where there is none, or it cannot be found out.
  public init?(_ number: Int32) {
    var parent: pid_t = 0
    var terminal: UInt32 = 0
    var ticks: UInt64 = 0
    // SAFETY: the three are written by the call and outlive it.
    guard unsafe cposix_process_start(number, &parent, &terminal, &ticks) == 0 else { return nil }
    self.parent = parent
    terminalNumber = terminal
    start = ticks
  }
}
