import MFACrypto
import MFAModel

/// The comparison of a typed code with a factor.
package enum Verification {
  /// Returns the latest time step in the window at `now` (seconds since the epoch) whose code is
  /// `code`, or nil.
  ///
  /// Every time step is computed and compared, regardless of matches and of the length of the code,
  /// so that the duration reveals nothing. `adjacentIntervals`, 0 to 10, is the number of time
  /// steps accepted before and after the current one.
  ///
  /// - Throws: `CryptographyError` if libcrypto fails.
  @export(interface)
  package static func latestMatch(
    of code: Code, secret: Span<UInt8>, parameters: TOTPParameters, now: Int64,
    adjacentIntervals: UInt8
  ) throws(CryptographyError) -> Int64? {
    guard let window = parameters.window(at: now, adjacentIntervals: adjacentIntervals) else {
      return nil
    }
    var hotp = try HOTP(secret: secret, algorithm: parameters.algorithm)
    // One more than the offset of the latest match in the window, or 0 if there is no match yet.
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
    return found == 0 ? nil : window.lowerBound &+ Int64(found) &- 1
  }
}
