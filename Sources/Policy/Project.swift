import Factors

extension Configuration {
  /// The settings of the section `[project]`, each in its range.
  public struct Project: Equatable, Sendable {
    /// How many time steps before and after the present one a code may belong to.
    public static var adjacentIntervalsRange: ClosedRange<UInt8> { 0...10 }

    /// The settings where the file says nothing.
    public static var defaults: Project {
      Project(
        state: .enabled, adjacentIntervals: 5, issuer: nil, enrollment: .selfService,
        throttle: ThrottlePolicy())
    }

    /// Whether a second factor is asked for.
    public let state: State
    /// How many time steps before and after the present one a code may belong to: 0 to 10.
    public let adjacentIntervals: UInt8
    /// The name that authenticator apps show, in UTF-8; nil for the host's name.
    public let issuer: [UInt8]?
    /// Who enrolls, and when.
    public let enrollment: Enrollment
    /// How failures in a row are answered.
    public let throttle: ThrottlePolicy

    /// The value of `key` in its canonical form; nil when it is left to the host.
    func printed(_ key: Key) -> [UInt8]? {
      switch key {
      case .state: Array(state.name.utf8)
      case .adjacentIntervals: Array(String(adjacentIntervals).utf8)
      case .issuer: issuer
      case .enrollment: Array(enrollment.name.utf8)
      case .throttleAfter: Array(String(throttle.waitsAfter).utf8)
      case .throttleFirstWait: ConfigurationValue.printed(seconds: throttle.firstWait)
      case .throttleLongestWait: ConfigurationValue.printed(seconds: throttle.longestWait)
      case .disableAfter: Array(String(throttle.disablesAfter).utf8)
      }
    }
  }
}
