public import OneTimePassword
public import Secrets

/// How far the clock of an authenticator has drifted, learnt from two codes in a row (RFC 6238,
/// section 6).
///
/// MUST 1: both codes are later than any that was accepted before, so that an overheard pair moves
/// nothing. (`ResynchronizationTests.replayedPair`)
/// MUST 2: nothing is learnt from one code, or from two that do not follow each other.
/// (`ResynchronizationTests.notConsecutive`)
/// MUST 3: the codes arrive one after the other, at most two minutes apart, and as far apart as two
/// codes in a row are on a screen. (`ResynchronizationTests.timely`)
public enum Resynchronization {
  /// How many seconds an authenticator may be ahead or behind.
  ///
  /// A quartz clock of 20 parts in a million drifts 53 seconds in a month, so a phone or a token that
  /// was set five months ago is within five minutes. A phone that sets its clock by the network
  /// is within a second. A code from an hour ago, which an attacker has collected, is outside.
  public static let range: Int64 = 300

  /// The most time steps that `range` is with codes of `period` seconds; at least one.
  public static func steps(period: UInt16) -> Int64 {
    guard period > 0 else { return 1 }
    return max(range / Int64(period), 1)
  }

  /// How many seconds may pass between the two codes, whatever their period is.
  public static let longestPause: Int64 = 120

  /// Whether two codes in a row can be shown `elapsed` seconds apart: the second code ends two periods
  /// after the first begins, and typing it may take 30 seconds more.
  public static func isTimely(_ elapsed: Int64, period: UInt16) -> Bool {
    elapsed >= 0 && elapsed <= min(longestPause, 2 * Int64(period) + 30)
  }

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
    let range = steps(period: parameters.period)
    // One step more, for the first code of a pair that begins the range.
    let (earliest, underflow) = present.subtractingReportingOverflow(range + 1)
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
