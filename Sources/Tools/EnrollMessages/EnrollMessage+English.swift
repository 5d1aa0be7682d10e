import MFAMessages

extension EnrollMessage {
  /// The text in English.
  package var english: MessageText {
    switch self {
    case .account(let user, let host): "Account: \(user) on \(host)"
    case .enrollmentOpening(1):
      "Have your phone ready, with an authenticator app. You have 1 minute."
    case .enrollmentOpening(let minutes):
      "Have your phone ready, with an authenticator app. You have \(minutes) minutes."
    case .accountChoice(let user, let root):
      "You used sudo. For which account, \(user) or \(root)? "
    case .accountChoiceAgain(let user, let root): "Type \(user) or \(root): "
    case .errorLabel: "error:"
    case .hintLabel: "hint:"
    case .warningLabel: "warning:"
    case .nameLabel: "Name:"
    case .keyLabel: "Key:"
    case .urlLabel: "URL:"
    case .scanOrShowKey:
      "Scan this with an authenticator app, or press k for a key."
    case .retryOrShowKey(let status): "\(status) Try again, or press k for a key."
    case .showKey(let status): "\(status) Press k for the key."
    case .typeKeyOrOpenURL:
      "Type this key into your authenticator app, or open the URL with it:"
    case .showPicture: "Press k for the QR code."
    case .scanPicture: "Scan the QR code with your authenticator app, or type the key into it."
    case .scanPictureFile(let path):
      "Scan the QR code in \(path) with your authenticator app, or type the key into it."
    case .typeKey: "Type the key into your authenticator app."
    case .keyParameters(let algorithm, let digits, let seconds):
      "If you type the key, choose \(algorithm), \(digits) digits and \(seconds) seconds."
    case .noPicture(.windowTooSmall(let columns, let lines)):
      "Window too small for a QR code: enlarge to \(columns)x\(lines), or type the key above."
    case .noPicture(.localeNotUTF8):
      """
      The locale is not UTF-8, so a QR code can't be shown. \
      Type the key above, or run: LC_ALL=C.UTF-8 mfa-enroll
      """
    case .noPicture(let obstacle): "\(obstacle.english) Type the key above."
    case .passwordPrompt: "Password: "
    case .codePrompt: "Code from the app: "
    case .phoneOpening(1): "Have your phone ready. You have 1 minute."
    case .phoneOpening(let minutes): "Have your phone ready. You have \(minutes) minutes."
    case .phoneNumberPrompt: "Phone number, such as +15105551234: "
    case .sentCodePrompt: "Code from the message (s: send another one): "
    case .codeSentToPhone: "A code was sent to your phone. It is valid for 10 minutes."
    case .wrongSentCode: "Wrong code. Try again."
    case .sentCodeExpired: "This code is no longer accepted. Type s to get another one."
    case .nextCodeLater(1): "No code was sent. You can request another one in 1 second."
    case .nextCodeLater(let seconds):
      "No code was sent. You can request another one in \(seconds) seconds."
    case .namePrompt(let proposed): "Name for this device [\(proposed)]: "
    case .enrolled(let name): "'\(name)' was added. The code that you typed can't be used again."
    case .nothingAdded: "Nothing was added."
    case .tryNow(let command): "Done. Try it now, in another window: \(command)"
    case .pictureHoldsKey(let path):
      "\(path) contains your key. Delete it when you have scanned it."
    case .pictureNotRemoved(let path): "\(path) could not be removed. Delete it."
    case .recoverySheetHeading(let user, let host, let date):
      "Recovery codes for \(user) on \(host), made \(date)"
    case .recoverySheetAdvice(replacesOlder: true):
      """
      Each code signs you in once if you don't have your device. Older codes no longer work. Keep \
      this sheet apart from your device.
      """
    case .recoverySheetAdvice(replacesOlder: false):
      """
      Each code signs you in once if you don't have your device. Keep this sheet apart from your \
      device.
      """
    case .offlineSheetAdvice:
      """
      Each code signs you in once on each host of the group while the servers of the second factor \
      cannot be reached. Older codes for these hosts no longer work. Sign in once on a host with \
      your device before you need a code there. Keep this sheet apart from your device.
      """
    case .recoveryCodesShownOnce: "These codes are not shown again."
    case .recoveryCodesSaved(let path): "Your recovery codes are saved in \(path)."
    case .recoveryCodesPrinted: "Your recovery codes were sent to the printer."
    case .recoveryCodesNotMade: "No recovery codes were made."
    case .recoveryCodesLeft(0): "No recovery codes are left."
    case .recoveryCodesLeft(1): "1 recovery code is left."
    case .recoveryCodesLeft(let count): "\(count) recovery codes are left."
    case .makeRecoveryCodes: "Make new ones: mfa-enroll recovery-codes --new"
    case .recoveryCodesImported(1): "1 recovery code was imported. It is short."
    case .recoveryCodesImported(let count):
      "\(count) recovery codes were imported. They are short."
    case .columnID: "ID"
    case .columnAdded: "ADDED"
    case .columnCodes: "CODES"
    case .columnName: "NAME"
    case .codes(let algorithm, let digits, let seconds):
      "\(algorithm), \(digits) digits, \(seconds) s"
    case .noDevices(let user): "\(user) has no device yet."
    case .addDevice: "Add one: mfa-enroll"
    case .renamed(let old, let new): "'\(old)' is now called '\(new)'."
    case .removeQuestion(let name): "Remove '\(name)'? [y/N] "
    case .removeOnly: "This is your only device. Without it, you have no codes to sign in with."
    case .removed(let name): "'\(name)' was removed."
    case .newestRemoved:
      "That was your newest device. Your next sign-in is without its codes."
    case .onlyRemoved(anotherIsExpected: false):
      "That was your only device. Your next sign-in asks for no code."
    case .onlyRemoved(anotherIsExpected: true):
      "That was your only device. This host expects you to add another."
    case .recoveryCodesVoid: "Your recovery codes no longer work."
    case .otherSessionsContinue: "Your other sessions on this host continue. End them yourself."
    case .otherSessionsEnded(1): "1 other session on this host was ended."
    case .otherSessionsEnded(let count): "\(count) other sessions on this host were ended."
    case .otherSessionsNotEnded(1): "1 other session could not be ended. End it yourself."
    case .otherSessionsNotEnded(let count):
      "\(count) other sessions could not be ended. End them yourself."
    case .resyncOpening:
      "If you are asked for a code from another device and have none, press Enter."
    case .nextCodePrompt: "The next code, when the app shows it: "
    case .resynced(let name):
      "The clock of '\(name)' was corrected. The two codes can't be used again."
    case .testedCode: "Correct. That code can't be used again."
    case .testedRecoveryCode:
      "Correct. That is one of your recovery codes. It was not used, and stays valid."
    case .testedBypassCode:
      "Correct. That is a bypass code. It was not used, and stays valid."
    case .rememberedSignInsCleared(0): "No sign-in was remembered."
    case .rememberedSignInsCleared(1):
      "The sign-in from 1 place is no longer remembered. The next one asks for a code."
    case .rememberedSignInsCleared(let count):
      "The sign-ins from \(count) places are no longer remembered. The next one asks for a code."
    case .imported(let name): "'\(name)' was added, with the key that your app already has."
    case .importedFileHoldsKey(let path): "\(path) still contains the key. Delete it."
    case .importWarning(let warning): warning.english
    }
  }
}

extension PictureObstacle {
  var english: MessageText {
    switch self {
    case .notATerminal: "A QR code can be shown only on a terminal."
    case .unknownTerminal: "This terminal may not be able to show a QR code (TERM)."
    case .localeNotUTF8:
      """
      The locale is not UTF-8, so a QR code can't be shown. \
      To see it: LC_ALL=C.UTF-8 mfa-enroll
      """
    case .windowTooSmall(let columns, let lines):
      "Window too small for a QR code: enlarge it to \(columns)x\(lines)."
    case .urlTooLong: "The URL is too long for a QR code."
    case .outOfMemory: "There is not enough memory for a QR code."
    case .libraryMissing(let name, let package):
      "A QR code needs the library \(name) (Debian package \(package))."
    }
  }
}

extension ImportWarningMessage {
  var english: MessageText {
    switch self {
    case .weakKey(let bits):
      "The key has \(bits) bits, fewer than 128. Add a device with a new key soon: mfa-enroll"
    case .fewerCodesAccepted(let steps, let accepted):
      """
      The other program accepted codes up to \(steps) steps early or late. Here, at most \(accepted) \
      steps are possible. Check the clock of the device.
      """
    case .clockOffset(let steps):
      """
      The other program corrected the clock of the device by \(steps) steps of time, which another \
      person may have caused. Check the clock. If it is right, add the device anew: mfa-enroll
      """
    case .clockMeasurementDropped:
      """
      Codes with a wrong time were seen lately. They have no effect here. Check the clock of the \
      device.
      """
    case .gracePeriodDropped:
      """
      The other program allowed sign-ins without a code for a while after a sign-in. This one does \
      not.
      """
    case .rateLimitDropped: "The other program's limit of sign-ins is replaced by this host's."
    case .reuseWasAllowed: "The other program accepted a code more than once. This one does not."
    case .lastCodeNotFound:
      """
      The last code does not belong to its time. All codes that it may have been are treated as \
      used.
      """
    case .passwordDropped:
      "The password in the file is not imported. Use the password of your account."
    case .weakRecoveryCodes(1): "1 imported recovery code is short (26 bits). Replace it."
    case .weakRecoveryCodes(let count):
      "\(count) imported recovery codes are short (26 bits). Replace them."
    case .unreachableRecoveryCodes(let line, let count):
      """
      Line \(line) is neither an option nor a recovery code, so recovery codes after it never \
      worked. Not imported: \(count).
      """
    case .recoveryCodesDropped(let count):
      "There are more recovery codes than an account can have. Not imported: \(count)."
    }
  }
}
