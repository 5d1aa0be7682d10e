/// The state of an account's second factors: the policy that applies, and what the account can use.
package struct AccountStatus: Equatable, Sendable {
  /// Which users enrol, according to the policy for the account. The raw value is the number in a
  /// message.
  package enum Enrollment: UInt8, Equatable, Sendable {
    /// Users who want a second factor.
    case selfService = 1
    /// All users: each is asked to enrol and may postpone it for a while.
    case offered = 2
    /// All users: each must enrol.
    case required = 3
  }

  /// Whether second factors are in force on the host. The raw value is the number in a message.
  package enum State: UInt8, Equatable, Sendable {
    /// Codes are requested and enforced.
    case enabled = 0
    /// Codes are not requested.
    case disabled = 1
    /// Codes are requested but not enforced. The log records what the decision would have been.
    case observe = 2
  }

  /// Whether codes are verified now.
  package enum Standing: Equatable, Sendable {
    /// Codes are verified.
    case open
    /// No code is verified for this many seconds, after failed attempts.
    case throttled(seconds: UInt32)
    /// No code is verified until an administrator unlocks the account, or until a sign-in succeeds
    /// if only the user's own programs are locked out.
    case locked
  }

  /// Which users enrol.
  package let enrollment: Enrollment
  /// Whether second factors are in force.
  package let state: State
  /// The number of recovery codes left, including imported ones.
  package let recoveryCodesLeft: UInt8
  /// The number of these codes that were imported: at most `recoveryCodesLeft`.
  package let importedRecoveryCodesLeft: UInt8
  /// Whether a recovery code of the user is accepted although the factors are locked, and unlocks
  /// them.
  package let recoveryCodeUnlocks: Bool
  /// The standing of codes from the user's own programs. Failed attempts at sign-in are counted
  /// separately.
  package let standing: Standing
  /// What happened at sign-ins.
  package let activity: Activity

  /// What happened at sign-ins, as the user may see it without a password.
  package struct Activity: Equatable, Sendable {
    /// The standing of codes at a sign-in.
    package let standing: Standing
    /// The number of consecutive failed attempts, at sign-ins and from the user's own programs.
    package let failedAttempts: UInt32
    /// The number of remembered sign-ins.
    package let rememberedSignIns: UInt8
    /// The number of pending notices.
    package let pendingNotices: UInt8

    /// Creates a value. By default, nothing happened.
    package init(
      standing: Standing = .open, failedAttempts: UInt32 = 0, rememberedSignIns: UInt8 = 0,
      pendingNotices: UInt8 = 0
    ) {
      self.standing = standing
      self.failedAttempts = failedAttempts
      self.rememberedSignIns = rememberedSignIns
      self.pendingNotices = pendingNotices
    }
  }

  /// Creates a status.
  package init(
    enrollment: Enrollment, state: State, recoveryCodesLeft: UInt8,
    importedRecoveryCodesLeft: UInt8, recoveryCodeUnlocks: Bool = false, standing: Standing,
    activity: Activity = Activity()
  ) {
    self.enrollment = enrollment
    self.state = state
    self.recoveryCodesLeft = recoveryCodesLeft
    self.importedRecoveryCodesLeft = importedRecoveryCodesLeft
    self.recoveryCodeUnlocks = recoveryCodeUnlocks
    self.standing = standing
    self.activity = activity
  }
}

extension AccountStatus.Standing {
  /// The number in a message.
  var number: UInt8 {
    switch self {
    case .open: 0
    case .throttled: 1
    case .locked: 2
    }
  }

  /// The seconds in a message: 0 if the standing has none.
  var seconds: UInt32 {
    guard case .throttled(let seconds) = self else { return 0 }
    return seconds
  }

  /// Creates a standing from a message. Returns nil for an unknown number, and for seconds that the
  /// standing does not have.
  init?(number: UInt8, seconds: UInt32) {
    switch number {
    case 0: self = .open
    case 1: self = .throttled(seconds: seconds)
    case 2: self = .locked
    default: return nil
    }
    guard self.seconds == seconds else { return nil }
  }
}
