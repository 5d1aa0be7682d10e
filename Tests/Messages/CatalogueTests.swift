import MFABase
import MFAMessages
import Testing

/// Every message, with the longest values that it can have.
enum Catalogue {
  static let name = [UInt8](repeating: UInt8(ascii: "n"), count: 64)
  static let origin = NoticeOrigin(
    source: Array("2001:db8:1234:5678:9abc:def0:1234:5678".utf8),
    time: Array("2027-01-31 09:05 CEST".utf8))
  static let number = Array("+886 *** *** *** *56".utf8)
  static let nowhere = NoticeOrigin(source: [], time: [])
  static let day = Array("2027-01-31".utf8)
  static let command = Array("mfa-enroll phone".utf8)

  /// The prompts to which the module adds nothing.
  static let prompts: [SignInMessage] = [
    .codePrompt, .passwordAndCodePrompt, .codeOrNumberPrompt, .codeOfDevicePrompt(name: name),
    .breakGlassPrompt, .noticeConfirmation,
  ]

  static let signIn: [SignInMessage] =
    prompts + [
      .codeOrSendPrompt(name: name, number: number), .typeNotAllowed(isPhone: false),
      .typeNotAllowed(isPhone: true),
      .deviceList, .wrongCode, .usedCode, .codeNotYetAccepted(seconds: 180),
      .throttled(seconds: 86_400), .throttled(seconds: 1),
      .locked, .lockedUntilRecoveryCode, .notACode, .noSuchDevice, .unavailable,
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
      .enrollmentTooLittleTime(seconds: 20), .enrolledMeanwhile, .howToReadNotices, .noticesStay,
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
    ].flatMap { [NoticeMessage.change($0, origin), .change($0, nowhere)] }

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
      .unsupportedName, .done, .recoveryCodes(user: name, host: name, day: day),
      .keepRecoveryCodes,
    ]

  static let offline: [OfflineMessage] = [
    .explanation, .prompt, .notACode, .wrongCode, .accepted(left: 9), .breakGlass, .tryAgain,
    .undecidable, .notPermitted, .tooLongAgo, .noCodes, .throttled(seconds: 900), .locked,
  ]

  static let helper: [HelperMessage] = [
    .ticketPrompt, .enrolledDevicePrompt, .noNotices, .authenticatorAppName, .phoneName,
    .enrolledDeviceOrSendPrompt(name: name, number: number), .enrolledDeviceOrSendChoicePrompt,
    .phoneIsRestricted(hasAlternative: true), .phoneIsRestricted(hasAlternative: false),
    .phoneUsableLater(seconds: 86_400),
  ]

  static let mail: [MailMessage] = [
    .subject(user: name, host: name), .introduction(user: name, host: name), .advice,
  ]

  static let failures: [FailureMessage] =
    [
      .notPermitted, .requiresRecentLogin, .wrongPassword, .sessionExpired, .wrongCode, .usedCode,
      .codeNotYetAccepted(seconds: 180),
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
      .done, .recoveryCodes(user: user, host: host, day: Catalogue.day), .keepRecoveryCodes,
      .recoveryCodesPrompt,
    ]
    let lines = messages.reduce(0) {
      let text = $1.text(in: language).wrapped(to: MessageText.moduleColumns)
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
      MailMessage.subject(user: Array("alice".utf8), host: Array("web1".utf8)).text(in: language)
        .string,
    ]
    #expect(texts[0].contains("Pixel") && texts[1].contains("3"))
    #expect(texts[2].contains("17") && texts[2].contains("2001:db8:1234:"))
    #expect(texts[2].contains("2027-01-31 09:05 CEST"))
    #expect(texts[3].contains("alice") && texts[3].contains("web1"))
  }
}
