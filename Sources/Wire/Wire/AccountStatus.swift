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
  package private(set) var enrollment: Enrollment
  /// Whether second factors are in force.
  package private(set) var state: State
  /// The number of recovery codes left, including imported ones.
  package private(set) var recoveryCodesLeft: UInt8
  /// The number of these codes that were imported: at most `recoveryCodesLeft`.
  package private(set) var importedRecoveryCodesLeft: UInt8
  /// Whether a recovery code of the user is accepted although the factors are locked, and unlocks
  /// them.
  package private(set) var recoveryCodeUnlocks: Bool
  /// The standing of codes from the user's own programs. Failed attempts at sign-in are counted
  /// separately.
  package private(set) var standing: Standing
  /// What happened at sign-ins.
  package private(set) var activity: Activity
  /// Tells whether removing the newest factor ends the user's other sessions.
  package private(set) var endsSessions: Bool

  /// What happened at sign-ins, as the user may see it without a password.
  package struct Activity: Equatable, Sendable {
    /// The standing of codes at a sign-in.
    package private(set) var standing: Standing
    /// The number of consecutive failed attempts, at sign-ins and from the user's own programs.
    package private(set) var failedAttempts: UInt32
    /// The number of remembered sign-ins.
    package private(set) var rememberedSignIns: UInt8
    /// The number of pending notices.
    package private(set) var pendingNotices: UInt8

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
    activity: Activity = Activity(), endsSessions: Bool = false
  ) {
    self.enrollment = enrollment
    self.state = state
    self.recoveryCodesLeft = recoveryCodesLeft
    self.importedRecoveryCodesLeft = importedRecoveryCodesLeft
    self.recoveryCodeUnlocks = recoveryCodeUnlocks
    self.standing = standing
    self.activity = activity
    self.endsSessions = endsSessions
  }
}

extension AccountStatus {
  /// A status whose fields are read next.
  init() {
    self.init(
      enrollment: .selfService, state: .enabled, recoveryCodesLeft: 0, importedRecoveryCodesLeft: 0,
      standing: .open)
  }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.choice(&enrollment)
    try coder.choice(&state)
    try coder.number(&recoveryCodesLeft)
    try coder.number(&importedRecoveryCodesLeft)
    guard importedRecoveryCodesLeft <= recoveryCodesLeft else { throw .malformed }
    try coder.flag(&recoveryCodeUnlocks)
    try standing.fields(&coder)
    try activity.fields(&coder)
    try coder.flag(&endsSessions)
  }
}

extension AccountStatus.Activity {
  fileprivate mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try standing.fields(&coder)
    try coder.number(&failedAttempts)
    try coder.number(&rememberedSignIns)
    try coder.number(&pendingNotices)
  }
}

extension AccountStatus.Standing {
  fileprivate mutating func fields(_ coder: inout Coder) throws(PacketError) {
    var (number, seconds): (UInt8, UInt32)
    switch self {
    case .open: (number, seconds) = (0, 0)
    case .throttled(let wait): (number, seconds) = (1, wait)
    case .locked: (number, seconds) = (2, 0)
    }
    try coder.number(&number)
    try coder.number(&seconds)
    switch (number, seconds) {
    case (0, 0): self = .open
    case (1, _): self = .throttled(seconds: seconds)
    case (2, 0): self = .locked
    case _: throw .malformed
    }
  }
}
