import MFAMessages

/// What mfa-enroll tells and asks users.
package enum EnrollMessage: Equatable, Sendable {
  // MARK: The beginning

  /// The first line: whose devices are changed.
  case account(user: String, host: String)
  /// What to have ready, and how long there is.
  case enrollmentOpening(minutes: Int)
  /// The question for the account, if mfa-enroll was started with sudo. The answer is one of the two
  /// names.
  case accountChoice(user: String, root: String)
  /// The answer was neither of the two names.
  case accountChoiceAgain(user: String, root: String)

  // MARK: Labels

  /// The label before an error.
  case errorLabel
  /// The label before what to do next.
  case hintLabel
  /// The label before a warning.
  case warningLabel
  /// The label before the name of an account.
  case nameLabel
  /// The label before a key.
  case keyLabel
  /// The label before an otpauth URL.
  case urlLabel

  // MARK: A new key

  /// The line above a QR code. The key k shows the key as text.
  case scanOrShowKey
  /// The line above a QR code after an answer that was not accepted, with the reason as a sentence.
  case retryOrShowKey(status: String)
  /// The same for a window with less room.
  case showKey(status: String)
  /// The line above a key and its URL.
  case typeKeyOrOpenURL
  /// The line below a key. The key k shows the QR code.
  case showPicture
  case scanPicture
  case scanPictureFile(path: String)
  case typeKey
  /// What to set in the app when the key is typed.
  case keyParameters(algorithm: String, digits: Int, seconds: Int)
  case noPicture(PictureObstacle)
  /// The prompt for the password of the account.
  case passwordPrompt
  /// The prompt for a code of the device that is being added.
  case codePrompt
  /// What precedes the prompt on a screen: how long the new key can be confirmed.
  case timeLeft(minutes: Int)
  /// What to have ready before a phone number is added, and how long there is.
  case phoneOpening(minutes: Int)
  /// The prompt for a phone number.
  case phoneNumberPrompt
  /// The prompt for a code that was sent to the phone that is being added.
  case sentCodePrompt
  case codeSentToPhone
  /// The code was not the one in the message.
  case wrongSentCode
  /// The code in the message is not accepted any more.
  case sentCodeExpired
  /// No other code was sent.
  case nextCodeLater(seconds: Int)
  /// The prompt for the name of the device, with the name that an empty answer stands for.
  case namePrompt(proposed: String)
  case enrolled(name: String)
  /// The user interrupted an enrolment, or ended its input.
  case nothingAdded
  /// The end of an enrolment, with a command that signs in.
  case tryNow(command: String)
  case pictureHoldsKey(path: String)
  case pictureNotRemoved(path: String)

  // MARK: Recovery codes

  /// The first line of a sheet of recovery codes.
  case recoverySheetHeading(user: String, host: String, date: String)
  /// The lines below the codes of a sheet, which makes older sheets void or is the first.
  case recoverySheetAdvice(replacesOlder: Bool)
  /// The same below offline recovery codes.
  case offlineSheetAdvice
  case recoveryCodesShownOnce
  /// The question below new codes, after which they are not shown again. The answers are an empty line, s and p.
  case keepRecoveryCodes(canPrint: Bool)
  case recoveryCodesSaved(path: String)
  case recoveryCodesPrinted
  case recoveryCodesNotMade
  case recoveryCodesLeft(Int)
  case makeRecoveryCodes
  case recoveryCodesImported(Int)

  // MARK: Passwords for programs

  /// The line above a new password.
  case programPasswordMade(name: String)
  /// The lines below it: it is not shown again, and is valid for these services until this time.
  case programPasswordAdvice(services: String, until: String)
  /// The same if it is valid from these networks alone.
  case programPasswordAdviceOfNetworks(services: String, networks: String, until: String)
  case programPasswordRemoved(name: String)
  case noProgramPasswords
  /// An entry of the list.
  case programPassword(name: String, services: String, until: String)
  /// The same with the networks that it is valid from.
  case programPasswordOfNetworks(name: String, services: String, networks: String, until: String)

  // MARK: Other commands

  case columnID
  case columnAdded
  case columnUsed
  case columnCodes
  case columnName
  case codes(algorithm: String, digits: Int, seconds: Int)
  case noDevices(user: String)
  case addDevice
  case renamed(from: String, to: String)
  /// The question below the list of the user's devices.
  case deviceChoice
  /// The question before a device is removed. `Language.isYes` knows the answers.
  case removeQuestion(name: String)
  /// The device is the only one.
  case removeOnly
  /// The device was added last, and its removal ends the user's other sessions.
  case removalEndsSessions
  /// Sign-ins are remembered, until a device is removed.
  case removalForgetsSignIns
  case removed(name: String)
  /// A new device is being added, after which this one is removed.
  case replacing(name: String)
  /// The removed device was the one that was added last.
  case newestRemoved
  /// The removed device was the only one. `anotherIsExpected` says whether the policy asks users to
  /// add a device.
  case onlyRemoved(anotherIsExpected: Bool)
  /// The recovery codes became void with the only device.
  case recoveryCodesVoid
  case otherSessionsContinue
  case otherSessionsEnded(Int)
  case otherSessionsNotEnded(Int)
  /// What to answer to the prompt for a code of an existing device, if there is no other device.
  case resyncOpening
  case nextCodePrompt
  case resynced(name: String)
  case testedCode
  case testedFactor(name: String)
  case testedRecoveryCode
  case testedBypassCode
  case rememberedSignInsCleared(Int)
  case imported(name: String)
  case importedFileHoldsKey(path: String)
  case importWarning(ImportWarningMessage)
}

/// Why no QR code is shown.
package enum PictureObstacle: Equatable, Sendable {
  case notATerminal
  case unknownTerminal
  case localeNotUTF8
  /// The window would need this many columns and lines.
  case windowTooSmall(columns: Int, lines: Int)
  case urlTooLong
  case outOfMemory
  /// A library is missing, which a Debian package contains.
  case libraryMissing(name: String, package: String)
}

/// What was found in a file of another program.
package enum ImportWarningMessage: Equatable, Sendable {
  case weakKey(bits: Int)
  case fewerCodesAccepted(steps: Int, accepted: Int)
  case clockOffset(steps: Int)
  case clockMeasurementDropped
  case gracePeriodDropped
  case rateLimitDropped
  case reuseWasAllowed
  case lastCodeNotFound
  case passwordDropped
  case weakRecoveryCodes(Int)
  case unreachableRecoveryCodes(line: Int, count: Int)
  case recoveryCodesDropped(Int)
}

// The words of mfa-enroll, in every language. They are apart from MFAMessages because no other program
// shows them. The texts are in the catalogues in packaging/po.

extension EnrollMessage {
  /// Returns a label with the space between it and the text that follows. A full-width colon contains
  /// that space.
  package func label(in language: Language) -> MessageText {
    let label = text(in: language)
    return label.utf8.suffix(3).elementsEqual("：".utf8) ? label : "\(label) "
  }
}

extension MessageText.StringInterpolation {
  /// Appends a name, a path or another value.
  mutating func appendInterpolation(_ text: String) { appendInterpolation(Array(text.utf8)) }

  /// Appends a number in decimal digits.
  mutating func appendInterpolation(_ number: Int) { appendInterpolation(Int64(number)) }
}

/// The labels and values of `mfa-enroll status`.
package enum StatusMessage: Equatable, Sendable {
  // MARK: Labels

  case devices
  case recoveryCodesLeft
  case failedAttempts
  case signIns
  case rememberedSignIns
  case pendingNotices

  // MARK: Values

  case device(name: String, date: String)
  case noDevice
  case codesWithImported(left: Int, imported: Int)
  /// Sign-ins accept codes.
  case open
  /// The user has no device, and need not add one.
  case noCodeAsked
  /// The user has no device, and can postpone adding one.
  case deviceOffered
  /// The user has no device, and the next sign-in requires one.
  case deviceRequired
  case throttled(until: String)
  case locked
  /// As before, and a recovery code is accepted and unlocks the devices.
  case lockedUntilRecoveryCode
}

extension Language {
  /// Returns whether an answer to a question for yes or no means yes.
  package func isYes(_ answer: String) -> Bool { isYes(Array(answer.utf8)) }
}
