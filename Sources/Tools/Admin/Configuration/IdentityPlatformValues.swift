import MFAModel

// The values of members in Identity Platform settings.
extension IdentityPlatformReading {
  /// The value of `adjacentIntervals`.
  struct Intervals {
    /// The value that Identity Platform uses if none is given.
    static let absent = Intervals(number: IdentityPlatform.standardIntervals, form: .absent)

    let number: UInt8
    let form: IdentityPlatformForm.Intervals
  }

  static var states: String { "\"ENABLED\" or \"DISABLED\"" }

  private static var numbers: String {
    let range = Settings.adjacentIntervalsRange
    return "a whole number from \(range.lowerBound) to \(range.upperBound)"
  }

  /// What the values of members can be, by their names.
  static var allowed: [String: String] { ["state": states, "adjacentIntervals": numbers] }

  static func state(of members: JSONMembers) throws(AdminError) -> Bool? {
    guard let value = members["state"] else { return nil }
    if value == .string("ENABLED") { return true }
    if value == .string("DISABLED") { return false }
    var reason = "must be \(states), not \(JSONMembers.shown(value))"
    if value == .string("MANDATORY") {
      reason += "; to require enrolment, set enrollment = required in mfa.conf instead"
    }
    throw AdminError(at: members.path("state"), reason)
  }

  static func intervals(_ value: JSON, at place: String) throws(AdminError) -> Intervals {
    let members = try JSONMembers(value, at: place)
    try members.check(knowing: ["adjacentIntervals"])
    guard let value = members["adjacentIntervals"] else { return .absent }
    let range = Settings.adjacentIntervalsRange
    switch value {
    case .number(let number):
      if let number = UInt8(exactly: number), range.contains(number) {
        return Intervals(number: number, form: .number)
      }
    // A string must have the canonical form: no sign, space, leading zero, fraction or exponent.
    case .string(let text):
      if let number = UInt8(text), range.contains(number), String(number) == text {
        return Intervals(number: number, form: .string)
      }
    case .null, .bool, .array, .object: break
    }
    throw AdminError(
      at: members.path("adjacentIntervals"), "must be \(numbers), not \(JSONMembers.shown(value))")
  }
}
