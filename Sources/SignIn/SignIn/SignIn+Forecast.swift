import MFAAttempt
import MFAModel

/// The result that the `auth` line would have if nothing were typed. Administrators use it to find
/// the reason for a result.
package struct Forecast: Sendable {
  /// The result. If a code would be asked for, this is `notACode`.
  package let result: SignInResult
  /// The state in force; `enabled` while it is unknown.
  package let state: Configuration.State
}

extension SignIn {
  /// Runs the `auth` line up to the first question. Nothing is changed if the request has no answer, and
  /// no facts about a session for which a remembered code could be stored.
  package func forecast() -> Forecast {
    var known: Resolved?
    do throws(Pause) {
      let resolved = try resolve()
      known = resolved
      return Forecast(result: try authentication(resolved), state: resolved.state)
    } catch {
      let result: SignInResult =
        switch error {
        case .failure(let failure): .failed(failure)
        case .question, .facts: known?.foregone ?? .notACode(.somethingElse)
        }
      return Forecast(result: result, state: known?.state ?? .enabled)
    }
  }
}
