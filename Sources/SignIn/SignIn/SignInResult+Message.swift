import MFAAttempt
import MFAModel
import MFAMessages
import MFAWire

extension SignInMessage {
  /// How the message is shown.
  var style: SignInEffect.Style { isInformation ? .information : .error }
}

extension SignInResult {
  /// Returns the message to the user, or nil if nothing is to be shown. `isRetried` is whether the
  /// user may try another code at once.
  func message(isRetried: Bool, _ settings: Settings) -> SignInMessage? {
    let message = message(settings)
    if isRetried, message == .wrongCode { return .wrongCodeTryAgain }
    return message == .locked && settings.recoveryUnlocks ? .lockedUntilRecoveryCode : message
  }

  private func message(_ settings: Settings) -> SignInMessage? {
    switch self {
    case .allowed(.code(.recoveryCode(let left, _))):
      .recoveryCodeAccepted(left: Int64(left), areFew: left <= RecoveryCodeSupply.few)
    case .allowed(.code(.bypassCode(_, let usesLeft, _))):
      .bypassCodeAccepted(usesLeft: Int64(usesLeft), command: settings.enrollmentCommand)
    case .allowed(.breakGlass): .breakGlassAccepted
    case .allowed: nil
    case .passed: nil
    case .denied(.code(let rejected)): Self.message(rejected)
    // The next sign-in could be that of the same program, which shows no message.
    case .denied(.programPassword): nil
    case .denied(.unknownUser): Self.message(.wrong(wait: 0))
    case .denied(.enrollmentRequired(let obstacle)):
      obstacle.message(command: settings.enrollmentCommand)
    // A program that verifies passwords itself shows no text of PAM.
    case .denied(.codeRequired): nil
    case .denied(.failed): .unavailable
    }
  }

  /// Whether the message is essential. An essential message is shown even if the application asked
  /// for silence, because the user could not guess the reason: for example, a correct code was
  /// rejected, or no code would have been accepted.
  var isEssential: Bool {
    switch self {
    case .allowed(.code), .allowed(.breakGlass): true
    case .allowed, .passed: false
    // Users of sudo, which asks for silence, see that it was the code that was wrong.
    case .denied: true
    }
  }

  private static func message(_ rejected: Attempt.Rejected) -> SignInMessage? {
    switch rejected {
    case .wrong(0), .repeated(.rejected): .wrongCode
    case .ofAnotherTime(let secondsAhead, 0): .codeOfAnotherTime(secondsAhead: secondsAhead)
    case .replayed(_, 0), .repeated(.used): .usedCode
    case .notYet(_, let seconds): .codeNotYetAccepted(seconds: seconds)
    case .typeNotAllowed(_, let type): .typeNotAllowed(isPhone: type == .phone)
    case .wrong(let wait), .ofAnotherTime(_, let wait), .replayed(_, let wait),
      .throttled(let wait):
      .throttled(seconds: wait)
    case .locked, .lockedNow: .locked
    case .notACode(.somethingElse), .notACode(.tooLong): .notACode
    case .notACode(.noBypassCode(true)): .notABypassCode
    case .notACode(.noBypassCode(false)): .wrongCode
    case .notACode(.noSuchFactor): .noSuchDevice
    // The answer of an unknown user is withheld too.
    case .notACode(.withheldBySSHD): .wrongCode
    case .notACode(.noAnswer): nil
    case .notEnrolled: .unavailable
    }
  }
}
