import MFAAuthentication
import MFAFactors
import MFAMessages

extension SignInResult {
  /// The message to the user, or nil if nothing is to be shown.
  var message: SignInMessage? {
    switch self {
    case .allowed(.code(.recoveryCode(let left, _))):
      .recoveryCodeAccepted(left: Int64(left), areFew: left <= RecoveryCodeSupply.few)
    case .allowed(.code(.bypassCode(let grant, _))):
      .bypassCodeAccepted(usesLeft: Int64(grant.usesLeft) &- 1)
    case .allowed: nil
    case .passed(.offered(let offer)):
      .enrollmentOffered(signInsLeft: offer.signInsLeft, lastDay: offer.lastDay)
    case .passed: nil
    case .denied(.code(let rejected)): Self.message(rejected)
    case .denied(.unknownUser): Self.message(.wrong(wait: 0))
    case .denied(.enrollmentRequired(let obstacle)): obstacle.message
    case .denied(.failed): .unavailable
    }
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

  private static func message(_ rejected: Attempt.Rejected) -> SignInMessage? {
    switch rejected {
    case .wrong(0): .wrongCode
    case .replayed(_, 0): .usedCode
    case .wrong(let wait), .replayed(_, let wait), .throttled(let wait): .throttled(seconds: wait)
    case .locked: .locked
    case .notACode(.somethingElse), .notACode(.tooLong): .notACode
    case .notACode(.noSuchFactor): .noSuchDevice
    case .notACode(.none), .notACode(.withheldBySSHD): nil
    case .notEnrolled: .unavailable
    }
  }
}
