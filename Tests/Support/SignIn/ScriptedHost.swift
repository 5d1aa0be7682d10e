import MFAAttempt
import MFAModel
import MFASignIn
import MFAStore
import MFABase
import MFAWire

/// A machine with one account, a fixed clock and a store in memory.
package final class ScriptedHost: ScriptedMachine, @unchecked Sendable {
  /// The only account, or nil.
  package var account: Account? = Account(name: Array("alice".utf8), uid: 1000)
  /// The text of the configuration.
  package var configuration = "[project]\nstate = enabled\n"
  /// Seconds since the epoch.
  package var time: Int64 = 1_700_000_000
  /// The store in memory.
  package let memory = MemoryStore()
  /// The error of looking up the account.
  package var accountFailure: SystemError?
  /// The error of opening the store.
  package var storeFailure: FactorStoreError?
  /// The error of reading the clock.
  package var clockFailure: SystemError?
  /// The error of reading the configuration.
  package var configurationFailure: ConfigurationFile.Failure?

  /// Creates a host with default values.
  package init() {}

  /// The prepared break-glass code.
  package var breakGlass: BreakGlassCredential?

  /// The way to phones.
  package let codeSender = ScriptedSender()

  /// PAM's service files. By default, every service has an `account` line with the module.
  package var stacks = ScriptedStacks()

  /// Whether root is the caller.
  package var isCalledByRoot = true

  /// The peer address of the connection.
  package var peerAddress: UInt128?
  /// The number of times that the facts were requested.
  package private(set) var factQuestions = 0

  /// The facts about the application's process.
  package var facts: ApplicationFacts {
    factQuestions += 1
    var facts = ApplicationFacts()
    facts.peer = peerAddress.map { address in
      var writer = ByteWriter()
      writer.write(address)
      return writer.bytes
    }
    facts.session = session?.identity
    facts.enclosingSessions = enclosingSessions.map(\.identity)
    facts.leadsSession = leadsSession
    facts.terminal = controllingTerminal
    return facts
  }

  /// Returns a fixed host name.
  package func name() -> [UInt8] { Array("host.example".utf8) }

  /// Parses the text of `configuration`.
  package func configuration(at path: [UInt8]?) throws(ConfigurationFile.Failure) -> Configuration {
    if let configurationFailure { throw configurationFailure }
    do throws(ConfigurationError) {
      var draft = ConfigurationDraft()
      try draft.add(Array(configuration.utf8).span, from: path ?? ConfigurationFile.standardPath)
      return try draft.finish()
    } catch {
      throw ConfigurationFile.Failure(ConfigurationFile.standardPath, .invalid(error))
    }
  }

  /// The name of the host in its realm.
  package var realmHost: [UInt8] = []

  /// The configuration files that every user can read.
  package var publicFiles: Set<String> = []

  /// Reads the configuration of `configuration(at:)`, if the file is in `publicFiles`.
  package func publicConfiguration(
    at path: [UInt8]
  ) throws(ConfigurationFile.Failure) -> Configuration {
    guard publicFiles.contains(String(decoding: path, as: UTF8.self)) else {
      throw ConfigurationFile.Failure(path, .system(SystemError(.open, number: 13)))
    }
    return try configuration(at: path)
  }

  /// Returns the account, ignoring the case of the name.
  package func account(named name: [UInt8]) throws(SystemError) -> Account? {
    if let accountFailure { throw accountFailure }
    guard let account,
      String(decoding: name, as: UTF8.self).lowercased()
        == String(decoding: account.name, as: UTF8.self)
    else { return nil }
    return account
  }

  /// Other accounts with the same uid.
  package var others: [Account] = []
  /// The error of looking up the other accounts.
  package var othersFailure: SystemError?

  /// Returns an account of `others`.
  package func account(
    sharingUIDOf account: Account, at index: Int32
  ) throws(SystemError) -> Account? {
    if let othersFailure { throw othersFailure }
    return others.indices.contains(Int(index)) ? others[Int(index)] : nil
  }

  /// The groups of the account, or nil if the lookup fails.
  package var groups: [String]? = []

  /// Searches `groups`.
  package func isMember(_ account: Account, of group: [UInt8]) -> Bool? {
    groups?.contains(String(decoding: group, as: UTF8.self))
  }

  /// Returns the store in memory.
  package func store() throws(FactorStoreError) -> MemoryStore {
    if let storeFailure { throw storeFailure }
    return memory
  }

  /// The users to whom notices were mailed.
  package private(set) var delivered: [String] = []
  /// Whether a helper that sends mail exists.
  package var delivers = true

  /// Records the user name.
  package func deliverNotices(to account: Account) -> Bool {
    delivered.append(String(decoding: account.name, as: UTF8.self))
    return delivers
  }

  /// The identity of this process.
  package var identity = ProcessIdentity(user: 0, actsAsRoot: true, isConfined: false)
  /// Whether the locale is one with UTF-8.
  package var usesUTF8 = true
  /// The settings of sshd.
  package var secureShell = SecureShellConfiguration()
  /// The seconds since the machine was started.
  package var sinceBoot: Int64? = 1000

  /// The session of the process.
  package var session: SignInOrigin?
  /// The sessions that enclose it.
  package var enclosingSessions: [SignInOrigin] = []
  /// Whether the process is the session leader.
  package var leadsSession = false
  /// The controlling terminal of the process.
  package var controllingTerminal: [UInt8]? = Array("pts/3".utf8)

  /// Returns the fixed time.
  package func now() throws(SystemError) -> Int64 {
    if let clockFailure { throw clockFailure }
    return time
  }
}
