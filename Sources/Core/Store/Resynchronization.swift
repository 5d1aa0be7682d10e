import MFABase
import MFACrypto
import MFAModel

/// The measurement of an authenticator's clock drift from two consecutive codes (RFC 6238, section
/// 6).
///
/// MUST 1: both codes are later than any accepted before, so that an observed pair has no effect.
/// (`ResynchronizationTests.replayedPair`)
/// MUST 2: a single code, or two codes that are not consecutive, have no effect.
/// (`ResynchronizationTests.notConsecutive`)
/// MUST 3: the codes arrive one after the other, at most two minutes apart, and at most two periods
/// and 30 seconds apart. (`ResynchronizationTests.timely`)
package enum Resynchronization {
  /// The maximum drift of an authenticator's clock in either direction, in seconds.
  ///
  /// A quartz clock with an error of 20 parts per million drifts 53 seconds in a month, so a phone
  /// or a token that was set five months ago is within five minutes. A phone that sets its clock
  /// from the network is within a second. A code from an hour ago, collected by an attacker, is out
  /// of range.
  package static let range: Int64 = 300

  /// Returns `range` in time steps of `period` seconds; at least one.
  package static func steps(period: UInt16) -> Int64 {
    guard period > 0 else { return 1 }
    return max(range / Int64(period), 1)
  }

  /// The maximum time between the two codes in seconds, whatever their period.
  package static let longestPause: Int64 = 120

  /// Returns whether two consecutive codes can be typed `elapsed` seconds apart: the second code
  /// ends two periods after the first begins, and typing it may take 30 seconds more.
  package static func isTimely(_ elapsed: Int64, period: UInt16) -> Bool {
    elapsed >= 0 && elapsed <= min(longestPause, 2 * Int64(period) + 30)
  }

  /// The drift found from two codes.
  package struct Finding: Equatable, Sendable {
    /// The number of time steps that the authenticator is ahead.
    package let timeOffset: Int32
    /// The time step of the second code, which becomes the factor's watermark.
    package let step: Int64
  }

  /// Returns the drift shown by `first` and then `second` at `now` (seconds since the epoch).
  /// Returns nil unless they are consecutive codes of the secret within `range`, both later than
  /// the time step `watermark`.
  ///
  /// Every time step is computed and compared. If several pairs match, the one nearest to the
  /// current time step counts.
  ///
  /// - Throws: `SystemError` if libcrypto fails.
  @export(interface)
  package static func finding(
    first: Code, second: Code, secret: Span<UInt8>, parameters: TOTPParameters, now: Int64,
    watermark: Int64
  ) throws(SystemError) -> Finding? {
    let present = parameters.step(at: now)
    let range = steps(period: parameters.period)
    // One more step, for the first code of a pair at the beginning of the range.
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
