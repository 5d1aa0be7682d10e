import MFABase
import MFAMessages

extension Configuration {
  /// The keys of all sections, in the order in which they are printed.
  ///
  /// Parsing, combining tenants, printing and the error messages follow from the `declaration` of
  /// each key. packaging/mfa.conf and the sections of mfa.conf(5) about the keys are generated from
  /// it and from the `documentation` (`ConfigurationTemplateTests`). To add a setting, add a case,
  /// its declaration and its documentation, add a property to `Settings`, and run
  /// packaging/key-texts.
  package enum Key: UInt8, CaseIterable, Sendable {
    case users
    case groups
    case services
    case networks
    case user
    case state
    case adjacentIntervals
    case issuer
    case language
    case enrollment
    case offerSignIns
    case offerUntil
    case prompt
    case promptHints
    case tries
    case endSessionsOnUnenroll
    case remember
    case rememberServices
    case freshFor
    case programPasswords
    case throttleAfter
    case throttleFirstWait
    case throttleLongestWait
    case disableAfter
    case recoveryUnlocks
    case factors
    case gateway
    case regions
    case phoneTestNumbers
    case phoneWaitingTime
    case phoneInterval
    case phonePerTenMinutes
    case phonePerDay
    case phoneNumberHourly
    case phoneHostDaily
    case phoneBreaker
  }
}

extension Configuration.Key {
  /// The name of the key, its values and its default, where it is allowed, and which of two values
  /// is stricter.
  @inline(never)
  var declaration: KeyDeclaration {
    switch self {
    case .users:
      KeyDeclaration("users", .names, in: .selections)
    case .groups:
      KeyDeclaration("groups", .names, in: .selections)
    case .services:
      KeyDeclaration("services", .services, in: .selections)
    case .networks:
      KeyDeclaration("networks", .networks, in: .tenants)
    case .user:
      KeyDeclaration("user", .name, in: .daemons)
    case .state:
      // From the strictest to the most lenient: enabled, observe, disabled.
      KeyDeclaration(
        "state", .state, default: Configuration.State.enabled.rawValue, stricter: .zeroThenLarger)
    case .adjacentIntervals:
      KeyDeclaration(
        "adjacent_intervals", .wholeNumber(Self.wide(Settings.adjacentIntervalsRange)), default: 5,
        stricter: .smaller)
    case .issuer:
      KeyDeclaration("issuer", .issuer, in: .project)
    case .language:
      KeyDeclaration(
        "language", .language, default: Int64(Language.english.rawValue), stricter: .neither)
    case .enrollment:
      KeyDeclaration(
        "enrollment", or: "enrolment", .enrollment,
        default: Configuration.Enrollment.selfService.rawValue, stricter: .larger)
    case .offerSignIns:
      // 0 for no limit.
      KeyDeclaration("offer_sign_ins", .wholeNumber(0...1000), stricter: .smallerExceptZero)
    case .offerUntil:
      // 0 if the key is not set.
      KeyDeclaration("offer_until", .day, stricter: .smallerExceptZero)
    case .prompt:
      KeyDeclaration("prompt", .prompt)
    case .promptHints:
      KeyDeclaration(
        "prompt_hints", .onOrOff, default: OnOrOff.off.rawValue, stricter: .larger)
    case .tries:
      // As the module's option `tries=` (`TryTests.sameLimits`).
      KeyDeclaration("tries", .wholeNumber(1...5), default: 3, stricter: .smaller)
    case .endSessionsOnUnenroll:
      KeyDeclaration(
        "end_sessions_on_unenroll", or: "end_sessions_on_unenrol", .onOrOff, in: .project,
        default: OnOrOff.off.rawValue)
    case .remember:
      KeyDeclaration("remember", .durationOrOff(1...2_592_000), stricter: .rememberingNothing)
    case .rememberServices:
      KeyDeclaration("remember_services", .services, stricter: .rememberingNothing)
    case .freshFor:
      KeyDeclaration("fresh_for", .durationOrOff(1...86_400), stricter: .rememberingNothing)
    case .programPasswords:
      KeyDeclaration("program_passwords", .services, stricter: .noService)
    case .throttleAfter:
      KeyDeclaration(
        "throttle_after", .wholeNumber(Self.wide(ThrottlePolicy.failureRange)), default: 5,
        stricter: .smaller)
    case .throttleFirstWait:
      KeyDeclaration(
        "throttle_first_wait", .duration(ThrottlePolicy.waitRange), default: 30, stricter: .larger)
    case .throttleLongestWait:
      KeyDeclaration(
        "throttle_longest_wait", .duration(ThrottlePolicy.waitRange), default: 900,
        stricter: .larger)
    case .disableAfter:
      KeyDeclaration(
        "disable_after", .wholeNumber(Self.wide(ThrottlePolicy.failureRange)), default: 100,
        stricter: .smaller)
    case .recoveryUnlocks:
      KeyDeclaration(
        "recovery_unlocks", .onOrOff, default: OnOrOff.off.rawValue, stricter: .larger)
    case .factors:
      KeyDeclaration(
        "factors", .factors, default: Configuration.FactorType.all, stricter: .inBoth)
    case .gateway:
      KeyDeclaration("gateway", .path, in: .project)
    case .regions:
      KeyDeclaration("regions", .callingCodes, in: .project)
    case .phoneTestNumbers:
      KeyDeclaration("phone_test_numbers", .testNumbers, in: .project)
    case .phoneWaitingTime:
      KeyDeclaration(
        "phone_waiting_time", .durationOrOff(1...2_592_000), default: 86_400, stricter: .larger)
    case .phoneInterval:
      KeyDeclaration(
        "phone_interval", .duration(UserSendLimits.intervalRange), default: 30, stricter: .larger)
    case .phonePerTenMinutes:
      KeyDeclaration(
        "phone_per_ten_minutes", .wholeNumber(Self.wide(UserSendLimits.tenMinutesRange)),
        default: 3, stricter: .smaller)
    case .phonePerDay:
      KeyDeclaration(
        "phone_per_day", .wholeNumber(Self.wide(UserSendLimits.dayRange)), default: 10,
        stricter: .smaller)
    case .phoneNumberHourly:
      KeyDeclaration(
        "phone_number_hourly", .wholeNumber(Self.wide(HostSendLimits.numberHourlyRange)),
        in: .project, default: 5)
    case .phoneHostDaily:
      KeyDeclaration(
        "phone_host_daily", .wholeNumber(Self.wide(HostSendLimits.hostDailyRange)), in: .project,
        default: 200)
    case .phoneBreaker:
      KeyDeclaration(
        "phone_breaker", .wholeNumber(Self.wide(HostSendLimits.breakerRange)), in: .project,
        default: 20)
    }
  }

  private static func wide(_ range: ClosedRange<some FixedWidthInteger>) -> ClosedRange<Int64> {
    Int64(truncatingIfNeeded: range.lowerBound)...Int64(truncatingIfNeeded: range.upperBound)
  }
}

extension Configuration.Key {
  /// Creates the key named `text`, in either spelling. Returns nil for any other text. The search
  /// begins at `first` and covers all keys.
  init?(named text: Span<UInt8>, from first: Configuration.Key) {
    self = first
    for _ in Self.allCases {
      if declaration.isNamed(text) { return }
      self = next
    }
    return nil
  }

  /// The following key; the first one after the last.
  var next: Configuration.Key { Self(rawValue: rawValue &+ 1) ?? .users }

  /// The name of the key in the file.
  package var name: String { utf8Text(declaration.name.bytes) }

  /// The accepted values, phrased to follow "must be".
  package var allowedValues: String { declaration.type.allowedValues }

  /// Whether the key selects sign-ins. Such keys are not allowed in `[project]`.
  package var isSelector: Bool { !belongs(to: .project) }

  /// Returns whether the key is allowed in this type of section.
  package func belongs(to section: Configuration.Section) -> Bool {
    declaration.belongs(to: section)
  }
}
