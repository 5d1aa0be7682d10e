import MFAAttempt

/// How long a grant is valid, typed as a whole number followed by s, m, h or d.
package struct GrantDuration: Equatable {
  /// The duration, in seconds.
  package let seconds: Int64

  /// The valid durations, in seconds: one minute to thirty days.
  package static let range =
    Int64(
      UserChange.GrantTerms.durations.lowerBound)...Int64(
      UserChange.GrantTerms.durations.upperBound)

  /// Returns a duration in hours.
  package static func hours(_ hours: Int64) -> GrantDuration {
    GrantDuration(seconds: hours * 3600)
  }

  /// Returns a duration in minutes.
  package static func minutes(_ minutes: Int64) -> GrantDuration {
    GrantDuration(seconds: minutes * 60)
  }

  private init(seconds: Int64) { self.seconds = seconds }

  /// Parses an argument. Returns nil if it is not a duration, or not within `range`.
  package init?(argument: String) {
    guard let unit = argument.utf8.last, let factor = Self.factor(unit),
      let number = Int64(argument.dropLast()), number > 0, argument.first != "+"
    else { return nil }
    let (seconds, overflow) = number.multipliedReportingOverflow(by: factor)
    guard !overflow, Self.range.contains(seconds) else { return nil }
    self.seconds = seconds
  }

  private static func factor(_ unit: UInt8) -> Int64? {
    switch unit {
    case UInt8(ascii: "s"): 1
    case UInt8(ascii: "m"): 60
    case UInt8(ascii: "h"): 3600
    case UInt8(ascii: "d"): 86_400
    case _: nil
    }
  }

  /// The duration in the form of an argument: in hours, or in minutes rounded down.
  package var text: String {
    seconds % 3600 == 0 ? "\(seconds / 3600)h" : "\(seconds / 60)m"
  }
}
