public import MFAConfiguration
public import MFAFactors
public import MFAPolicy
public import MFASignIn
public import MFAStoreFiles
public import MFASystem

/// A machine with one account, a fixed clock and a store in memory.
public final class ScriptedHost: Host, @unchecked Sendable {
  /// The only account, or nil.
  public var account: Account? = Account(name: Array("alice".utf8), uid: 1000)
  /// The text of the configuration.
  public var configuration = "[project]\nstate = enabled\n"
  /// Seconds since the epoch.
  public var time: Int64 = 1_700_000_000
  /// The store in memory.
  public let memory = MemoryStore()
  /// The error of looking up the account.
  public var accountFailure: SystemError?
  /// The error of opening the store.
  public var storeFailure: FactorStoreError?
  /// The error of reading the clock.
  public var clockFailure: SystemError?
  /// The error of reading the configuration.
  public var configurationFailure: ConfigurationFile.Failure?

  /// Creates a host with default values.
  public init() {}

  /// The prepared break-glass code.
  public var breakGlass: BreakGlassCredential?

  /// The way to phones.
  public let codeSender = ScriptedSender()

  /// PAM's service files. By default, every service has an `account` line with the module.
  public var stacks = ScriptedStacks()

  /// Whether root is the caller.
  public var isCalledByRoot = true

  /// The peer address of the connection.
  public var peerAddress: UInt128?
  /// The number of times that the peer address was requested.
  public private(set) var peerQuestions = 0

  /// Counts the request.
  public func peer() -> UInt128? {
    peerQuestions += 1
    return peerAddress
  }

  /// Returns a fixed host name.
  public func name() -> [UInt8] { Array("host.example".utf8) }

  /// Parses the text of `configuration`.
  public func configuration(at path: [UInt8]?) throws(ConfigurationFile.Failure) -> Configuration {
    if let configurationFailure { throw configurationFailure }
    do throws(ConfigurationError) {
      var draft = ConfigurationDraft()
      try draft.add(Array(configuration.utf8).span, from: path ?? ConfigurationFile.standardPath)
      return try draft.finish()
    } catch {
      throw ConfigurationFile.Failure(ConfigurationFile.standardPath, .invalid(error))
    }
  }

  /// Returns the account, ignoring the case of the name.
  public func account(named name: [UInt8]) throws(SystemError) -> Account? {
    if let accountFailure { throw accountFailure }
    guard let account,
      String(decoding: name, as: UTF8.self).lowercased()
        == String(decoding: account.name, as: UTF8.self)
    else { return nil }
    return account
  }

  /// Other accounts with the same uid.
  public var others: [Account] = []
  /// The error of looking up the other accounts.
  public var othersFailure: SystemError?

  /// Returns an account of `others`.
  public func account(
    sharingUIDOf account: Account, at index: Int32
  ) throws(SystemError) -> Account? {
    if let othersFailure { throw othersFailure }
    return others.indices.contains(Int(index)) ? others[Int(index)] : nil
  }

  /// The groups of the account, or nil if the lookup fails.
  public var groups: [String]? = []

  /// Searches `groups`.
  public func isMember(_ account: Account, of group: [UInt8]) -> Bool? {
    groups?.contains(String(decoding: group, as: UTF8.self))
  }

  /// Returns the store in memory.
  public func store() throws(FactorStoreError) -> MemoryStore {
    if let storeFailure { throw storeFailure }
    return memory
  }

  /// The users to whom notices were mailed.
  public private(set) var delivered: [String] = []
  /// Whether a helper that sends mail exists.
  public var delivers = true

  /// Records the user name.
  public func deliverNotices(to account: Account) -> Bool {
    delivered.append(String(decoding: account.name, as: UTF8.self))
    return delivers
  }

  /// The identity of this process.
  public var identity = ProcessIdentity(user: 0, actsAsRoot: true, isConfined: false)
  /// The sessions that the helper will accept, in order.
  public var helpers: [ScriptedHelper] = []
  /// The error of starting the helper.
  public var helperFailure: HelperError?

  /// Returns the next scripted session; throws when the script is used up.
  public func helper() throws(HelperError) -> ScriptedHelper {
    if let helperFailure { throw helperFailure }
    guard !helpers.isEmpty else { throw .ended }
    return helpers.removeFirst()
  }

  /// Whether the locale is one with UTF-8.
  public var usesUTF8 = true
  /// The settings of sshd.
  public var secureShell = SecureShellConfiguration()
  /// The seconds since the machine was started.
  public var sinceBoot: Int64? = 1000

  /// The session of the process.
  public var session: SignInOrigin?
  /// The sessions that enclose it.
  public var enclosingSessions: [SignInOrigin] = []
  /// Whether the process is the session leader.
  public var leadsSession = false
  /// The controlling terminal of the process.
  public var controllingTerminal: [UInt8]? = Array("pts/3".utf8)

  /// Returns the fixed time.
  public func now() throws(SystemError) -> Int64 {
    if let clockFailure { throw clockFailure }
    return time
  }
}
