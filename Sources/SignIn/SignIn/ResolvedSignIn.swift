import MFAAttempt
import MFABase
import MFAMessages
import MFAModel
import MFAPAMStack
import MFAStore
import MFAWire

/// A sign-in with its policy, account and store, as far as they could be determined.
///
/// This is a class because it is passed between many functions, and each copy of a large value adds
/// code to the module.
final class ResolvedSignIn<Store: FactorStore> {
  /// The module's arguments; none if they are invalid.
  let options: ModuleOptions
  /// The settings in force, as far as they are known. They are complete only if `failure` is nil.
  let settings: Settings
  /// The policy state. It is `enabled` if it could not be determined, so that an error denies.
  let state: Configuration.State
  /// The user's account, or nil if the system has none or if it is not needed.
  let account: Account?
  /// The store, or nil if it is not needed.
  let store: Store?
  /// The fingerprint of the host's configuration, or nil if the service uses a file of its own.
  let fingerprint: ConfigurationFingerprint?
  /// Whether any policy depends on the session in which a code was given.
  let followsSessions: Bool
  /// The daemons as which the application may sign in others than its own user.
  let daemons: [Daemon]
  /// Why the rest could not be determined, or nil.
  let failure: SignInResult.Failure?

  /// The language of messages: the host's, until the first factor has been proven and the user's own
  /// language is known. Before that, the language would reveal that the user has enrolled.
  var language: Language

  /// What the sign-in takes from its earlier steps.
  var continuation = Continuation()

  /// The result that every answer to the next question leads to, or nil if it depends on the answer.
  var foregone: SignInResult?

  /// Whether the prompt asks for a recovery code: the first factor is proven, and the locked factors can be unlocked.
  var asksForRecoveryCode = false

  /// Whether a user whose answer is not verified gave none.
  var isAbandoned = false

  init(
    options: ModuleOptions, settings: Settings, state: Configuration.State,
    account: Account? = nil, store: Store? = nil, fingerprint: ConfigurationFingerprint? = nil,
    followsSessions: Bool = false, daemons: [Daemon] = [], failure: SignInResult.Failure? = nil
  ) {
    self.options = options
    self.settings = settings
    self.state = state
    self.account = account
    self.store = store
    self.fingerprint = fingerprint
    self.followsSessions = followsSessions
    self.daemons = daemons
    self.failure = failure
    language = settings.language
  }
}

extension ResolvedSignIn {
  /// The administrator's prompt, or nil. The one of the configuration asks for a code alone, so it does
  /// not apply where the answer also contains the password.
  var ownPrompt: [UInt8]? { options.prompt ?? (options.takesPassword ? nil : settings.prompt) }

  /// The prompt: the administrator's, or the standard one in the language of this sign-in.
  var question: [UInt8] {
    ownPrompt
      ?? text(
        options.takesPassword
          ? .passwordAndCodePrompt : asksForRecoveryCode ? .recoveryCodePrompt : .codePrompt
      ).utf8
  }

  /// Returns a message in the language of this sign-in.
  func text(_ message: SignInMessage) -> MessageText { message.text(in: language) }
}

/// The result that the `auth` line, or an `account` line with `require_code`, would have if nothing were typed. Administrators use it to find
/// the reason for a result.
package struct Forecast: Sendable {
  /// The result. If a code would be asked for, this is `notACode`.
  package let result: SignInResult
  /// The state in force; `enabled` while it is unknown.
  package let state: Configuration.State
}

extension SignIn {
  /// Runs the line up to the first question. Nothing is changed if the request has no answer, and no facts about a
  /// session for which a remembered code could be stored.
  package func forecast() -> Forecast {
    var known: Resolved?
    do throws(Pause) {
      let resolved = try resolve()
      known = resolved
      let result = line == .auth ? try authentication(resolved) : try accountCheck(resolved)
      return Forecast(result: result, state: resolved.state)
    } catch {
      let result: SignInResult =
        switch error {
        case .failure(let failure): .failed(failure)
        case .obstacle(let obstacle): .denied(.enrollmentRequired(obstacle))
        case .question, .facts: known?.foregone ?? .notACode(.somethingElse)
        }
      return Forecast(result: result, state: known?.state ?? .enabled)
    }
  }
}
