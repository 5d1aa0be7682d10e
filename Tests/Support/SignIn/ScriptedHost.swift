public import FactorStore
public import Factors
public import Policy
public import SignIn
public import System

/// A machine with one account, a fixed clock and a store in memory.
public final class ScriptedHost: Host, @unchecked Sendable {
  /// The account.
  public var account: Account? = Account(name: Array("alice".utf8), uid: 1000)
  /// The configuration's text.
  public var configuration = "[project]\nstate = enabled\n"
  /// Seconds since the epoch.
  public var time: Int64 = 1_700_000_000
  /// The store.
  public let memory = MemoryStore()
  /// What fails.
  public var accountFailure: SystemError?
  /// What fails.
  public var storeFailure: FactorStoreError?
  /// What fails.
  public var clockFailure: SystemError?
  /// What fails.
  public var configurationFailure: ConfigurationFile.Failure?

  /// The machine.
  public init() {}

  /// PAM's service files. Where nothing else is said, every service has an `account` line of the
  /// module's.
  public var stacks = ScriptedStacks()

  /// Whether root called.
  public var isCalledByRoot = true

  /// The address at the other end of the connection.
  public var peerAddress: UInt128?
  /// How often it was asked for.
  public private(set) var peerQuestions = 0

  /// Counts the question.
  public func peer() -> UInt128? {
    peerQuestions += 1
    return peerAddress
  }

  /// A fixed name.
  public func name() -> [UInt8] { Array("host.example".utf8) }

  /// Parses the text, as what the file says.
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

  /// The account, whatever the spelling's case.
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
  /// What fails.
  public var othersFailure: SystemError?

  /// What the test says.
  public func account(
    sharingUIDOf account: Account, at index: Int32
  ) throws(SystemError) -> Account? {
    if let othersFailure { throw othersFailure }
    return others.indices.contains(Int(index)) ? others[Int(index)] : nil
  }

  /// The groups of the account; nil when nobody can tell.
  public var groups: [String]? = []

  /// Looks in `groups`.
  public func isMember(_ account: Account, of group: [UInt8]) -> Bool? {
    groups?.contains(String(decoding: group, as: UTF8.self))
  }

  /// The store in memory.
  public func store() throws(FactorStoreError) -> MemoryStore {
    if let storeFailure { throw storeFailure }
    return memory
  }

  /// To whom notices were to be mailed.
  public private(set) var delivered: [String] = []
  /// Whether there is a helper that mails them.
  public var delivers = true

  /// Keeps the name.
  public func deliverNotices(to account: Account) -> Bool {
    delivered.append(String(decoding: account.name, as: UTF8.self))
    return delivers
  }

  /// Whose process this is.
  public var identity = ProcessIdentity(user: 0, actsAsRoot: true, isConfined: false)
  /// The conversations with the helper that there may be, in order.
  public var helpers: [ScriptedHelper] = []
  /// Why the helper cannot be started.
  public var helperFailure: HelperTrouble?

  /// The next conversation of the script; trouble when it is over.
  public func helper() throws(HelperTrouble) -> ScriptedHelper {
    if let helperFailure { throw helperFailure }
    guard !helpers.isEmpty else { throw .ended }
    return helpers.removeFirst()
  }

  /// The session of the process.
  public var session: Place?
  /// Those around it.
  public var enclosingSessions: [Place] = []
  /// Whether the process leads its session.
  public var leadsSession = false
  /// The terminal of the process.
  public var controllingTerminal: [UInt8]? = Array("pts/3".utf8)

  /// The fixed time.
  public func now() throws(SystemError) -> Int64 {
    if let clockFailure { throw clockFailure }
    return time
  }
}
