import MFAAuditLog
public import MFAFactors
public import MFASystem

/// The result of an attempt, for the logs and the user. No answer, code or secret is part of it.
public enum AttemptOutcome: Sendable {
  /// A code was correct and had not been used. The factor is nil if this process does not know it.
  case accepted(FactorID?)
  /// A recovery code was correct and is used up.
  case recovered(Attempt.Recovery)
  /// An administrator's bypass code was correct.
  case bypassed(Grant, AuditLogCheckpoint?)
  /// A code was wrong. `wait` is the number of seconds before the next attempt is allowed; 0 for
  /// none.
  case wrong(wait: Int64)
  /// A code was correct, but this code or a later one had been used.
  case replayed(FactorID?, wait: Int64)
  /// Nothing was compared: the user has to wait after failed attempts.
  case throttled(seconds: Int64)
  /// Nothing was compared: the factors are locked until an administrator unlocks them.
  case disabled

  /// Converts a result. Returns nil if nothing was verified, because the answer cannot be a code or
  /// no factor is enrolled any more.
  public init?(_ result: Attempt.Result) {
    switch result {
    case .accepted(let factor): self = .accepted(factor.id)
    case .recovered(let recovery): self = .recovered(recovery)
    case .bypassed(let grant, let mark): self = .bypassed(grant, mark)
    case .wrong(let wait): self = .wrong(wait: wait)
    case .replayed(let factor, let wait): self = .replayed(factor.id, wait: wait)
    case .refused(.waiting(let seconds)): self = .throttled(seconds: seconds)
    // An attempt is never refused while the standing is open. If it were, it would be denied.
    case .refused(.disabled), .refused(.open): self = .disabled
    case .notACode, .notEnrolled: return nil
    }
  }

  /// Whether the user was authenticated.
  public var isSuccess: Bool {
    switch self {
    case .accepted, .recovered, .bypassed: true
    case .wrong, .replayed, .throttled, .disabled: false
    }
  }

  /// The operation in the kernel's audit trail. A recovery or bypass code changes the record, so
  /// its use has a name of its own.
  public var auditedOperation: StaticString {
    switch self {
    case .recovered: "mfa:recovery-code"
    case .bypassed: "mfa:bypass-code"
    case .accepted, .wrong, .replayed, .throttled, .disabled: "mfa:code"
    }
  }

  /// Appends the result to a line of the system log, and the pairs for the end of the line to
  /// `details`. Returns the line's priority.
  @inline(never)
  public func describe(in line: inout LogLine, details: inout LogLine) -> LogPriority {
    switch self {
    case .accepted(let factor):
      line.add("result", "accepted")
      details.add(factor)
      return .information
    case .recovered(let recovery):
      line.add("result", "recovery-code")
      details.add("left", Int64(recovery.left))
      details.add(recovery.mark)
      return .warning
    case .bypassed(let grant, let mark):
      line.add("result", "bypass")
      details.add("grant", escaping: grant.id.hexadecimal)
      details.add("uses-left", Int64(grant.usesLeft) - 1)
      details.add("reason", escaping: grant.reason?.utf8)
      details.add(mark)
      return .warning
    case .wrong(let wait):
      line.add("result", "wrong")
      if wait > 0 { details.add("wait", wait) }
      return .notice
    case .replayed(let factor, let wait):
      line.add("result", "replayed")
      details.add(factor)
      if wait > 0 { details.add("wait", wait) }
      return .warning
    case .throttled(let seconds):
      line.add("result", "throttled")
      details.add("wait", seconds)
      return .notice
    case .disabled:
      line.add("result", "disabled")
      return .warning
    }
  }
}

extension LogLine {
  fileprivate mutating func add(_ factor: FactorID?) {
    if let factor { add("factor", escaping: factor.hexadecimal) }
  }

  /// Appends the user, the service, the remote host and the terminal of a sign-in.
  @inline(never)
  public mutating func addSignIn(
    user: [UInt8], service: [UInt8], remoteHost: [UInt8]?, terminal: [UInt8]?
  ) {
    add("user", escaping: user)
    add("service", escaping: service)
    add("rhost", escaping: remoteHost)
    add("tty", escaping: terminal)
  }
}
