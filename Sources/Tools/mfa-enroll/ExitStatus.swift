import MultiFactor

/// The program's exit status. Documented in mfa-enroll(1).
enum ExitStatus: Int32 {
  case failed = 1
  /// The user could not be verified as the owner of the account.
  case notAuthenticated = 2
  /// The code was wrong or already used.
  case wrongCode = 3
  /// The command was not understood (EX_USAGE).
  case usage = 64

  init(_ error: MultiFactorError) {
    switch error {
    case .reauthenticationFailed, .requiresRecentLogin, .ticketInvalid, .secondFactorRequired,
      .sessionRequiresSecondFactor, .userTokenExpired, .tooManyPasswords, .accountRefused:
      self = .notAuthenticated
    case .invalidVerificationCode, .codeAlreadyUsed, .notACode, .codesNotConsecutive:
      self = .wrongCode
    case .notPermitted, .sessionExpired, .tooManyAttempts, .factorsLocked,
      .secondFactorAlreadyEnrolled, .maximumSecondFactorCountExceeded, .unsupportedDisplayName,
      .factorNotFound, .invalidArgument, .storeUnavailable, .configurationInvalid,
      .multiFactorDisabled, .internalError, .helperUnavailable, .helperEnded, .protocolError,
      .operationInProgress, .lastFactorRequired, .secretTooShort, .alreadyImported,
      .unsuitableProcess, .tooManyHelpers, .tooManyChanges, .otpAppUnavailable,
      .phonesNotSupported, .totpNotSupported, .invalidPhoneNumber, .phoneRegionNotAllowed,
      .quotaExceeded, .messageNotSent, .phoneNumberAlreadyEnrolled, .phoneNotUsableYet,
      .invalidVerificationID:
      self = .failed
    }
  }
}
