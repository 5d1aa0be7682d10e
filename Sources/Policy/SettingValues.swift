import Factors

/// Settings while sections are laid over one another, before what contradicts is brought together.
struct SettingValues {
  private(set) var state = Configuration.State.enabled
  private(set) var adjacentIntervals: UInt8 = 5
  private(set) var issuer: [UInt8]?
  private(set) var enrollment = Configuration.Enrollment.selfService
  /// 0 for no number.
  private(set) var offerSignIns: UInt16 = 0
  private(set) var offerUntil: Int64?
  private(set) var promptHints = false
  private(set) var endsSessionsOnUnenrolling = false
  /// 0 for not at all.
  private(set) var remember: Int64 = 0
  private(set) var rememberServices: [[UInt8]] = []
  /// 0 for not at all.
  private(set) var freshFor: Int64 = 0
  private(set) var throttleAfter: UInt32 = 5
  private(set) var throttleFirstWait: Int64 = 30
  private(set) var throttleLongestWait: Int64 = 900
  private(set) var disableAfter: UInt32 = 100

  /// The defaults.
  init() {}

  /// The defaults and what `overrides` make of them.
  init(_ overrides: Overrides) {
    apply(overrides, .yes)
  }

  /// The settings that these values come to. Of two that contradict one another the stricter holds:
  /// waits are the longer, failures are the fewer, and an offer that nothing ends (to which no
  /// configuration comes that was parsed) is a requirement.
  var settings: Settings {
    Settings(
      state: state, adjacentIntervals: adjacentIntervals, issuer: issuer,
      enrollment: offersWithoutEnd ? .required : enrollment,
      offer: Settings.Offer(signIns: offerSignIns == 0 ? nil : offerSignIns, until: offerUntil),
      promptHints: promptHints, endsSessionsOnUnenrolling: endsSessionsOnUnenrolling,
      remember: remember, rememberServices: rememberServices, freshFor: freshFor,
      throttle: ThrottlePolicy(
        waitsAfter: throttleAfter, firstWait: throttleFirstWait, longestWait: throttleLongestWait,
        disablesAfter: disableAfter))
  }

  /// Whether enrolling is offered and nothing ends the offer.
  var offersWithoutEnd: Bool {
    enrollment == .offered && offerSignIns == 0 && offerUntil == nil
  }

  /// Lays a section over these values: whole where it matches, and only as far as it is stricter
  /// where that is not known.
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
    applyMemory(overrides, isCertain)
    Self.set(&throttleAfter, overrides.throttleAfter, isCertain, when: <)
    Self.set(&throttleFirstWait, overrides.throttleFirstWait, isCertain, when: >)
    Self.set(&throttleLongestWait, overrides.throttleLongestWait, isCertain, when: >)
    Self.set(&disableAfter, overrides.disableAfter, isCertain, when: <)
    // The section [project] alone has these, and it holds for everyone.
    if let issuer = overrides.issuer { self.issuer = issuer }
    if let ends = overrides.endsSessionsOnUnenrolling { endsSessionsOnUnenrolling = ends }
  }

  /// How old a code may be depends on three keys together, so that none of them is stricter by itself:
  /// where one of them is in doubt, no code is remembered.
  private mutating func applyMemory(_ overrides: Overrides, _ isCertain: Bool) {
    guard overrides.concernsMemory else { return }
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
