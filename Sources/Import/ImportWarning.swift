/// What somebody should know about a factor that was imported.
public enum ImportWarning: Equatable, Sendable {
  /// The key has this many bits, fewer than the 128 that RFC 4226, section 4, R6, demands.
  case weakSecret(bits: Int)
  /// This many steps before and after the present one were accepted, more than can be here.
  case windowNarrowed(steps: Int)
  /// The factor's clock is this many steps ahead. The other program learnt that from failed
  /// sign-ins, so that it may be an attacker's doing.
  case timeSkew(steps: Int32)
  /// The other program was about to learn how far the factor's clock is off; that is left out.
  case skewMeasurementDropped
  /// Sign-ins without a code from where one had just been used are left out.
  case gracePeriodDropped
  /// The limit of sign-ins is left out: the one of the configuration holds.
  case rateLimitDropped(attempts: UInt64, seconds: UInt64)
  /// A code could be used more than once, so that nobody knows which were.
  case reuseWasAllowed
  /// The last code is not to be found near its time; all codes that it can have been are used up.
  case lastCodeNotFound
  /// The password that stands in the file is left out: it belongs to another PAM module.
  case passwordDropped
  /// This many recovery codes have 26 bits each, fewer than the 64 that NIST SP 800-63B-4, section
  /// 4.2.1.1, demands.
  case weakRecoveryCodes(count: Int)
  /// From this line on, which is neither an option nor a recovery code, the other program read no
  /// more recovery codes. This many codes behind it never worked and are left out.
  case deadRecoveryCodes(line: Int, count: Int)
  /// This many recovery codes are more than an account can have and are left out.
  case recoveryCodesDropped(count: Int)

  /// One line for a terminal or a log: what it is, and what to do. It holds no secret.
  public var text: String {
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
    case .deadRecoveryCodes(let line, let count):
      "line \(line) is neither an option nor a recovery code, so that codes behind it never worked: "
        + "\(count) left out"
    case .recoveryCodesDropped(let count):
      "\(count) recovery code\(count == 1 ? " is" : "s are") left out: an account has at most "
        + "\(ImportableRecoveryCodes.maximumCount)"
    }
  }
}
