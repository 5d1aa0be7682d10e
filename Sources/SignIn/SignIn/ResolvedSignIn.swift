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
  /// The store, or nil if this process may not open it, or if it is not needed.
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

  /// The number of the try, or the largest number if there is none, as in the `account` line.
  var tryNumber = UInt8.max

  /// How many tries of this sign-in were counted as failed attempts.
  var failedTries: UInt8 = 0

  /// Whether the user has tried another code before.
  var isRetry: Bool { tryNumber > 1 && tryNumber < .max }

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
