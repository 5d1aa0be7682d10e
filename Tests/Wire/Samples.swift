import MFABase
import MFAModel
import MFAWire
import Testing

/// Messages to encode and parse. They are functions, because messages cannot be copied.
enum Samples {
  struct Unusable: Error {}

  static func secret(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8).span) }

  static func secret(count: Int, of byte: UInt8 = 0x5A) -> SecretBytes {
    SecretBytes(copying: [UInt8](repeating: byte, count: count).span)
  }

  static func bytes(_ secret: borrowing SecretBytes) -> [UInt8] {
    let span = secret.span
    return span.indices.map { span[$0] }
  }

  static func factor(_ byte: UInt8) throws -> FactorID {
    guard let id = FactorID(bytes: [UInt8](repeating: byte, count: 16)) else { throw Unusable() }
    return id
  }

  static func name(_ text: String) throws -> DisplayName {
    try #require(DisplayName(Array(text.utf8)))
  }

  static func text(_ text: String) -> DisplayText { DisplayText(cleaning: Array(text.utf8)) }

  static func parameters(
    _ algorithm: HashAlgorithm, _ length: CodeLength, _ period: UInt16
  ) throws -> TOTPParameters {
    guard
      let parameters = TOTPParameters(algorithm: algorithm, codeLength: length, period: period)
    else { throw Unusable() }
    return parameters
  }

  static func summary(
    _ byte: UInt8, name: String, lastUse: Int64 = 0
  ) throws -> FactorSummary {
    var summary = FactorSummary(
      id: try factor(byte), displayName: try self.name(name), enrolledAt: 1_760_000_000,
      kind: .totp(.standard))
    summary.lastUse = lastUse
    return summary
  }

  static func status(
    _ enrollment: AccountStatus.Enrollment, _ state: AccountStatus.State, codes: UInt8,
    imported: UInt8, _ standing: AccountStatus.Standing
  ) -> AccountStatus {
    AccountStatus(
      enrollment: enrollment, state: state, recoveryCodesLeft: codes,
      importedRecoveryCodesLeft: imported, recoveryCodeUnlocks: standing == .locked,
      standing: standing,
      activity: AccountStatus.Activity(
        standing: standing, failedAttempts: UInt32(codes) << 24, rememberedSignIns: codes,
        pendingNotices: imported), endsSessions: imported > 0)
  }

  /// Returns a user name.
  static func name(of user: String) throws -> UserName {
    try #require(UserName(Array(user.utf8)))
  }

  static let requests: [@Sendable () throws -> HelperRequest] = [
    { .hello(.english) },
    { .session },
    { .answer(secret("correct horse")) },
    { .answer(secret("")) },
    { .answer(secret(count: HelperRequest.longestAnswer)) },
    { .cancel },
    { .generateSecret(.standard) },
    { .generateSecret(try parameters(.sha512, .eight, 15)) },
    { .enroll(EnrollmentRequest(code: secret("123 456"), displayName: try name("phone"))) },
    { .enroll(EnrollmentRequest(code: secret(""), displayName: try name("téléphone 電話"))) },
    { .list },
    { .rename(factor: try factor(7), displayName: try name("old phone")) },
    { .unenroll(factor: try factor(0)) },
    { .test(secret("00000000")) },
    { .checkEnrollment(try name("phone"), isPhone: true) },
    { .bye },
    { .forget },
    { .readNotices },
    { .ticketSession },
    { .status },
    { .generateRecoveryCodes },
    { .generateOfflineCodes(group: []) },
    { .generateOfflineCodes(group: Array("web".utf8)) },
    {
      .resync(
        ResyncRequest(factor: try factor(3), code: secret("123456")))
    },
    {
      .resync(
        ResyncRequest(factor: try factor(3), code: secret(count: 512)))
    },
    { .completeResync(secret("")) },
    { .completeResync(secret("654 321")) },
    {
      .importFactor(
        ImportRequest(
          displayName: try name("phone"), parameters: .standard, key: secret(count: 10),
          timeOffset: 0, watermark: .min, recoveryCodes: secret("")))
    },
    {
      .importFactor(
        ImportRequest(
          displayName: try name("電話"), parameters: try parameters(.sha512, .eight, 60),
          key: secret(count: 64), timeOffset: -3, watermark: 59_000_000,
          recoveryCodes: secret(String(repeating: "01234567", count: 10))))
    },
    { .deliver(user: try name(of: "alice")) },
    { .deliver(user: try name(of: String(repeating: "n", count: 255))) },
    { .signIn(CodeRequest(factor: nil, code: secret("123456"))) },
    { .signIn(CodeRequest(factor: try factor(5), code: secret("123456"))) },
    { .beginPhone(secret("+1 510-555-1234")) },
    { .beginPhone(secret(count: 512)) },
    { .confirmPhone(EnrollmentRequest(code: secret("123 456"), displayName: try name("phone"))) },
    { .sendCode(factor: try factor(5)) },
    {
      .makeProgramPassword(
        ProgramPasswordRequest(
          name: try name("mail"), services: [], networks: [], seconds: 86_400))
    },
    {
      .makeProgramPassword(
        ProgramPasswordRequest(
          name: try name("電話"), services: Array("dovecot smtp".utf8),
          networks: Array("192.0.2.0/24 2001:db8::/32".utf8), seconds: 63_072_000))
    },
    { .listProgramPasswords },
    { .removeProgramPassword(try #require(GrantID(bytes: [1, 2, 3, 4]))) },
  ]

  static let failures: [HelperFailure] =
    [
      .notPermitted, .requiresRecentLogin, .reauthenticationFailed, .sessionExpired,
      .invalidVerificationCode, .codeAlreadyUsed, .codeNotYetAccepted(seconds: 90),
      .codeOfAnotherTime(secondsAhead: 240), .codeOfAnotherTime(secondsAhead: -3600), .notACode,
      .tooManyAttempts(seconds: 0),
      .tooManyAttempts(seconds: 900), .factorsLocked, .secondFactorAlreadyEnrolled,
      .maximumSecondFactorCountExceeded, .unsupportedDisplayName, .factorNotFound, .invalidArgument,
      .storeUnavailable, .configurationInvalid, .multiFactorDisabled, .protocolError,
      .internalError,
      .lastFactorRequired, .ticketInvalid, .secretTooShort, .codesNotConsecutive,
      .secondFactorRequired, .alreadyImported, .tooManyChanges(seconds: 60),
      .unsuitableProcess(.resourceLimit(0)),
      .unsuitableProcess(.resourceLimit(15)), .unsuitableProcess(.niceness),
      .unsuitableProcess(.schedulingPolicy), .unsuitableProcess(.tooManyHelpers),
      .phonesNotSupported, .phoneRegionNotAllowed, .tooManyMessages(seconds: 30), .messageNotSent,
      .phoneAlreadyEnrolled, .phoneNotUsableYet(seconds: 86_400), .totpNotSupported,
      .tooManyPasswords(seconds: 30),
    ] + PhoneNumber.Refusal.allCases.map { .invalidPhoneNumber($0) }
    + AccountRefusal.allCases.map { .accountRefused($0) }
    + ProgramPasswordRefusal.allCases.map { .programPasswordRefused($0) }

  /// Returns the summary of a program password.
  static func programPassword(networks: String = "") throws -> ProgramPasswordSummary {
    let scope = try #require(
      ProgramScope(services: Array("dovecot smtp".utf8), networks: Array(networks.utf8)))
    let id = try #require(GrantID(bytes: [1, 2, 3, 4]))
    let grant = Grant(
      kind: .programPassword, id: id, madeAt: 1, expiresAt: 2, usesLeft: 1,
      reason: Grant.Reason(Array("mail".utf8)), scope: scope,
      digest: [UInt8](repeating: 7, count: RecoveryCodeDigest.length))
    return try #require(grant.flatMap { ProgramPasswordSummary($0) })
  }

  static let responses: [@Sendable () throws -> HelperResponse] =
    [
      {
        guard let user = UserName(Array("alice".utf8)) else { throw Unusable() }
        return .welcome(user: user, issuer: text("Example Host"))
      },
      { .prompt(text: text("Password: "), .hiddenAnswer) },
      { .prompt(text: text(""), .visibleAnswer) },
      {
        .codeSent(
          number: try PhoneNumber(typed: Array("+15105551234".utf8).span).masked, secondsLeft: 600)
      },
      { .notice(text: text("two\nlines")) },
      {
        .programPassword(
          NewProgramPassword(
            try programPassword(), text: secret("mfa-abcde-fghij-klmno-pqrst")))
      },
      { .programPasswords([]) },
      { .programPasswords([try programPassword(), try programPassword(networks: "::1/128")]) },
      { .sessionStarted(secondsLeft: 600) },
      { .secret(GeneratedSecret(key: secret(count: 20), parameters: .standard, secondsLeft: 600)) },
      {
        .secret(
          GeneratedSecret(
            key: secret(count: 64), parameters: try parameters(.sha256, .seven, 120),
            secondsLeft: .max))
      },
      { .enrolled(try factor(0xFF)) },
      { .factors([]) },
      { .factors([try summary(1, name: "phone")]) },
      { .factors([try summary(1, name: "phone", lastUse: 1_760_000_300)]) },
      {
        .factors([
          try summary(1, name: "app"),
          FactorSummary(
            id: try factor(2), displayName: try name("phone"), enrolledAt: 1_760_000_000,
            kind: .phone(
              try PhoneNumber(typed: Array("+15105551234".utf8).span).masked,
              usableFrom: 1_760_086_400)),
        ])
      },
      {
        .factors(
          try (0..<8).map { try summary($0, name: String(repeating: "電", count: 63) + "\($0)") })
      },
      { .done },
      { .unenrolled(signedOut: true, endsSessions: true) },
      { .unenrolled(signedOut: true, endsSessions: false) },
      { .unenrolled(signedOut: false, endsSessions: false) },
      { .signedIn(.factor(try factor(7))) },
      { .signedIn(.factor(nil)) },
      { .signedIn(.recoveryCode(left: 0)) },
      { .signedIn(.recoveryCode(left: .max)) },
      { .signedIn(.bypassCode(usesLeft: 3)) },
      { .recognized(.recoveryCode) },
      { .recognized(.bypassCode) },
      { .forgotten(places: 0) },
      { .forgotten(places: .max) },
      { .status(status(.selfService, .enabled, codes: 0, imported: 0, .open)) },
      { .status(status(.offered, .disabled, codes: 20, imported: 10, .throttled(seconds: 28))) },
      { .status(status(.required, .observe, codes: 255, imported: 255, .locked)) },
      { .recoveryCodes(RecoveryCodeList(text: secret(""))) },
      { .recoveryCodes(RecoveryCodeList(text: secret("ABCD-2345-efgh-6789"))) },
      {
        .recoveryCodes(
          RecoveryCodeList(text: secret(String(repeating: "ABCD-2345-EFGH-6789", count: 10))))
      },
    ] + failures.map { failure in { @Sendable in .failed(failure) } }
}
