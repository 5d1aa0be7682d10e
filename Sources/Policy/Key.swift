import Factors

extension Configuration {
  /// The keys of the section `[project]`, in the order in which they are printed.
  public enum Key: UInt8, CaseIterable, Sendable {
    case state
    case adjacentIntervals
    case issuer
    case enrollment
    case throttleAfter
    case throttleFirstWait
    case throttleLongestWait
    case disableAfter

    /// The key in the file.
    public var name: String {
      switch self {
      case .state: "state"
      case .adjacentIntervals: "adjacent_intervals"
      case .issuer: "issuer"
      case .enrollment: "enrollment"
      case .throttleAfter: "throttle_after"
      case .throttleFirstWait: "throttle_first_wait"
      case .throttleLongestWait: "throttle_longest_wait"
      case .disableAfter: "disable_after"
      }
    }

    /// The values it takes, as the end of a sentence that begins with "must be".
    public var allowedValues: String {
      switch self {
      case .state:
        "enabled, disabled or observe"
      case .adjacentIntervals:
        wholeNumber(
          Project.adjacentIntervalsRange.lowerBound, Project.adjacentIntervalsRange.upperBound)
      case .issuer:
        "a name of 1 to \(DisplayName.maximumLength) characters, without colons and invisible "
          + "characters"
      case .enrollment:
        "self-service"
      case .throttleAfter, .disableAfter:
        wholeNumber(
          ThrottlePolicy.failureRange.lowerBound, ThrottlePolicy.failureRange.upperBound)
      case .throttleFirstWait, .throttleLongestWait:
        "a whole number with s, m or h behind it, from 1s to 24h"
      }
    }

    private func wholeNumber(_ first: some BinaryInteger, _ last: some BinaryInteger) -> String {
      "a whole number from \(Int(truncatingIfNeeded: first)) to \(Int(truncatingIfNeeded: last))"
    }
  }
}
