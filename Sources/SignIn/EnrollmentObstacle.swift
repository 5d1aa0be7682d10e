public import PAMStack

/// Why somebody who must have a factor could not enrol one in the sign-in itself.
public enum EnrollmentObstacle: Equatable, Sendable {
  /// The service's stack is not certain to come to the module's `account` line, where enrolling
  /// happens.
  case accountLine(AccountLine)
  /// No `auth` line of the module has seen this sign-in: the first factor was proven elsewhere, or
  /// not at all.
  case notAuthenticatedHere
  /// The application can ask nothing.
  case noConversation
  /// The person hung up, or gave an empty answer.
  case abandoned
  /// There were too many wrong codes.
  case wrongCodes
  /// It took too long.
  case tooLate
  /// Another sign-in, or `mfa-enroll`, was faster.
  case enrolledMeanwhile
  /// The policy only observes, and nobody is to be held up.
  case onlyObserved

  /// The reason as log lines name it.
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

  /// What the person is told. Whole sentences, for each is then a constant of the module.
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
