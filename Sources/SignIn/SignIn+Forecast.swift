public import Policy

/// What the `auth` line would come to if nothing were typed there: for administrators, who ask why.
public struct Forecast: Sendable {
  /// What it would come to; that an answer is no code, where one is asked for.
  public let outcome: Outcome
  /// The state in force; `enabled` as long as that is not known.
  public let state: Configuration.State
}

extension SignIn {
  /// Goes through the `auth` line up to the answer, and changes nothing. `application` must answer
  /// every question with nothing; the log is not written.
  public func forecast() -> Forecast {
    var findings = Findings()
    let outcome: Outcome
    do throws(Outcome.Failure) {
      outcome = try authentication(&findings)
    } catch {
      outcome = .failed(error)
    }
    return Forecast(outcome: outcome, state: findings.state)
  }
}
