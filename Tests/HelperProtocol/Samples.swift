import Factors
import HelperProtocol
import OneTimePassword
import Secrets

/// Messages to be written and read: functions, because messages cannot be copied.
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

  static func name(_ text: String) throws -> DisplayName { try DisplayName(Array(text.utf8)) }

  static func text(_ text: String) -> ShownText { ShownText(cleaning: Array(text.utf8)) }

  static func parameters(
    _ algorithm: HashAlgorithm, _ length: CodeLength, _ period: UInt16
  ) throws -> TOTPParameters {
    guard
      let parameters = TOTPParameters(algorithm: algorithm, codeLength: length, period: period)
    else { throw Unusable() }
    return parameters
  }

  static func summary(_ byte: UInt8, name: String) throws -> FactorSummary {
    FactorSummary(
      id: try factor(byte), displayName: try self.name(name), enrolledAt: 1_760_000_000,
      parameters: .standard)
  }

  static let requests: [@Sendable () throws -> HelperRequest] = [
    { .hello },
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
    { .bye },
  ]

  static let failures: [HelperFailure] = [
    .notPermitted, .requiresRecentLogin, .reauthenticationFailed, .sessionExpired,
    .invalidVerificationCode, .codeAlreadyUsed, .notACode, .tooManyAttempts(seconds: 0),
    .tooManyAttempts(seconds: 900), .factorsDisabled, .secondFactorAlreadyEnrolled,
    .maximumSecondFactorCountExceeded, .unsupportedDisplayName, .factorNotFound, .invalidArgument,
    .storeUnavailable, .configurationInvalid, .multiFactorDisabled, .protocolError, .internalError,
  ]

  static let responses: [@Sendable () throws -> HelperResponse] =
    [
      {
        guard let user = UserName(Array("alice".utf8)) else { throw Unusable() }
        return .welcome(user: user, issuer: text("Example Host"))
      },
      { .prompt(text: text("Password: "), echo: false) },
      { .prompt(text: text(""), echo: true) },
      { .notice(text: text("two\nlines")) },
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
      {
        .factors(
          try (0..<8).map { try summary($0, name: String(repeating: "電", count: 63) + "\($0)") })
      },
      { .done },
      { .unenrolled(signedOut: true) },
      { .unenrolled(signedOut: false) },
      { .tested },
    ] + failures.map { failure in { @Sendable in .failed(failure) } }
}
