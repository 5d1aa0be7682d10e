public import OneTimePassword
public import Secrets

/// The comparison of one typed code with one factor.
public enum Verification {
  /// The latest step in the window at `now` (seconds since the epoch) whose code is `code`, or nil.
  ///
  /// Every step is computed and compared, whatever matches and whatever length the code has, so
  /// that the time tells nothing. `adjacentIntervals`, 0 to 10, is how many steps before and after
  /// the present one are right. Fails when libcrypto does.
  @export(interface)
  public static func latestMatch(
    of code: Code, secret: Span<UInt8>, parameters: TOTPParameters, now: Int64,
    adjacentIntervals: UInt8
  ) throws(CryptographyError) -> Int64? {
    guard let window = parameters.window(at: now, adjacentIntervals: adjacentIntervals) else {
      return nil
    }
    var hotp = try HOTP(secret: secret, algorithm: parameters.algorithm)
    // One more than the offset of the latest match in the window; 0 when there is none.
    var found: UInt32 = 0
    var offset: UInt32 = 0
    var step = window.lowerBound
    while step <= window.upperBound {
      let expected = try hotp.code(at: UInt64(bitPattern: step), digits: parameters.codeLength)
      let mask = expected.mask(equals: code)
      offset &+= 1
      found = (offset & mask) | (found & ~mask)
      step &+= 1
    }
    return found == 0 ? nil : window.lowerBound + Int64(found) - 1
  }
}
