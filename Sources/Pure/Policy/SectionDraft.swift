import MFABytes
import MFAFactors

/// A section while its lines are being read.
struct SectionDraft {
  /// The type of section.
  let kind: Configuration.Section
  /// The tenant's name; empty for `[project]`.
  let name: [UInt8]
  /// The header line in the last file that has the section.
  var header = Configuration.Origin.none
  /// The line that set each key, in the order of the keys.
  private(set) var origins = [Configuration.Origin](
    repeating: .none, count: Configuration.Key.allCases.count)

  private(set) var selectors = Selectors()
  private(set) var overrides = Overrides()

  init(_ kind: Configuration.Section, name: [UInt8] = []) {
    self.kind = kind
    self.name = name
  }

  /// Returns the line that set `key`.
  func origin(of key: Configuration.Key) -> Configuration.Origin {
    origins[Int(key.rawValue)]
  }

  /// Sets a key to the value in the line at `origin`, overriding earlier files. Returns the reason
  /// if the line is invalid, or nil.
  mutating func set(
    _ name: Span<UInt8>, to value: Span<UInt8>, at origin: Configuration.Origin
  ) -> ConfigurationError.Reason? {
    guard let key = Configuration.Key(named: name), key.belongs(to: kind) else {
      return .unknownKey(Excerpt(name), in: kind)
    }
    let earlier = origins[Int(key.rawValue)]
    guard !earlier.isIn(origin.file) else {
      return .repeatedKey(key, firstLine: Int(earlier.line))
    }
    origins[Int(key.rawValue)] = origin
    if key == .networks { return setNetworks(value) }
    return set(key, to: value) ? nil : .invalidValue(key, Excerpt(value))
  }

  /// Sets a key. Returns false if the key does not accept the value.
  private mutating func set(_ key: Configuration.Key, to value: Span<UInt8>) -> Bool {
    switch key {
    case .users:
      setNames(&selectors.users, value)
    case .groups:
      setNames(&selectors.groups, value)
    case .services:
      setNames(&selectors.services, value, ofServices: true)
    case .networks:
      false
    case .state:
      assign(&overrides.state, from: Configuration.State(named: value))
    case .adjacentIntervals:
      assign(
        &overrides.adjacentIntervals, from: wholeNumber(value, in: Settings.adjacentIntervalsRange))
    case .issuer:
      assign(&overrides.issuer, from: ConfigurationValue.issuer(value))
    case .enrollment:
      assign(&overrides.enrollment, from: Configuration.Enrollment(named: value))
    case .offerSignIns:
      assign(&overrides.offerSignIns, from: wholeNumber(value, in: Settings.Offer.signInsRange))
    case .offerUntil:
      assign(&overrides.offerUntil, from: CalendarDay(value)?.end)
    case .promptHints:
      assign(&overrides.promptHints, from: ConfigurationValue.isOn(value))
    case .endSessionsOnUnenroll:
      assign(&overrides.endsSessionsOnUnenrolling, from: ConfigurationValue.isOn(value))
    case .remember:
      assign(
        &overrides.remember,
        from: ConfigurationValue.secondsOrOff(value, in: Settings.rememberRange))
    case .rememberServices:
      assign(
        &overrides.rememberServices, from: ConfigurationValue.names(value, ofServices: true))
    case .freshFor:
      assign(
        &overrides.freshFor,
        from: ConfigurationValue.secondsOrOff(value, in: Settings.freshForRange))
    case .throttleAfter:
      assign(&overrides.throttleAfter, from: wholeNumber(value, in: ThrottlePolicy.failureRange))
    case .throttleFirstWait:
      assign(
        &overrides.throttleFirstWait,
        from: ConfigurationValue.seconds(value, in: ThrottlePolicy.waitRange))
    case .throttleLongestWait:
      assign(
        &overrides.throttleLongestWait,
        from: ConfigurationValue.seconds(value, in: ThrottlePolicy.waitRange))
    case .disableAfter:
      assign(&overrides.disableAfter, from: wholeNumber(value, in: ThrottlePolicy.failureRange))
    }
  }

  /// Sets the networks. Returns the reason if one of them is invalid or not canonical, or nil.
  private mutating func setNetworks(_ value: Span<UInt8>) -> ConfigurationError.Reason? {
    var networks: [Network] = []
    var start = 0
    while start <= value.count {
      let element = value.listElement(at: &start)
      guard let network = Network(containing: element), !networks.contains(network) else {
        return .invalidValue(.networks, Excerpt(value))
      }
      let text = network.text
      guard element.copied() == text else {
        return .nonCanonicalNetwork(Excerpt(element), meant: Excerpt(text.span))
      }
      networks.append(network)
    }
    selectors.networks = networks
    return nil
  }

  private func setNames(
    _ target: inout [[UInt8]], _ value: Span<UInt8>, ofServices: Bool = false
  ) -> Bool {
    guard let names = ConfigurationValue.names(value, ofServices: ofServices) else { return false }
    target = names
    return true
  }

  private func assign<Value>(_ target: inout Value?, from value: Value?) -> Bool {
    guard let value else { return false }
    target = value
    return true
  }

  private func wholeNumber<Number: FixedWidthInteger>(
    _ text: Span<UInt8>, in range: ClosedRange<Number>
  ) -> Number? {
    let range = Int64(range.lowerBound)...Int64(range.upperBound)
    guard let number = ConfigurationValue.wholeNumber(text, in: range) else { return nil }
    return Number(exactly: number)
  }
}
