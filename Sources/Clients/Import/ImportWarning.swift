/// A warning about an imported factor.
package enum ImportWarning: Equatable, Sendable {
  /// The key has this many bits, fewer than the 128 that RFC 4226, section 4, R6, requires.
  case weakSecret(bits: Int)
  /// The other program accepted this many steps before and after the current one, more than the
  /// configuration can accept here.
  case windowNarrowed(steps: Int)
  /// The factor's clock is this many steps ahead. The other program learned the offset from failed
  /// sign-ins, so an attacker may have caused it.
  case timeSkew(steps: Int32)
  /// The other program was measuring how far the factor's clock is off. The measurement is not
  /// imported.
  case skewMeasurementDropped
  /// The other program allowed sign-ins without a code from a host where one had just been used.
  /// This is not imported.
  case gracePeriodDropped
  /// The rate limit is not imported; the configuration's limit applies.
  case rateLimitDropped(attempts: UInt64, seconds: UInt64)
  /// The other program allowed codes to be reused, so it is unknown which codes were used.
  case reuseWasAllowed
  /// The last code matches no step near its time. All codes that it may have been count as used.
  case lastCodeNotFound
  /// The password in the file is not imported: it belongs to another PAM module.
  case passwordDropped
  /// This many recovery codes have 26 bits each, fewer than the 64 that NIST SP 800-63B-4, section
  /// 4.2.1.1, requires.
  case weakRecoveryCodes(count: Int)
  /// This line is neither an option nor a recovery code, so the other program read no recovery
  /// codes after it. This many codes after it never worked and are not imported.
  case unreachableRecoveryCodes(line: Int, count: Int)
  /// This many recovery codes exceed the maximum for an account and are not imported.
  case recoveryCodesDropped(count: Int)

  /// One line for a terminal or a log: what was found, and what to do. It contains no secret.
  package var text: String {
    switch self {
    case .weakSecret(let bits):
      "the key has \(bits) bits, fewer than 128: enrol a new factor soon"
    case .windowNarrowed(let steps):
      "codes \(steps) steps early or late were accepted, at most "
        + "\(ImportableFactor.maximumAdjacentIntervals) are: check the clock of the device"
    case .timeSkew(let steps):
      "the clock of the device was taken to be \(steps) steps ahead; somebody else may have made it "
        + "look so: check the clock, and enrol anew if it is right"
    case .skewMeasurementDropped:
      "codes with a wrong time were seen lately; they change nothing: check the clock of the device"
    case .gracePeriodDropped: "sign-ins without a code after a recent one are over"
    case .rateLimitDropped(let attempts, let seconds):
      "the limit of \(attempts) sign-ins in \(seconds) s is left out: the limits of the "
        + "configuration hold"
    case .reuseWasAllowed: "a code could be used more than once, and no longer can"
    case .lastCodeNotFound:
      "the last code is not one of its time; every code that it can have been counts as used"
    case .passwordDropped:
      "the password is left out: let pam_unix ask for the account's own, and delete the file"
    case .weakRecoveryCodes(let count):
      "\(count) recovery code\(count == 1 ? "" : "s") imported, 26 bits: replace them"
    case .unreachableRecoveryCodes(let line, let count):
      "line \(line) is neither an option nor a recovery code, so that codes behind it never worked: "
        + "\(count) left out"
    case .recoveryCodesDropped(let count):
      "\(count) recovery code\(count == 1 ? " is" : "s are") left out: an account has at most "
        + "\(ImportableRecoveryCodes.maximumCount)"
    }
  }
}
