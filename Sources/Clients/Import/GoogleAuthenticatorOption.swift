/// The options of a google-authenticator file. The raw value is the name in the file.
package enum GoogleAuthenticatorOption: String, CaseIterable, Sendable {
  case timeBased = "TOTP_AUTH"
  case counter = "HOTP_COUNTER"
  case stepSize = "STEP_SIZE"
  case windowSize = "WINDOW_SIZE"
  case disallowReuse = "DISALLOW_REUSE"
  case rateLimit = "RATE_LIMIT"
  case timeSkew = "TIME_SKEW"
  case resettingTimeSkew = "RESETTING_TIME_SKEW"
  case last0 = "LAST0"
  case last1 = "LAST1"
  case last2 = "LAST2"
  case last3 = "LAST3"
  case last4 = "LAST4"
  case last5 = "LAST5"
  case last6 = "LAST6"
  case last7 = "LAST7"
  case last8 = "LAST8"
  case last9 = "LAST9"

  /// The allowed values, for a message.
  var allowedValues: String {
    switch self {
    case .timeBased: "without a value"
    case .counter: "a number"
    case .stepSize: "1 to 60"
    case .windowSize: "1 to 100"
    case .disallowReuse: "a list of numbers"
    case .rateLimit: "1 to 100, 1 to 3600 and a list of times, without a space at the end"
    case .timeSkew: "a number of steps"
    case .resettingTimeSkew: "at most three times with a number of steps, such as 58000000+3"
    case .last0, .last1, .last2, .last3, .last4, .last5, .last6, .last7, .last8, .last9:
      "a host and a time"
    }
  }
}
