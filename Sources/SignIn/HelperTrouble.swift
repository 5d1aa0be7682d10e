public import HelperProtocol
public import System

/// Why the helper did not judge a code. Every case is a denial.
public enum HelperTrouble: Error, Equatable, Sendable {
  /// The account is not that of the user who runs this process: the helper serves nobody else.
  case anothersAccount
  /// No program that this process starts may have another identity (no_new_privs).
  case confined
  /// It could not be started, or not be talked to.
  case system(SystemError)
  /// It ended before it answered.
  case ended
  /// It did not answer in time.
  case silent
  /// It said something that is no answer.
  case malformed
  /// It would not.
  case refused(HelperFailure)

  /// The reason as log lines name it.
  var name: StaticString {
    switch self {
    case .anothersAccount: "anothers-account"
    case .confined: "no-new-privileges"
    case .system: "system"
    case .ended: "ended"
    case .silent: "silent"
    case .malformed: "malformed"
    case .refused(.notPermitted): "not-permitted"
    case .refused(.storeUnavailable): "store-unavailable"
    case .refused(.configurationInvalid): "configuration-invalid"
    case .refused(.factorNotFound): "factor-not-found"
    case .refused: "refused"
    }
  }
}
