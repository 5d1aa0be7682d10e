import MFAProtocol

/// Why an operation on second factors failed.
///
/// `description` says what happened, and `hint` says what the user can do next. Neither contains a
/// secret.
public enum MultiFactorError: Error, Equatable, Sendable {
  // MARK: Reported by the helper

  /// The account or the policy does not allow the operation.
  case notPermitted
  /// The operation needs a session.
  case requiresRecentLogin
  /// The user could not prove ownership of the account, or declined to.
  case reauthenticationFailed
  /// The session, or the secret generated in it, has expired.
  case sessionExpired
  /// The code is wrong: it does not match the secret at this time.
  case invalidVerificationCode
  /// The code has been used before.
  case codeAlreadyUsed
  /// The input cannot be a code; it did not count as a failed attempt.
  case notACode
  /// There were too many failed attempts: no code is verified for this many seconds.
  case tooManyAttempts(seconds: Int)
  /// The factors are locked until an administrator unlocks them.
  case factorsLocked
  /// Another factor has this name.
  case secondFactorAlreadyEnrolled
  /// The user has the maximum number of factors.
  case maximumSecondFactorCountExceeded
  /// A factor cannot have this name.
  case unsupportedDisplayName
  /// The factor does not exist.
  case factorNotFound
  /// A value is out of range.
  case invalidArgument
  /// The factors cannot be read or written.
  case storeUnavailable
  /// The configuration contains an error.
  case configurationInvalid
  /// The configuration turns second factors off.
  case multiFactorDisabled
  /// The helper failed.
  case internalError
  /// The factor is the last one, and policy requires one.
  case lastFactorRequired
  /// The ticket belongs to a different account, was used, or has expired.
  case ticketInvalid
  /// The key is shorter than the host accepts.
  case secretTooShort
  /// The two codes are not consecutive.
  case codesNotConsecutive
  /// The session began without a code of an enrolled factor. Call
  /// `MultiFactor.session(reauthenticate:)` again and pass on the code that the user types.
  case secondFactorRequired
  /// A factor with this key is already enrolled.
  case alreadyImported
  /// The user made the maximum number of changes in an hour. The next change is allowed in this
  /// many seconds.
  case tooManyChanges(seconds: Int)
  /// The helper refuses to run with an attribute that it inherits from this process, such as
  /// `RLIMIT_FSIZE`.
  case unsuitableProcess(attribute: String)
  /// The user is already running the maximum number of helpers.
  case tooManyHelpers

  // MARK: Detected by the library

  /// The helper could not be started. `errorNumber` is the system's error number (errno).
  case helperUnavailable(errorNumber: Int32)
  /// The helper ended during a conversation.
  case helperEnded
  /// A message from the program or the helper was malformed or out of turn.
  case protocolError
  /// Another operation is waiting for an answer from the user.
  case operationInProgress
  /// The most recently enrolled factor was unenrolled, which invalidated the session.
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
      case .factorsLocked: .factorsLocked
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

  /// The name of the attribute that caused the fault.
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
    case .factorsLocked: "your second factors are disabled after too many wrong codes"
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
    case .factorsLocked: "ask an administrator of this host to unlock them with mfa-admin unlock"
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
