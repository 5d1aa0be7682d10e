import MFAWire

/// The cases of `HelperFailure` without their values, so that tests can list all of them.
enum HelperFailureCase: CaseIterable {
  case notPermitted, requiresRecentLogin, reauthenticationFailed, sessionExpired,
    invalidVerificationCode, codeAlreadyUsed, codeNotYetAccepted, codeOfAnotherTime, notACode,
    tooManyAttempts,
    factorsLocked,
    secondFactorAlreadyEnrolled, maximumSecondFactorCountExceeded, unsupportedDisplayName,
    factorNotFound, invalidArgument, storeUnavailable, configurationInvalid, multiFactorDisabled,
    protocolError, internalError, lastFactorRequired, ticketInvalid, secretTooShort,
    codesNotConsecutive, secondFactorRequired, alreadyImported, tooManyChanges, unsuitableProcess,
    phonesNotSupported, invalidPhoneNumber, phoneRegionNotAllowed, tooManyMessages, messageNotSent,
    phoneAlreadyEnrolled, phoneNotUsableYet, totpNotSupported, tooManyPasswords, accountRefused,
    programPasswordRefused

  /// Creates the case of an error. Because the switch is exhaustive, no case can be missing here.
  init(_ error: HelperFailure) {
    self =
      switch error {
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
      case .protocolError: .protocolError
      case .internalError: .internalError
      case .lastFactorRequired: .lastFactorRequired
      case .ticketInvalid: .ticketInvalid
      case .secretTooShort: .secretTooShort
      case .codesNotConsecutive: .codesNotConsecutive
      case .secondFactorRequired: .secondFactorRequired
      case .alreadyImported: .alreadyImported
      case .tooManyChanges: .tooManyChanges
      case .unsuitableProcess: .unsuitableProcess
      case .phonesNotSupported: .phonesNotSupported
      case .totpNotSupported: .totpNotSupported
      case .invalidPhoneNumber: .invalidPhoneNumber
      case .phoneRegionNotAllowed: .phoneRegionNotAllowed
      case .tooManyMessages: .tooManyMessages
      case .messageNotSent: .messageNotSent
      case .phoneAlreadyEnrolled: .phoneAlreadyEnrolled
      case .phoneNotUsableYet: .phoneNotUsableYet
      case .tooManyPasswords: .tooManyPasswords
      case .accountRefused: .accountRefused
      case .programPasswordRefused: .programPasswordRefused
      }
  }
}
