import MFABase
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

  /// The question for a code, with a space at the end; nil for the one in the language of the sign-in.
  package var prompt: [UInt8]? { values.texts(.prompt).first.map { $0 + [UInt8(ascii: " ")] } }

  /// How many codes a user can try in one sign-in: 1 to 5.
  package var tries: UInt8 { UInt8(truncatingIfNeeded: number(.tries)) }

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

  /// The PAM services in which a program password signs the user in.
  package var programPasswords: [[UInt8]] { values.texts(.programPasswords) }

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

// Codes that are sent to phones.
extension Settings {
  /// Returns whether policy allows factors of a type.
  package func allows(_ type: Configuration.FactorType) -> Bool {
    (values.number(.factors) ?? 0) & type.bit != 0
  }

  /// Returns whether policy allows a factor.
  package func allows(_ factor: Factor) -> Bool {
    allows(factor.parameters == nil ? .phone : .totp)
  }

  /// Returns whether users can enrol factors of a type: policy allows them, and for a phone, a code can be
  /// sent to the numbers of some region, or there is a test number.
  package func canEnroll(_ type: Configuration.FactorType) -> Bool {
    guard allows(type) else { return false }
    switch type {
    case .totp: return true
    case .phone: return !phoneTestNumbers.isEmpty || gateway != nil && !regions.isEmpty
    }
  }

  /// Whether users can enrol a factor.
  package var canEnroll: Bool { canEnroll(.totp) || canEnroll(.phone) }

  /// The command with which users enrol. Codes by text message are a restricted method (NIST SP 800-63B-4,
  /// section 3.2.9), so it adds an authenticator app unless policy allows only phones.
  package var enrollmentCommand: [UInt8] {
    let (app, phone): (StaticString, StaticString) = ("mfa-enroll", "mfa-enroll phone")
    return allows(.totp) ? app.bytes : phone.bytes
  }

  /// The program that sends messages, as an absolute path; nil if no message is sent.
  package var gateway: [UInt8]? { values.texts(.gateway).first }

  /// Whether a code can be requested for a phone: there is a gateway, or a test number.
  package var canSendCodes: Bool { gateway != nil || !phoneTestNumbers.isEmpty }

  /// The beginnings of the phone numbers to which codes may be sent, such as +33.
  package var regions: [[UInt8]] { values.texts(.regions) }

  /// Returns whether `regions` contains a phone number, in the form +15105551234.
  package func allowsRegion(of number: Span<UInt8>) -> Bool {
    regions.contains { region in
      region.count < number.count && Self.equals(number, region.span, count: region.count)
    }
  }

  /// The phone numbers to which no code is sent, each with the code that it accepts:
  /// +15105551234=123456.
  package var phoneTestNumbers: [[UInt8]] { values.texts(.phoneTestNumbers) }

  /// Returns the code of a test number, or nil for any other number.
  package func testCode(of number: Span<UInt8>) -> [UInt8]? {
    for entry in phoneTestNumbers {
      let end: Int = entry.span.firstIndex(of: UInt8(ascii: "="))
      guard end == number.count, Self.equals(number, entry.span, count: end) else { continue }
      return entry.span.part(from: end &+ 1, count: entry.count).copied()
    }
    return nil
  }

  /// Returns whether two texts begin with the same `count` bytes, which both have. A number is not
  /// copied: it is wiped after use.
  private static func equals(_ number: Span<UInt8>, _ text: Span<UInt8>, count: Int) -> Bool {
    for index in 0..<count where number[index] != text[index] { return false }
    return true
  }

  /// How long a changed phone number cannot be used, in seconds; 0 if it can be used at once.
  package var phoneWaitingTime: Int64 { values.number(.phoneWaitingTime) ?? 0 }

  /// The limits on the codes that are sent to one user.
  package var userSendLimits: UserSendLimits {
    UserSendLimits(
      interval: values.number(.phoneInterval) ?? 0,
      perTenMinutes: UInt32(truncatingIfNeeded: values.number(.phonePerTenMinutes) ?? 0),
      perDay: UInt32(truncatingIfNeeded: values.number(.phonePerDay) ?? 0))
  }

  /// The limits on the codes that are sent to one phone number, and from this host.
  package var hostSendLimits: HostSendLimits {
    HostSendLimits(
      perNumberHourly: UInt32(truncatingIfNeeded: values.number(.phoneNumberHourly) ?? 0),
      perHostDaily: UInt32(truncatingIfNeeded: values.number(.phoneHostDaily) ?? 0),
      breakerPercent: UInt32(truncatingIfNeeded: values.number(.phoneBreaker) ?? 0))
  }
}

/// The limits on the codes that are sent to one phone number, and by the whole host.
package struct HostSendLimits: Equatable, Sendable {
  /// The valid numbers of codes for one phone number in an hour.
  package static var numberHourlyRange: ClosedRange<UInt32> { 1...20 }
  /// The valid numbers of codes of the host in a day.
  package static var hostDailyRange: ClosedRange<UInt32> { 1...2000 }
  /// The valid percentages of codes that must come back; 0 for no limit.
  package static var breakerRange: ClosedRange<UInt32> { 0...90 }

  /// The maximum number of codes that are sent to one phone number in an hour.
  package let perNumberHourly: UInt32
  /// The maximum number of codes that the host sends in 24 hours.
  package let perHostDaily: UInt32
  /// The percentage of the last codes that users must have typed; 0 for no limit.
  package let breakerPercent: UInt32

  /// The maximum number of codes that confirm one phone number in an hour: half of its limit.
  package var enrolmentsPerNumberHourly: UInt32 { max(perNumberHourly / 2, 1) }

  /// Creates limits. A value out of range is replaced by the nearest valid one.
  package init(
    perNumberHourly: UInt32 = 5, perHostDaily: UInt32 = 200, breakerPercent: UInt32 = 20
  ) {
    self.perNumberHourly = Self.numberHourlyRange.nearest(to: perNumberHourly)
    self.perHostDaily = Self.hostDailyRange.nearest(to: perHostDaily)
    self.breakerPercent = Self.breakerRange.nearest(to: breakerPercent)
  }
}

/// The limits on the codes that are sent to the phones of one user.
package struct UserSendLimits: Equatable, Sendable {
  /// The valid times between two codes, in seconds.
  package static var intervalRange: ClosedRange<Int64> { 10...3600 }
  /// The valid numbers of codes in 10 minutes.
  package static var tenMinutesRange: ClosedRange<UInt32> { 1...10 }
  /// The valid numbers of codes in a day.
  package static var dayRange: ClosedRange<UInt32> { 1...12 }

  /// The minimum time between two codes, in seconds.
  package let interval: Int64
  /// The maximum number of codes in 10 minutes.
  package let perTenMinutes: UInt32
  /// The maximum number of codes in 24 hours.
  package let perDay: UInt32

  /// Creates limits. A value out of range is replaced by the nearest valid one.
  package init(interval: Int64 = 30, perTenMinutes: UInt32 = 3, perDay: UInt32 = 10) {
    self.interval = Self.intervalRange.nearest(to: interval)
    self.perTenMinutes = Self.tenMinutesRange.nearest(to: perTenMinutes)
    self.perDay = Self.dayRange.nearest(to: perDay)
  }

  /// The limits on the codes that the user's own processes can request without a password. They leave
  /// some of the codes for sign-ins.
  package var forOwnProcesses: UserSendLimits {
    UserSendLimits(
      interval: interval, perTenMinutes: max(perTenMinutes &- 1, 1), perDay: perDay / 2)
  }
}

extension ClosedRange {
  /// Returns the value of the range that is nearest to `value`.
  func nearest(to value: Bound) -> Bound { Swift.min(Swift.max(value, lowerBound), upperBound) }
}
