import MFAAttempt
import MFAWire

extension HelperFailure {
  /// Converts the reason for which an attempt was rejected.
  init(_ rejected: Attempt.Rejected) {
    switch rejected {
    case .wrong(0), .repeated(.rejected): self = .invalidVerificationCode
    case .replayed(_, 0), .repeated(.used): self = .codeAlreadyUsed
    case .wrong(let wait), .replayed(_, let wait), .throttled(let wait):
      self = .tooManyAttempts(seconds: UInt32(clamping: wait))
    case .locked, .lockedNow: self = .factorsLocked
    case .notACode: self = .notACode
    case .notEnrolled: self = .factorNotFound
    }
  }
}
