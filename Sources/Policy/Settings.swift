import Factors

/// The settings in force for one sign-in, each in its range and none in contradiction to another.
///
/// `Configuration.project` holds those of the section `[project]`;
/// `Configuration.settings(for:)` those with what the tenants change.
///
/// A class, because each copy of a large value is code in the module.
public final class Settings: Equatable, Sendable {
  /// How many time steps before and after the present one a code may belong to.
  public static var adjacentIntervalsRange: ClosedRange<UInt8> { 0...10 }

  /// How long a code may be remembered, in seconds: up to thirty days.
  public static var rememberRange: ClosedRange<Int64> { 1...2_592_000 }

  /// How long a code may be fresh, in seconds: up to a day.
  public static var freshForRange: ClosedRange<Int64> { 1...86_400 }

  /// The settings where the file says nothing.
  public static var defaults: Settings { SettingValues().settings }

  /// Whether a second factor is asked for.
  public let state: Configuration.State
  /// How many time steps before and after the present one a code may belong to: 0 to 10.
  public let adjacentIntervals: UInt8
  /// The name that authenticator apps show, in UTF-8; nil for the host's name.
  public let issuer: [UInt8]?
  /// Who enrolls, and when. It is `offered` only where `offer` ends.
  public let enrollment: Configuration.Enrollment
  /// How long enrolling may be put off where `enrollment` is `offered`.
  public let offer: Offer
  /// Whether the prompt lists the factors of the person, which also tells a stranger of them.
  public let promptHints: Bool
  /// Whether the sessions of a person end when the newest factor is unenrolled.
  public let endsSessionsOnUnenrolling: Bool
  /// How long a code is remembered in `rememberServices`, in seconds; 0 for not at all.
  public let remember: Int64
  /// The PAM services in which a remembered code is enough.
  public let rememberServices: [[UInt8]]
  /// How old a remembered code may be that is enough here, in seconds, whatever `remember` says; 0 where
  /// `remember` decides.
  public let freshFor: Int64
  /// How failures in a row are answered.
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

  /// How old a code may be, in seconds, that was given before and is enough for a sign-in to `service`;
  /// 0 where a new one is asked for.
  public func oldestCode(in service: [UInt8]) -> Int64 {
    guard freshFor == 0 else { return freshFor }
    return rememberServices.contains(service) ? remember : 0
  }
}
