/// The name by which programs written for Identity Platform catch errors.
public typealias AuthErrorCode = MultiFactorError

/// The key of the resolver in `MultiFactorError.userInfo`.
public let AuthErrorUserInfoMultiFactorResolverKey = "FIRAuthErrorUserInfoMultiFactorResolverKey"

extension MultiFactorError {
  /// The kinds of error, without the values that come with an error.
  public enum Code: String, CaseIterable, Sendable {
    case notPermitted, requiresRecentLogin, reauthenticationFailed, sessionExpired,
      invalidVerificationCode, codeAlreadyUsed, notACode, tooManyAttempts, factorsLocked,
      secondFactorAlreadyEnrolled, maximumSecondFactorCountExceeded, unsupportedDisplayName,
      factorNotFound, invalidArgument, storeUnavailable, configurationInvalid,
      multiFactorDisabled, internalError, lastFactorRequired, ticketInvalid, secretTooShort,
      codesNotConsecutive, sessionRequiresSecondFactor, alreadyImported, tooManyChanges,
      unsuitableProcess, tooManyHelpers, helperUnavailable, helperEnded, protocolError,
      operationInProgress, userTokenExpired, secondFactorRequired, otpAppUnavailable,
      phonesNotSupported, invalidPhoneNumber, phoneRegionNotAllowed, quotaExceeded, messageNotSent,
      phoneNumberAlreadyEnrolled, phoneNotUsableYet, invalidVerificationID, totpNotSupported
  }

  /// The kind of error.
  public var code: Code {
    switch self {
    case .notPermitted: .notPermitted
    case .requiresRecentLogin: .requiresRecentLogin
    case .reauthenticationFailed: .reauthenticationFailed
    case .sessionExpired: .sessionExpired
    case .invalidVerificationCode: .invalidVerificationCode
    case .codeAlreadyUsed: .codeAlreadyUsed
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
