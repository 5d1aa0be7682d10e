import MFAMessages

/// The settings in force for one sign-in. Each is in its valid range, and none contradicts another.
///
/// `Configuration.project` has the settings of the section `[project]`;
/// `Configuration.settings(for:)` returns them with the changes of tenants.
///
/// This is a class because each copy of a large value adds code to the module.
package final class Settings: Equatable, Sendable {
  /// The valid numbers of time steps before and after the current one that a code may belong to.
  package static var adjacentIntervalsRange: ClosedRange<UInt8> { 0...10 }

  /// The settings for an empty file.
  package static var defaults: Settings { Settings(.defaults) }

  /// The value of each key of `[project]`. The properties below return them with their types.
  let values: KeyValues

  /// Creates settings from a value for each key of `[project]`. If two values contradict each
  /// other, the stricter one applies.
  init(_ values: KeyValues) {
    self.values = values.withoutContradictions
  }

  /// Returns whether all settings are equal.
  package static func == (left: Settings, right: Settings) -> Bool { left.values == right.values }

  private func number(_ key: Configuration.Key) -> Int64 { values.number(key) ?? 0 }

  /// Whether a second factor is required.
  package var state: Configuration.State {
    Configuration.State(rawValue: number(.state)) ?? .enabled
  }

  /// How many time steps before and after the current one a code may belong to: 0 to 10.
  package var adjacentIntervals: UInt8 { UInt8(truncatingIfNeeded: number(.adjacentIntervals)) }

  /// The name that authenticator apps show, in UTF-8; nil for the host's name.
  package var issuer: [UInt8]? { values.texts(.issuer).first }

  /// The language of messages to users whose own language is not known.
  package var language: Language {
    UInt8(exactly: number(.language)).flatMap { Language(rawValue: $0) } ?? .english
  }

  /// Whether and when users enrol. The value is `offered` only if `offer` ends.
  package var enrollment: Configuration.Enrollment {
    Configuration.Enrollment(rawValue: number(.enrollment)) ?? .required
  }

  /// How long users may postpone the enrolment if `enrollment` is `offered`.
  package var offer: Offer {
    let signIns = UInt16(truncatingIfNeeded: number(.offerSignIns))
    let until = number(.offerUntil)
    return Offer(signIns: signIns == 0 ? nil : signIns, until: until == 0 ? nil : until)
  }

  /// Whether the prompt lists the user's factors. An attacker at the prompt sees them, too.
  package var promptHints: Bool { number(.promptHints) == OnOrOff.on.rawValue }

  /// Whether the user's sessions end when the newest factor is removed.
  package var endsSessionsOnUnenrolling: Bool {
    number(.endSessionsOnUnenroll) == OnOrOff.on.rawValue
  }

  /// How long a sign-in is remembered in `rememberServices`, in seconds; 0 if disabled.
  package var remember: Int64 { number(.remember) }

  /// The PAM services in which a remembered sign-in suffices.
  package var rememberServices: [[UInt8]] { values.texts(.rememberServices) }

  /// The maximum age in seconds of a remembered sign-in that suffices for this sign-in. It
  /// overrides `remember`; 0 if `remember` decides.
  package var freshFor: Int64 { number(.freshFor) }

  /// The response to consecutive failures.
  package var throttle: ThrottlePolicy {
    ThrottlePolicy(
      waitsAfter: UInt32(truncatingIfNeeded: number(.throttleAfter)),
      firstWait: number(.throttleFirstWait), longestWait: number(.throttleLongestWait),
      locksAfter: UInt32(truncatingIfNeeded: number(.disableAfter)))
  }

  /// Whether a recovery code unlocks the user's locked factors.
  package var recoveryUnlocks: Bool { number(.recoveryUnlocks) == OnOrOff.on.rawValue }

  /// Returns whether a recovery code may unlock the factors of a record with this standing. Recovery
  /// codes that were imported are too short for that.
  package func mayUnlock(_ record: FactorRecord, _ standing: AttemptState.Standing) -> Bool {
    standing == .locked && recoveryUnlocks
      && record.recoveryCodes.contains { $0.kind == .generated }
  }

  /// Returns the maximum age in seconds of an earlier code that suffices for a sign-in to
  /// `service`; 0 if a new code is required.
  package func oldestCode(in service: [UInt8]) -> Int64 {
    guard freshFor == 0 else { return freshFor }
    return rememberServices.contains(service) ? remember : 0
  }
}
