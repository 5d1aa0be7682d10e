import MFAMessages

/// The labels and values of `mfa-enroll status`.
package enum StatusMessage: Equatable, Sendable {
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
  /// The user has no device, and need not add one.
  case noCodeAsked
  /// The user has no device, and can postpone adding one.
  case deviceOffered
  /// The user has no device, and the next sign-in requires one.
  case deviceRequired
  case throttled(until: String)
  case locked
  /// As before, and a recovery code is accepted and unlocks the devices.
  case lockedUntilRecoveryCode
}
