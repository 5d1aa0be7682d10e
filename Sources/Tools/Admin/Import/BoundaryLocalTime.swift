import MFACPOSIX
import MFAImport

extension LocalTime {
  /// The moments at which local clocks showed this time, in seconds since the epoch. The array is
  /// empty in the hour that is skipped when clocks go forward, and has two elements in the hour
  /// that is repeated when clocks go back.
  var moments: [Int64] {
    var moments: [Int64] = []
    for summerTime in [0, 1] as [Int32] {
      // POSIX time has no leap seconds.
      // SAFETY: numbers and a null pointer. The call reads and writes `time`, which outlives it.
      var time = unsafe tm(
        tm_sec: Int32(min(second, 59)), tm_min: Int32(minute), tm_hour: Int32(hour),
        tm_mday: Int32(day), tm_mon: Int32(month - 1), tm_year: Int32(year - 1900), tm_wday: 0,
        tm_yday: 0, tm_isdst: summerTime, tm_gmtoff: 0, tm_zone: nil)
      // SAFETY: as above.
      let moment = unsafe Int64(mktime(&time))
      // If there is no such time, the call adjusts the fields.
      // SAFETY: as above.
      let isSame =
        unsafe time.tm_hour == Int32(hour) && time.tm_min == Int32(minute)
        && time.tm_mday == Int32(day)
      if isSame, !moments.contains(moment) { moments.append(moment) }
    }
    return moments
  }
}
