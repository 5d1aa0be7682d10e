/// The time that a change waits for confirmation. Its text form is a whole number followed by s, m
/// or h.
package struct ConfirmationTime: Equatable {
  /// The time in seconds.
  package let seconds: Int64

  /// The default of five minutes.
  package static let usual = ConfirmationTime(seconds: 300)

  /// The accepted range in seconds.
  static let range: ClosedRange<Int64> = 1...86_400

  private init(seconds: Int64) { self.seconds = seconds }

  /// Parses an option's argument. Nil if the text is not a time or is outside `range`.
  package init?(argument: String) {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600]
    guard let unit = argument.last, let factor = units[unit], argument.first != "+",
      let number = Int64(argument.dropLast()), number > 0, number <= Self.range.upperBound,
      Self.range.contains(number * factor)
    else { return nil }
    seconds = number * factor
  }

  /// The time in its text form.
  package var text: String {
    if seconds % 3600 == 0 { return "\(seconds / 3600)h" }
    return seconds % 60 == 0 ? "\(seconds / 60)m" : "\(seconds)s"
  }
}
