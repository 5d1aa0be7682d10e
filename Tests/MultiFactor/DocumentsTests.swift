import Foundation
import MFABase
import MFATestSupport
import MFAWire
import Testing

@testable import MultiFactor

/// The names in Identity Platform's documents about TOTP and text messages in Swift programs.
@Suite struct DocumentsTests {
  static let calls = [
    "Auth.auth().currentUser", "multiFactor.session()", "getSessionWithCompletion(_:)",
    "generateSecret(with:)", "sharedSecretKey()", "generateQRCodeURL(withAccountName:issuer:)",
    "openInOTPApp(withQRCodeURL:)", "assertionForEnrollment(with:oneTimePassword:)",
    "assertionForSignIn(withEnrollmentID:oneTimePassword:)", "enroll(with:displayName:)",
    "unenroll(with:)", "unenroll(withFactorUID:)", "enrolledFactors", "reauthenticate(with:)",
    "EmailAuthProvider.credential(withEmail:password:)", "signIn(withEmail:password:)",
    "resolver.hints", "resolver.session", "resolveSignIn(with:)", "TOTPMultiFactorID",
    "PhoneMultiFactorID", "PhoneMultiFactorInfo.TOTPMultiFactorID",
    "PhoneMultiFactorInfo.PhoneMultiFactorID", "PhoneMultiFactorInfo.phoneNumber",
    "PhoneAuthProvider.provider()", "verifyPhoneNumber(_:uiDelegate:multiFactorSession:)",
    "verifyPhoneNumber(with:uiDelegate:multiFactorSession:)",
    "credential(withVerificationID:verificationCode:)",
    "PhoneMultiFactorGenerator.assertion(with:)",
    "AuthErrorUserInfoMultiFactorResolverKey", "AuthErrorCode", "(error as NSError).code",
    "error.userInfo", "canHandle(_:)", "canHandleNotification(_:)", "setAPNSToken(_:type:)",
    "AuthUIDelegate", "user.email", "isEmailVerified", "sendEmailVerification()", "signOut()",
    "displayName", "factorID", "enrollmentDate", "uid", "adjacentIntervals", "phone_test_numbers",
    "generateSecret(with:completion:)", "enroll(with:displayName:completion:)",
    "unenroll(with:completion:)", "unenroll(withFactorUID:completion:)",
    "verifyPhoneNumber(_:uiDelegate:multiFactorSession:completion:)",
    "verifyPhoneNumber(with:uiDelegate:multiFactorSession:completion:)",
    "resolveSignIn(with:completion:)", "signIn(withEmail:password:completion:)",
    "openInOTPAppWithQRCodeURL",
  ]

  static let errors = [
    "secondFactorRequired", "invalidVerificationCode", "missingVerificationCode",
    "invalidVerificationID", "missingVerificationID", "invalidPhoneNumber", "missingPhoneNumber",
    "quotaExceeded", "sessionExpired", "missingMultiFactorSession", "invalidMultiFactorSession",
    "multiFactorInfoNotFound", "missingMultiFactorInfo", "secondFactorAlreadyEnrolled",
    "maximumSecondFactorCountExceeded", "requiresRecentLogin", "userTokenExpired",
    "invalidUserToken",
    "wrongPassword", "userMismatch", "invalidCredential", "tooManyRequests",
    "operationNotAllowed", "adminRestrictedOperation", "userDisabled", "unsupportedFirstFactor",
    "unverifiedEmail", "networkError", "internalError", "appNotVerified", "missingAppToken",
    "notificationNotForwarded", "captchaCheckFailed", "missingAppCredential",
    "invalidAppCredential", "webContextCancelled",
  ]

  static func page() throws -> String {
    let path = "Sources/Clients/MultiFactor/MultiFactor.docc/ComingFromIdentityPlatform.md"
    return try String(contentsOfFile: Checkout.folder + "/" + path, encoding: .utf8)
  }

  @Test("the page maps every name of the documents", arguments: calls + errors)
  func names(name: String) throws {
    // As a name of its own, not as a part of another one.
    let pattern =
      "(?<![A-Za-z])" + NSRegularExpression.escapedPattern(for: name) + "(?![A-Za-z])"
    #expect(
      try Self.page().range(of: pattern, options: .regularExpression) != nil, "\(name)")
  }

  @Test("the page maps the documents' patterns")
  func patterns() throws {
    let page = try Self.page()
    for text in [
      "notEnrolled", "enrollment = required", "enrollment = offered", "reCAPTCHA", "APNs",
    ] {
      #expect(page.contains(text), "\(text)")
    }
  }
}

/// Secrets on standard output.
@Suite struct PrintTests {
  @Test("whether everything was written is returned")
  func returnsWhetherWritten() async {
    await #expect(processExitsWith: .success) {
      PrintTests.expect(true)
      close(STDOUT_FILENO)
      PrintTests.expect(false)
    }
    await #expect(processExitsWith: .success) {
      let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
      dup2(full.fileDescriptor, STDOUT_FILENO)
      PrintTests.expect(false)
    }
  }

  private static func expect(_ isWritten: Bool) {
    let result = SecretBytes("a secret").print()
    #expect(result == isWritten)
  }
}

@Suite struct MultiFactorErrorTests {
  static let errors: [MultiFactorError] =
    [
      .notPermitted, .requiresRecentLogin, .reauthenticationFailed, .sessionExpired,
      .invalidVerificationCode, .codeAlreadyUsed, .codeNotYetAccepted(seconds: 90),
      .codeOfAnotherTime(secondsAhead: -240), .notACode,
      .tooManyAttempts(seconds: 28),
      .factorsLocked, .secondFactorAlreadyEnrolled, .maximumSecondFactorCountExceeded,
      .unsupportedDisplayName, .factorNotFound, .invalidArgument, .storeUnavailable,
      .configurationInvalid, .multiFactorDisabled, .internalError,
      .helperUnavailable(errorNumber: 2), .helperEnded, .protocolError, .operationInProgress,
      .lastFactorRequired, .ticketInvalid, .secretTooShort, .codesNotConsecutive,
      .sessionRequiresSecondFactor, .alreadyImported, .tooManyChanges(seconds: 60),
      .userTokenExpired,
      .tooManyHelpers, secondFactorRequired,
      .unsuitableProcess(attribute: "RLIMIT_FSIZE"), .unsuitableProcess(attribute: "niceness"),
      .phonesNotSupported, .totpNotSupported, .phoneRegionNotAllowed, .quotaExceeded(seconds: 30),
      .messageNotSent,
      .phoneNumberAlreadyEnrolled, .phoneNotUsableYet(seconds: 7200), .invalidVerificationID,
      .otpAppUnavailable(.noSessionBus), .otpAppUnavailable(.noHandler),
      .otpAppUnavailable(.handlerNeedsArguments), .otpAppUnavailable(.handlerFailed),
      .otpAppUnavailable(.unsupportedURL),
      .tooManyPasswords(seconds: 30),
    ] + PhoneNumberFault.allCases.map { .invalidPhoneNumber($0) }
    + AccountFault.allCases.map { .accountRefused($0) }
    + ProgramPasswordFault.allCases.map { .programPasswordRefused($0) }

  static var secondFactorRequired: MultiFactorError {
    .secondFactorRequired(
      MultiFactorResolver(
        session: MultiFactorSession(
          multiFactor: MultiFactor(), purpose: .signIn, conversation: 1, number: 0, duration: nil),
        hints: []))
  }

  @Test("the rows contain every case")
  func complete() {
    #expect(Set(Self.errors.map(\.code)) == Set(MultiFactorError.Code.allCases))
  }

  @Test("every error describes the problem and the next step", arguments: errors)
  func words(error: MultiFactorError) {
    for text in [error.description, error.hint] {
      #expect(!text.isEmpty)
      #expect(text.first?.isUppercase == true)
      #expect(!text.contains("\n"))
    }
  }

  @Test("different errors have different descriptions")
  func distinct() {
    #expect(Set(Self.errors.map(\.description)).count == Self.errors.count)
  }

  @Test("a wait is shown in seconds, and a system error in words")
  func details() {
    #expect(
      MultiFactorError(HelperFailure.tooManyAttempts(seconds: 28)).description
        == "Too many wrong codes.")
    #expect(
      MultiFactorError(HelperFailure.tooManyAttempts(seconds: 28)).hint
        == "Try again in 28 seconds.")
    #expect(
      MultiFactorError.helperUnavailable(errorNumber: 2).description
        == "The helper /usr/lib/mfa/mfa-helper cannot be started (No such file or directory).")
  }
}
