import ArgumentParser

/// How long a change waits to be confirmed, as it is typed: a whole number with s, m or h behind it.
struct ConfirmationTime: ExpressibleByArgument, Equatable {
  /// In seconds.
  let seconds: Int64

  /// What is taken unless told otherwise: five minutes.
  static let usual = ConfirmationTime(seconds: 300)

  /// The shortest and the longest in seconds.
  static let range: ClosedRange<Int64> = 1...86_400

  private init(seconds: Int64) { self.seconds = seconds }

  /// Nil for what is no time, or beyond `range`.
  init?(argument: String) {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600]
    guard let unit = argument.last, let factor = units[unit], argument.first != "+",
      let number = Int64(argument.dropLast()), number > 0, number <= Self.range.upperBound,
      Self.range.contains(number * factor)
    else { return nil }
    seconds = number * factor
  }

  /// As it may be typed.
  var text: String {
    if seconds % 3600 == 0 { return "\(seconds / 3600)h" }
    return seconds % 60 == 0 ? "\(seconds / 60)m" : "\(seconds)s"
  }
}
