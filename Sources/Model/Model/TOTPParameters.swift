import MFABase

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
