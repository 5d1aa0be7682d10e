// All text that users read, in every language.
//
// Each enumeration lists messages of one part of the product, with named values. The texts are in the
// catalogues in packaging/po. A build generates Texts.swift from them, with a function `text(in:)` for
// each enumeration, and fails if a message has no text in a language. The program contains the texts as
// string literals: it reads no file, does not change the locale of the process, and interprets nothing in
// a text as a format.
//
// Messages to administrators (mfa-admin, log lines) are in English and are not part of this target.
//
// MUST 1: a text contains neither control characters other than newlines nor deceptive characters,
// apart from the values that are inserted. (`CatalogueTests.characters`)
// MUST 2: a prompt, with the longest values, fits into a PAM message. (`CatalogueTests.lengths`)

import MFABase

/// What the helper asks and tells users.
package enum HelperMessage: Equatable, Sendable {
  /// The prompt for an administrator's ticket.
  case ticketPrompt
  /// The prompt for a code of a device that is already enrolled, or for another code that the user may have.
  case enrolledDevicePrompt(OtherCode?)
  /// The same prompt, if a code can be sent to the phone with this name and masked number.
  case enrolledDeviceOrSendPrompt(OtherCode?, name: [UInt8], number: [UInt8])
  /// The same prompt below a list of phones, `s1` for the first one.
  case enrolledDeviceOrSendChoicePrompt(OtherCode?)
  /// Codes by text message are a restricted method (NIST SP 800-63B-4, section 3.1.3.3). The user should use
  /// an authenticator app, if policy allows one.
  case phoneIsRestricted(hasAlternative: Bool)
  /// A phone that was enrolled in place of another one cannot be used yet.
  case phoneUsableLater(seconds: Int64)
  /// Nothing is pending for the user.
  case noNotices
  /// The name of a device that the user did not name.
  case authenticatorAppName
  /// The name of a phone that the user did not name.
  case phoneName

  /// A code that a user without the devices may have.
  package enum OtherCode: Equatable, Sendable {
    case recoveryCode
    /// The bypass code that opened the user's session.
    case bypassCode
  }
}

/// The parts of a mail about changes of a user's factors.
package enum MailMessage: Equatable, Sendable {
  /// What happened, and whether more did.
  case subject(NoticeMessage.Change, hasMore: Bool, user: [UInt8], host: [UInt8])
  /// The line above the list of changes.
  case introduction(user: [UInt8], host: [UInt8])
  /// What to do if the user did not make the changes.
  case advice
}

/// A message to a phone.
package enum PhoneMessage: Equatable, Sendable {
  /// The text after a code. `issuer` is the name that authenticator apps show.
  case code(issuer: [UInt8])
  /// The text after a code that confirms the enrolment of the phone.
  case enrollmentCode(issuer: [UInt8])
  /// Another phone was enrolled. The message has no code.
  case phoneAdded(issuer: [UInt8])
  /// The phone was removed. The message has no code.
  case phoneRemoved(issuer: [UInt8])
}

/// What the PAM module asks and shows while a user adds a device during a sign-in.
package enum SignInEnrollmentMessage: Equatable, Sendable {
  /// Why a device is needed, and how many seconds there are to add it.
  case introduction(seconds: Int64)
  /// The same where policy allows only phones.
  case phoneIntroduction(seconds: Int64)
  /// Both of them where the user may put the enrolment off.
  case offeredIntroduction(seconds: Int64)
  case offeredPhoneIntroduction(seconds: Int64)
  /// The question below an offer. An answer for which `Language.isYes` is false puts the enrolment off.
  case offerPrompt
  /// A message may cost the user something. Told before a phone number is typed.
  case messageCost
  case phoneNumberPrompt
  /// The prompt for the code that was sent to the phone.
  case sentCodePrompt
  /// The forms in which the key can be shown, one on each line. The answer is 1, 2 or 3.
  case forms
  case formPrompt
  /// The same forms, and the answer 4 for a phone.
  case formsOrPhone
  case formOrPhonePrompt
  /// The key was shown `seconds` ago already, in a sign-in that was interrupted.
  case keyShownBefore(seconds: Int64)
  /// The user chose the QR code, and the key is shown as text.
  case noRoomForPicture
  /// The line above the QR code.
  case scan
  /// The line above the key as text.
  case typeKey
  /// The line above the URL.
  case openURL
  /// The prompt below the QR code. The answer 3 shows the key as text.
  case codeOrFormPrompt
  case codePrompt
  case wrongCode
  /// The prompt for the device's name. Without an answer it gets the name `usual`.
  case namePrompt(usual: [UInt8])
  case unsupportedName
  case done
  case phoneDone
  /// The line above the recovery codes of an account.
  case recoveryCodes(user: [UInt8], host: [UInt8], day: [UInt8])
  /// The lines below the recovery codes.
  case keepRecoveryCodes
  case recoveryCodesPrompt
}

/// What users read at a host of a realm while no verifier answers.
package enum OfflineMessage: Equatable, Sendable {
  /// Why an offline recovery code is asked for.
  case explanation
  /// Asks for an offline recovery code.
  case prompt
  /// What was typed is no offline recovery code.
  case notACode
  /// The code is wrong or was used before.
  case wrongCode
  /// The code was accepted. This many are left for the group of hosts.
  case accepted(left: Int64)
  /// A member of the break-glass group is allowed in.
  case breakGlass
  /// A verifier may answer again in a moment.
  case tryAgain
  /// The host cannot decide: its files or its clock are not right.
  case undecidable
  /// The realm does not permit the user to sign in at the host meanwhile.
  case notPermitted
  /// The last sign-in at the host was too long ago.
  case tooLongAgo
  /// The user has no unused offline recovery code for the host.
  case noCodes
  /// The user has to wait, in seconds.
  case throttled(seconds: Int64)
  /// The user has failed too often.
  case locked
}

/// What happened to a user's account, as told at a sign-in and in mails. Each is one sentence.
///
/// An unknown source or time is left out.
package enum NoticeMessage: Equatable, Sendable {
  /// Failed codes since the last sign-in, with the source and time of the last one.
  case failedCodes(count: Int64, last: NoticeOrigin)
  /// A change of the user's factors.
  case change(Change, NoticeOrigin)
  /// A change that was made several times, with the source and time of the last one.
  case changes(Change, count: Int64, last: NoticeOrigin)

  /// A change of a user's factors. A name may be empty.
  package enum Change: Equatable, Sendable {
    case enrolled(name: [UInt8])
    case imported(name: [UInt8])
    case unenrolled(name: [UInt8])
    case recoveryCodeUsed
    case recoveryCodesMade
    /// An administrator created an enrolment ticket.
    case ticketMade(reason: [UInt8])
    /// The user made a password for the program with this name.
    case programPasswordMade(name: [UInt8])
    case enrolledWithTicket(name: [UInt8])
    /// An administrator created a bypass code.
    case bypassCodeMade(reason: [UInt8])
    case bypassCodeUsed(reason: [UInt8])
    case resynchronized(name: [UInt8])
    /// An administrator removed all factors.
    case revoked
    /// A recovery code was used, and unlocked the factors.
    case unlockedByRecoveryCode
  }
}

/// From where, by whom and when something happened.
package enum NoticeOrigin: Equatable, Sendable {
  case unknown
  case known(Known)

  /// What is known: the address or terminal, or the administrator, and the time.
  package enum Known: Equatable, Sendable {
    case source([UInt8])
    case administrator([UInt8])
    case time(WrittenTime)
    case sourceAndTime([UInt8], WrittenTime)
    case administratorAndTime([UInt8], WrittenTime)
  }
}

/// The reason why no app on a desktop got the setup link of a key.
package enum AuthenticatorAppObstacle: CaseIterable, Equatable, Sendable {
  /// No app is installed for setup links.
  case noApp
  /// The app takes links only where all users can read them.
  case appExposesKey
  /// The app did not start, refused the link or did not reply.
  case appFailed
  /// The program is not connected to a desktop.
  case noDesktop
  /// The text is not a setup link.
  case noLink
}

/// A time in running text, in the form of the language.
package enum WrittenTime: Equatable, Sendable {
  /// A day.
  case day(Int64, WrittenMonth, year: Int64)
  /// A day and the time of day with the zone, such as `09:05 CET`.
  case moment(day: Int64, WrittenMonth, year: Int64, clock: [UInt8])

  /// Creates a time in the time zone of the process, from seconds since the epoch. Returns nil if the system
  /// cannot convert it.
  package init?(_ seconds: Int64) {
    guard let time = HostTime(seconds), let month = WrittenMonth(rawValue: time.month) else {
      return nil
    }
    self = .moment(day: time.day, month, year: time.year, clock: time.clock)
  }

  /// Creates a day from its form `2027-01-31`. Returns nil for another text.
  package init?(date: [UInt8]) {
    let parts = date.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.count == 3, let year = Self.number(parts[0]), let day = Self.number(parts[2]),
      let month = Self.number(parts[1]).flatMap({ WrittenMonth(rawValue: UInt8(clamping: $0)) })
    else { return nil }
    self = .day(day, month, year: year)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    var number: Int64 = 0
    guard !digits.isEmpty, digits.count <= 9 else { return nil }
    for digit in digits {
      let value = digit &- UInt8(ascii: "0")
      guard value < 10 else { return nil }
      number = number &* 10 &+ Int64(value)
    }
    return number
  }
}

/// The name of a month in running text.
package enum WrittenMonth: UInt8, CaseIterable, Sendable {
  case january = 1
  case february, march, april, may, june, july, august, september, october, november, december
}
