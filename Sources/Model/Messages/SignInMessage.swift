/// What the PAM module tells users.
///
/// A message that users see before the first factor has been proven is the same for all users.
package enum SignInMessage: Equatable, Sendable {
  // MARK: Prompts

  /// The prompt for a code.
  case codePrompt
  /// The prompt for the password followed by a code, in one answer.
  case passwordAndCodePrompt
  /// The prompt below a list of devices.
  case codeOrNumberPrompt
  /// The line above a list of devices.
  case deviceList
  /// The prompt for a code of one device.
  case codeOfDevicePrompt(name: [UInt8])

  /// The prompt if the devices are locked and a recovery code unlocks them.
  case recoveryCodePrompt
  /// The prompt for the break-glass code, while the store cannot be used.
  case breakGlassPrompt
  /// The line above a question that the application may ask with a text of its own, as `sudo -p` does.
  case codeIsNext

  // MARK: Codes sent to a phone

  /// The prompt for a code or `s`, which requests a code for the phone with this name and masked number.
  case codeOrSendPrompt(name: [UInt8], number: [UInt8])
  /// The prompt below a list of phones, `s1` for the first one.
  case codeOrSendChoicePrompt
  /// A code was sent to the phone with this masked number.
  case codeSent(number: [UInt8])
  /// No code was sent, because of a problem on the host.
  case codeNotSent
  /// No code was sent, because too many were sent before.
  case codeNotSentYet(seconds: Int64)
  /// No code was sent, because the number was changed a short time ago.
  case phoneNotUsableYet(seconds: Int64)

  // MARK: Results

  case wrongCode
  /// The code was wrong, and the user is asked for another one at once.
  case wrongCodeTryAgain
  case usedCode
  /// The device has no acceptable code for `seconds`, because codes of later time steps may have been used.
  case codeNotYetAccepted(seconds: Int64)
  /// The code is wrong now. It was right `seconds` ago, or will be in `seconds`.
  case codeOfAnotherTime(isAhead: Bool, seconds: Int64)
  /// The code was right, but the host does not accept codes of apps, or of phones.
  case typeNotAllowed(isPhone: Bool)
  /// No code is verified for `seconds`.
  case throttled(seconds: Int64)
  case locked
  /// The devices are locked, and a recovery code unlocks them.
  case lockedUntilRecoveryCode
  case notACode
  /// The answer of a user without a device, who was asked for a bypass code.
  case notABypassCode
  case noSuchDevice
  /// The line below `throttled` or `locked` in sshd: the connection accepts no more passwords or codes.
  case connectionIsOver
  /// The last line of the question with which a sign-in ends, below the reason. The answer changes nothing.
  case closingPrompt
  /// The sign-in failed because of an error on the host.
  case unavailable
  /// A recovery code was accepted, and `left` remain. If they are few, the user should make new ones.
  case recoveryCodeAccepted(left: Int64, areFew: Bool)
  /// A bypass code of an administrator was accepted, and can be used `usesLeft` times more. `command` is what
  /// adds a device.
  case bypassCodeAccepted(usesLeft: Int64, command: [UInt8])

  /// The break-glass code was accepted.
  case breakGlassAccepted
  /// A code that was rejected earlier belonged to another time. Told only after an accepted code.
  case clockMayBeWrong

  // MARK: Enrolment

  /// The user should enrol an authenticator app, or a phone where policy allows only phones.
  case enrollmentOffered(onlyPhones: Bool)
  /// The user must enrol after `signInsLeft` further sign-ins or after `lastDay`.
  case enrollmentRequiredLater(signInsLeft: Int64?, lastDay: WrittenTime?)
  /// The user must enrol, which is not possible in this sign-in.
  case enrollmentNotPossible(command: [UInt8])
  /// The user must enrol, and this application cannot ask questions.
  case enrollmentNeedsQuestions(command: [UInt8])
  /// The user must enrol a phone, and the host cannot send codes.
  case enrollmentNeedsGateway
  /// The user has given an enrolment up that was offered, and is signed in.
  case deviceNotAdded(command: [UInt8])
  case enrollmentAbandoned
  case enrollmentWrongCodes
  /// Too many codes were typed that are not the one that was sent.
  case enrollmentWrongSentCodes
  case enrollmentTooLate
  /// The application ends the sign-in in `seconds`, which are too few to enrol.
  case enrollmentTooLittleTime(seconds: Int64)
  case enrolledMeanwhile

  // MARK: Pending notices

  /// The question after the pending notices. An answer for which `Language.isYes` is true confirms them.
  case noticeConfirmation
  /// The notices need no confirmation, and are shown in each session until the user has read them with mfa-enroll.
  case howToReadNotices
  /// The notices are shown again, until the user confirms them.
  case noticesStay(until: NoticeConfirmation)

  /// Whether the message says something that is neither a refusal nor a failure.
  package var isInformation: Bool {
    switch self {
    case .codePrompt, .passwordAndCodePrompt, .codeOrNumberPrompt, .deviceList,
      .codeOfDevicePrompt, .recoveryCodePrompt, .breakGlassPrompt, .codeIsNext, .codeOrSendPrompt,
      .codeOrSendChoicePrompt, .codeSent, .closingPrompt, .recoveryCodeAccepted,
      .bypassCodeAccepted, .breakGlassAccepted, .clockMayBeWrong, .enrollmentOffered,
      .enrollmentRequiredLater, .noticeConfirmation, .howToReadNotices, .noticesStay:
      true
    case .codeNotSent, .codeNotSentYet, .phoneNotUsableYet, .wrongCode, .wrongCodeTryAgain,
      .usedCode, .codeNotYetAccepted, .codeOfAnotherTime, .typeNotAllowed, .throttled, .locked,
      .lockedUntilRecoveryCode, .notACode, .notABypassCode, .noSuchDevice, .connectionIsOver,
      .unavailable, .enrollmentNotPossible, .enrollmentNeedsQuestions, .enrollmentNeedsGateway,
      .deviceNotAdded, .enrollmentAbandoned, .enrollmentWrongCodes, .enrollmentWrongSentCodes,
      .enrollmentTooLate, .enrollmentTooLittleTime, .enrolledMeanwhile:
      false
    }
  }

  /// The message for a code that is right `secondsAhead` seconds from now (negative: ago).
  package static func codeOfAnotherTime(secondsAhead: Int64) -> SignInMessage {
    .codeOfAnotherTime(
      isAhead: secondsAhead > 0, seconds: Int64(clamping: secondsAhead.magnitude))
  }
}

/// The sign-in that can confirm pending notices.
package enum NoticeConfirmation: Equatable, Sendable {
  /// A sign-in with this device.
  case device(name: [UInt8])
  /// The sign-in after one with a recovery code.
  case afterRecoveryCode
  /// Any sign-in: the user has no device.
  case any
}
