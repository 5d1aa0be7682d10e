import CPOSIX

/// The clocks, read at the boundary only: everything else takes the time as a parameter.
public enum Clock {
  /// Seconds since the epoch (CLOCK_REALTIME).
  public static func now() throws(SystemError) -> Int64 { try seconds(CLOCK_REALTIME) }

  /// Seconds since the machine was started, which nobody can set (CLOCK_BOOTTIME).
  public static func sinceBoot() throws(SystemError) -> Int64 { try seconds(CLOCK_BOOTTIME) }

  private static func seconds(_ clock: clockid_t) throws(SystemError) -> Int64 {
    var time = timespec()
    // SAFETY: `time` is written by the call and outlives it.
    _ = try retrying(.clock) { unsafe clock_gettime(clock, &time) }
    return Int64(time.tv_sec)
  }

  /// Does nothing for a while.
  public static func pause(milliseconds: Int) {
    var time = timespec(tv_sec: 0, tv_nsec: milliseconds * 1_000_000)
    // SAFETY: `time` outlives the call; an interrupted pause is simply shorter.
    _ = unsafe nanosleep(&time, nil)
  }
}
