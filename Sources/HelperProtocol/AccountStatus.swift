/// How an account stands with second factors: what policy wants of it and what it can use.
public struct AccountStatus: Equatable, Sendable {
  /// Who enrolls, as the policy for the account has it. The raw value is the number in a message.
  public enum Enrollment: UInt8, Equatable, Sendable {
    /// Who wants one.
    case selfService = 1
    /// Everybody is asked to, and may put it off for a while.
    case offered = 2
    /// Everybody must.
    case required = 3
  }

  /// Whether second factors count on the host. The raw value is the number in a message.
  public enum State: UInt8, Equatable, Sendable {
    /// They decide.
    case enabled = 0
    /// They are not asked for.
    case disabled = 1
    /// They are asked for, do not decide, and the log says what they would have decided.
    case observe = 2
  }

  /// Whether a code would be looked at now.
  public enum Standing: Equatable, Sendable {
    /// It would.
    case open
    /// Not for so many seconds.
    case waiting(seconds: UInt32)
    /// Not before an administrator has unlocked the account.
    case disabled
  }

  /// Who enrolls.
  public let enrollment: Enrollment
  /// Whether second factors count.
  public let state: State
  /// How many recovery codes are left, the imported ones with them.
  public let recoveryCodesLeft: UInt8
  /// How many of these came from another program: at most `recoveryCodesLeft`.
  public let importedRecoveryCodesLeft: UInt8
  /// Whether the helper would look at a code from one of the user's own programs now. Sign-ins are counted
  /// separately.
  public let standing: Standing

  /// Puts a status together.
  public init(
    enrollment: Enrollment, state: State, recoveryCodesLeft: UInt8,
    importedRecoveryCodesLeft: UInt8, standing: Standing
  ) {
    self.enrollment = enrollment
    self.state = state
    self.recoveryCodesLeft = recoveryCodesLeft
    self.importedRecoveryCodesLeft = importedRecoveryCodesLeft
    self.standing = standing
  }
}

extension AccountStatus.Standing {
  /// The number in a message.
  var number: UInt8 {
    switch self {
    case .open: 0
    case .waiting: 1
    case .disabled: 2
    }
  }

  /// The seconds in a message: 0 where they mean nothing.
  var seconds: UInt32 {
    guard case .waiting(let seconds) = self else { return 0 }
    return seconds
  }

  /// Nil for a number that is none, and for seconds where they mean nothing.
  init?(number: UInt8, seconds: UInt32) {
    switch number {
    case 0: self = .open
    case 1: self = .waiting(seconds: seconds)
    case 2: self = .disabled
    default: return nil
    }
    guard self.seconds == seconds else { return nil }
  }
}
