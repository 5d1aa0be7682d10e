import MFAMessages
import MFAPAMStack
import MFAStore
import MFAModel
import MFABase

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
  /// Why the rest could not be determined, or nil.
  let failure: SignInResult.Failure?

  /// The language of messages: the host's, until the first factor has been proven and the user's own
  /// language is known. Before that, the language would reveal that the user has enrolled.
  var language: Language

  /// What the sign-in takes from its earlier steps.
  var continuation = Continuation()

  /// The result that every answer to the next question leads to, or nil if it depends on the answer.
  var foregone: SignInResult?

  /// Whether a user whose answer is not verified gave none.
  var isAbandoned = false

  init(
    options: ModuleOptions, settings: Settings, state: Configuration.State,
    account: Account? = nil, store: Store? = nil, fingerprint: ConfigurationFingerprint? = nil,
    followsSessions: Bool = false, failure: SignInResult.Failure? = nil
  ) {
    self.options = options
    self.settings = settings
    self.state = state
    self.account = account
    self.store = store
    self.fingerprint = fingerprint
    self.followsSessions = followsSessions
    self.failure = failure
    language = settings.language
  }
}
