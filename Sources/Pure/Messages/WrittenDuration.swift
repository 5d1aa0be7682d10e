/// A duration as users read it: seconds below two minutes, otherwise minutes, rounded up.
enum WrittenDuration {
  case seconds(Int64)
  case minutes(Int64)

  init(seconds: Int64) {
    guard seconds >= 120 else {
      self = .seconds(seconds)
      return
    }
    let (minutes, rest) = seconds.quotientAndRemainder(dividingBy: 60)
    self = .minutes(rest == 0 ? minutes : minutes &+ 1)
  }
}
