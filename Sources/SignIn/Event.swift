import FactorStore
import Factors
import PAMStack
public import Policy
import Secrets
public import System

/// A sign-in, as written to the system log. It never contains an answer, a code or a secret.
public struct Event {
  private let outcome: Outcome
  private let request: SignInRequest
  private let account: Account?
  private let state: Configuration.State

  /// Creates an event.
  public init(
    outcome: Outcome, request: SignInRequest, account: Account?, state: Configuration.State
  ) {
    self.outcome = outcome
    self.request = request
    self.account = account
    self.state = state
  }

  /// The log line and its priority, or nil if there is nothing to log.
  public var logLine: (LogPriority, LogLine)? {
    var line = LogLine()
    let priority: LogPriority
    var details = LogLine()
    switch outcome {
    case .enrolled, .switchedOff: return nil
    case .accepted(let factor):
      priority = .information
      line.add("result", "accepted")
      Self.add(factor, to: &details)
    case .remembered(let age):
      priority = .information
      line.add("result", "remembered")
      details.add("age", age)
    case .recovered(let recovery):
      priority = .warning
      line.add("result", "recovery-code")
      details.add("left", Int64(recovery.left))
      Self.add(recovery.mark, to: &details)
    case .bypassed(let grant, let mark):
      priority = .warning
      line.add("result", "bypass")
      details.add("grant", escaping: grant.id.hexadecimal)
      details.add("uses-left", Int64(grant.usesLeft) - 1)
      details.add("reason", escaping: grant.reason?.utf8)
      Self.add(mark, to: &details)
    case .notEnrolled:
      priority = .information
      line.add("result", "not-enrolled")
    case .offered(let offer):
      priority = .information
      line.add("result", "not-enrolled")
      if let left = offer.signInsLeft { details.add("sign-ins-left", left) }
      if let lastDay = offer.lastDay { details.add("until", escaping: lastDay) }
    case .enrollmentPending:
      priority = .information
      line.add("result", "enrollment-pending")
    case .enrolledNow(let factor, let mark):
      priority = .notice
      line.add("result", "enrolled")
      details.add("factor", escaping: factor.id.hexadecimal)
      details.add("name", escaping: factor.displayName.utf8)
      details.add("source", "sign-in")
      Self.add(mark, to: &details)
    case .enrollmentRequired(let obstacle):
      priority = .notice
      line.add("result", "enrollment-required")
      details.add("reason", obstacle.name)
      if case .accountLine(let accountLine) = obstacle {
        details.add("account-line", accountLine.name)
        if let place = accountLine.obstacle { details.add("at", escaping: place) }
      }
    case .wrong(let wait):
      priority = .notice
      line.add("result", "wrong")
      if wait > 0 { details.add("wait", wait) }
    case .replayed(let factor, let wait):
      priority = .warning
      line.add("result", "replayed")
      Self.add(factor, to: &details)
      if wait > 0 { details.add("wait", wait) }
    case .throttled(let seconds):
      priority = .notice
      line.add("result", "throttled")
      details.add("wait", seconds)
    case .disabled:
      priority = .warning
      line.add("result", "disabled")
    case .notACode(let kind):
      priority = .notice
      line.add("result", "not-a-code")
      details.add("answer", Self.name(kind))
    case .unknownUser:
      priority = .notice
      line.add("result", "unknown-user")
    case .failed(let failure):
      priority = .error
      line.add("result", "error")
      Self.add(failure, to: &details)
    }
    line.add("user", escaping: account?.name ?? request.user)
    line.add("service", escaping: request.service)
    line.add("rhost", escaping: request.remoteHost)
    line.add("tty", escaping: request.terminal)
    line.append(details)
    if state == .observe { line.add("state", "observe") }
    return (priority, line)
  }

  /// Returns the log line for notices that could not be mailed.
  public static func undelivered(_ account: Account) -> LogLine {
    var line = LogLine()
    line.add("result", "notice-not-mailed")
    line.add("user", escaping: account.name)
    line.add("reason", "helper-not-started")
    return line
  }

  /// Returns the log line for a configuration change that was recorded in the audit log.
  static func configurationChanged(_ edition: Edition, _ mark: LedgerMark) -> LogLine {
    var line = begin(edition)
    add(mark, to: &line)
    return line
  }

  /// Returns the log line for a configuration change that could not be recorded in the audit log.
  static func configurationNotEntered(_ edition: Edition, _ error: FactorStoreError) -> LogLine {
    var line = begin(edition)
    add(.store(error), to: &line)
    return line
  }

  private static func begin(_ edition: Edition) -> LogLine {
    var line = LogLine()
    line.add("result", "policy-changed")
    line.add("configuration", escaping: edition.name)
    line.add("newest", escaping: edition.newest)
    return line
  }

  private static func name(_ kind: Outcome.NotACode) -> StaticString {
    switch kind {
    case .somethingElse: "something-else"
    case .noSuchFactor: "no-such-factor"
    case .tooLong: "too-long"
    case .none: "none"
    case .withheldBySSHD: "withheld-by-sshd"
    }
  }

  private static func add(_ failure: Outcome.Failure, to line: inout LogLine) {
    switch failure {
    case .arguments(let refusal):
      line.add("part", "arguments")
      switch refusal {
      case .unknown(let argument):
        line.add("reason", "unknown-argument")
        line.add("argument", escaping: argument)
      case .repeated(let argument):
        line.add("reason", "repeated-argument")
        line.add("argument", escaping: argument)
      case .contradictory:
        line.add("reason", "try_first_pass-and-use_first_pass")
      }
    case .configuration(let failure):
      line.add("part", "configuration")
      line.add("file", escaping: failure.path)
      add(failure, to: &line)
    case .account(let error):
      line.add("part", "account")
      add(error, to: &line)
    case .clock(let error):
      line.add("part", "clock")
      add(error, to: &line)
    case .store(let error):
      let names = error.names
      line.add("part", names.part)
      line.add("reason", names.reason)
      if case .system(_, let error) = error { add(error, to: &line) }
      if case .otherVersion(let version) = error { line.add("version", Int64(version)) }
    case .helper(let trouble):
      line.add("part", "helper")
      line.add("reason", trouble.name)
      if case .system(let error) = trouble { add(error, to: &line) }
    case .forwarding:
      line.add("part", "application")
      line.add("reason", "password-not-forwarded")
    }
  }

  private static func add(_ factor: FactorID?, to line: inout LogLine) {
    if let factor { line.add("factor", escaping: factor.hexadecimal) }
  }

  @inline(never)
  private static func add(_ mark: LedgerMark?, to line: inout LogLine) {
    if let mark { line.add("ledger", escaping: mark.text) }
  }

  private static func add(
    _ failure: ConfigurationFile.Failure, to line: inout LogLine
  ) {
    switch failure.reason {
    case .notAPath: line.add("reason", "not-an-absolute-path")
    case .system(let error): add(error, to: &line)
    case .untrusted(let distrust): line.add("reason", distrust.name)
    case .tooManyFiles: line.add("reason", "too-many-files")
    case .invalid(let error):
      line.add("reason", "invalid")
      line.add("line", Int64(error.line))
      line.addQuoted("message", error.message(file: failure.path))
    }
  }

  private static func add(_ error: SystemError, to line: inout LogLine) {
    line.add("errno", escaping: bytes(of: error.name))
  }
}
