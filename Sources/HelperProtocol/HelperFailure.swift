/// Why the helper did not do what it was asked.
public enum HelperFailure: Error, Equatable, Sendable {
  /// The caller may not do this at all: not with this account, or not by policy.
  case notPermitted
  /// There is no session, and this needs one.
  case requiresRecentLogin
  /// The password, or whatever else PAM asked for, was wrong.
  case reauthenticationFailed
  /// The session, or the secret made in it, is past its deadline.
  case sessionExpired
  /// The code is not one of the secret's at this time.
  case invalidVerificationCode
  /// The code is right, and was accepted before.
  case codeAlreadyUsed
  /// The answer cannot be a code; it was not counted as an attempt.
  case notACode
  /// Too many wrong codes: none is looked at for so many seconds.
  case tooManyAttempts(seconds: UInt32)
  /// The user's factors are disabled until an administrator unlocks them.
  case factorsDisabled
  /// Another factor of the user's has the name.
  case secondFactorAlreadyEnrolled
  /// The user has as many factors as there may be.
  case maximumSecondFactorCountExceeded
  /// The name is none that a factor may have.
  case unsupportedDisplayName
  /// The user has no such factor.
  case factorNotFound
  /// A value that is well formed, and not supported.
  case invalidArgument
  /// The factors cannot be read or written.
  case storeUnavailable
  /// The configuration is in error.
  case configurationInvalid
  /// The configuration turns second factors off.
  case multiFactorDisabled
  /// The message was none, or out of turn.
  case protocolError
  /// Anything else.
  case internalError
  /// The factor is the last one, and policy requires one.
  case lastFactorRequired
  /// The ticket is not the account's, was used, or is past its time.
  case ticketInvalid
  /// The key is shorter than the host accepts.
  case secretTooShort
  /// The two codes are none that follow each other.
  case codesNotConsecutive
  /// The caller has a factor, and did not show it.
  case secondFactorRequired
  /// The user has a factor with this key already.
  case alreadyImported
  /// The user has made as many changes as are allowed in an hour; the next is in so many seconds.
  case tooManyChanges(seconds: UInt32)
  /// The helper does not work in the process that the client started it in.
  case unsuitableProcess(ProcessFault)

  /// The number in a message.
  var number: UInt8 {
    switch self {
    case .notPermitted: 1
    case .requiresRecentLogin: 2
    case .reauthenticationFailed: 3
    case .sessionExpired: 4
    case .invalidVerificationCode: 5
    case .codeAlreadyUsed: 6
    case .notACode: 7
    case .tooManyAttempts: 8
    case .factorsDisabled: 9
    case .secondFactorAlreadyEnrolled: 10
    case .maximumSecondFactorCountExceeded: 11
    case .unsupportedDisplayName: 12
    case .factorNotFound: 13
    case .invalidArgument: 14
    case .storeUnavailable: 15
    case .configurationInvalid: 16
    case .multiFactorDisabled: 17
    case .protocolError: 18
    case .internalError: 19
    case .lastFactorRequired: 20
    case .ticketInvalid: 21
    case .secretTooShort: 22
    case .codesNotConsecutive: 23
    case .secondFactorRequired: 24
    case .alreadyImported: 25
    case .unsuitableProcess: 26
    case .tooManyChanges: 27
    }
  }

  /// The detail in a message: the seconds to wait, or the number of the process's fault; 0 for
  /// every other failure.
  var seconds: UInt32 {
    switch self {
    case .tooManyAttempts(let seconds), .tooManyChanges(let seconds): seconds
    case .unsuitableProcess(let fault): UInt32(fault.number)
    case .notPermitted, .requiresRecentLogin, .reauthenticationFailed, .sessionExpired,
      .invalidVerificationCode, .codeAlreadyUsed, .notACode, .factorsDisabled,
      .secondFactorAlreadyEnrolled, .maximumSecondFactorCountExceeded, .unsupportedDisplayName,
      .factorNotFound, .invalidArgument, .storeUnavailable, .configurationInvalid,
      .multiFactorDisabled, .protocolError, .internalError, .lastFactorRequired, .ticketInvalid,
      .secretTooShort, .codesNotConsecutive, .secondFactorRequired, .alreadyImported:
      0
    }
  }

  /// Nil for a number that is none, and for a detail that the failure does not have.
  init?(number: UInt8, seconds: UInt32) {
    switch number {
    case 1: self = .notPermitted
    case 2: self = .requiresRecentLogin
    case 3: self = .reauthenticationFailed
    case 4: self = .sessionExpired
    case 5: self = .invalidVerificationCode
    case 6: self = .codeAlreadyUsed
    case 7: self = .notACode
    case 8: self = .tooManyAttempts(seconds: seconds)
    case 9: self = .factorsDisabled
    case 10: self = .secondFactorAlreadyEnrolled
    case 11: self = .maximumSecondFactorCountExceeded
    case 12: self = .unsupportedDisplayName
    case 13: self = .factorNotFound
    case 14: self = .invalidArgument
    case 15: self = .storeUnavailable
    case 16: self = .configurationInvalid
    case 17: self = .multiFactorDisabled
    case 18: self = .protocolError
    case 19: self = .internalError
    case 20: self = .lastFactorRequired
    case 21: self = .ticketInvalid
    case 22: self = .secretTooShort
    case 23: self = .codesNotConsecutive
    case 24: self = .secondFactorRequired
    case 25: self = .alreadyImported
    case 26: self = .unsuitableProcess(ProcessFault(number: UInt8(truncatingIfNeeded: seconds)))
    case 27: self = .tooManyChanges(seconds: seconds)
    default: return nil
    }
    guard self.seconds == seconds else { return nil }
  }
}
