import HelperProtocol

/// How the account of the person who runs this program stands with second factors.
public struct MultiFactorStatus: Equatable, Sendable {
  /// Who enrolls, as the policy for the account has it.
  public enum Enrollment: String, Sendable {
    /// Who wants one; who has none signs in without.
    case selfService = "self-service"
    /// Everybody is asked to, and may put it off for a while.
    case offered
    /// Everybody must: the last factor cannot be unenrolled.
    case required
  }

  /// Whether second factors count on this host.
  public enum State: String, Sendable {
    /// They decide.
    case enabled
    /// They are not asked for.
    case disabled
    /// They are asked for and do not decide.
    case observe
  }

  /// Whether a code would be looked at now.
  public enum Standing: Equatable, Sendable {
    /// It would.
    case open
    /// Not for so many seconds, after wrong codes.
    case waiting(seconds: Int)
    /// Not before an administrator has unlocked the account.
    case disabled
  }

  /// Who enrolls.
  public let enrollment: Enrollment
  /// Whether second factors count.
  public let state: State
  /// How many recovery codes are left, the imported ones with them.
  public let recoveryCodesLeft: Int
  /// How many of these came from another program: they are shorter, and better replaced.
  public let importedRecoveryCodesLeft: Int
  /// Whether a code would be looked at now that one of the user's own programs shows. Sign-ins are counted
  /// separately.
  public let standing: Standing

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
    standing =
      switch status.standing {
      case .open: .open
      case .waiting(let seconds): .waiting(seconds: Int(seconds))
      case .disabled: .disabled
      }
  }
}
