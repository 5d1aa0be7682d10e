import MFAWire
import MFAAttempt
import MFAPAMStack
import MFAModel
import MFABase

// Further tries after a code that was not accepted.
//
// MUST 1: each try is a counted attempt, and none is verified while attempts are throttled or locked.
// (`TryTests.everyTryIsCounted`)
// MUST 2: an unknown user is asked as often as a user with a factor. (`TryTests.unknownUser`)
extension SignIn {
  /// Returns whether the user may try another code in this sign-in.
  ///
  /// With `forward_pass`, the answer contains the password too, and the application can ask only
  /// once.
  func mayTryAgain(after result: SignInResult?, _ resolved: Resolved) -> Bool {
    let options = resolved.options
    guard let result, line == .auth, resolved.state == .enabled,
      resolved.continuation.tryNumber < options.tries, !resolved.isAbandoned,
      !options.usesFirstPass, !options.forwardsPass
    else { return false }
    switch result {
    case .denied(.unknownUser): return true
    case .denied(.code(.notACode(.none))): return false
    case .denied(.code(.wrong(0))), .denied(.code(.replayed(_, 0))), .denied(.code(.notACode)),
      .denied(.code(.repeated)):
      return true
    case .allowed, .passed, .denied: return false
    }
  }

  /// Returns whether the user, or an application that can ask only once, gave no answer to a further
  /// try. The result of the try before has been reported.
  func isAbandonedRetry(_ result: SignInResult, _ resolved: Resolved) -> Bool {
    guard resolved.continuation.tryNumber > 1 else { return false }
    if case .denied(.code(.notACode(.none))) = result { return true }
    return resolved.isAbandoned
  }
}
