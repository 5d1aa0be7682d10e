import MFABase
import MFAModel
import MFAWire

extension MessagesTarget {
  /// Returns the body of a message of each kind.
  static func samples() throws -> [[UInt8]] {
    try (requests() + responses()).map { Array($0.dropFirst(Frame.headerLength)) }
  }

  private static func secret(_ text: String) -> SecretBytes {
    SecretBytes(copying: Array(text.utf8).span)
  }

  private static func text(_ text: String) -> DisplayText {
    DisplayText(cleaning: Array(text.utf8))
  }

  private static func requests() throws -> [[UInt8]] {
    let factor = try Samples.identifier(7)
    let name = try Samples.displayName(Array("t\u{E9}l\u{E9}phone".utf8))
    return [
      bytes(try HelperRequest.hello(.english).encoded()),
      bytes(try HelperRequest.answer(secret("correct horse")).encoded()),
      bytes(try HelperRequest.generateSecret(.standard).encoded()),
      bytes(
        try HelperRequest.enroll(EnrollmentRequest(code: secret("123 456"), displayName: name))
          .encoded()),
      bytes(try HelperRequest.rename(factor: factor, displayName: name).encoded()),
      bytes(try HelperRequest.unenroll(factor: factor).encoded()),
      bytes(try HelperRequest.test(secret("00000000")).encoded()),
      bytes(
        try HelperRequest.resync(
          ResyncRequest(factor: factor, code: secret("123456"))
        ).encoded()),
      bytes(try HelperRequest.completeResync(secret("654321")).encoded()),
      bytes(try HelperRequest.checkEnrollment(name, isPhone: true).encoded()),
      bytes(try HelperRequest.beginPhone(secret("+15105551234")).encoded()),
      bytes(
        try HelperRequest.confirmPhone(
          EnrollmentRequest(code: secret("123456"), displayName: name)
        ).encoded()),
      bytes(try HelperRequest.sendCode(factor: factor).encoded()),
      bytes(
        try HelperRequest.importFactor(
          ImportRequest(
            displayName: name, parameters: .standard, key: secret("1234567890"), timeOffset: -3,
            watermark: .min, recoveryCodes: secret("0123456798765432"))
        ).encoded()),
      bytes(
        try HelperRequest.signIn(CodeRequest(factor: factor, code: secret("123456"))).encoded()),
      bytes(try HelperRequest.signIn(CodeRequest(factor: nil, code: secret(""))).encoded()),
      bytes(
        try HelperRequest.deliver(
          user: try requireValue(UserName(Array("alice".utf8)), "a user name")
        ).encoded()),
    ]
  }

  private static func responses() throws -> [[UInt8]] {
    let user = try requireValue(UserName(Array("alice".utf8)), "a user name")
    let summary = FactorSummary(
      id: try Samples.identifier(1), displayName: try Samples.displayName(Array("phone".utf8)),
      enrolledAt: 1_700_000_000, kind: .totp(.standard))
    let status = AccountStatus(
      enrollment: .offered, state: .observe, recoveryCodesLeft: 9, importedRecoveryCodesLeft: 2,
      standing: .throttled(seconds: 30))
    let number = try PhoneNumber(typed: Array("+15105551234".utf8).span).masked
    return [
      bytes(try HelperResponse.codeSent(number: number, secondsLeft: 600).encoded()),
      bytes(try HelperResponse.failed(.invalidPhoneNumber(.tooShort)).encoded()),
      bytes(try HelperResponse.recognized(.bypassCode).encoded()),
      bytes(try HelperResponse.welcome(user: user, issuer: text("Example")).encoded()),
      bytes(try HelperResponse.prompt(text: text("Password: "), .hiddenAnswer).encoded()),
      bytes(try HelperResponse.notice(text: text("two\nlines")).encoded()),
      bytes(try HelperResponse.sessionStarted(secondsLeft: 600).encoded()),
      bytes(
        try HelperResponse.secret(
          GeneratedSecret(
            key: secret("12345678901234567890"), parameters: .standard, secondsLeft: 600)
        ).encoded()),
      bytes(try HelperResponse.enrolled(try Samples.identifier(0xFF)).encoded()),
      bytes(try HelperResponse.factors([summary, summary]).encoded()),
      bytes(try HelperResponse.unenrolled(signedOut: true, endsSessions: false).encoded()),
      bytes(try HelperResponse.failed(.tooManyAttempts(seconds: 900)).encoded()),
      bytes(try HelperResponse.status(status).encoded()),
      bytes(
        try HelperResponse.recoveryCodes(
          RecoveryCodeList(text: secret("abcd-2345-efgh-6789"))
        ).encoded()),
      bytes(try HelperResponse.forgotten(places: 3).encoded()),
      bytes(try HelperResponse.signedIn(.recoveryCode(left: 9)).encoded()),
    ]
  }
}
