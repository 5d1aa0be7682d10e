public import OneTimePassword
public import Secrets

/// How far the clock of an authenticator has drifted, learnt from two codes in a row (RFC 6238,
/// section 6).
///
/// MUST 1: both codes are later than any that was accepted before, so that an overheard pair moves
/// nothing. (`ResynchronizationTests.replayedPair`)
/// MUST 2: nothing is learnt from one code, or from two that do not follow each other.
/// (`ResynchronizationTests.notConsecutive`)
public enum Resynchronization {
  /// How many time steps an authenticator may be ahead or behind: an hour at 30 seconds.
  ///
  /// A stranger's two guesses of six digits hit one of the 241 pairs with a chance of 1 in 4 * 10^9.
  public static let range: Int64 = 120

  /// What two codes tell.
  public struct Finding: Equatable, Sendable {
    /// How many time steps the authenticator is ahead.
    public let timeOffset: Int32
    /// The step of the second code: the factor's new watermark.
    public let step: Int64
  }

  /// What `first` and then `second` tell at `now` (seconds since the epoch), or nil when they are no
  /// two codes in a row of the secret's within `range`, both later than the step `watermark`.
  ///
  /// Every step is computed and compared. Of several pairs that fit the one nearest to the present
  /// counts. Fails when libcrypto does.
  @export(interface)
  public static func finding(
    first: Code, second: Code, secret: Span<UInt8>, parameters: TOTPParameters, now: Int64,
    watermark: Int64
  ) throws(CryptographyError) -> Finding? {
    let present = parameters.step(at: now)
    let (earliest, underflow) = present.subtractingReportingOverflow(range)
    let (latest, overflow) = present.addingReportingOverflow(range)
    guard !underflow, !overflow, latest >= 0 else { return nil }
    var hotp = try HOTP(secret: secret, algorithm: parameters.algorithm)
    var nearest: Finding? = nil
    var matchesFirst: UInt32 = 0
    var step = max(earliest, 0)
    while step <= latest {
      let expected = try hotp.code(at: UInt64(bitPattern: step), digits: parameters.codeLength)
      let matchesBoth = matchesFirst & expected.mask(equals: second)
      let offset = step &- present
      if matchesBoth != 0, step > watermark, step &- 1 > watermark,
        let timeOffset = Int32(exactly: offset)
      {
        let isNearer = nearest.map { abs(offset) < abs(Int64($0.timeOffset)) } ?? true
        if isNearer { nearest = Finding(timeOffset: timeOffset, step: step) }
      }
      matchesFirst = expected.mask(equals: first)
      step &+= 1
    }
    return nearest
  }
}
