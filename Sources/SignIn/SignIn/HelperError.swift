import MFAWire
import MFABase

/// Why the helper did not verify a code. Every case denies the sign-in.
package enum HelperError: Error, Equatable, Sendable {
  /// The account does not belong to the user who runs this process, and the helper serves no other
  /// user.
  case accountMismatch
  /// Programs that this process starts cannot change their identity (no_new_privs).
  case confined
  /// Starting the helper, or communicating with it, failed.
  case system(SystemError)
  /// The helper ended before it answered.
  case ended
  /// The helper did not answer in time.
  case silent
  /// The helper sent an invalid response.
  case malformed
  /// The helper refused the request.
  case refused(HelperFailure)

  /// The name of the reason in the log.
  var name: StaticString {
    switch self {
    case .accountMismatch: "anothers-account"
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
