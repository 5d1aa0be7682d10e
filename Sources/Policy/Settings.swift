import Factors

/// The settings in force for one sign-in, each in its range and none in contradiction to another.
///
/// `Configuration.project` holds those of the section `[project]`;
/// `Configuration.settings(for:)` those with what the tenants change.
public struct Settings: Equatable, Sendable {
  /// How many time steps before and after the present one a code may belong to.
  public static var adjacentIntervalsRange: ClosedRange<UInt8> { 0...10 }

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
  /// How failures in a row are answered.
  public let throttle: ThrottlePolicy
}
