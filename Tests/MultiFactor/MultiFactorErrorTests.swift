import MFAWire
import Testing

@testable import MultiFactor

@Suite struct MultiFactorErrorTests {
  static let errors: [MultiFactorError] =
    [
      .notPermitted, .requiresRecentLogin, .reauthenticationFailed, .sessionExpired,
      .invalidVerificationCode, .codeAlreadyUsed, .notACode, .tooManyAttempts(seconds: 28),
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
