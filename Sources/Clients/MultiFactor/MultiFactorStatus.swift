import MFAWire

/// The state of the second factors of the user who runs this program.
public struct MultiFactorStatus: Equatable, Sendable {
  /// Which users enrol, according to the policy for the account.
  public enum Enrollment: String, Sendable {
    /// Users who want a second factor. A user without one signs in without a code.
    case selfService = "self-service"
    /// All users: each is asked to enrol and may postpone it for a while.
    case offered
    /// All users: each must enrol, and the last factor cannot be unenrolled.
    case required
  }

  /// Whether second factors are in force on this host.
  public enum State: String, Sendable {
    /// Codes are requested and enforced.
    case enabled
    /// Codes are not requested.
    case disabled
    /// Codes are requested but not enforced.
    case observe
  }

  /// Whether codes are verified now.
  public enum Standing: Equatable, Sendable {
    /// Codes are verified.
    case open
    /// No code is verified for this many seconds, after failed attempts.
    case throttled(seconds: Int)
    /// No code is verified until an administrator unlocks the account, or until the user signs in
    /// with a recovery code if `recoveryCodeUnlocks`.
    case locked
  }

  /// Which users enrol.
  public let enrollment: Enrollment
  /// Whether second factors are in force.
  public let state: State
  /// The number of recovery codes left, including imported ones.
  public let recoveryCodesLeft: Int
  /// How many of them were imported from another program. These are shorter and should be replaced.
  public let importedRecoveryCodesLeft: Int
  /// Whether a recovery code of the user is accepted although the account is locked, and unlocks it.
  public let recoveryCodeUnlocks: Bool
  /// Whether codes from the user's own programs are verified now. Failed attempts at sign-in are
  /// counted separately.
  public let standing: Standing
  /// Whether codes are verified now at a sign-in.
  public let signInStanding: Standing
  /// The number of consecutive failed attempts.
  public let failedAttempts: Int
  /// The number of remembered sign-ins.
  public let rememberedSignIns: Int
  /// The number of notices that the next sign-in shows.
  public let pendingNotices: Int
  /// Whether policy requires the user's other sessions to end when the newest factor is unenrolled.
  public let endsSessions: Bool

  init(_ status: AccountStatus) {
    enrollment =
      switch status.enrollment {
      case .selfService: .selfService
      case .offered: .offered
      case .required: .required
      }
    state =
      switch status.state {
      case .enabled: .enabled
      case .disabled: .disabled
      case .observe: .observe
      }
    recoveryCodesLeft = Int(status.recoveryCodesLeft)
    importedRecoveryCodesLeft = Int(status.importedRecoveryCodesLeft)
    recoveryCodeUnlocks = status.recoveryCodeUnlocks
    standing = Standing(status.standing)
    signInStanding = Standing(status.activity.standing)
    failedAttempts = Int(status.activity.failedAttempts)
    rememberedSignIns = Int(status.activity.rememberedSignIns)
    pendingNotices = Int(status.activity.pendingNotices)
    endsSessions = status.endsSessions
  }
}

extension MultiFactorStatus.Standing {
  fileprivate init(_ standing: AccountStatus.Standing) {
    self =
      switch standing {
      case .open: .open
      case .throttled(let seconds): .throttled(seconds: Int(seconds))
      case .locked: .locked
      }
  }
}
