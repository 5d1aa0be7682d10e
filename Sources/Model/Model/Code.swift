import MFABase

/// A one-time password as a number with a length: `000 123` is 123 with six digits.
package struct Code: Sendable {
  /// The number, below `length.modulus`.
  package let value: UInt32

  /// The number of digits that the code is written with.
  package let length: CodeLength

  /// Creates the code with this number, which must be below `length.modulus`.
  package init(value: UInt32, length: CodeLength) {
    self.value = value
    self.length = length
  }

  /// Parses what the user typed: six to eight digits, also full-width ones, with spaces and hyphens anywhere,
  /// because authenticator apps show `123 456` and messages `123-456`. Returns nil for any other text, and for an
  /// answer longer than `longestAnswer` bytes.
  package init?(answer: Span<UInt8>) {
    guard answer.count <= Self.longestAnswer else { return nil }
    let typed = TypedText.inASCII(answer)
    let answer = typed.span
    var value: UInt32 = 0
    var digits: UInt8 = 0
    for index in answer.indices {
      let byte = answer[index]
      if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-") { continue }
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9"), digits < 8 else { return nil }
      // At most eight digits, which cannot overflow.
      value = value &* 10 &+ UInt32(byte &- UInt8(ascii: "0"))
      digits &+= 1
    }
    guard let length = CodeLength(rawValue: digits) else { return nil }
    self.init(value: value, length: length)
  }

  /// The maximum length of an answer in bytes.
  package static let longestAnswer = 32

  /// Returns the digits in ASCII.
  @export(interface)
  package func written() -> SecretBytes {
    var text = SecretBytes(count: Int(length.rawValue))
    text.withMutableSpan { text in
      var rest = value
      for index in text.indices.reversed() {
        text[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      }
    }
    return text
  }

  /// Returns all ones if both codes are equal, and zero otherwise, in a time that depends on
  /// neither code.
  package func mask(equals other: Code) -> UInt32 {
    constantTimeMask(value, equals: other.value)
      & constantTimeMask(UInt32(length.rawValue), equals: UInt32(other.length.rawValue))
  }
}

/// The number of decimal digits of a code: 6, 7 or 8 (RFC 4226, section 4, R4 and section 5.3).
package enum CodeLength: UInt8, CaseIterable, Sendable {
  case six = 6
  case seven = 7
  case eight = 8

  /// The number of codes of this length.
  package var modulus: UInt32 {
    switch self {
    case .six: 1_000_000
    case .seven: 10_000_000
    case .eight: 100_000_000
    }
  }
}

/// The parameters for generating codes from a secret and the time (RFC 6238, section 4).
///
/// T0 is the Unix epoch.
package struct TOTPParameters: Equatable, Sendable {
  /// The hash function for HMAC.
  package let algorithm: HashAlgorithm

  /// The number of digits in a code.
  package let codeLength: CodeLength

  /// The time step X, in seconds: 15 to 120. NIST SP 800-63B-4, section 3.1.4, requires a new code
  /// at least every two minutes.
  package let period: UInt16

  /// The valid periods, in seconds.
  package static let periods: ClosedRange<UInt16> = 15...120

  /// Creates parameters. Returns nil if the period is not in `periods`.
  package init?(algorithm: HashAlgorithm, codeLength: CodeLength, period: UInt16) {
    guard Self.periods.contains(period) else { return nil }
    self.algorithm = algorithm
    self.codeLength = codeLength
    self.period = period
  }

  private init() {
    algorithm = .sha1
    codeLength = .six
    period = 30
  }

  /// The parameters that every authenticator app supports: SHA-1, six digits, 30 seconds.
  package static let standard = TOTPParameters()

  /// Returns the time step that contains `time` (seconds since the epoch). It is negative before
  /// the epoch.
  package func step(at time: Int64) -> Int64 {
    let period = Int64(period)
    let (quotient, remainder) = time.quotientAndRemainder(dividingBy: period)
    // The quotient is far from any limit, because a period has at least 15 seconds.
    return remainder < 0 ? quotient &- 1 : quotient
  }

  /// Returns the seconds from `time` to the end of a later time step.
  package func seconds(from time: Int64, toEndOf step: Int64) -> Int64 {
    let (next, overflow) = step.addingReportingOverflow(1)
    let (end, endOverflows) = next.multipliedReportingOverflow(by: Int64(period))
    let (seconds, differenceOverflows) = end.subtractingReportingOverflow(time)
    return overflow || endOverflows || differenceOverflows ? .max : seconds
  }

  /// The number of time steps in an hour, at most 255. Codes of an hour before or after the present one are compared
  /// to explain a wrong code, never to accept it.
  package var stepsInAnHour: UInt8 { UInt8(clamping: 3600 / max(period, 1)) }

  /// Returns the time steps whose codes are valid at `time`: the current step and
  /// `adjacentIntervals` steps before and after it, except steps before the epoch. Returns nil if
  /// no step is left.
  package func window(at time: Int64, adjacentIntervals: UInt8) -> ClosedRange<Int64>? {
    let step = step(at: time)
    let (last, overflow) = step.addingReportingOverflow(Int64(adjacentIntervals))
    let (first, underflow) = step.subtractingReportingOverflow(Int64(adjacentIntervals))
    let earliest = max(first, 0)
    guard !overflow, !underflow, earliest <= last else { return nil }
    return earliest...last
  }
}
