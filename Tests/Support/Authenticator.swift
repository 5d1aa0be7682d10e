import Foundation
import Synchronization

/// The user's authenticator app, simulated by oathtool.
package struct Authenticator: Sendable {
  /// The hash algorithm of the codes.
  package enum Algorithm: String, CaseIterable, Sendable {
    /// HMAC with SHA-1, the default of most apps.
    case sha1 = "SHA1"

    /// HMAC with SHA-256.
    case sha256 = "SHA256"

    /// HMAC with SHA-512.
    case sha512 = "SHA512"
  }

  /// The shared key, in base32.
  package let key: String

  /// The hash algorithm of the codes.
  package let algorithm: Algorithm

  /// The number of digits of a code, 6 to 8.
  package let digits: Int

  /// The period of a code, in seconds.
  package let period: Int

  /// Creates an app with a key that was typed by hand.
  package init(key: String, algorithm: Algorithm = .sha1, digits: Int = 6, period: Int = 30) {
    self.key = key
    self.algorithm = algorithm
    self.digits = digits
    self.period = period
  }

  /// Reads an otpauth URL as a phone does: missing parameters have their default values.
  package init(url: String) throws(HarnessFailure) {
    guard let parts = URLComponents(string: url), parts.scheme == "otpauth", parts.host == "totp"
    else { throw HarnessFailure("not an otpauth URL of a time-based factor: \(url)") }
    var values: [String: String] = [:]
    for item in parts.queryItems ?? [] { values[item.name] = item.value }
    guard let key = values["secret"],
      let algorithm = Algorithm(rawValue: values["algorithm"] ?? "SHA1"),
      let digits = Int(values["digits"] ?? "6"), let period = Int(values["period"] ?? "30")
    else { throw HarnessFailure("a parameter is missing or invalid: \(url)") }
    self.init(key: key, algorithm: algorithm, digits: digits, period: period)
  }

  /// Returns the number of the time step that contains `now`.
  package func step(at now: Date = Date()) -> Int {
    Int(now.timeIntervalSince1970.rounded(.down)) / period
  }

  /// Returns the code of the time step `offset` steps from the current one.
  package func code(offset: Int = 0) throws(HarnessFailure) -> String {
    try codes(fromStep: step() + offset, count: 1)[0]
  }

  /// Returns the codes of `count` successive time steps.
  package func codes(fromStep first: Int, count: Int) throws(HarnessFailure) -> [String] {
    // The key is passed on standard input, so that it appears in no process list.
    let text = try Command.succeed(
      [
        "/usr/bin/oathtool", "--totp=\(algorithm.rawValue)", "--base32", "--digits=\(digits)",
        "--time-step-size=\(period)s", "--now=@\(first * period)", "--window=\(count - 1)", "-",
      ], input: Array((key + "\n").utf8))
    let codes = text.split(separator: "\n").map(String.init)
    guard codes.count == count else {
      throw HarnessFailure("oathtool gave \(codes.count) codes instead of \(count)")
    }
    return codes
  }

  /// Returns a code of the right length that differs from all codes from `reach` steps ago to
  /// `reach` steps ahead. It is another one in each of 16 calls, because the same answer again is not
  /// counted.
  package func wrongCode(reach: Int = 12) throws(HarnessFailure) -> String {
    let number = Self.calls.withLock { calls in
      calls = (calls + 1) % 16
      return calls
    }
    return try wrongCodes(count: 16, reach: reach)[number]
  }

  private static let calls = Mutex(0)

  /// Returns `count` different codes of the right length that differ from all codes within `reach`
  /// steps of now.
  package func wrongCodes(count: Int, reach: Int = 12) throws(HarnessFailure) -> [String] {
    let right = Set(try codes(fromStep: step() - reach, count: 2 * reach + 1))
    return Array(
      (0...).lazy.map { number in
        let text = String(number * 7919 % 1_000_000)
        return String(repeating: "0", count: digits - text.count) + text
      }.filter { !right.contains($0) }.prefix(count))
  }
}
