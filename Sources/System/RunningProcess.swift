import CPOSIX

/// A process of this machine's, as /proc tells of it.
public struct RunningProcess: Equatable, Sendable {
  /// Its parent's number; 0 for none that this process can see.
  public let parent: Int32
  /// When it was started, in clock ticks since the machine was. Together with its number it tells the
  /// process from every other since then.
  public let start: UInt64

  /// The process of this number; nil where there is none, or it cannot be found out.
  public init?(_ number: Int32) {
    var parent: pid_t = 0
    var ticks: UInt64 = 0
    // SAFETY: both are written by the call and outlive it.
    guard unsafe cposix_process_start(number, &parent, &ticks) == 0 else { return nil }
    self.parent = parent
    start = ticks
  }
}
