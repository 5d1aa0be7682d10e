import MFAAttempt
import MFABase
import MFARealm
import MFAStore
import MFAModel
import MFADecider
import MFARealmStore

/// The realm that this verifier decides for: its engine, its key and its policy.
final class DecisionRealm<Engine: StoreEngine> {
  private let engine: Engine
  private let key: CachedKey
  /// The policy of the realm, from all its files.
  private let policyCache: ConfigurationCache
  /// The state of the realm, which each request loads with the record of its host.
  private let loaded = LoadedRealm()
  /// The accounts whose notices this verifier is to mail.
  private let mail: MailFolder
  let configuration: DecisionConfiguration

  /// Uses the key at `key`, which belongs to `owner`, and by default the policy of this host.
  init(
    _ engine: Engine, _ configuration: DecisionConfiguration, key: TrustedPath, owner: UInt32,
    mail: MailFolder = MailFolder(StoreFile.realmMailName),
    policy: ConfigurationCache = ConfigurationCache()
  ) {
    self.engine = engine
    self.configuration = configuration
    policyCache = policy
    self.mail = mail
    self.key = CachedKey(key, owner: owner, keepsKey: true)
  }

  /// The user of the service, to whom the key belongs.
  private static var serviceUser: [UInt8] { Array("mfa".utf8) }

  /// Uses the key of this verifier, /etc/mfa/key.
  convenience init(
    _ engine: Engine, _ configuration: DecisionConfiguration
  ) throws(RealmError) {
    guard let key = TrustedPath(InstalledPath.key) else {
      throw RealmError("the path of the key is malformed")
    }
    let owner = try RealmError.onSystem("cannot look up the user mfa") { () throws(SystemError) in
      try Account.named(Self.serviceUser)
    }
    guard let owner else {
      throw RealmError("the user mfa does not exist", hint: "packaging/install creates the user")
    }
    self.init(engine, configuration, key: key, owner: owner.uid)
  }

  /// Reads all files of the realm's policy.
  func policy() throws(ConfigurationError) -> Configuration { try policyCache.read() }

  /// Returns the store for one request.
  func store(for request: SharedRequest) -> SharedFactorStore<Engine> {
    let key = key
    return SharedFactorStore(
      engine, for: request, realm: loaded, intervals: { self.intervals },
      key: { () throws(FactorStoreError) in try key.read() },
      clock: { () throws(FactorStoreError) in
        do throws(SystemError) { return try Clock.now() } catch { throw .system(.clock, error) }
      })
  }

  /// Returns the time for a decision, in seconds since the epoch: see `DatabaseClock`.
  func now() throws(SystemError) -> Int64 { try loaded.limited(try Clock.now()) }

  /// Returns the store for what no host asks for.
  func storeWithoutHost() -> SharedFactorStore<Engine> {
    store(for: SharedRequest(host: nil, hostLimit: 0, nonce: nil))
  }

  /// The largest number of adjacent intervals that the policy allows. Without a valid policy, which denies
  /// every sign-in, it is the largest possible number.
  private var intervals: UInt8 {
    do throws(ConfigurationError) {
      return try policy().largestAdjacentIntervals
    } catch {
      return Settings.adjacentIntervalsRange.upperBound
    }
  }

  /// Returns the hosts of the realm.
  func hosts() -> HostRegistry<Engine> { HostRegistry(storeWithoutHost()) }

  /// Leaves the name of an account in the folder that `mfa-verifier mail` empties, if this verifier has a
  /// mailer. Returns false if that failed.
  func leaveForMail(_ account: Account) -> Bool { mail.addIfMailed(account) }

  /// Has the notices about an administrator's change mailed. Writes a line to the log if that failed.
  func mailNotices(to user: [UInt8]) {
    let account = RealmUsers<Engine>.account(user)
    guard !leaveForMail(account) else { return }
    Log.write(.warning, Delivery.failure(for: account))
  }

  /// The epoch of the realm as it was loaded last; nil before anything was loaded.
  var epoch: UInt64? { loaded.epoch }
}
