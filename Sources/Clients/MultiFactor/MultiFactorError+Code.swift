/// The name by which programs written for Identity Platform catch errors.
public typealias AuthErrorCode = MultiFactorError

/// The key of the resolver in `MultiFactorError.userInfo`.
public let AuthErrorUserInfoMultiFactorResolverKey = "FIRAuthErrorUserInfoMultiFactorResolverKey"

extension MultiFactorError {
  /// The kinds of error, without the values that come with an error.
  public enum Code: String, CaseIterable, Sendable {
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
    /// The code is correct, but the factor has no acceptable code for some time.
    case codeNotYetAccepted
    /// The code is wrong, but right at another time within an hour: a clock is wrong.
    case codeOfAnotherTime
    /// The input cannot be a code; it did not count as a failed attempt.
    case notACode
    /// There were too many failed attempts: no code is verified for some time.
    case tooManyAttempts
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
    /// The user made the maximum number of changes in an hour.
    case tooManyChanges
    /// The helper refuses to run with an attribute that it inherits from this process, such as
    /// `RLIMIT_FSIZE`.
    case unsuitableProcess
    /// The user is already running the maximum number of helpers.
    case tooManyHelpers
    /// The helper could not be started.
    case helperUnavailable
    /// The helper ended during a conversation.
    case helperEnded
    /// A message from the program or the helper was malformed or out of turn.
    case protocolError
    /// Another operation is waiting for an answer from the user.
    case operationInProgress
    /// The most recently enrolled factor was unenrolled, which invalidated the session.
    case userTokenExpired
    /// The sign-in needs a second factor.
    case secondFactorRequired
    /// No app could be given the URL of a secret; see `TOTPSecret.openInOTPApp(withQRCodeURL:)`.
    case otpAppUnavailable
    /// The host sends no codes to phones, because policy forbids them or no gateway is set.
    case phonesNotSupported
    /// The text is not a phone number in international form.
    case invalidPhoneNumber
    /// The host sends no codes to phone numbers of this country.
    case phoneRegionNotAllowed
    /// Too many codes were sent. The next one can be requested later.
    case quotaExceeded
    /// The host could not send the code.
    case messageNotSent
    /// The phone number is already enrolled.
    case phoneNumberAlreadyEnrolled
    /// The phone was enrolled in place of another one. Codes are not sent to it yet.
    case phoneNotUsableYet
    /// The verification ID belongs to an earlier request, or to one for another purpose.
    case invalidVerificationID
    /// Policy forbids authenticator apps.
    case totpNotSupported
    /// There were too many wrong passwords: no password is verified for some time.
    case tooManyPasswords
    /// The account may not be used now.
    case accountRefused
    /// No password for a program can be made or removed in this way.
    case programPasswordRefused

    /// The same as `userTokenExpired`.
    public static var invalidUserToken: Code { .userTokenExpired }
  }

  /// The same as `userTokenExpired`. Identity Platform's documents for Apple platforms name a user who was signed
  /// out so.
  public static var invalidUserToken: MultiFactorError { .userTokenExpired }

  /// The kind of error.
  public var code: Code {
    switch self {
    case .notPermitted: .notPermitted
    case .requiresRecentLogin: .requiresRecentLogin
    case .reauthenticationFailed: .reauthenticationFailed
    case .sessionExpired: .sessionExpired
    case .invalidVerificationCode: .invalidVerificationCode
    case .codeAlreadyUsed: .codeAlreadyUsed
    case .codeNotYetAccepted: .codeNotYetAccepted
    case .codeOfAnotherTime: .codeOfAnotherTime
    case .notACode: .notACode
    case .tooManyAttempts: .tooManyAttempts
    case .factorsLocked: .factorsLocked
    case .secondFactorAlreadyEnrolled: .secondFactorAlreadyEnrolled
    case .maximumSecondFactorCountExceeded: .maximumSecondFactorCountExceeded
    case .unsupportedDisplayName: .unsupportedDisplayName
    case .factorNotFound: .factorNotFound
    case .invalidArgument: .invalidArgument
    case .storeUnavailable: .storeUnavailable
    case .configurationInvalid: .configurationInvalid
    case .multiFactorDisabled: .multiFactorDisabled
    case .internalError: .internalError
    case .lastFactorRequired: .lastFactorRequired
    case .ticketInvalid: .ticketInvalid
    case .secretTooShort: .secretTooShort
    case .codesNotConsecutive: .codesNotConsecutive
    case .sessionRequiresSecondFactor: .sessionRequiresSecondFactor
    case .alreadyImported: .alreadyImported
    case .tooManyChanges: .tooManyChanges
    case .unsuitableProcess: .unsuitableProcess
    case .tooManyHelpers: .tooManyHelpers
    case .helperUnavailable: .helperUnavailable
    case .helperEnded: .helperEnded
    case .protocolError: .protocolError
    case .operationInProgress: .operationInProgress
    case .userTokenExpired: .userTokenExpired
    case .secondFactorRequired: .secondFactorRequired
    case .otpAppUnavailable: .otpAppUnavailable
    case .phonesNotSupported: .phonesNotSupported
    case .totpNotSupported: .totpNotSupported
    case .tooManyPasswords: .tooManyPasswords
    case .accountRefused: .accountRefused
    case .programPasswordRefused: .programPasswordRefused
    case .invalidPhoneNumber: .invalidPhoneNumber
    case .phoneRegionNotAllowed: .phoneRegionNotAllowed
    case .quotaExceeded: .quotaExceeded
    case .messageNotSent: .messageNotSent
    case .phoneNumberAlreadyEnrolled: .phoneNumberAlreadyEnrolled
    case .phoneNotUsableYet: .phoneNotUsableYet
    case .invalidVerificationID: .invalidVerificationID
    }
  }

  /// The resolver of `secondFactorRequired`, under `AuthErrorUserInfoMultiFactorResolverKey`; empty
  /// for other errors.
  public var userInfo: [String: any Sendable] {
    guard case .secondFactorRequired(let resolver) = self else { return [:] }
    return [AuthErrorUserInfoMultiFactorResolverKey: resolver]
  }
}
