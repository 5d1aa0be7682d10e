import MFABase
import MFAEnrollMessages
import MFAMessages
import Testing

/// Every message of mfa-enroll.
enum EnrollCatalogue {
  static let obstacles: [PictureObstacle] = [
    .notATerminal, .unknownTerminal, .localeNotUTF8, .windowTooSmall(columns: 49, lines: 26),
    .urlTooLong, .outOfMemory, .libraryMissing(name: "libpng", package: "libpng16-16"),
  ]

  static let problems: [UsageProblem] = [
    .notUnderstood, .unknownOption("--x"), .valueMissing(option: "--x"),
    .valueInvalid(option: "--x", value: "y"), .valueRange(option: "--x", least: 6, most: 8),
    .argumentMissing("<device>"), .argumentUnexpected("y"), .optionRequires("--x", "--y"),
    .optionsExclude("--x", "--y"), .nameUnsupported,
  ]

  static let warnings: [ImportWarningMessage] = [
    .weakKey(bits: 80), .fewerCodesAccepted(steps: 17, accepted: 10), .clockOffset(steps: 3),
    .clockMeasurementDropped, .gracePeriodDropped, .rateLimitDropped, .reuseWasAllowed,
    .lastCodeNotFound, .passwordDropped, .weakRecoveryCodes(1), .weakRecoveryCodes(2),
    .unreachableRecoveryCodes(line: 3, count: 2), .recoveryCodesDropped(4),
  ]

  static let messages: [EnrollMessage] =
    [
      .account(user: "alice", host: "web1"), .enrollmentOpening(minutes: 1),
      .enrollmentOpening(minutes: 10), .accountChoice(user: "alice", root: "root"),
      .accountChoiceAgain(user: "alice", root: "root"), .scanOrShowKey, .typeKeyOrOpenURL,
      .retryOrShowKey(status: "-"), .showKey(status: "-"), .nothingAdded,
      .showPicture, .scanPicture,
      .scanPictureFile(path: "key.png"), .typeKey,
      .keyParameters(algorithm: "sha256", digits: 8, seconds: 60), .passwordPrompt, .codePrompt,
      .namePrompt(proposed: "phone"), .enrolled(name: "phone"), .tryNow(command: "ssh alice@web1"),
      .phoneOpening(minutes: 1), .phoneOpening(minutes: 10), .phoneNumberPrompt, .sentCodePrompt,
      .deviceChoice,
      .codeSentToPhone, .wrongSentCode, .sentCodeExpired, .nextCodeLater(seconds: 1),
      .nextCodeLater(seconds: 30),
      .pictureHoldsKey(path: "key.png"), .pictureNotRemoved(path: "key.png"),
      .recoverySheetHeading(user: "alice", host: "web1", date: "2026-11-23"),
      .recoverySheetAdvice(replacesOlder: true),
      .recoverySheetAdvice(replacesOlder: false), .offlineSheetAdvice, .recoveryCodesShownOnce,
      .keepRecoveryCodes(canPrint: true), .keepRecoveryCodes(canPrint: false),
      .recoveryCodesSaved(path: "codes"),
      .recoveryCodesPrinted, .recoveryCodesNotMade, .testedRecoveryCode, .testedBypassCode,
      .recoveryCodesLeft(0), .recoveryCodesLeft(1), .recoveryCodesLeft(2), .makeRecoveryCodes,
      .recoveryCodesImported(1), .recoveryCodesImported(2),
      .programPasswordMade(name: "mail"), .programPasswordRemoved(name: "mail"),
      .noProgramPasswords,
      .programPasswordAdvice(services: "dovecot, smtp", until: "2026-11-23 10:00"),
      .programPasswordAdviceOfNetworks(
        services: "dovecot, smtp", networks: "192.0.2.0/24", until: "2026-11-23 10:00"),
      .programPassword(name: "mail", services: "dovecot, smtp", until: "2026-11-23 10:00"),
      .programPasswordOfNetworks(
        name: "mail", services: "dovecot", networks: "192.0.2.0/24", until: "2026-11-23 10:00"),
      .columnAdded, .columnUsed,
      .columnName,
      .codes(algorithm: "sha1", digits: 6, seconds: 30), .noDevices(user: "alice"), .addDevice,
      .renamed(from: "a", to: "b"), .removeQuestion(name: "phone"), .removeOnly,
      .removalEndsSessions, .removalForgetsSignIns,
      .removed(name: "phone"), .newestRemoved, .onlyRemoved(anotherIsExpected: true),
      .onlyRemoved(anotherIsExpected: false), .recoveryCodesVoid, .otherSessionsContinue,
      .otherSessionsEnded(1),
      .otherSessionsEnded(2), .otherSessionsNotEnded(1), .otherSessionsNotEnded(2),
      .resyncOpening, .nextCodePrompt, .resynced(name: "phone"), .testedCode,
      .testedFactor(name: "phone"), .replacing(name: "phone"), .timeLeft(minutes: 5),
      .rememberedSignInsCleared(0), .rememberedSignInsCleared(1), .rememberedSignInsCleared(2),
      .imported(name: "phone"), .importedFileHoldsKey(path: "file"),
    ] + warnings.map { .importWarning($0) } + obstacles.map { .noPicture($0) }

  /// The labels, which some languages have in common.
  static let labels: [EnrollMessage] = [
    .errorLabel, .hintLabel, .warningLabel, .nameLabel, .keyLabel, .urlLabel, .columnID,
    .columnCodes,
  ]

  static let failures: [EnrollFailure] =
    [
      .noTerminal, .otherAccount(name: "bob"), .unknownAccount(name: "bob"),
      .accountNotNamed(user: "alice"), .accountNotTaken(name: "bob"), .processNotProtected,
      .unknownCommand("x", meant: nil), .unknownCommand("lst", meant: "list"), .noCode,
      .nothingAdded,
      .nothingRemoved, .noSuchDevice(name: "x"), .ambiguousID("abcd"), .noDevice,
      .severalDevices, .recoveryCodesNotSaved(path: "f"), .recoveryCodesNotPrinted, .noPrinter,
      .noOfflineCodes,
      .noHomeFolder, .fileNotOpened(path: "f", reason: "r"),
      .notAFile(path: "f"), .writableByOthers(path: "f"), .fileNotRead(path: "f"),
      .importRefused(reason: "r"), .fileNotPrivate(path: "f"), .fileExists(path: "f"),
      .folderMissing(path: "f"), .noPermission(path: "f"),
      .fileNotCreated(path: "f", reason: "r"), .fileNotWritten(path: "f", reason: "r"),
    ] + obstacles.map { .noPicture($0) } + problems.map { .usage($0, command: "mfa-enroll list") }

  static let status: [StatusMessage] = [
    .devices, .recoveryCodesLeft, .failedAttempts, .signIns, .rememberedSignIns, .pendingNotices,
    .device(name: "phone", date: "2027-01-31 09:05"), .noDevice,
    .codesWithImported(left: 9, imported: 2), .open, .noCodeAsked, .deviceOffered,
    .deviceRequired, .throttled(until: "2027-01-31 09:05"), .locked,
  ]

  static func texts(_ language: Language) -> [MessageText] {
    messages.map { $0.text(in: language) } + status.map { $0.text(in: language) }
      + failures.flatMap { [$0.text(in: language).description, $0.text(in: language).hint] }
  }
}

@Suite struct EnrollCatalogueTests {
  @Test("no text contains control or deceptive characters", arguments: Language.allCases)
  func characters(language: Language) {
    let labels = EnrollCatalogue.labels.map { $0.text(in: language) }
    for text in EnrollCatalogue.texts(language) + labels {
      #expect(!text.utf8.isEmpty)
      for scalar in text.string.unicodeScalars {
        #expect(!scalar.isDeceptive || scalar == "\u{a0}", "\(text.string)")
      }
    }
  }

  @Test("English is ASCII, for terminals that show nothing else")
  func englishIsASCII() {
    for text in EnrollCatalogue.texts(.english) {
      #expect(text.utf8.allSatisfy { $0 < 0x80 }, "\(text.string)")
    }
  }

  @Test("each language has its own text for each message")
  func translated() {
    let english = EnrollCatalogue.texts(.english)
    for language in Language.allCases where language != .english {
      for (text, other) in zip(EnrollCatalogue.texts(language), english) { #expect(text != other) }
    }
  }

  @Test("a usage error says what to run in each language", arguments: Language.allCases)
  func usage(language: Language) {
    for problem in EnrollCatalogue.problems {
      let text = EnrollFailure.usage(problem, command: "mfa-enroll list").text(in: language)
      #expect(text.hint.string.contains("mfa-enroll list --help"))
    }
  }
}

@Suite struct YesTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let language: Language
    let yes: [String]
    /// Answers that mean yes in another language, or nowhere.
    let no: [String]
    var testDescription: String { language.tag }
  }

  static let everywhere = ["y", "Y", "yes", "YES", "Yes", " y ", "yes\t"]
  static let nowhere = ["", " ", "n", "N", "no", "yo", "y y", "yess", "ye", "1", "j", "ｙ"]
  static let rows = [
    Row(language: .english, yes: [], no: ["o", "oui", "s", "si", "sí", "はい", "是"]),
    Row(language: .french, yes: ["o", "O", "oui", "OUI"], no: ["ou", "s", "sí", "はい", "是"]),
    Row(
      language: .spanish, yes: ["s", "S", "si", "SI", "sí", "SÍ", "si\u{301}"],
      no: ["o", "oui", "はい", "是"]),
    Row(language: .japanese, yes: ["はい"], no: ["は", "いいえ", "oui", "是"]),
    Row(language: .traditionalChinese, yes: ["是"], no: ["否", "不是", "はい", "s"]),
  ]

  @Test("each language accepts its own word for yes, and y", arguments: rows)
  func words(row: Row) {
    for answer in row.yes + Self.everywhere {
      #expect(row.language.isYes(answer), "\(answer)")
    }
    for answer in row.no + Self.nowhere {
      #expect(!row.language.isYes(answer), "\(answer)")
    }
  }

  @Test("the question and the hint name an answer that means yes", arguments: Language.allCases)
  func named(language: Language) throws {
    let question = EnrollMessage.removeQuestion(name: "x").text(in: language).string
    let choices = try #require(question.split(separator: "[").last)
    let yes = try #require(choices.split { "/ ]".contains($0) }.first)
    #expect(language.isYes(String(yes)))
    let hint = EnrollFailure.nothingRemoved.text(in: language).hint.string
    #expect(hint.split { !$0.isLetter }.contains(yes), "\(hint)")
  }
}
