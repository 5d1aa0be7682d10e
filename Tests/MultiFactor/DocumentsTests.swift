import Foundation
import MFATestSupport
import Testing

/// The names in Identity Platform's documents about TOTP and text messages in Swift programs.
@Suite struct DocumentsTests {
  static let calls = [
    "Auth.auth().currentUser", "multiFactor.session()", "getSessionWithCompletion",
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
  ]

  static let errors = [
    "secondFactorRequired", "invalidVerificationCode", "missingVerificationCode",
    "invalidVerificationID", "missingVerificationID", "invalidPhoneNumber", "missingPhoneNumber",
    "quotaExceeded", "sessionExpired", "missingMultiFactorSession", "invalidMultiFactorSession",
    "multiFactorInfoNotFound", "missingMultiFactorInfo", "secondFactorAlreadyEnrolled",
    "maximumSecondFactorCountExceeded", "requiresRecentLogin", "userTokenExpired",
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
