import MFAAuthentication
import MFAAuditLog
import MFABytes
import MFAConfiguration
import MFAFactors
public import MFAPolicy
import MFAStoreFiles
import MFAPAMStack
public import MFASystem

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
    case .attempted(let attempt): priority = attempt.describe(in: &line, details: &details)
    case .remembered(let age):
      line.add("result", "remembered")
      priority = .information
      details.add("age", age)
    case .notEnrolled:
      line.add("result", "not-enrolled")
      priority = .information
    case .offered(let offer):
      line.add("result", "not-enrolled")
      priority = .information
      if let left = offer.signInsLeft { details.add("sign-ins-left", left) }
      if let lastDay = offer.lastDay { details.add("until", escaping: lastDay) }
    case .enrollmentPending:
      line.add("result", "enrollment-pending")
      priority = .information
    case .enrolledNow(let factor, let mark):
      line.add("result", "enrolled")
      priority = .notice
      details.add("factor", escaping: factor.id.hexadecimal)
      details.add("name", escaping: factor.displayName.utf8)
      details.add("source", "sign-in")
      details.add(mark)
    case .enrollmentRequired(let obstacle):
      line.add("result", "enrollment-required")
      priority = .notice
      details.add("reason", obstacle.name)
      if case .accountLine(let accountLine) = obstacle {
        details.add("account-line", accountLine.name)
        if let place = accountLine.obstacle { details.add("at", escaping: place) }
      }
    case .notACode(let kind):
      line.add("result", "not-a-code")
      priority = .notice
      details.add("answer", Self.name(kind))
    case .unknownUser:
      line.add("result", "unknown-user")
      priority = .notice
    case .failed(let failure):
      line.add("result", "error")
      priority = .error
      Self.add(failure, to: &details)
    }
    line.addSignIn(
      user: account?.name ?? request.user, service: request.service,
      remoteHost: request.remoteHost, terminal: request.terminal)
    line.append(details)
    if state == .observe { line.add("state", "observe") }
    return (priority, line)
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
    case .configuration(let failure): line.add(failure)
    case .account(let error):
      line.add("part", "account")
      line.add(error)
    case .clock(let error):
      line.add("part", "clock")
      line.add(error)
    case .store(let error): line.add(error)
    case .helper(let trouble):
      line.add("part", "helper")
      line.add("reason", trouble.name)
      if case .system(let error) = trouble { line.add(error) }
    case .forwarding:
      line.add("part", "application")
      line.add("reason", "password-not-forwarded")
    }
  }
}
