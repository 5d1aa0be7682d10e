import MFAMessages
import MFAPAMStack

/// Why a user who must have a factor could not enrol one during the sign-in.
package enum EnrollmentObstacle: Equatable, Sendable {
  /// The service's stack does not certainly reach the module's `account` line, where users enrol.
  case accountLine(AccountLine)
  /// No `auth` line of the module took part in this sign-in: the first factor was proven elsewhere,
  /// or not at all.
  case notAuthenticatedHere
  /// The application cannot ask questions.
  case noConversation
  /// The user hung up, or gave an answer that was empty or too long.
  case abandoned
  /// The user typed too many wrong codes.
  case wrongCodes
  /// The enrolment took too long.
  case tooLate
  /// The application ends the sign-in in `seconds`, which are too few to enrol.
  case tooLittleTime(seconds: Int64)
  /// A factor was enrolled in the meantime, by another sign-in or by `mfa-enroll`.
  case enrolledMeanwhile
  /// Policy allows only phones, which users enrol with `mfa-enroll phone`.
  case onlyPhones
  /// The policy only observes and must not delay the sign-in.
  case onlyObserved

  /// The name of the reason in the log.
  var name: StaticString {
    switch self {
    case .accountLine: "no-account-line"
    case .notAuthenticatedHere: "not-authenticated-here"
    case .noConversation: "no-conversation"
    case .abandoned: "abandoned"
    case .wrongCodes: "wrong-codes"
    case .tooLate: "too-late"
    case .tooLittleTime: "too-little-time"
    case .enrolledMeanwhile: "enrolled-meanwhile"
    case .onlyPhones: "only-phones"
    case .onlyObserved: "only-observed"
    }
  }

  /// The message to the user.
  var message: SignInMessage {
    switch self {
    case .accountLine, .onlyPhones, .onlyObserved: .enrollmentNotPossible
    case .notAuthenticatedHere, .noConversation: .enrollmentNeedsQuestions
    case .abandoned: .enrollmentAbandoned
    case .wrongCodes: .enrollmentWrongCodes
    case .tooLate: .enrollmentTooLate
    case .tooLittleTime(let seconds): .enrollmentTooLittleTime(seconds: seconds)
    case .enrolledMeanwhile: .enrolledMeanwhile
    }
  }
}
