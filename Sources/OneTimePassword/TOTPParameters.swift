public import Secrets

/// How a factor makes its codes from its secret and the time (RFC 6238, section 4).
///
/// T0 is the Unix epoch.
public struct TOTPParameters: Equatable, Sendable {
  /// The hash function under HMAC.
  public let algorithm: HashAlgorithm

  /// The number of digits of a code.
  public let codeLength: CodeLength

  /// The time step X, in seconds: 15 to 120. NIST SP 800-63B-4, section 3.1.4, asks for a new code
  /// at least every two minutes.
  public let period: UInt16

  /// The periods that are accepted, in seconds.
  public static let periods: ClosedRange<UInt16> = 15...120

  /// Nil when the period is not in `periods`.
  public init?(algorithm: HashAlgorithm, codeLength: CodeLength, period: UInt16) {
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

  /// What every authenticator application understands: SHA-1, six digits, 30 seconds.
  public static let standard = TOTPParameters()

  /// The time step that `time` (seconds since the epoch) lies in. Before the epoch it is negative.
  public func step(at time: Int64) -> Int64 {
    let period = Int64(period)
    let (quotient, remainder) = time.quotientAndRemainder(dividingBy: period)
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// The steps whose codes are right at `time`: `adjacentIntervals` before and after its own, none
  /// of them before the epoch. Nil when there is none.
  public func window(at time: Int64, adjacentIntervals: UInt8) -> ClosedRange<Int64>? {
    let step = step(at: time)
    let (last, overflow) = step.addingReportingOverflow(Int64(adjacentIntervals))
    let (first, underflow) = step.subtractingReportingOverflow(Int64(adjacentIntervals))
    guard !overflow, !underflow, last >= 0 else { return nil }
    return max(first, 0)...last
  }
}
