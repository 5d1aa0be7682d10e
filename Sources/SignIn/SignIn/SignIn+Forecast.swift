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
  /// Runs the `auth` line up to the answer. Nothing is logged except the steps that the argument
  /// `debug` asks for. Nothing is changed if `application` gives no answer to any question, and
  /// `host` has no session for which a remembered code could be stored.
  package func forecast() -> Forecast {
    let resolved = resolve()
    return Forecast(result: authentication(resolved), state: resolved.state)
  }
}
