#if Fleet
import MFAMessages
import MFAOfflineAccess

/// What a user reads while no verifier answers. A relay does not know the user's language.
enum OfflineText {
  /// Asks for a code.
  static let explanation =
    "The servers of the second factor cannot be reached. Enter an offline recovery code."
  static let prompt = "Offline recovery code: "
  static let notACode =
    "That is not an offline recovery code. It has sixteen letters and digits."
  static let wrong = "The offline recovery code is wrong or was used before."
  static let breakGlass =
    "The servers of the second factor cannot be reached. You are allowed in as a member of the emergency group. "
    + "This sign-in is reported."

  /// Returns the text after an accepted code.
  static func accepted(left: Int) -> String {
    "The offline recovery code was accepted. You have \(left) left for this group of hosts."
  }

  /// Returns why the user is denied, and what to do.
  static func denial(_ denial: OfflineAccess.Denial) -> String {
    let unreachable = "The servers of the second factor cannot be reached"
    return switch denial {
    case .verifierMayAnswer: "\(unreachable). Try again in a few seconds."
    case .queueDamaged, .queueFull, .clockWentBack:
      "\(unreachable), and this host cannot decide without them. Contact your administrator."
    case .noPermit, .notPermitted:
      "\(unreachable), and you are not permitted to sign in here without them. Contact your administrator."
    case .expired:
      "\(unreachable), and your last sign-in here is too long ago. Contact your administrator."
    case .noCodes:
      "\(unreachable), and you have no offline recovery code for this host. Contact your administrator."
    case .throttled(let seconds): "Too many wrong codes. Try again in \(seconds) seconds."
    case .locked:
      "Too many wrong codes. Sign in again when the servers of the second factor can be reached."
    }
  }

  /// Returns the reason of a denial in the log.
  static func reason(_ denial: OfflineAccess.Denial) -> StaticString {
    switch denial {
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
