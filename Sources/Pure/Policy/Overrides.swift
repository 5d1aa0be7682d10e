import MFAFactors
import MFABytes

/// The settings of one section of a configuration; nil for keys that it does not set.
struct Overrides: Equatable, Sendable {
  var state: Configuration.State?
  var adjacentIntervals: UInt8?
  var issuer: [UInt8]?
  var enrollment: Configuration.Enrollment?
  /// 0 for no limit.
  var offerSignIns: UInt16?
  /// In seconds since 1970-01-01 00:00 UTC.
  var offerUntil: Int64?
  var promptHints: Bool?
  var endsSessionsOnUnenrolling: Bool?
  /// In seconds; 0 if disabled.
  var remember: Int64?
  var rememberServices: [[UInt8]]?
  /// In seconds; 0 if disabled.
  var freshFor: Int64?
  var throttleAfter: UInt32?
  /// In seconds.
  var throttleFirstWait: Int64?
  /// In seconds.
  var throttleLongestWait: Int64?
  var disableAfter: UInt32?

  init() {}

  /// Creates overrides that set every key to its value in `settings`.
  init(_ settings: Settings) {
    state = settings.state
    adjacentIntervals = settings.adjacentIntervals
    issuer = settings.issuer
    enrollment = settings.enrollment
    offerSignIns = settings.offer.signIns ?? 0
    offerUntil = settings.offer.until
    promptHints = settings.promptHints
    endsSessionsOnUnenrolling = settings.endsSessionsOnUnenrolling
    remember = settings.remember
    rememberServices = settings.rememberServices
    freshFor = settings.freshFor
    throttleAfter = settings.throttle.waitsAfter
    throttleFirstWait = settings.throttle.firstWait
    throttleLongestWait = settings.throttle.longestWait
    disableAfter = settings.throttle.locksAfter
  }

  /// Returns the value of `key` in canonical form, or nil if it is not set or is a selector.
  func printed(_ key: Configuration.Key) -> [UInt8]? {
    switch key {
    case .users, .groups, .services, .networks: nil
    case .state: state.map { Array($0.name.utf8) }
    case .adjacentIntervals: adjacentIntervals.map { Self.printed($0) }
    case .issuer: issuer
    case .enrollment: enrollment.map { Array($0.name.utf8) }
    case .offerSignIns: offerSignIns.map { Self.printed($0) }
    case .offerUntil: offerUntil.flatMap { CalendarDay(end: $0)?.text }
    case .promptHints: promptHints.map { ConfigurationValue.printed(isOn: $0) }
    case .endSessionsOnUnenroll:
      endsSessionsOnUnenrolling.map { ConfigurationValue.printed(isOn: $0) }
    case .remember: remember.map { ConfigurationValue.printed(secondsOrOff: $0) }
    case .rememberServices: Self.printed(rememberServices)
    case .freshFor: freshFor.map { ConfigurationValue.printed(secondsOrOff: $0) }
    case .throttleAfter: throttleAfter.map { Self.printed($0) }
    case .throttleFirstWait: throttleFirstWait.map { ConfigurationValue.printed(seconds: $0) }
    case .throttleLongestWait: throttleLongestWait.map { ConfigurationValue.printed(seconds: $0) }
    case .disableAfter: disableAfter.map { Self.printed($0) }
    }
  }

  /// Whether the section sets a key for remembered sign-ins.
  var setsRemembering: Bool { remember != nil || rememberServices != nil || freshFor != nil }

  private static func printed(_ services: [[UInt8]]?) -> [UInt8]? {
    guard let services, !services.isEmpty else { return nil }
    return Array(services.joined(separator: ", ".utf8))
  }

  private static func printed(_ number: some FixedWidthInteger) -> [UInt8] {
    Array(String(UInt32(truncatingIfNeeded: number)).utf8)
  }
}
