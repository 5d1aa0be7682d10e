import MFAWire
import MFAAttempt
import MFAStore
import MFABase
import MFAModel
import MFAPAMStack

extension SignInResult {
  /// Returns the line of the system log about a sign-in with this result, and the line's priority,
  /// or nil if there is nothing to log. The line never contains an answer, a code or a secret.
  ///
  /// `account` is nil if it is unknown.
  package func logLine(
    _ request: SignInRequest, account: Account?, state: Configuration.State
  ) -> (LogPriority, LogLine)? {
    var line = LogLine()
    var details = LogLine()
    guard let priority = describe(in: &line, details: &details) else { return nil }
    line.addSignIn(
      user: account?.name ?? request.user, service: request.service,
      remoteHost: request.remoteHost, terminal: request.terminal)
    line.append(details)
    if state == .observe { line.add("state", "observe") }
    return (priority, line)
  }

  /// Appends the result to `line`, and the pairs for the end of the line to `details`. Returns the
  /// line's priority, or nil if there is nothing to log.
  private func describe(in line: inout LogLine, details: inout LogLine) -> LogPriority? {
    switch self {
    case .allowed(.enrolled), .passed(.switchedOff), .passed(.leftToNextLines): return nil
    case .allowed(.code(let accepted)):
      return Attempt.Result.accepted(accepted).describe(in: &line, details: &details)
    case .allowed(.remembered(let age)):
      line.add("result", "remembered")
      details.add("age", age)
      return .information
    case .allowed(.breakGlass(let error)):
      line.add("result", "break-glass")
      details.add(error)
      return .alert
    case .allowed(.programPassword(let grant)):
      line.add("result", "program-password")
      details.add("grant", escaping: grant.id.hexadecimal)
      details.add("name", escaping: grant.reason?.utf8 ?? [])
      return .information
    case .allowed(.enrolledNow(let factor, let checkpoint)):
      line.add("result", "enrolled")
      details.add("factor", escaping: factor.id.hexadecimal)
      details.add("name", escaping: factor.displayName.utf8)
      details.add("source", "sign-in")
      details.add(checkpoint)
      return .notice
    case .passed(.notEnrolled):
      line.add("result", "not-enrolled")
      return .information
    case .passed(.offered(let offer)):
      line.add("result", "not-enrolled")
      if let left = offer.signInsLeft { details.add("sign-ins-left", left) }
      if let lastDay = offer.lastDay { details.add("until", escaping: lastDay) }
      return .information
    case .passed(.enrollmentPending):
      line.add("result", "enrollment-pending")
      return .information
    case .denied(.code(let rejected)):
      return Attempt.Result.rejected(rejected).describe(in: &line, details: &details)
    case .denied(.programPassword(let refusal)):
      line.add("result", "wrong-program-password")
      details.add("reason", refusal.name)
      return .notice
    case .denied(.unknownUser):
      line.add("result", "unknown-user")
      return .notice
    case .denied(.enrollmentRequired(let obstacle)):
      line.add("result", "enrollment-required")
      details.add("reason", obstacle.name)
      if case .accountLine(let accountLine) = obstacle {
        details.add("account-line", accountLine.name)
        if let place = accountLine.obstacle { details.add("place", escaping: place) }
      }
      return .notice
    case .denied(.codeRequired(let isEnrolled)):
      line.add("result", "code-required")
      details.add("reason", isEnrolled ? "not-authenticated-here" : "not-enrolled")
      return .notice
    case .denied(.failed(let failure)):
      line.add("result", "error")
      Self.add(failure, to: &details)
      return .error
    }
  }

  private static func add(_ failure: Failure, to line: inout LogLine) {
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
      case .keyWithPassword:
        line.add("reason", "after_key-and-password")
      case .programPasswordWithCode:
        line.add("reason", "program_password-and-code")
      }
    case .configuration(let failure): line.add(failure)
    case .account(let error):
      line.add("part", "account")
      line.add(error)
    case .clock(let error):
      line.add("part", "clock")
      line.add(error)
    case .store(let error): line.add(error)
    case .othersAccount:
      line.add("part", "account")
      line.add("reason", "anothers-account")
    case .firstFactorMissing:
      line.add("part", "stack")
      line.add("reason", "first-factor-missing")
    }
  }
}

extension Attempt.ProgramPasswordRefusal {
  /// The reason in the log.
  var name: StaticString {
    switch self {
    case .notAccepted: "service-not-accepted"
    case .unknown: "unknown"
    case .ended: "ended"
    case .otherService: "other-service"
    case .otherNetwork: "other-network"
    }
  }
}
