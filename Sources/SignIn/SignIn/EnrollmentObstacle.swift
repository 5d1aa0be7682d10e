import MFAMessages
import MFAModel
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
  /// The user typed too many codes that are not the one that was sent to the phone.
  case wrongSentCodes
  /// The enrolment took too long.
  case tooLate
  /// The application ends the sign-in in `seconds`, which are too few to enrol.
  case tooLittleTime(seconds: Int64)
  /// A factor was enrolled in the meantime, by another sign-in or by `mfa-enroll`.
  case enrolledMeanwhile
  /// Policy allows only phones, and there is neither a gateway nor a test number.
  case noGateway
  /// Policy allows only phones, and codes can be sent to no region.
  case noRegions
  /// The policy only observes and must not delay the sign-in.
  case onlyObserved

  /// The name of the reason in the log.
  var name: StaticString {
    switch self {
    case .accountLine: "no-account-line"
    case .notAuthenticatedHere: "not-authenticated-here"
    case .noConversation: "no-conversation"
    case .abandoned: "abandoned"
    case .wrongCodes, .wrongSentCodes: "wrong-codes"
    case .tooLate: "too-late"
    case .tooLittleTime: "too-little-time"
    case .enrolledMeanwhile: "enrolled-meanwhile"
    case .noGateway: "no-gateway"
    case .noRegions: "no-regions"
    case .onlyObserved: "only-observed"
    }
  }

  /// Returns the message to the user, who enrols with this command.
  func message(command: [UInt8]) -> SignInMessage {
    switch self {
    case .accountLine, .onlyObserved: .enrollmentNotPossible(command: command)
    case .noGateway, .noRegions: .enrollmentNeedsGateway
    case .notAuthenticatedHere, .noConversation: .enrollmentNeedsQuestions(command: command)
    case .abandoned: .enrollmentAbandoned
    case .wrongCodes: .enrollmentWrongCodes
    case .wrongSentCodes: .enrollmentWrongSentCodes
    case .tooLate: .enrollmentTooLate
    case .tooLittleTime(let seconds): .enrollmentTooLittleTime(seconds: seconds)
    case .enrolledMeanwhile: .enrolledMeanwhile
    }
  }
}

extension Settings {
  /// Why users can enrol no factor, or nil if they can.
  var obstacleToEnrolling: EnrollmentObstacle? {
    guard !canEnroll else { return nil }
    return gateway == nil ? .noGateway : .noRegions
  }
}
