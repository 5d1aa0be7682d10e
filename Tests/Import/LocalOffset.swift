import Foundation
import MFAImport

/// Returns the number of seconds that local time was ahead of UTC when local clocks showed `time`.
func localOffset(of time: LocalTime) -> Int {
  TimeZone.current.secondsFromGMT(
    for: Date(timeIntervalSince1970: Double(time.secondsSinceEpochAsUTC)))
}
