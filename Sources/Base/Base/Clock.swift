import MFACPOSIX

/// The system clocks. Only boundary code reads them; all other code takes the time as a parameter.
package enum Clock {
  /// Returns the seconds since the epoch (CLOCK_REALTIME).
  package static func now() throws(SystemError) -> Int64 { try seconds(CLOCK_REALTIME) }

  /// Returns the seconds since the machine was started (CLOCK_BOOTTIME). This clock cannot be set.
  package static func sinceBoot() throws(SystemError) -> Int64 { try seconds(CLOCK_BOOTTIME) }

  /// Returns the nanoseconds since the epoch (CLOCK_REALTIME), or 0 if the clock cannot be read.
  package static func nanoseconds() -> Int64 {
    var time = timespec()
    // SAFETY: the call writes `time`, which outlives it.
    guard unsafe clock_gettime(CLOCK_REALTIME, &time) == 0 else { return 0 }
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  private static func seconds(_ clock: clockid_t) throws(SystemError) -> Int64 {
    var time = timespec()
    // SAFETY: the call writes `time`, which outlives it.
    _ = try retrying(.clock) { unsafe clock_gettime(clock, &time) }
    return Int64(time.tv_sec)
  }

  /// Sleeps for `milliseconds`, at most 999.
  package static func pause(milliseconds: Int) {
    var time = timespec(tv_sec: 0, tv_nsec: milliseconds * 1_000_000)
    // SAFETY: `time` outlives the call. A signal only makes the sleep shorter.
    _ = unsafe nanosleep(&time, nil)
  }
}
