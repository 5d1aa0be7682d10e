// English (ASCII only, because it is the language for terminals that show nothing else).

extension SignInMessage {
  var english: MessageText {
    switch self {
    case .codePrompt: "One-time code: "
    case .breakGlassPrompt: "The store of second factors cannot be used. Break-glass code: "
    case .passwordAndCodePrompt: "Password and one-time code: "
    case .codeOrNumberPrompt: "One-time code, or the number of a device: "
    case .deviceList: "Your devices:"
    case .codeOfDevicePrompt(let name): "One-time code from '\(name)': "
    case .codeOrSendPrompt(let number): "One-time code (s: send one to \(number)): "
    case .codeOrSendChoicePrompt: "One-time code, or s1, s2 and so on to get one sent: "
    case .codeSent(let number): "A code was sent to \(number). It is valid for 10 minutes."
    case .codeNotSent:
      "No code could be sent. Use another device or a recovery code, or contact your administrator."
    case .codeNotSentYet(let seconds):
      "No code was sent. You can request one in \(WrittenDuration(seconds: seconds).english)."
    case .phoneNotUsableYet(let seconds):
      """
      No code was sent. The number was added a short time ago, and can be used in \
      \(WrittenDuration(seconds: seconds).english).
      """
    case .wrongCode: "Wrong code."
    case .wrongCodeTryAgain: "Wrong code. Try again."
    case .usedCode: "That code has already been used. Use the next one."
    case .throttled(let seconds):
      "Too many wrong codes. Try again in \(WrittenDuration(seconds: seconds).english)."
    case .locked:
      "Too many wrong codes. Your devices are locked. Ask an administrator to unlock them."
    case .lockedUntilRecoveryCode:
      """
      Too many wrong codes. Your devices are locked. Sign in with a recovery code, or ask an \
      administrator to unlock them.
      """
    case .notACode: "That is not a code. Type the digits that your authenticator app shows."
    case .noSuchDevice: "No device has that number."
    case .breakGlassAccepted:
      """
      Break-glass code accepted, because the store of second factors cannot be used. Find the \
      cause: sudo mfa-admin doctor
      """
    case .unavailable:
      """
      Sign-in is unavailable because of a server problem, not your code. Contact your \
      administrator.
      """
    case .tooManyOpenSignIns:
      "Too many of your sign-ins are waiting for an answer. Finish one of them first."
    case .recoveryCodeAccepted(0, _):
      """
      Recovery code accepted. It was the last one. Make new ones: mfa-enroll recovery-codes --new
      """
    case .recoveryCodeAccepted(let left, false): "Recovery code accepted. \(left) left."
    case .recoveryCodeAccepted(let left, true):
      "Recovery code accepted. \(left) left. Make new ones: mfa-enroll recovery-codes --new"
    case .clockMayBeWrong:
      """
      An earlier code was right, but for a different time. The clock of your phone or of this \
      host may be wrong.
      """
    case .bypassCodeAccepted(0):
      "Bypass code accepted. It can't be used again. Add a device now: mfa-enroll"
    case .bypassCodeAccepted(1):
      "Bypass code accepted. It can be used once more. Add a device: mfa-enroll"
    case .bypassCodeAccepted(let uses):
      "Bypass code accepted. It can be used \(uses) more times. Add a device: mfa-enroll"
    case .enrollmentOffered(let signIns, let lastDay):
      "Protect your account with an authenticator app: mfa-enroll"
        + Self.englishLimit(signIns, lastDay)
    case .enrollmentNotPossible:
      """
      This host requires a code from an authenticator app, and you have not added one. Ask an \
      administrator for an enrolment ticket, then run mfa-enroll --ticket.
      """
    case .enrollmentNeedsQuestions:
      """
      This host requires a code from an authenticator app, and you have not added one. Sign in \
      where questions can be asked (with ssh: keyboard-interactive), or ask an administrator for \
      an enrolment ticket and run mfa-enroll --ticket.
      """
    case .enrollmentAbandoned:
      "No device was added. Sign in again, with an authenticator app at hand."
    case .enrollmentWrongCodes:
      """
      Too many wrong codes. No device was added. Check that the clock of your phone is right, \
      and sign in again.
      """
    case .enrollmentTooLate: "That took too long. No device was added. Sign in again."
    case .enrollmentTooLittleTime(let seconds):
      """
      Only \(WrittenDuration(seconds: seconds).english) left: too little time to add a device. No \
      device was added. Sign in again, without a pause.
      """
    case .enrolledMeanwhile:
      "A device was added to your account meanwhile. Sign in again, with its code."
    case .noticeConfirmation: "Type yes if you have read this: "
    case .howToReadNotices: "These notices are shown until you run mfa-enroll notices."
    case .noticesStay:
      "These notices are shown until you sign in with a device that you had before."
    case .noticesUnconfirmed:
      "These notices are shown until you confirm them with yes at a sign-in."
    }
  }

  private static func englishLimit(_ signIns: Int64?, _ lastDay: [UInt8]?) -> MessageText {
    let count: MessageText? =
      switch signIns {
      case nil: nil
      case 0: "from your next sign-in"
      case 1: "after 1 more sign-in"
      case let left?: "after \(left) more sign-ins"
      }
    switch (count, lastDay) {
    case (nil, nil): return ""
    case (let count?, nil): return "\nIt is required \(count)."
    case (nil, let day?): return "\nIt is required after \(day) (UTC)."
    case (let count?, let day?):
      return "\nIt is required \(count) or after \(day) (UTC), whichever is first."
    }
  }
}

extension NoticeMessage {
  var english: MessageText {
    switch self {
    case .failedCodes(1, let last) where last.isUnknown:
      "1 failed code since your last sign-in."
    case .failedCodes(1, let last):
      "1 failed code since your last sign-in,\(last.english)."
    case .failedCodes(let count, let last) where last.isUnknown:
      "\(count) failed codes since your last sign-in."
    case .failedCodes(let count, let last):
      "\(count) failed codes since your last sign-in, most recently\(last.english)."
    case .change(let change, let origin): "\(change.english)\(origin.english)."
    }
  }
}

extension NoticeMessage.Change {
  fileprivate var english: MessageText {
    switch self {
    case .enrolled(let name): "New device '\(name)' was added"
    case .imported(let name): "Device '\(name)' was imported from another program"
    case .unenrolled(let name): "Device '\(name)' was removed"
    case .recoveryCodeUsed: "A recovery code was used"
    case .recoveryCodesMade: "New recovery codes were made"
    case .ticketMade(let reason): "An enrolment ticket was made\(Self.english(reason))"
    case .enrolledWithTicket(let name): "New device '\(name)' was added with a ticket"
    case .bypassCodeMade(let reason): "A bypass code was made\(Self.english(reason))"
    case .bypassCodeUsed(let reason): "A bypass code was used\(Self.english(reason))"
    case .resynchronized(let name): "The clock of device '\(name)' was corrected"
    case .revoked: "All your devices were removed by an administrator"
    case .unlockedByRecoveryCode:
      "A recovery code was used, and unlocked your devices"
    }
  }

  private static func english(_ reason: [UInt8]) -> MessageText {
    reason.isEmpty ? "" : " ('\(reason)')"
  }
}

extension NoticeOrigin {
  fileprivate var english: MessageText {
    (source.isEmpty ? "" : " from \(source)") + (time.isEmpty ? "" : " on \(time)")
  }
}

extension HelperMessage {
  var english: MessageText {
    switch self {
    case .ticketPrompt: "Enrolment ticket: "
    case .enrolledDevicePrompt: "Code from a device you have already enrolled: "
    case .enrolledDeviceOrSendPrompt(let number):
      "Code from a device you have already enrolled (s: send one to \(number)): "
    case .enrolledDeviceOrSendChoicePrompt:
      "Code from a device you have already enrolled, or s1, s2 and so on to get one sent: "
    case .phoneIsRestricted:
      """
      Codes by text message are less safe than codes from an authenticator app: another person may \
      take over your phone number or read your messages. If you can, use an authenticator app.
      """
    case .phoneUsableLater(let seconds):
      """
      To protect your account, codes are sent to this new number only in \
      \(WrittenDuration(seconds: seconds).english). Until then, use another device or a recovery \
      code.
      """
    case .noNotices: "You have no notices."
    case .authenticatorAppName: "Authenticator app"
    case .phoneName: "Phone"
    }
  }
}

extension MailMessage {
  var english: MessageText {
    switch self {
    case .subject(let user, let host): "Sign-in security of \(user) on \(host)"
    case .introduction(let user, let host):
      "This changed for the account \(user) on \(host):"
    case .advice:
      """
      If you did not do this, tell an administrator at once: another person may be able to sign
      in as you. The command mfa-enroll list shows your devices.
      """
    }
  }
}

extension FailureMessage {
  var english: FailureText {
    switch self {
    case .notPermitted:
      FailureText("This account may not do that.", hint: "Ask an administrator.")
    case .requiresRecentLogin:
      FailureText("You have not proven yet that this account is yours.", hint: "Start again.")
    case .tooManyPasswords(let seconds):
      FailureText(
        "Too many wrong passwords.",
        hint: "Try again in \(WrittenDuration(seconds: seconds).english).")
    case .accountLocked:
      FailureText(
        "This account is locked after too many wrong passwords.",
        hint: "Try again later, or ask an administrator to unlock it (faillock --reset).")
    case .accountExpired:
      FailureText("This account has expired.", hint: "Ask an administrator.")
    case .passwordExpired:
      FailureText("Your password has expired.", hint: "Change it with passwd, then start again.")
    case .noSignIns:
      FailureText("No one can sign in to this host at the moment.", hint: "Try again later.")
    case .accountNotAllowed:
      FailureText("This account may not be used here at the moment.", hint: "Ask an administrator.")
    case .wrongPassword:
      FailureText(
        "Wrong password.", hint: "Try again with the password that you use to sign in here.")
    case .sessionExpired: FailureText("Too much time has passed.", hint: "Start again.")
    case .wrongCode:
      FailureText(
        "Wrong code.",
        hint: """
          Type the code that the app shows now. If it is rejected again, check the clocks of your \
          phone and of this host.
          """)
    case .usedCode:
      FailureText(
        "That code has already been used.", hint: "Wait until the app shows the next one.")
    case .notACode:
      FailureText("That is not a code.", hint: "Type the 6 to 8 digits that the app shows.")
    case .throttled(let seconds):
      FailureText(
        "Too many wrong codes.",
        hint: "Try again in \(WrittenDuration(seconds: seconds).english).")
    case .locked:
      FailureText(
        "Too many wrong codes. Your devices are locked.",
        hint: "Ask an administrator to unlock them (mfa-admin unlock).")
    case .nameTaken:
      FailureText("You already have a device with this name.", hint: "Choose another name.")
    case .tooManyDevices:
      FailureText(
        "You have added as many devices as possible.",
        hint: "Remove one that you no longer use: mfa-enroll unenroll")
    case .unsupportedName:
      FailureText("A device cannot have this name.", hint: "Use 1 to 64 visible characters.")
    case .noSuchDevice:
      FailureText("You have no such device.", hint: "See your devices: mfa-enroll list")
    case .unsupportedValue:
      FailureText(
        "This host does not support a value that you chose.",
        hint: "Use the standard algorithm, digits and period.")
    case .storeUnavailable:
      FailureText(
        "The data of your devices cannot be read or written because of a server problem.",
        hint: "Contact your administrator. The system log has the reason (authpriv).")
    case .configurationInvalid:
      FailureText(
        "The configuration of this host has an error.",
        hint: "Contact your administrator. The system log has the place (authpriv).")
    case .switchedOff:
      FailureText(
        "This host does not use a second factor.", hint: "You sign in without a code.")
    case .internalError:
      FailureText(
        "The helper failed. Nothing was changed.",
        hint: "Contact your administrator. The system log has the reason (authpriv).")
    case .lastDeviceRequired:
      FailureText(
        "This is your only device, and this host requires one.",
        hint: "Add another device first: mfa-enroll")
    case .invalidTicket:
      FailureText(
        "This ticket is wrong, has been used or has expired.",
        hint: "Check what you typed, or ask an administrator for a new ticket.")
    case .shortKey:
      FailureText(
        "The key is too short for this host.", hint: "Add a device with a new key: mfa-enroll")
    case .codesNotConsecutive:
      FailureText(
        "The two codes do not follow each other.",
        hint: "Type the code that the app shows, wait for the next one, and type it.")
    case .codeRequired:
      FailureText(
        "This needs a code from a device that you have already added.",
        hint: "Start again with a code, or with a recovery code.")
    case .alreadyImported:
      FailureText(
        "You already have a device with this key.", hint: "See your devices: mfa-enroll list")
    case .tooManyChanges(let minutes):
      FailureText(
        "You have made too many changes in an hour.",
        hint: "Try again in \(WrittenDuration.minutes(minutes).english).")
    case .unsuitableProcess(let attribute):
      FailureText(
        "The helper does not run with the \(attribute) of this process.",
        hint: "Start mfa-enroll without nice, chrt and ulimit. See the limits: prlimit")
    case .tooManyHelpers:
      FailureText(
        "Too many of your programs use the helper at the same time.",
        hint: "End some of them, and try again.")
    case .helperUnavailable(let path, let reason):
      FailureText(
        "The helper \(path) cannot be started (\(reason)).",
        hint: "Contact your administrator. The package may have to be installed again.")
    case .helperEnded:
      FailureText(
        "The helper ended unexpectedly.",
        hint: "Contact your administrator. The system log has the reason (authpriv).")
    case .protocolError:
      FailureText(
        "This program and the helper do not understand each other.",
        hint: "Contact your administrator. The package may be installed only in part.")
    case .operationInProgress:
      FailureText("Another operation has not finished.", hint: "Finish or cancel it first.")
    case .signedOut:
      FailureText("You removed your newest device.", hint: "Start again.")
    case .signInCodeRequired:
      FailureText(
        "You need a code from one of your devices.",
        hint: "Type the code that the app shows, or a recovery code.")
    case .noAuthenticatorApp(let obstacle):
      FailureText(
        obstacle.english,
        hint: "Scan the QR code with your phone, or type the key into the app.")
    case .totpNotSupported:
      FailureText(
        "This host does not accept codes of authenticator apps.",
        hint: "Add a phone: mfa-enroll phone")
    case .phonesNotSupported:
      FailureText(
        "This host does not send codes to phones.", hint: "Use an authenticator app: mfa-enroll")
    case .numberWithoutPlus:
      FailureText(
        "The phone number does not begin with a plus sign.",
        hint: "Type + and the country code first, as in +15105551234.")
    case .numberWithOtherCharacters:
      FailureText(
        "The phone number has characters that are not digits.",
        hint: "Type + and digits only, as in +15105551234.")
    case .numberOfNoCountry:
      FailureText(
        "The phone number does not begin with the code of a country.",
        hint: "Type + and the country code first, as in +15105551234.")
    case .numberTooShort:
      FailureText(
        "The phone number is too short.",
        hint: "Type the whole number with its country code, as in +15105551234.")
    case .numberTooLong:
      FailureText(
        "The phone number is too long.",
        hint: "A number has at most 15 digits with its country code, as in +15105551234.")
    case .phoneRegionNotAllowed:
      FailureText(
        "This host does not send codes to phone numbers of this country.",
        hint: "Use another number, or an authenticator app: mfa-enroll")
    case .tooManyMessages(let seconds):
      FailureText(
        "Too many codes have been sent.",
        hint: "Request another one in \(WrittenDuration(seconds: seconds).english).")
    case .messageNotSent:
      FailureText(
        "The code could not be sent because of a problem on the host.",
        hint: "Use another device or try later. If it happens again, contact your administrator.")
    case .phoneAlreadyAdded:
      FailureText(
        "You have already added this phone number.", hint: "See your devices: mfa-enroll list")
    case .phoneNotUsableYet(let seconds):
      FailureText(
        "This phone number was added a short time ago.",
        hint: """
          Codes are sent to it in \(WrittenDuration(seconds: seconds).english). Use another device \
          until then.
          """)
    case .otherVerification:
      FailureText(
        "This code does not belong to the last request.",
        hint: "Request a new code, and use that one.")
    }
  }
}

extension PhoneMessage {
  var english: MessageText {
    switch self {
    case .code(let issuer): " is your one-time code for \(issuer). Do not share it with anybody."
    case .enrollmentCode(let issuer):
      """
       is the code that adds this phone to your account at \(issuer). If you did not ask for it, \
      ignore this message.
      """
    case .phoneAdded(let issuer):
      """
      Another phone was added to your account at \(issuer). If you did not do this, tell an \
      administrator at once.
      """
    case .phoneRemoved(let issuer):
      """
      This phone was removed from your account at \(issuer). If you did not do this, tell an \
      administrator at once.
      """
    }
  }
}

extension WrittenDuration {
  var english: MessageText {
    switch self {
    case .seconds(1): "1 second"
    case .seconds(let seconds): "\(seconds) seconds"
    case .minutes(1): "1 minute"
    case .minutes(let minutes): "\(minutes) minutes"
    case .hours(let hours): "\(hours) hours"
    }
  }
}

extension AuthenticatorAppObstacle {
  fileprivate var english: MessageText {
    switch self {
    case .noApp: "No app on this computer opens setup links."
    case .appExposesKey:
      "The app for setup links on this computer would show the key to other users."
    case .appFailed: "The app for setup links on this computer did not take the link."
    case .noDesktop: "There is no desktop here that opens setup links."
    case .noLink: "The text is not a setup link."
    }
  }
}
