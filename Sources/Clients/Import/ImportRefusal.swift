import MFABase

/// Why a file, or one line of it, was not imported.
///
/// A refusal quotes nothing from the file, because any word of the file may be a misplaced secret.
package struct ImportRefusal: Error, Equatable {
  /// The reason for a refusal.
  package enum Reason: Equatable, Sendable {
    /// The file is empty.
    case empty
    /// The file is longer than this many bytes.
    case tooLong(limit: Int)
    /// The line contains a NUL byte.
    case nulByte
    /// The line contains a carriage return before its end.
    case carriageReturn

    /// The key is not in the encoding of the file's format.
    case unreadableSecret
    /// The key has this many bytes, fewer than `ImportableFactor.secretLengths`.
    case secretTooShort(bytes: Int)
    /// The key has this many bytes, more than the format or `ImportableFactor.secretLengths` allow.
    case secretTooLong(bytes: Int)
    /// A factor cannot have a period of this many seconds.
    case period(seconds: UInt64)
    /// The factor is counter-based (HOTP, RFC 4226), not time-based.
    case counterBased
    /// The file does not say whether the factor is time-based or counter-based.
    case neitherTimeNorCounter

    /// The line begins with a quotation mark but is not an option of this format.
    case unknownOption
    /// The option was set in an earlier line.
    case repeatedOption(GoogleAuthenticatorOption, firstLine: Int)
    /// The option does not allow this value.
    case invalidValue(GoogleAuthenticatorOption)

    /// The line's first word is not a token type.
    case unknownType
    /// A user, a password field or a key is missing.
    case missingField
    /// The line continues after the time of the last use.
    case tooManyFields
    /// An account cannot have this user name.
    case invalidUser
    /// The counter is not a number.
    case invalidCounter
    /// The last code does not have this token's length, or its time is missing.
    case invalidLastCode
    /// The time of the last code is malformed or never occurred.
    case invalidLastTime

    /// libcrypto could not generate a code.
    case noCryptography

    /// The file cannot be read, or users other than its owner and root could have changed it.
    case system(SystemError)
  }

  /// The line, counted from 1, or 0 if the reason applies to the whole file.
  package let line: Int

  /// The reason.
  package let reason: Reason

  /// Creates a refusal.
  package init(line: Int = 0, reason: Reason) {
    self.line = line
    self.reason = reason
  }

  /// One line for a terminal or a log: where the error is, what it is, and what to do. It contains
  /// nothing from the file.
  package var text: String {
    line == 0 ? explanation : "line \(line): \(explanation)"
  }

  private var explanation: String {
    switch reason {
    case .empty: "the file is empty; enrol a new factor"
    case .tooLong(let limit):
      "the file is longer than \(limit) bytes; check that it is the right one"
    case .nulByte: "a NUL byte is in the line; the file is damaged: restore it from a backup"
    case .carriageReturn: "a carriage return is within the line; end lines with a line feed alone"
    case .unreadableSecret: "the key cannot be read; enrol a new factor"
    case .secretTooShort(let bytes):
      "the key has \(bytes) bytes and needs at least \(ImportableFactor.secretLengths.lowerBound); "
        + "enrol a new factor"
    case .secretTooLong(let bytes):
      "the key has \(bytes) bytes, more than can be imported; enrol a new factor"
    case .period(let seconds):
      "codes that last \(seconds) s cannot be imported, 15 to 120 s can; enrol a new factor"
    case .counterBased:
      "counter-based codes (HOTP) cannot be imported, only time-based ones; enrol a new factor"
    case .neitherTimeNorCounter:
      "neither TOTP_AUTH nor HOTP_COUNTER is set, so that no code of it ever worked; enrol a new "
        + "factor"
    case .unknownOption: "not an option that is known; correct the line or remove it"
    case .repeatedOption(let option, let firstLine):
      "\(option.rawValue) was set in line \(firstLine); keep one of the two lines"
    case .invalidValue(let option):
      "\(option.rawValue) must be \(option.allowedValues); correct the line"
    case .unknownType:
      "not a token; write HOTP/T30 or HOTP/T60, with /6, /7 or /8 behind it, or # for a comment"
    case .missingField: "a token is TYPE USER PASSWORD KEY; add what is missing"
    case .tooManyFields: "something stands behind the time of the last code; remove it"
    case .invalidUser: "no account can have this name; correct the line"
    case .invalidCounter: "the counter must be a number; correct the line"
    case .invalidLastCode:
      "the last code must have as many digits as the token and its time behind it; correct the line"
    case .invalidLastTime:
      "the time of the last code must be written as 2006-12-31T23:59:59L; correct the line"
    case .noCryptography: "libcrypto made no code; check that OpenSSL is installed and try again"
    case .system(let error) where error.distrust == nil: "the file cannot be read: \(error.text)"
    case .system(let error):
      "the file is not trusted: \(error.text); it must be a regular file that belongs to "
        + "the user or root, and that no other user can write to"
    }
  }
}

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
