import MFABase
public import MFAMessages
import MFAModel
import MFAWire

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
  /// The code is correct, but the factor has no acceptable code for this many seconds, because codes of later
  /// time steps may have been used.
  case codeNotYetAccepted(seconds: Int)
  /// The code is wrong, but right this many seconds from now (negative: ago), at most an hour: the clock of the
  /// authenticator is wrong. Only if the user knows the key, or typed two such codes.
  case codeOfAnotherTime(secondsAhead: Int)
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
  /// The session began without a code of an enrolled factor. Call `MultiFactor.session()` again and
  /// pass on the code that the user types.
  case sessionRequiresSecondFactor
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
  /// The host sends no codes to phones, because policy forbids them or no gateway is set.
  case phonesNotSupported
  /// Policy forbids authenticator apps.
  case totpNotSupported
  /// The text is not a phone number in international form.
  case invalidPhoneNumber(PhoneNumberFault)
  /// The host sends no codes to phone numbers of this country.
  case phoneRegionNotAllowed
  /// Too many codes were sent. The next one can be requested in this many seconds.
  case quotaExceeded(seconds: Int)
  /// The host could not send the code.
  case messageNotSent
  /// The phone number is already enrolled.
  case phoneNumberAlreadyEnrolled
  /// The phone was enrolled in place of another one. Codes are sent to it in this many seconds.
  case phoneNotUsableYet(seconds: Int)
  /// There were too many wrong passwords: no password is verified for this many seconds.
  case tooManyPasswords(seconds: Int)
  /// The account may not be used now.
  case accountRefused(AccountFault)
  /// No password for a program can be made or removed in this way.
  case programPasswordRefused(ProgramPasswordFault)

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
  /// The sign-in needs a second factor. The resolver has the factors to choose from.
  case secondFactorRequired(MultiFactorResolver)
  /// No app could be given the URL of a secret; see `TOTPSecret.openInOTPApp(withQRCodeURL:)`.
  case otpAppUnavailable(OTPAppFailure)
  /// The verification ID belongs to an earlier request, or to one for another purpose.
  case invalidVerificationID

  init(_ failure: HelperFailure) {
    self =
      switch failure {
      case .notPermitted: .notPermitted
      case .requiresRecentLogin: .requiresRecentLogin
      case .reauthenticationFailed: .reauthenticationFailed
      case .sessionExpired: .sessionExpired
      case .invalidVerificationCode: .invalidVerificationCode
      case .codeAlreadyUsed: .codeAlreadyUsed
      case .codeNotYetAccepted(let seconds): .codeNotYetAccepted(seconds: Int(seconds))
      case .codeOfAnotherTime(let ahead): .codeOfAnotherTime(secondsAhead: Int(ahead))
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
      case .secondFactorRequired: .sessionRequiresSecondFactor
      case .alreadyImported: .alreadyImported
      case .tooManyChanges(let seconds): .tooManyChanges(seconds: Int(seconds))
      case .phonesNotSupported: .phonesNotSupported
      case .totpNotSupported: .totpNotSupported
      case .invalidPhoneNumber(let refusal): .invalidPhoneNumber(PhoneNumberFault(refusal))
      case .phoneRegionNotAllowed: .phoneRegionNotAllowed
      case .tooManyMessages(let seconds): .quotaExceeded(seconds: Int(seconds))
      case .messageNotSent: .messageNotSent
      case .phoneAlreadyEnrolled: .phoneNumberAlreadyEnrolled
      case .phoneNotUsableYet(let seconds): .phoneNotUsableYet(seconds: Int(seconds))
      case .tooManyPasswords(let seconds): .tooManyPasswords(seconds: Int(seconds))
      case .accountRefused(let refusal): .accountRefused(AccountFault(refusal))
      case .programPasswordRefused(let refusal):
        .programPasswordRefused(ProgramPasswordFault(refusal))
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
  /// Whether the conversation with the helper is over after this error.
  var endsConversation: Bool {
    switch self {
    case .helperEnded, .helperUnavailable, .internalError, .protocolError, .tooManyHelpers,
      .unsuitableProcess:
      true
    case _: false
    }
  }
}

extension MultiFactorError: CustomStringConvertible {
  /// What happened, in English.
  public var description: String { text(in: .english).description.string }

  /// What to do next, in English.
  public var hint: String { text(in: .english).hint.string }

  /// Returns what happened and what to do next, in a language.
  public func text(in language: Language) -> FailureText { message.text(in: language) }

  private var message: FailureMessage {
    switch self {
    case .notPermitted: .notPermitted
    case .requiresRecentLogin: .requiresRecentLogin
    case .reauthenticationFailed: .wrongPassword
    case .sessionExpired: .sessionExpired
    case .invalidVerificationCode: .wrongCode
    case .codeAlreadyUsed: .usedCode
    case .codeNotYetAccepted(let seconds): .codeNotYetAccepted(seconds: Int64(seconds))
    case .codeOfAnotherTime(let ahead):
      .codeOfAnotherTime(isAhead: ahead > 0, seconds: Int64(clamping: ahead.magnitude))
    case .notACode: .notACode
    case .tooManyAttempts(let seconds): .throttled(seconds: Int64(seconds))
    case .factorsLocked: .locked
    case .secondFactorAlreadyEnrolled: .nameTaken
    case .maximumSecondFactorCountExceeded: .tooManyDevices
    case .unsupportedDisplayName: .unsupportedName
    case .factorNotFound: .noSuchDevice
    case .invalidArgument: .unsupportedValue
    case .storeUnavailable: .storeUnavailable
    case .configurationInvalid: .configurationInvalid
    case .multiFactorDisabled: .switchedOff
    case .internalError: .internalError
    case .lastFactorRequired: .lastDeviceRequired
    case .ticketInvalid: .invalidTicket
    case .secretTooShort: .shortKey
    case .codesNotConsecutive: .codesNotConsecutive
    case .sessionRequiresSecondFactor: .codeRequired
    case .secondFactorRequired: .signInCodeRequired
    case .otpAppUnavailable(let failure): .noAuthenticatorApp(failure.obstacle)
    case .alreadyImported: .alreadyImported
    case .tooManyChanges(let seconds): .tooManyChanges(minutes: Int64(seconds) / 60 + 1)
    case .unsuitableProcess(let attribute):
      .unsuitableProcess(attribute: Array(attribute.utf8))
    case .tooManyHelpers: .tooManyHelpers
    case .phonesNotSupported: .phonesNotSupported
    case .totpNotSupported: .totpNotSupported
    case .invalidPhoneNumber(let fault): fault.message
    case .phoneRegionNotAllowed: .phoneRegionNotAllowed
    case .quotaExceeded(let seconds): .tooManyMessages(seconds: Int64(seconds))
    case .messageNotSent: .messageNotSent
    case .phoneNumberAlreadyEnrolled: .phoneAlreadyAdded
    case .phoneNotUsableYet(let seconds): .phoneNotUsableYet(seconds: Int64(seconds))
    case .tooManyPasswords(let seconds): .tooManyPasswords(seconds: Int64(seconds))
    case .accountRefused(let fault): fault.message
    case .programPasswordRefused(let fault): fault.message
    case .invalidVerificationID: .otherVerification
    case .helperUnavailable(let number):
      .helperUnavailable(
        path: Array(MultiFactor.helperPath.utf8), reason: Array(Self.text(of: number).utf8))
    case .helperEnded: .helperEnded
    case .protocolError: .protocolError
    case .operationInProgress: .operationInProgress
    case .userTokenExpired: .signedOut
    }
  }
}

extension MultiFactorError {
  /// Returns the system's description of an error number.
  static func text(of number: Int32) -> String { SystemError(.process, number: number).text }
}

/// Why an account may not be used, although the password may be right.
public enum AccountFault: CaseIterable, Equatable, Sendable {
  /// The account is locked after too many wrong passwords (pam_faillock).
  case locked
  /// The account has expired.
  case expired
  /// The password has expired.
  case passwordExpired
  /// No user can sign in to this host now (nologin(5)).
  case noSignIns
  /// The host does not allow the account for another reason.
  case notAllowed

  init(_ refusal: AccountRefusal) {
    self =
      switch refusal {
      case .locked: .locked
      case .expired: .expired
      case .passwordExpired: .passwordExpired
      case .noSignIns: .noSignIns
      case .notAllowed: .notAllowed
      }
  }

  var message: FailureMessage {
    switch self {
    case .locked: .accountLocked
    case .expired: .accountExpired
    case .passwordExpired: .passwordExpired
    case .noSignIns: .noSignIns
    case .notAllowed: .accountNotAllowed
    }
  }
}

/// Why a password for a program cannot be made or removed.
public enum ProgramPasswordFault: CaseIterable, Equatable, Sendable {
  /// Policy accepts no such password in a service that was named, or in no service.
  case notAccepted
  /// Another one has this name.
  case nameTaken
  /// The user has the maximum number of such passwords.
  case tooMany
  /// The user has no such password.
  case notFound

  init(_ refusal: ProgramPasswordRefusal) {
    self =
      switch refusal {
      case .notAccepted: .notAccepted
      case .nameTaken: .nameTaken
      case .tooMany: .tooMany
      case .notFound: .notFound
      }
  }

  var message: FailureMessage {
    switch self {
    case .notAccepted: .programPasswordsNotAccepted
    case .nameTaken: .programPasswordExists
    case .tooMany: .tooManyProgramPasswords
    case .notFound: .noSuchProgramPassword
    }
  }
}

/// Why a text is not a phone number in international form (ITU-T E.164), such as `+15105551234`.
public enum PhoneNumberFault: CaseIterable, Sendable {
  /// It does not begin with a plus sign.
  case noPlus
  /// It has other characters than digits, spaces and hyphens.
  case otherCharacters
  /// No country has its country code.
  case noSuchCountry
  /// It has fewer than 8 digits.
  case tooShort
  /// It has more than 15 digits.
  case tooLong

  init(_ refusal: PhoneNumber.Refusal) {
    self =
      switch refusal {
      case .noPlus: .noPlus
      case .notDigits: .otherCharacters
      case .noSuchCallingCode: .noSuchCountry
      case .tooShort: .tooShort
      case .tooLong: .tooLong
      }
  }

  var message: FailureMessage {
    switch self {
    case .noPlus: .numberWithoutPlus
    case .otherCharacters: .numberWithOtherCharacters
    case .noSuchCountry: .numberOfNoCountry
    case .tooShort: .numberTooShort
    case .tooLong: .numberTooLong
    }
  }
}

/// The reason why no app got the URL of a secret.
public enum OTPAppFailure: CaseIterable, Equatable, Sendable {
  /// libsystemd, which speaks D-Bus for this library, is not installed.
  case libraryMissing
  /// The process has no session bus, or the bus does not answer: the user is not signed in to a
  /// desktop.
  case noSessionBus
  /// No app is installed for the scheme `otpauth`.
  case noHandler
  /// The user's app for the scheme `otpauth` takes URLs only as arguments, which every user of the
  /// host can read. Its desktop file lacks `DBusActivatable=true`.
  case handlerNeedsArguments
  /// The app could not be started, or it refused the URL.
  case handlerFailed
  /// The app did not reply within 30 seconds.
  case timedOut
  /// The text is not an `otpauth:` URL.
  case unsupportedURL
}

extension OTPAppFailure {
  /// The reason as messages name it.
  var obstacle: AuthenticatorAppObstacle {
    switch self {
    case .libraryMissing, .noSessionBus: .noDesktop
    case .noHandler: .noApp
    case .handlerNeedsArguments: .appExposesKey
    case .handlerFailed, .timedOut: .appFailed
    case .unsupportedURL: .noLink
    }
  }
}
