import MFAMessages

/// The labels and values of `mfa-enroll status`.
public enum StatusMessage: Equatable, Sendable, Translated {
  // MARK: Labels

  case devices
  case recoveryCodesLeft
  case failedAttempts
  case signIns
  case rememberedSignIns
  case pendingNotices

  // MARK: Values

  case device(name: String, date: String)
  case noDevice
  case codesWithImported(left: Int, imported: Int)
  /// Sign-ins accept codes.
  case open
  case throttled(until: String)
  case locked
  /// As before, and a recovery code is accepted and unlocks the devices.
  case lockedUntilRecoveryCode
}
