import HelperProtocol

/// Why an operation on second factors failed.
///
/// `description` says what happened, `hint` what the person can do next. Neither holds a secret.
public enum MultiFactorError: Error, Equatable, Sendable {
  // MARK: Told by the helper

  /// This account, or this policy, does not allow it.
  case notPermitted
  /// A session is needed first.
  case requiresRecentLogin
  /// The person could not prove to be the owner of the account, or declined to.
  case reauthenticationFailed
  /// The session, or the secret made in it, is past its deadline.
  case sessionExpired
  /// The code is not right at this time.
  case invalidVerificationCode
  /// The code was accepted before.
  case codeAlreadyUsed
  /// What was typed cannot be a code; it did not count as an attempt.
  case notACode
  /// No code is looked at for so many seconds.
  case tooManyAttempts(seconds: Int)
  /// The factors are disabled until an administrator unlocks them.
  case factorsDisabled
  /// Another factor has the name.
  case secondFactorAlreadyEnrolled
  /// There are as many factors as there may be.
  case maximumSecondFactorCountExceeded
  /// The name is none that a factor may have.
  case unsupportedDisplayName
  /// There is no such factor.
  case factorNotFound
  /// A value is out of its range.
  case invalidArgument
  /// The factors cannot be read or written.
  case storeUnavailable
  /// The configuration is in error.
  case configurationInvalid
  /// The configuration turns second factors off.
  case multiFactorDisabled
  /// The helper failed.
  case internalError
  /// The factor is the last one, and one is required.
  case lastFactorRequired
  /// The ticket is not this account's, was used, or is past its time.
  case ticketInvalid
  /// The key is shorter than the host accepts.
  case secretTooShort
  /// The two codes do not follow each other.
  case codesNotConsecutive
  /// A code of an enrolled factor is needed first: `MultiFactor.signInResolver()` hands out what
  /// takes it.
  case secondFactorRequired
  /// A factor with this key is enrolled already.
  case alreadyImported
  /// The user has made as many changes as are allowed in an hour; the next is in so many seconds.
  case tooManyChanges(seconds: Int)
  /// The helper does not work with an attribute of this process, such as `RLIMIT_FSIZE`, which the
  /// helper inherits.
  case unsuitableProcess(attribute: String)
  /// The user has as many helpers as one user may have at once.
  case tooManyHelpers

  // MARK: Found out here

  /// The helper could not be started, with the system's error number (errno).
  case helperUnavailable(errorNumber: Int32)
  /// The helper ended in the middle of a conversation.
  case helperEnded
  /// The two sides do not understand each other.
  case protocolError
  /// Another operation is waiting for an answer from the person.
  case operationInProgress
  /// The most recently enrolled factor was unenrolled, which made the session void.
  case userTokenExpired

  init(_ failure: HelperFailure) {
    self =
      switch failure {
      case .notPermitted: .notPermitted
      case .requiresRecentLogin: .requiresRecentLogin
      case .reauthenticationFailed: .reauthenticationFailed
      case .sessionExpired: .sessionExpired
      case .invalidVerificationCode: .invalidVerificationCode
      case .codeAlreadyUsed: .codeAlreadyUsed
      case .notACode: .notACode
      case .tooManyAttempts(let seconds): .tooManyAttempts(seconds: Int(seconds))
      case .factorsDisabled: .factorsDisabled
      case .secondFactorAlreadyEnrolled: .secondFactorAlreadyEnrolled
      case .maximumSecondFactorCountExceeded: .maximumSecondFactorCountExceeded
      case .unsupportedDisplayName: .unsupportedDisplayName
      case .factorNotFound: .factorNotFound
      case .invalidArgument: .invalidArgument
      case .storeUnavailable: .storeUnavailable
      case .configurationInvalid: .configurationInvalid
      case .multiFactorDisabled: .multiFactorDisabled
      case .protocolError: .protocolError
      case .internalError: .internalError
      case .lastFactorRequired: .lastFactorRequired
      case .ticketInvalid: .ticketInvalid
      case .secretTooShort: .secretTooShort
      case .codesNotConsecutive: .codesNotConsecutive
      case .secondFactorRequired: .secondFactorRequired
      case .alreadyImported: .alreadyImported
      case .tooManyChanges(let seconds): .tooManyChanges(seconds: Int(seconds))
      case .unsuitableProcess(.tooManyHelpers): .tooManyHelpers
      case .unsuitableProcess(let fault): .unsuitableProcess(attribute: fault.attribute)
      }
  }
}

extension ProcessFault {
  /// The names of Linux's resource limits, by number.
  private static var limits: [String] {
    [
      "CPU", "FSIZE", "DATA", "STACK", "CORE", "RSS", "NPROC", "NOFILE", "MEMLOCK", "AS", "LOCKS",
      "SIGPENDING", "MSGQUEUE", "NICE", "RTPRIO", "RTTIME",
    ]
  }

  /// The attribute of the process that is at fault.
  fileprivate var attribute: String {
    if self == .niceness { return "niceness" }
    if self == .schedulingPolicy { return "scheduling policy" }
    guard Self.limits.indices.contains(Int(number)) else { return "attribute \(number)" }
    return "RLIMIT_" + Self.limits[Int(number)]
  }
}

extension MultiFactorError {
  init(_ error: ConversationError) {
    self =
      switch error {
      case .failed(let failure): MultiFactorError(failure)
      case .broken(let error): error
      }
  }
}

extension MultiFactorError: CustomStringConvertible {
  /// What happened, in lower case and without a full stop.
  public var description: String {
    switch self {
    case .notPermitted: "this account may not do that"
    case .requiresRecentLogin: "you have not proven yet that this account is yours"
    case .reauthenticationFailed: "you could not be recognised as the owner of this account"
    case .sessionExpired: "too much time has passed since you began"
    case .invalidVerificationCode: "the code is not right"
    case .codeAlreadyUsed: "the code was used already"
    case .notACode: "that is not a code; codes have 6 to 8 digits"
    case .tooManyAttempts(let seconds): "too many wrong codes, try again in \(seconds) s"
    case .factorsDisabled: "your second factors are disabled after too many wrong codes"
    case .secondFactorAlreadyEnrolled: "you have a second factor with this name already"
    case .maximumSecondFactorCountExceeded: "you have as many second factors as you may have"
    case .unsupportedDisplayName: "a second factor cannot have this name"
    case .factorNotFound: "you have no such second factor"
    case .invalidArgument: "a value is not supported on this host"
    case .storeUnavailable: "your second factors cannot be read or written on this host"
    case .configurationInvalid: "the configuration of second factors on this host is in error"
    case .multiFactorDisabled: "second factors are turned off on this host"
    case .internalError: "the helper failed; nothing was changed"
    case .lastFactorRequired: "this is your last second factor, and this host requires one"
    case .ticketInvalid: "the ticket is not right, was used already, or is past its time"
    case .secretTooShort: "the key is too short for this host"
    case .codesNotConsecutive: "the two codes do not follow each other, or came too far apart"
    case .secondFactorRequired: "you have a second factor, and it was not shown"
    case .alreadyImported: "you have a second factor with this key already"
    case .tooManyChanges: "you have made too many changes to your second factors in this hour"
    case .unsuitableProcess(let attribute):
      "the helper does not work with the \(attribute) of this process"
    case .tooManyHelpers: "too many of your programs are using the helper at the same time"
    case .helperUnavailable(let number):
      "the helper \(MultiFactor.helperPath) cannot be started (\(Self.text(of: number)))"
    case .helperEnded: "the helper ended unexpectedly"
    case .protocolError: "this program and the helper do not understand each other"
    case .operationInProgress: "another operation is under way"
    case .userTokenExpired: "you were signed out when your newest second factor was removed"
    }
  }

  /// What to do next, in lower case and without a full stop.
  public var hint: String {
    switch self {
    case .notPermitted: "ask an administrator of this host"
    case .requiresRecentLogin, .sessionExpired: "start again"
    case .reauthenticationFailed: "try again with the password that you sign in to this host with"
    case .invalidVerificationCode:
      "type the code that the app shows now; if it is, check that the phone and this host agree"
        + " about the time"
    case .codeAlreadyUsed: "wait until the app shows the next code"
    case .notACode: "type the digits that the app shows"
    case .tooManyAttempts(let seconds): "wait \(seconds) s and use a fresh code"
    case .factorsDisabled: "ask an administrator of this host to unlock them with mfa-admin unlock"
    case .secondFactorAlreadyEnrolled: "choose another name, or remove the old one first"
    case .maximumSecondFactorCountExceeded: "remove one that you do not use any more"
    case .unsupportedDisplayName: "use 1 to 64 visible characters"
    case .factorNotFound: "list your second factors to see their names"
    case .invalidArgument: "leave the algorithm, the digits and the period at their defaults"
    case .storeUnavailable, .internalError, .helperEnded:
      "tell an administrator of this host; the reason is in the system log (authpriv)"
    case .configurationInvalid:
      "tell an administrator of this host; file and line are in the system log (authpriv)"
    case .multiFactorDisabled: "there is nothing to do; you sign in without a code"
    case .helperUnavailable: "tell an administrator of this host to install the package again"
    case .protocolError:
      "tell an administrator of this host; the package may be installed only in part"
    case .operationInProgress: "answer or cancel it first"
    case .userTokenExpired: "sign in again"
    case .lastFactorRequired: "enrol another one first, or ask an administrator of this host"
    case .ticketInvalid:
      "check what you typed, or ask an administrator of this host for a new ticket"
    case .secretTooShort: "enrol a new key with mfa-enroll instead"
    case .codesNotConsecutive:
      "type the code that the app shows, wait until it shows the next, and type that one"
    case .secondFactorRequired: "sign in with a code from one of your second factors"
    case .alreadyImported: "there is nothing to do; mfa-enroll list shows it"
    case .tooManyChanges(let seconds): "try again in \(seconds / 60 + 1) minutes"
    case .unsuitableProcess:
      "start this program without nice, chrt and ulimit; prlimit shows the limits that are set"
    case .tooManyHelpers: "end some of them, and try again"
    }
  }
}
