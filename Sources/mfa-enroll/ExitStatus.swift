import MultiFactor

/// What the program tells the one that started it. Documented in mfa-enroll(1).
enum ExitStatus: Int32 {
  case failed = 1
  /// It could not be made sure that the account is the caller's.
  case notRecognised = 2
  /// The code was wrong, or used already.
  case wrongCode = 3
  /// The command was not understood (EX_USAGE).
  case usage = 64

  init(_ error: MultiFactorError) {
    switch error {
    case .reauthenticationFailed, .requiresRecentLogin, .ticketInvalid, .secondFactorRequired,
      .userTokenExpired:
      self = .notRecognised
    case .invalidVerificationCode, .codeAlreadyUsed, .notACode, .codesNotConsecutive:
      self = .wrongCode
    case .notPermitted, .sessionExpired, .tooManyAttempts, .factorsDisabled,
      .secondFactorAlreadyEnrolled, .maximumSecondFactorCountExceeded, .unsupportedDisplayName,
      .factorNotFound, .invalidArgument, .storeUnavailable, .configurationInvalid,
      .multiFactorDisabled, .internalError, .helperUnavailable, .helperEnded, .protocolError,
      .operationInProgress, .lastFactorRequired, .secretTooShort, .alreadyImported,
      .unsuitableProcess, .tooManyHelpers, .tooManyChanges:
      self = .failed
    }
  }
}
