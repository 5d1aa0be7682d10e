import MFABase

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
