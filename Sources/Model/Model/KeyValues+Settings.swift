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
