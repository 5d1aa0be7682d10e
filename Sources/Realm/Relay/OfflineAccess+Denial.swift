#if Fleet
import MFAMessages
import MFARealm

extension OfflineAccess.Denial {
  /// What the user reads: why the sign-in is denied, and what to do.
  var message: OfflineMessage {
    switch self {
    case .verifierMayAnswer: .tryAgain
    case .queueDamaged, .queueFull, .clockWentBack: .undecidable
    case .noPermit, .notPermitted: .notPermitted
    case .expired: .tooLongAgo
    case .noCodes: .noCodes
    case .throttled(let seconds): .throttled(seconds: seconds)
    case .locked: .locked
    }
  }

  /// The reason in the log.
  var reason: StaticString {
    switch self {
    case .verifierMayAnswer: "verifier-may-answer"
    case .queueDamaged: "queue-damaged"
    case .queueFull: "queue-full"
    case .clockWentBack: "clock-went-back"
    case .noPermit: "no-permit"
    case .expired: "permit-expired"
    case .notPermitted: "not-permitted"
    case .noCodes: "no-codes"
    case .throttled: "throttled"
    case .locked: "locked"
    }
  }
}
#endif
