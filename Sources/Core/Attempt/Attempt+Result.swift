import MFAStore
import MFAModel
import MFABase

extension Attempt {
  /// The result of an attempt. It contains no answer, code or secret in clear.
  package enum Result: Sendable {
    case accepted(Accepted)
    case rejected(Rejected)
  }

  /// What was accepted. Its use is already recorded.
  package enum Accepted: Sendable {
    /// A code of a factor. The factor is nil if this process does not know it.
    case factor(FactorID?)
    /// A recovery code. `left` is the number of codes that are left.
    case recoveryCode(left: Int, AuditLogCheckpoint?)
    /// An administrator's bypass code, which can be used `usesLeft` more times. The grant is in the
    /// state before this use, and nil if this process does not know it.
    case bypassCode(Grant?, usesLeft: UInt8, AuditLogCheckpoint?)
  }

  /// Why nothing was accepted.
  package enum Rejected: Sendable {
    /// The code was wrong. `wait` is the number of seconds before the next attempt is allowed; 0
    /// for none.
    case wrong(wait: Int64)
    /// The code was wrong, but right `secondsAhead` seconds from now (negative: ago), and so was the wrong code before
    /// it: the clock of the authenticator is wrong by about that time. `wait` is as for `wrong`.
    case ofAnotherTime(secondsAhead: Int64, wait: Int64)
    /// The code was correct, but this code or a later one had been used.
    case replayed(FactorID?, wait: Int64)
    /// The code was correct, but the factor's next code is accepted only in `seconds`, because codes of
    /// later time steps may have been used. Nothing was counted.
    case notYet(FactorID, seconds: Int64)
    /// The code was correct, but policy does not accept codes of this type of factor. Nothing was counted, and
    /// the code is used up.
    case typeNotAllowed(FactorID, Configuration.FactorType)
    /// The code was wrong, or correct but used (`replayed`), and this failure locked the factors.
    case lockedNow(replayed: FactorID?)
    /// Nothing was compared or counted: the same answer was typed a moment ago.
    case repeated(RecentAnswers.Repetition)
    /// Nothing was compared: the user has to wait after failed attempts.
    case throttled(seconds: Int64)
    /// Nothing was compared: the factors are locked until an administrator unlocks them.
    case locked
    /// The answer cannot be a code of any of the user's factors. Nothing was counted.
    case notACode(NotACode)
    /// The user has no factor, or no longer has one.
    case notEnrolled
  }

  /// Why an answer cannot be a code.
  package enum NotACode: Sendable {
    /// The answer is something else: empty, a password, too few digits.
    case somethingElse
    /// The answer cannot be the bypass code, which is all that the user has. `isExplained` is whether the user is told:
    /// before the first factor is proven, that would reveal something about the account.
    case noBypassCode(isExplained: Bool)
    /// The answer is a number that none of the listed factors has.
    case noSuchFactor
    case tooLong
    /// There was no answer.
    case noAnswer
    /// sshd replaced the user's answer with its own, because it will deny the sign-in.
    case withheldBySSHD
  }
}

extension Attempt.Result {
  /// The operation in the kernel's audit trail. A recovery or bypass code changes the record, so
  /// its use has a name of its own.
  package var auditedOperation: StaticString {
    switch self {
    case .accepted(.recoveryCode): "mfa:recovery-code"
    case .accepted(.bypassCode): "mfa:bypass-code"
    case .accepted(.factor), .rejected: "mfa:code"
    }
  }

  /// Whether a code was accepted, for the audit trail. False also for an attempt that was refused
  /// because of earlier failures; nil if there was no attempt.
  package var auditedSuccess: Bool? {
    switch self {
    case .accepted: true
    case .rejected(.notACode), .rejected(.notEnrolled): nil
    case .rejected: false
    }
  }

  /// Appends the result to a line of the system log, and the pairs for the end of the line to
  /// `details`. Returns the line's priority.
  @inline(never)
  package func describe(in line: inout LogLine, details: inout LogLine) -> LogPriority {
    switch self {
    case .accepted(.factor(let factor)):
      line.add("result", "accepted")
      details.add(factor)
      return .information
    case .accepted(.recoveryCode(let left, let checkpoint)):
      line.add("result", "recovery-code")
      details.add("recovery-codes-left", Int64(left))
      details.add(checkpoint)
      return .warning
    case .accepted(.bypassCode(let grant, let usesLeft, let checkpoint)):
      line.add("result", "bypass-code")
      if let grant { details.add("grant", escaping: grant.id.hexadecimal) }
      details.add("uses-left", Int64(usesLeft))
      if let grant { details.add("reason", escaping: grant.reason?.utf8) }
      details.add(checkpoint)
      return .warning
    case .rejected(.wrong(let wait)):
      line.add("result", "wrong")
      if wait > 0 { details.add("wait", wait) }
      return .notice
    case .rejected(.ofAnotherTime(let secondsAhead, let wait)):
      line.add("result", "wrong")
      details.add("clock-ahead", secondsAhead)
      if wait > 0 { details.add("wait", wait) }
      return .notice
    case .rejected(.replayed(let factor, let wait)):
      line.add("result", "replayed")
      details.add(factor)
      if wait > 0 { details.add("wait", wait) }
      return .warning
    case .rejected(.notYet(let factor, let seconds)):
      line.add("result", "replayed")
      details.add(factor)
      details.add("wait", seconds)
      details.add("counted", "no")
      return .notice
    case .rejected(.typeNotAllowed(let factor, _)):
      line.add("result", "type-not-allowed")
      details.add(factor)
      details.add("counted", "no")
      return .warning
    case .rejected(.repeated(let repetition)):
      switch repetition {
      case .used: line.add("result", "replayed")
      case .rejected: line.add("result", "wrong")
      }
      details.add("counted", "no")
      return .notice
    case .rejected(.lockedNow(let factor)):
      line.add("result", factor == nil ? "wrong" : "replayed")
      details.add(factor)
      details.add("locked", "yes")
      return .warning
    case .rejected(.throttled(let seconds)):
      line.add("result", "throttled")
      details.add("wait", seconds)
      return .notice
    case .rejected(.locked):
      line.add("result", "locked")
      return .warning
    case .rejected(.notACode(let reason)):
      line.add("result", "not-a-code")
      details.add("answer", reason.name)
      return .notice
    case .rejected(.notEnrolled):
      // The last factor was removed after the user was asked for its code.
      line.add("result", "error")
      details.add(.damaged(.record))
      return .error
    }
  }
}

extension Attempt.Rejected {
  /// Creates the reason for refusing an attempt without comparing anything. No attempt is refused
  /// while the standing is open. This standing is converted to `locked`, so that a mistake denies
  /// the sign-in.
  package init(_ standing: AttemptState.Standing) {
    switch standing {
    case .throttled(let seconds): self = .throttled(seconds: seconds)
    case .locked, .open: self = .locked
    }
  }

  /// Whether another attempt would be refused now, whatever its code.
  package var mustWait: Bool {
    switch self {
    case .wrong(let wait), .ofAnotherTime(_, let wait), .replayed(_, let wait): wait > 0
    case .throttled, .locked, .lockedNow: true
    case .notACode, .notEnrolled, .notYet, .typeNotAllowed, .repeated: false
    }
  }
}

extension Attempt.NotACode {
  fileprivate var name: StaticString {
    switch self {
    case .somethingElse: "something-else"
    case .noBypassCode: "no-bypass-code"
    case .noSuchFactor: "no-such-factor"
    case .tooLong: "too-long"
    case .noAnswer: "none"
    case .withheldBySSHD: "withheld-by-sshd"
    }
  }
}

extension LogLine {
  fileprivate mutating func add(_ factor: FactorID?) {
    if let factor { add("factor", escaping: factor.hexadecimal) }
  }
}
