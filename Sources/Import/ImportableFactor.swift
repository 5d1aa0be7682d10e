public import OneTimePassword
public import Secrets

/// A time-based factor as another program kept it, in terms of this one.
public final class ImportableFactor: Sendable {
  /// The shared key, `secretLengths` bytes.
  public let secret: SecretBytes

  /// How its codes are made.
  public let parameters: TOTPParameters

  /// How many steps before and after the present one were accepted, 0 to
  /// `maximumAdjacentIntervals`. A suggestion: the configuration decides.
  public let adjacentIntervals: UInt8

  /// How many steps the device's clock is ahead of this one's; negative where it is behind.
  public let timeOffset: Int32

  /// What somebody should know, in the order of the file.
  public let warnings: [ImportWarning]

  /// The steps whose codes are known to be used.
  private let usedSteps: [Int64]

  /// How far ahead of the present step a code could be used.
  private let reach: Int64

  /// The lengths of a key that are imported, in bytes. Below 10 (80 bits, the oldest keys of
  /// google-authenticator) a key can be found by trying; longer ones than 64 do not fit a factor.
  public static let secretLengths = 10...64

  /// The length of a key in bytes below which it is weak (RFC 4226, section 4, R6).
  public static let strongSecretLength = 16

  /// The most steps before and after the present one that a configuration can accept.
  public static let maximumAdjacentIntervals = 10

  /// `acceptedSteps` is how many steps before and after the present one were accepted.
  init(
    secret: consuming SecretBytes, parameters: TOTPParameters, acceptedSteps: Int,
    timeOffset: Int32 = 0, usedSteps: [Int64], warnings: [ImportWarning]
  ) {
    var all: [ImportWarning] = []
    if secret.count < Self.strongSecretLength { all.append(.weakSecret(bits: secret.count * 8)) }
    if acceptedSteps > Self.maximumAdjacentIntervals {
      all.append(.windowNarrowed(steps: acceptedSteps))
    }
    self.secret = secret
    self.parameters = parameters
    adjacentIntervals = UInt8(min(max(acceptedSteps, 0), Self.maximumAdjacentIntervals))
    self.timeOffset = timeOffset
    self.usedSteps = usedSteps
    self.warnings = all + warnings
    // The list of google-authenticator holds what is less than a whole window ahead.
    reach = Int64(acceptedSteps) * 2 + 1
  }

  /// The latest step whose code must not be accepted any more, as the device counts them, when it
  /// is imported at `now` (seconds since the epoch).
  ///
  /// It is the latest step known to be used. Where none is known, or all are so far ahead that they
  /// were used under a wrong clock, every code until now counts as used.
  public func watermark(at now: Int64) -> Int64 {
    let present = Self.sum(parameters.step(at: now), Int64(timeOffset))
    let limit = Self.sum(present, reach)
    return usedSteps.filter { $0 <= limit }.max() ?? present
  }

  private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? (right < 0 ? .min : .max) : sum
  }
}
