/// Values of keys: those that a section sets, or those in force.
struct KeyValues: Equatable, Sendable {
  /// The values, in the order of the keys; nil for keys that are not set. Empty before the first
  /// key is set.
  private var values: [ConfigurationValue?] = []

  /// Creates a value in which no key is set.
  init() {}

  /// The values for an empty file.
  static var defaults: KeyValues {
    var values = KeyValues()
    values.values = Configuration.Key.allCases.map { $0.declaration.defaultValue }
    return values
  }

  /// The value of `key`; nil if it is not set.
  subscript(key: Configuration.Key) -> ConfigurationValue? {
    get {
      let index = Int(key.rawValue)
      return index < values.count ? values[index] : nil
    }
    @inline(never) set {
      if values.isEmpty {
        values = [ConfigurationValue?](repeating: nil, count: Configuration.Key.allCases.count)
      }
      values[Int(key.rawValue)] = newValue
    }
  }

  /// Returns the number of `key`, or nil if the key is not set or its value is a list.
  func number(_ key: Configuration.Key) -> Int64? {
    guard case .number(let number) = self[key] else { return nil }
    return number
  }

  /// Returns the texts of `key`; none if the key is not set or its value is not a list of texts.
  func texts(_ key: Configuration.Key) -> [[UInt8]] {
    guard case .texts(let texts) = self[key] else { return [] }
    return texts
  }

  /// Returns the networks of `key`; none if the key is not set or its value is not a list of
  /// networks.
  func networks(_ key: Configuration.Key) -> [Network] {
    guard case .networks(let networks) = self[key] else { return [] }
    return networks
  }

  /// Returns the value of `key` in canonical form, or nil if it is not set.
  func printed(_ key: Configuration.Key) -> [UInt8]? {
    self[key].flatMap { key.declaration.type.printed($0) }
  }
}

extension KeyValues {
  /// Whether enrolment is offered and the offer never ends.
  var offersWithoutEnd: Bool {
    number(.enrollment) == Configuration.Enrollment.offered.rawValue
      && number(.offerSignIns) == 0 && number(.offerUntil) == 0
  }

  /// Applies the settings of a section: all of them if it matches, and only the stricter values if
  /// that is unknown.
  @inline(never)
  mutating func apply(_ section: KeyValues, _ match: Tenant.Match) {
    guard match != .no else { return }
    for key in Configuration.Key.allCases {
      guard let value = section[key], self[key] != nil else { continue }
      if match == .yes {
        self[key] = value
      } else {
        applyStricter(key, section.number(key) ?? 0)
      }
    }
  }

  /// Changes `key` to `number` if that is stricter than the present value.
  private mutating func applyStricter(_ key: Configuration.Key, _ number: Int64) {
    let present = self.number(key) ?? 0
    switch key.declaration.stricter {
    case .neither: return
    case .smaller: guard number < present else { return }
    case .larger: guard number > present else { return }
    case .zeroThenLarger: guard number == 0 || present != 0 && number > present else { return }
    case .smallerExceptZero:
      guard number != 0, present == 0 || number < present else { return }
    case .inBoth:
      self[key] = .number(number & present)
      return
    case .rememberingNothing:
      self[.remember] = .number(0)
      self[.freshFor] = .number(0)
      return
    case .noService:
      self[key] = .texts([])
      return
    }
    self[key] = .number(number)
  }

  /// The values without contradictions. If two values contradict each other, the stricter one
  /// applies: the longer wait or the fewer failures. An offer that never ends becomes a
  /// requirement, although no parsed configuration contains such an offer.
  @inline(never)
  var withoutContradictions: KeyValues {
    var values = self
    if offersWithoutEnd {
      values[.enrollment] = .number(Configuration.Enrollment.required.rawValue)
    }
    if let limit = number(.disableAfter), number(.throttleAfter) ?? 0 > limit {
      values[.throttleAfter] = .number(limit)
    }
    if let wait = number(.throttleFirstWait), number(.throttleLongestWait) ?? 0 < wait {
      values[.throttleLongestWait] = .number(wait)
    }
    return values
  }
}
