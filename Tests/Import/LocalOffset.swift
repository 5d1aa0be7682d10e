import Foundation
import Import

/// How many seconds the clocks here were ahead of Greenwich when they showed `time`.
func localOffset(of time: LocalTime) -> Int {
  TimeZone.current.secondsFromGMT(
    for: Date(timeIntervalSince1970: Double(time.secondsInGreenwich)))
}
