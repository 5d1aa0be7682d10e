import MFAFactors

/// The settings in force for one sign-in. Each is in its valid range, and none contradicts another.
///
/// `Configuration.project` has the settings of the section `[project]`;
/// `Configuration.settings(for:)` returns them with the changes of tenants.
///
/// This is a class because each copy of a large value adds code to the module.
public final class Settings: Equatable, Sendable {
  /// The valid numbers of time steps before and after the current one that a code may belong to.
  public static var adjacentIntervalsRange: ClosedRange<UInt8> { 0...10 }

  /// The valid durations for remembering a sign-in, in seconds: up to thirty days.
  public static var rememberRange: ClosedRange<Int64> { 1...2_592_000 }

  /// The valid durations for which a code is fresh, in seconds: up to a day.
  public static var freshForRange: ClosedRange<Int64> { 1...86_400 }

  /// The settings for an empty file.
  public static var defaults: Settings { SettingValues().settings }

  /// Whether a second factor is required.
  public let state: Configuration.State
  /// How many time steps before and after the current one a code may belong to: 0 to 10.
  public let adjacentIntervals: UInt8
  /// The name that authenticator apps show, in UTF-8; nil for the host's name.
  public let issuer: [UInt8]?
  /// Whether and when users enrol. The value is `offered` only if `offer` ends.
  public let enrollment: Configuration.Enrollment
  /// How long users may postpone the enrolment if `enrollment` is `offered`.
  public let offer: Offer
  /// Whether the prompt lists the user's factors. An attacker at the prompt sees them, too.
  public let promptHints: Bool
  /// Whether the user's sessions end when the newest factor is removed.
  public let endsSessionsOnUnenrolling: Bool
  /// How long a sign-in is remembered in `rememberServices`, in seconds; 0 if disabled.
  public let remember: Int64
  /// The PAM services in which a remembered sign-in suffices.
  public let rememberServices: [[UInt8]]
  /// The maximum age in seconds of a remembered sign-in that suffices for this sign-in. It
  /// overrides `remember`; 0 if `remember` decides.
  public let freshFor: Int64
  /// The response to consecutive failures.
  public let throttle: ThrottlePolicy

  init(
    state: Configuration.State, adjacentIntervals: UInt8, issuer: [UInt8]?,
    enrollment: Configuration.Enrollment, offer: Offer, promptHints: Bool,
    endsSessionsOnUnenrolling: Bool, remember: Int64, rememberServices: [[UInt8]],
    freshFor: Int64, throttle: ThrottlePolicy
  ) {
    self.state = state
    self.adjacentIntervals = adjacentIntervals
    self.issuer = issuer
    self.enrollment = enrollment
    self.offer = offer
    self.promptHints = promptHints
    self.endsSessionsOnUnenrolling = endsSessionsOnUnenrolling
    self.remember = remember
    self.rememberServices = rememberServices
    self.freshFor = freshFor
    self.throttle = throttle
  }

  /// Compares all settings.
  @inline(never)
  public static func == (left: Settings, right: Settings) -> Bool {
    left.state == right.state && left.adjacentIntervals == right.adjacentIntervals
      && left.issuer == right.issuer && left.enrollment == right.enrollment
      && left.offer == right.offer && left.promptHints == right.promptHints
      && left.endsSessionsOnUnenrolling == right.endsSessionsOnUnenrolling
      && left.remember == right.remember && left.rememberServices == right.rememberServices
      && left.freshFor == right.freshFor && left.throttle == right.throttle
  }

  /// Returns the maximum age in seconds of an earlier code that suffices for a sign-in to
  /// `service`; 0 if a new code is required.
  public func oldestCode(in service: [UInt8]) -> Int64 {
    guard freshFor == 0 else { return freshFor }
    return rememberServices.contains(service) ? remember : 0
  }
}
