import MFABase
import MFAModel

/// A time-based factor that another program stored, converted to this project's terms.
package final class ImportableFactor: Sendable {
  /// The shared key, `secretLengths` bytes.
  package let secret: SecretBytes

  /// The parameters of its codes.
  package let parameters: TOTPParameters

  /// How many steps before and after the current one were accepted, 0 to
  /// `maximumAdjacentIntervals`. This is a suggestion: the configuration decides.
  package let adjacentIntervals: UInt8

  /// How many steps the device's clock is ahead of this host's; negative if it is behind.
  package let timeOffset: Int32

  /// The warnings, in the order of the file.
  package let warnings: [ImportWarning]

  /// The steps whose codes are known to be used.
  private let usedSteps: [Int64]

  /// How many steps ahead of the current one a code could be used.
  private let reach: Int64

  /// The key lengths that are imported, in bytes. A key below 10 bytes (80 bits, the oldest keys of
  /// google-authenticator) can be found by brute force; a key above 64 bytes does not fit a factor.
  package static let secretLengths = 10...64

  /// The length in bytes below which a key is weak (RFC 4226, section 4, R6).
  package static let strongSecretLength = 16

  /// The maximum number of steps before and after the current one that a configuration can accept.
  package static let maximumAdjacentIntervals = 10

  /// Creates a factor. `acceptedSteps` is how many steps before and after the current one were
  /// accepted.
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
    // google-authenticator's list of used steps reaches less than a whole window ahead.
    reach = Int64(acceptedSteps) * 2 + 1
  }

  /// Returns the latest step whose code must no longer be accepted, as the device counts steps, if
  /// the factor is imported at `now` (seconds since the epoch).
  ///
  /// This is the latest step known to be used. If no step is known, or all known steps are so far
  /// ahead that they were used under a wrong clock, every code until now counts as used.
  package func watermark(at now: Int64) -> Int64 {
    let present = Self.sum(parameters.step(at: now), Int64(timeOffset))
    let limit = Self.sum(present, reach)
    return usedSteps.filter { $0 <= limit }.max() ?? present
  }

  private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? (right < 0 ? .min : .max) : sum
  }
}

/// Recovery codes that another program stored: eight digits each, the first of them not 0.
package final class ImportableRecoveryCodes: Sendable {
  /// The digits of all codes, in ASCII, concatenated.
  package let digits: SecretBytes

  /// The number of codes, 0 to `maximumCount`.
  package let count: Int

  /// The number of digits of a code.
  package static let codeLength = 8

  /// The maximum number of codes that are imported for an account.
  package static let maximumCount = 10

  /// Copies `codeLength` digits from each of `places` in `text`.
  init(copying text: Span<UInt8>, at places: [Int]) {
    var digits = SecretBytes(count: places.count * Self.codeLength)
    digits.withMutableSpan { digits in
      for (number, place) in places.enumerated() {
        for index in 0..<Self.codeLength {
          digits[number * Self.codeLength + index] = text[place + index]
        }
      }
    }
    self.digits = digits
    count = places.count
  }

  /// Returns the code at `index`, 0 to `count - 1`, as eight ASCII digits, or nothing if the index
  /// is out of range.
  package func code(at index: Int) -> SecretBytes {
    guard index >= 0, index < count else { return SecretBytes(count: 0) }
    let start = index * Self.codeLength
    return digits.withSpan { SecretBytes(copying: $0, in: start..<start + Self.codeLength) }
  }
}

/// The contents of one google-authenticator file: one factor and its recovery codes.
package struct ImportedFactors: Sendable {
  /// The factor.
  package let factor: ImportableFactor

  /// The recovery codes that still work.
  package let recoveryCodes: ImportableRecoveryCodes

  /// The warnings about both.
  package let warnings: [ImportWarning]
}

/// The type of a token: the first word of its line in a users.oath file.
struct TokenType {
  /// The number of digits of a code.
  let codeLength: CodeLength

  /// How long a code lasts, in seconds, or nil if the token is counter-based.
  let period: UInt16?

  /// Parses a token type, such as `HOTP/T30/6`. Returns nil if pam_oath does not support it.
  init?(_ text: Span<UInt8>, in range: Range<Int>) {
    let kinds: [(name: String, period: UInt16?)] = [
      ("HOTP/E", nil), ("HOTP/T30", 30), ("HOTP/T60", 60),
    ]
    let lengths: [(suffix: String, codeLength: CodeLength)] = [
      ("", .six), ("/6", .six), ("/7", .seven), ("/8", .eight),
    ]
    if Text.matches(text, in: range, "HOTP") {
      codeLength = .six
      period = nil
      return
    }
    for kind in kinds {
      for length in lengths where Text.matches(text, in: range, kind.name + length.suffix) {
        codeLength = length.codeLength
        period = kind.period
        return
      }
    }
    return nil
  }
}
