import MFAAuthentication
import MFABytes
import MFAFactors

extension SignInResult {
  /// The message to the user, or nil if nothing is to be shown.
  var message: String? {
    switch self {
    case .allowed(.code(.recoveryCode(let left, _))): Self.message(recoveryCodesLeft: left)
    case .allowed(.code(.bypassCode(let grant, _))): Self.message(grant)
    case .allowed: nil
    case .passed(.offered(let offer)): Self.message(offer)
    case .passed: nil
    case .denied(.code(let rejected)): Self.message(rejected)
    case .denied(.unknownUser): Self.message(.wrong(wait: 0))
    case .denied(.enrollmentRequired(let obstacle)): obstacle.message
    case .denied(.failed): Self.cannotBeChecked
    }
  }

  private static var cannotBeChecked: String {
    "the second factor cannot be checked, ask an administrator to look at the system log"
  }

  /// Whether the message is essential. An essential message is shown even if the application asked
  /// for silence, because the user could not guess the reason: for example, a correct code was
  /// rejected, or no code would have been accepted.
  var isEssential: Bool {
    switch self {
    case .allowed(.code): true
    case .allowed, .passed: false
    case .denied(.code(.wrong(0))), .denied(.code(.notACode)), .denied(.unknownUser): false
    case .denied: true
    }
  }

  private static func message(_ rejected: Attempt.Rejected) -> String? {
    switch rejected {
    case .wrong(0): "that code is wrong"
    case .replayed(_, 0): "that code was used already, wait for the next one"
    case .wrong(let wait), .replayed(_, let wait), .throttled(let wait):
      joined("too many wrong codes, try again in ", duration(wait))
    case .locked:
      "too many wrong codes: the second factor is disabled, ask an administrator to unlock it"
    case .notACode(.somethingElse), .notACode(.tooLong):
      "that is not a code: type the digits that the authenticator app shows"
    case .notACode(.noSuchFactor): "no factor has that number"
    case .notACode(.none), .notACode(.withheldBySSHD): nil
    case .notEnrolled: cannotBeChecked
    }
  }

  /// Returns the message that explains how to enrol, and how long enrolment may be put off.
  private static func message(_ offer: Offer) -> String {
    let how = "enrol a second factor with 'mfa-enroll'"
    let end = " it is required"
    guard let lastDay = offer.lastDay else {
      guard let left = offer.signInsLeft else { return how }
      return joined(how, joined(": ", signIns(left)), end)
    }
    let day = joined("after ", utf8Text(lastDay), " (UTC)")
    guard let left = offer.signInsLeft else { return joined(how, joined(": ", day), end) }
    let either = joined(signIns(left), ", or ", day)
    return joined(how, joined(": ", either, ","), end)
  }

  /// Returns the message about a used bypass code: how often it can still be used, and what to do
  /// now.
  private static func message(_ grant: Grant) -> String {
    let uses =
      switch grant.usesLeft {
      case 1: "it is used up"
      case 2: "it can be used once more"
      default: joined("it can be used ", decimal(Int64(grant.usesLeft) &- 1), " times more")
      }
    return joined(
      "that was the bypass code of an administrator, ", uses,
      ": enrol a second factor with 'mfa-enroll'")
  }

  private static func signIns(_ left: Int64) -> String {
    switch left {
    case 0: "from the next sign-in on"
    case 1: "after 1 more sign-in"
    default: joined("after ", decimal(left), " more sign-ins")
    }
  }

  /// Returns the message about a used recovery code: how many are left, and a request to create new
  /// ones if few are left.
  private static func message(recoveryCodesLeft count: Int) -> String {
    let left = joined(decimal(Int64(count)), count == 1 ? " is left" : " are left")
    let isEnough = count > RecoveryCodeSupply.few
    return joined(
      "that recovery code is used up, ", left,
      isEnough ? "" : ": make new ones with 'mfa-enroll recovery-codes --new'")
  }

  /// Returns a duration as `28 s`, `2 min` or `15 min`: seconds below two minutes, otherwise
  /// minutes, rounded up.
  static func duration(_ seconds: Int64) -> String {
    guard seconds >= 120 else { return joined(decimal(seconds), " s") }
    let (minutes, rest) = seconds.quotientAndRemainder(dividingBy: 60)
    return joined(decimal(rest == 0 ? minutes : minutes &+ 1), " min")
  }
}
