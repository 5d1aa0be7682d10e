import MFABase
import MFAMessages
import Testing

/// Every message, with the longest values that it can have.
enum Catalogue {
  static let name = [UInt8](repeating: UInt8(ascii: "n"), count: 64)
  static let moment = WrittenTime.moment(
    day: 30, .september, year: 2027, clock: Array("09:05 CEST".utf8))
  static let origin = NoticeOrigin.known(
    .sourceAndTime(Array("2001:db8:1234:5678:9abc:def0:1234:5678".utf8), moment))
  static let origins: [NoticeOrigin] = [
    origin, nowhere, .known(.source(name)), .known(.administrator(name)), .known(.time(moment)),
    .known(.administratorAndTime(name, moment)),
  ]
  static let number = Array("+886 *** *** *** *56".utf8)
  static let nowhere = NoticeOrigin.unknown
  static let day = WrittenTime.day(30, .september, year: 2027)
  static let command = Array("mfa-enroll phone".utf8)

  /// The prompts to which the module adds nothing.
  static let prompts: [SignInMessage] = [
    .codePrompt, .passwordAndCodePrompt, .codeOrNumberPrompt, .codeOfDevicePrompt(name: name),
    .breakGlassPrompt, .noticeConfirmation, .recoveryCodePrompt, .closingPrompt,
  ]

  static let signIn: [SignInMessage] =
    prompts + [
      .codeOrSendPrompt(name: name, number: number), .typeNotAllowed(isPhone: false),
      .typeNotAllowed(isPhone: true), .codeIsNext,
      .deviceList, .wrongCode, .usedCode, .codeNotYetAccepted(seconds: 180),
      .codeOfAnotherTime(isAhead: false, seconds: 240),
      .codeOfAnotherTime(isAhead: true, seconds: 3600),
      .throttled(seconds: 86_400), .throttled(seconds: 1),
      .locked, .lockedUntilRecoveryCode, .connectionIsOver, .notACode, .notABypassCode,
      .noSuchDevice, .unavailable,
      .recoveryCodeAccepted(left: 0, areFew: true), .recoveryCodeAccepted(left: 1, areFew: true),
      .recoveryCodeAccepted(left: 10, areFew: false),
      .bypassCodeAccepted(usesLeft: 0, command: command),
      .bypassCodeAccepted(usesLeft: 1, command: command),
      .bypassCodeAccepted(usesLeft: 100, command: command), .breakGlassAccepted,
      .clockMayBeWrong, .enrollmentOffered(onlyPhones: false), .enrollmentOffered(onlyPhones: true),
      .enrollmentRequiredLater(signInsLeft: nil, lastDay: nil),
      .enrollmentRequiredLater(signInsLeft: 0, lastDay: nil),
      .enrollmentRequiredLater(signInsLeft: 1, lastDay: nil),
      .enrollmentRequiredLater(signInsLeft: 1000, lastDay: nil),
      .enrollmentRequiredLater(signInsLeft: nil, lastDay: day),
      .enrollmentRequiredLater(signInsLeft: 1000, lastDay: day),
      .enrollmentNotPossible(command: command), .enrollmentNeedsQuestions(command: command),
      .enrollmentNeedsGateway, .deviceNotAdded(command: command), .enrollmentAbandoned,
      .enrollmentWrongCodes,
      .enrollmentWrongSentCodes, .enrollmentTooLate,
      .enrollmentTooLittleTime(seconds: 20), .enrolledMeanwhile, .howToReadNotices,
      .noticesStay(until: .device(name: name)), .noticesStay(until: .afterRecoveryCode),
      .noticesStay(until: .any),
    ]

  static let notices: [NoticeMessage] =
    [
      .failedCodes(count: 1, last: origin), .failedCodes(count: 100, last: origin),
      .failedCodes(count: 1, last: nowhere), .failedCodes(count: 2, last: nowhere),
    ]
    + [
      NoticeMessage.Change.enrolled(name: name), .imported(name: name), .unenrolled(name: name),
      .recoveryCodeUsed, .recoveryCodesMade, .ticketMade(reason: name), .ticketMade(reason: []),
      .enrolledWithTicket(name: name), .bypassCodeMade(reason: name), .bypassCodeUsed(reason: []),
      .resynchronized(name: name), .revoked, .unlockedByRecoveryCode,
      .programPasswordMade(name: name),
    ].flatMap { change in
      origins.flatMap { origin in
        [NoticeMessage.change(change, origin), .changes(change, count: 16, last: origin)]
      }
    }

  /// The prompts of an enrolment during a sign-in.
  static let enrollmentPrompts: [SignInEnrollmentMessage] = [
    .formPrompt, .formOrPhonePrompt, .codeOrFormPrompt, .codePrompt, .phoneNumberPrompt,
    .offerPrompt,
    .sentCodePrompt, .namePrompt(usual: name), .recoveryCodesPrompt,
  ]

  /// The lines of an enrolment that stand above a picture or a key, which leave one line for each.
  static let enrollmentHeadings: [SignInEnrollmentMessage] = [.scan, .typeKey, .openURL]

  static let enrollment: [SignInEnrollmentMessage] =
    enrollmentPrompts + enrollmentHeadings + [
      .introduction(seconds: 600), .introduction(seconds: 100), .forms, .wrongCode,
      .phoneIntroduction(seconds: 600), .offeredIntroduction(seconds: 600),
      .offeredPhoneIntroduction(seconds: 600), .messageCost, .formsOrPhone, .phoneDone,
      .unsupportedName, .done,
      .recoveryCodes(user: name, host: name, day: Array("2027-01-31".utf8)),
      .keepRecoveryCodes, .keyShownBefore(seconds: 600), .noRoomForPicture,
    ]

  static let offline: [OfflineMessage] = [
    .explanation, .prompt, .notACode, .wrongCode, .accepted(left: 9), .breakGlass, .tryAgain,
    .undecidable, .notPermitted, .tooLongAgo, .noCodes, .throttled(seconds: 900), .locked,
  ]

  static let helper: [HelperMessage] = [
    .ticketPrompt, .enrolledDevicePrompt(nil), .enrolledDevicePrompt(.recoveryCode),
    .enrolledDevicePrompt(.bypassCode), .noNotices, .authenticatorAppName, .phoneName,
    .enrolledDeviceOrSendPrompt(nil, name: name, number: number),
    .enrolledDeviceOrSendPrompt(.recoveryCode, name: name, number: number),
    .enrolledDeviceOrSendChoicePrompt(nil), .enrolledDeviceOrSendChoicePrompt(.bypassCode),
    .phoneIsRestricted(hasAlternative: true), .phoneIsRestricted(hasAlternative: false),
    .phoneUsableLater(seconds: 86_400),
  ]

  static let mail: [MailMessage] = [
    .subject(.revoked, hasMore: false, user: name, host: name),
    .subject(.unenrolled(name: name), hasMore: true, user: name, host: name),
    .introduction(user: name, host: name), .advice,
  ]

  static let failures: [FailureMessage] =
    [
      .notPermitted, .requiresRecentLogin, .wrongPassword, .sessionExpired, .wrongCode, .usedCode,
      .codeNotYetAccepted(seconds: 180), .codeOfAnotherTime(isAhead: false, seconds: 240),
      .codeOfAnotherTime(isAhead: true, seconds: 3600),
      .tooManyPasswords(seconds: 30), .accountLocked, .accountExpired, .passwordExpired, .noSignIns,
      .accountNotAllowed, .notACode, .throttled(seconds: 30), .throttled(seconds: 900), .locked,
      .nameTaken,
      .tooManyDevices, .unsupportedName, .noSuchDevice, .unsupportedValue, .storeUnavailable,
      .configurationInvalid, .switchedOff, .internalError, .lastDeviceRequired, .invalidTicket,
      .shortKey, .codesNotConsecutive, .codeRequired, .alreadyImported,
      .tooManyChanges(minutes: 60),
      .unsuitableProcess(attribute: Array("RLIMIT_FSIZE".utf8)), .tooManyHelpers,
      .helperUnavailable(path: name, reason: name), .helperEnded, .protocolError,
      .operationInProgress, .signedOut, .signInCodeRequired,
      .phonesNotSupported, .numberWithoutPlus, .numberWithOtherCharacters, .numberOfNoCountry,
      .numberTooShort, .numberTooLong, .phoneRegionNotAllowed, .tooManyMessages(seconds: 30),
      .messageNotSent, .phoneAlreadyAdded, .phoneNotUsableYet(seconds: 86_400), .otherVerification,
    ] + AuthenticatorAppObstacle.allCases.map { .noAuthenticatorApp($0) }

  /// What phones receive.
  static let phone: [PhoneMessage] = [
    .code(issuer: name), .enrollmentCode(issuer: name), .phoneAdded(issuer: name),
    .phoneRemoved(issuer: name),
  ]

  static func texts(_ language: Language) -> [MessageText] {
    signIn.map { $0.text(in: language) } + notices.map { $0.text(in: language) }
      + enrollment.map { $0.text(in: language) }
      + offline.map { $0.text(in: language) }
      + helper.map { $0.text(in: language) } + phone.map { $0.text(in: language) }
      + mail.map { $0.text(in: language) }
      + failures.flatMap { [$0.text(in: language).description, $0.text(in: language).hint] }
  }
}

@Suite struct CatalogueTests {
  @Test("no text contains control or deceptive characters", arguments: Language.allCases)
  func characters(language: Language) {
    for text in Catalogue.texts(language) {
      #expect(!text.utf8.isEmpty)
      for scalar in text.string.unicodeScalars where scalar != "\n" {
        #expect(!scalar.isDeceptive || scalar == "\u{a0}", "\(text.string)")
      }
    }
  }

  @Test("English is ASCII, for terminals that show nothing else")
  func englishIsASCII() {
    for text in Catalogue.texts(.english) {
      #expect(text.utf8.allSatisfy { $0 < 0x80 }, "\(text.string)")
    }
  }

  @Test("a prompt fits into a PAM message", arguments: Language.allCases)
  func lengths(language: Language) {
    for prompt in Catalogue.prompts {
      let text = prompt.text(in: language)
      #expect(text.utf8.count <= 511, "\(text.string)")
      #expect(!text.utf8.contains(UInt8(ascii: "\n")))
    }
  }

  @Test(
    "the texts of an enrolment fit a PAM message and the lines left for them",
    arguments: Language.allCases)
  func enrollment(language: Language) {
    let first: [SignInEnrollmentMessage] = [
      .introduction(seconds: 119), .formsOrPhone, .formOrPhonePrompt,
    ]
    let bytes = first.reduce(0) { $0 + $1.text(in: language).utf8.count + 2 }
    #expect(bytes <= 511, "\(bytes)")
    for message in Catalogue.enrollmentPrompts + Catalogue.enrollmentHeadings {
      let text = message.text(in: language)
      #expect(text.utf8.count <= 511 && !text.utf8.contains(UInt8(ascii: "\n")))
      guard case .namePrompt = message else {
        #expect(text.columnsOfLastLine <= MessageText.moduleColumns - 8, "\(text.string)")
        continue
      }
    }
  }

  @Test(
    "the recovery codes of an enrolment are in the usual window with their question",
    arguments: Language.allCases)
  func recoveryCodes(language: Language) {
    let (user, host) = (Array("alice".utf8), Array("host.example".utf8))
    let messages: [SignInEnrollmentMessage] = [
      .done, .recoveryCodes(user: user, host: host, day: Array("2027-01-31".utf8)),
      .keepRecoveryCodes,
      .recoveryCodesPrompt,
    ]
    let lines = messages.reduce(0) {
      let text = $1.text(in: language).wrapped(to: MessageText.windowColumns)
      return $0 + text.string.split(separator: "\n").count
    }
    // Ten codes, and an empty line above and below each of the first two messages.
    #expect(lines + 10 + 4 <= 23, "\(lines)")
  }

  @Test("a time limit is never said to be longer than it is")
  func timeLimit() {
    func words(_ seconds: Int64) -> String {
      SignInEnrollmentMessage.introduction(seconds: seconds).text(in: .english).string
    }
    #expect(words(119).contains("119 seconds") && words(179).contains("2 minutes"))
    #expect(words(600).contains("10 minutes"))
  }

  @Test("a duration that is rounded up is said to be about that long")
  func roundedDuration() {
    for (seconds, text) in [
      (59, "59 seconds"), (60, "1 minute"), (61, "about 2 minutes"), (113, "about 2 minutes"),
      (120, "2 minutes"), (7200, "120 minutes"), (7201, "about 3 hours"), (86_400, "24 hours"),
    ] as [(Int64, String)] {
      let message = SignInMessage.throttled(seconds: seconds).text(in: .english).string
      #expect(message == "Too many wrong codes. Try again in \(text).", "\(seconds)")
    }
  }

  @Test(
    "a time in running text has the form of the language",
    arguments: [
      (.english, 1, "1 March 2027, 09:05 CET", "1 March 2027"),
      (.french, 1, "1er mars 2027 \u{E0} 09:05 CET", "1er mars 2027"),
      (.french, 2, "2 mars 2027 \u{E0} 09:05 CET", "2 mars 2027"),
      (.spanish, 1, "1 de marzo de 2027 a las 09:05 CET", "1 de marzo de 2027"),
      (
        .japanese, 2, "2027\u{5E74}3\u{6708}2\u{65E5} 09:05 CET",
        "2027\u{5E74}3\u{6708}2\u{65E5}"
      ),
      (
        .traditionalChinese, 2, "2027 \u{5E74} 3 \u{6708} 2 \u{65E5} 09:05 CET",
        "2027 \u{5E74} 3 \u{6708} 2 \u{65E5}"
      ),
    ] as [(Language, Int64, String, String)])
  func times(language: Language, day: Int64, moment: String, date: String) {
    let clock = Array("09:05 CET".utf8)
    let time = WrittenTime.moment(day: day, .march, year: 2027, clock: clock)
    #expect(time.text(in: language).string == moment)
    #expect(WrittenTime(date: Array("2027-03-0\(day)".utf8))?.text(in: language).string == date)
  }

  @Test(
    "a text that is no date has no day",
    arguments: ["", "2027-13-01", "2027-1", "a-b-c", "2027-00-01"])
  func noDate(text: String) {
    #expect(WrittenTime(date: Array(text.utf8)) == nil)
  }

  @Test("each language has its own text for each message")
  func translated() {
    let english = Catalogue.texts(.english)
    for language in Language.allCases where language != .english {
      for (text, other) in zip(Catalogue.texts(language), english) { #expect(text != other) }
    }
  }

  @Test("values appear in each language", arguments: Language.allCases)
  func values(language: Language) {
    let texts = [
      SignInMessage.codeOfDevicePrompt(name: Array("Pixel".utf8)).text(in: language).string,
      SignInMessage.throttled(seconds: 125).text(in: language).string,
      NoticeMessage.failedCodes(count: 17, last: Catalogue.origin).text(in: language).string,
      MailMessage.subject(
        .unenrolled(name: Array("Pixel".utf8)), hasMore: false, user: Array("alice".utf8),
        host: Array("web1".utf8)
      ).text(in: language).string,
    ]
    #expect(texts[0].contains("Pixel") && texts[1].contains("3"))
    #expect(texts[2].contains("17") && texts[2].contains("2001:db8:1234:"))
    #expect(texts[2].contains("2027") && texts[2].contains("09:05 CEST"))
    #expect(texts[3].contains("alice") && texts[3].contains("web1") && texts[3].contains("Pixel"))
  }
}
