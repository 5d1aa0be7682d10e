public import MFAPAMStack

/// Why a user who must have a factor could not enrol one during the sign-in.
public enum EnrollmentObstacle: Equatable, Sendable {
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
  /// A factor was enrolled in the meantime, by another sign-in or by `mfa-enroll`.
  case enrolledMeanwhile
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
    case .enrolledMeanwhile: "enrolled-meanwhile"
    case .onlyObserved: "only-observed"
    }
  }

  /// The message to the user. Each case is a complete sentence, so that it is a constant of the
  /// module.
  var message: String {
    switch self {
    case .accountLine, .onlyObserved:
      """
      a second factor is required here and none is enrolled: ask an administrator for a ticket \
      ('mfa-admin ticket USER'), then enrol with 'mfa-enroll --ticket'
      """
    case .notAuthenticatedHere, .noConversation:
      """
      a second factor is required here and none is enrolled: sign in where you can be asked (for \
      ssh: with keyboard-interactive), or ask an administrator for a ticket ('mfa-admin ticket \
      USER'), then enrol with 'mfa-enroll --ticket'
      """
    case .abandoned:
      """
      a second factor is required here and none is enrolled: sign in again with an authenticator \
      app at hand
      """
    case .wrongCodes:
      """
      too many wrong codes, nothing is enrolled: see that the phone's clock is right, and sign in \
      again
      """
    case .tooLate: "that took too long, nothing is enrolled: sign in again"
    case .enrolledMeanwhile: "a factor was enrolled meanwhile: sign in again, with its code"
    }
  }
}
