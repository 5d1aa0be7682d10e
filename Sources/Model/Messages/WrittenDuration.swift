/// A duration as users read it: seconds below two minutes, minutes below two hours, otherwise hours;
/// rounded up.
enum WrittenDuration {
  case seconds(Int64)
  case minutes(Int64)
  case hours(Int64)

  init(seconds: Int64) {
    guard seconds >= 120 else {
      self = .seconds(seconds)
      return
    }
    let unit: Int64 = seconds > 7200 ? 3600 : 60
    let (whole, rest) = seconds.quotientAndRemainder(dividingBy: unit)
    let count = rest == 0 ? whole : whole &+ 1
    self = unit == 60 ? .minutes(count) : .hours(count)
  }

  /// A time limit that is not said to be longer than it is: whole minutes are rounded down, because
  /// other durations are rounded up.
  init(limit seconds: Int64) {
    self.init(seconds: seconds >= 120 ? seconds / 60 &* 60 : seconds)
  }
}
