import MFAFactors

/// Settings while sections are applied to them. They may still contradict each other.
struct SettingValues {
  private(set) var state = Configuration.State.enabled
  private(set) var adjacentIntervals: UInt8 = 5
  private(set) var issuer: [UInt8]?
  private(set) var enrollment = Configuration.Enrollment.selfService
  /// 0 for no limit.
  private(set) var offerSignIns: UInt16 = 0
  private(set) var offerUntil: Int64?
  private(set) var promptHints = false
  private(set) var endsSessionsOnUnenrolling = false
  /// 0 if disabled.
  private(set) var remember: Int64 = 0
  private(set) var rememberServices: [[UInt8]] = []
  /// 0 if disabled.
  private(set) var freshFor: Int64 = 0
  private(set) var throttleAfter: UInt32 = 5
  private(set) var throttleFirstWait: Int64 = 30
  private(set) var throttleLongestWait: Int64 = 900
  private(set) var disableAfter: UInt32 = 100

  /// Creates the defaults.
  init() {}

  /// Creates the defaults with `overrides` applied.
  init(_ overrides: Overrides) {
    apply(overrides, .yes)
  }

  /// The resulting settings. If two values contradict each other, the stricter one holds: the
  /// longer wait, the fewer failures. An offer that never ends becomes a requirement, although no
  /// parsed configuration contains one.
  var settings: Settings {
    Settings(
      state: state, adjacentIntervals: adjacentIntervals, issuer: issuer,
      enrollment: offersWithoutEnd ? .required : enrollment,
      offer: Settings.Offer(signIns: offerSignIns == 0 ? nil : offerSignIns, until: offerUntil),
      promptHints: promptHints, endsSessionsOnUnenrolling: endsSessionsOnUnenrolling,
      remember: remember, rememberServices: rememberServices, freshFor: freshFor,
      throttle: ThrottlePolicy(
        waitsAfter: throttleAfter, firstWait: throttleFirstWait, longestWait: throttleLongestWait,
        locksAfter: disableAfter))
  }

  /// Whether enrolment is offered and the offer never ends.
  var offersWithoutEnd: Bool {
    enrollment == .offered && offerSignIns == 0 && offerUntil == nil
  }

  /// Applies a section: all of it if it matches, and only its stricter values if that is unknown.
  mutating func apply(_ overrides: Overrides, _ match: Tenant.Match) {
    let isCertain: Bool
    switch match {
    case .no: return
    case .unknown: isCertain = false
    case .yes: isCertain = true
    }
    Self.set(&state, overrides.state, isCertain) { $0.strictness > $1.strictness }
    Self.set(&adjacentIntervals, overrides.adjacentIntervals, isCertain, when: <)
    Self.set(&enrollment, overrides.enrollment, isCertain) { $0.rawValue > $1.rawValue }
    Self.set(&offerSignIns, overrides.offerSignIns, isCertain) {
      $0 != 0 && ($1 == 0 || $0 < $1)
    }
    if let until = overrides.offerUntil {
      offerUntil = isCertain ? until : min(until, offerUntil ?? until)
    }
    Self.set(&promptHints, overrides.promptHints, isCertain) { !$0 && $1 }
    applyRemembering(overrides, isCertain)
    Self.set(&throttleAfter, overrides.throttleAfter, isCertain, when: <)
    Self.set(&throttleFirstWait, overrides.throttleFirstWait, isCertain, when: >)
    Self.set(&throttleLongestWait, overrides.throttleLongestWait, isCertain, when: >)
    Self.set(&disableAfter, overrides.disableAfter, isCertain, when: <)
    // Only the section [project] can set these, and it applies to all users.
    if let issuer = overrides.issuer { self.issuer = issuer }
    if let ends = overrides.endsSessionsOnUnenrolling { endsSessionsOnUnenrolling = ends }
  }

  /// Applies the settings of remembered sign-ins. The accepted age of a code depends on three keys
  /// together, so none of them is stricter by itself. If one of them is uncertain, no sign-in is
  /// remembered.
  private mutating func applyRemembering(_ overrides: Overrides, _ isCertain: Bool) {
    guard overrides.setsRemembering else { return }
    guard isCertain else {
      remember = 0
      freshFor = 0
      return
    }
    if let remember = overrides.remember { self.remember = remember }
    if let services = overrides.rememberServices { rememberServices = services }
    if let freshFor = overrides.freshFor { self.freshFor = freshFor }
  }

  private static func set<Value>(
    _ present: inout Value, _ value: Value?, _ isCertain: Bool,
    when isStricter: (Value, Value) -> Bool
  ) {
    guard let value, isCertain || isStricter(value, present) else { return }
    present = value
  }
}
