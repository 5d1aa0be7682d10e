import CPOSIX
import Import

extension LocalTime {
  /// The seconds since the epoch when clocks here showed this: none or two of them where clocks were
  /// put forward or back.
  var moments: [Int64] {
    var moments: [Int64] = []
    for summerTime in [0, 1] as [Int32] {
      // SAFETY: plain numbers and a null pointer.
      var time = unsafe tm()
      unsafe time.tm_year = Int32(year - 1900)
      unsafe time.tm_mon = Int32(month - 1)
      unsafe time.tm_mday = Int32(day)
      unsafe time.tm_hour = Int32(hour)
      unsafe time.tm_min = Int32(minute)
      // A leap second has no number of its own.
      unsafe time.tm_sec = Int32(min(second, 59))
      unsafe time.tm_isdst = summerTime
      // SAFETY: the call reads and writes `time`, which outlives it.
      let moment = unsafe Int64(mktime(&time))
      // Where there is no such time, the call makes another of it.
      // SAFETY: as above.
      let isSame =
        unsafe time.tm_hour == Int32(hour) && time.tm_min == Int32(minute)
        && time.tm_mday == Int32(day)
      if isSame, !moments.contains(moment) { moments.append(moment) }
    }
    return moments
  }
}
