import MFAAttempt
import MFABase
import MFAModel
import MFAPAMStack
import MFASignIn
import MFAStore
import MFAWire
import Synchronization

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
  package var configurationFailure: ConfigurationError?

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
  package func configuration(at path: [UInt8]?) throws(ConfigurationError) -> Configuration {
    if let configurationFailure { throw configurationFailure }
    var draft = ConfigurationDraft()
    try draft.add(Array(configuration.utf8).span, from: path ?? ConfigurationFile.standardPath)
    return try draft.finish()
  }

  /// The name of the host in its realm.
  package var realmHost: [UInt8] = []

  /// The configuration files that every user can read.
  package var publicFiles: Set<String> = []

  /// Reads the configuration of `configuration(at:)`, if the file is in `publicFiles`.
  package func publicConfiguration(
    at path: [UInt8]
  ) throws(ConfigurationError) -> Configuration {
    guard publicFiles.contains(String(decoding: path, as: UTF8.self)) else {
      throw ConfigurationError(in: path, .system(SystemError(.open, number: 13)))
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

  /// The user IDs of system users.
  package var systemUsers: [String: UInt32] = [:]

  /// Searches `systemUsers`.
  package func account(_ uid: UInt32, isNamed name: [UInt8]) throws(SystemError) -> Bool {
    systemUsers[String(decoding: name, as: UTF8.self)] == uid
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

extension ScriptedHost {
  /// Enrols a factor for the account, by default with the known secret.
  @discardableResult
  package func enroll(
    _ name: String = "Phone", secret: [UInt8] = KnownFactor.secret,
    parameters: TOTPParameters = .standard, enrolledAt time: Int64 = 0
  ) throws -> Factor {
    guard let account else { throw FactorStoreError.damaged(.record) }
    return try memory.enroll(
      name, secret: secret, for: account, parameters: parameters, enrolledAt: time)
  }

  /// Returns the code of the known secret, `steps` time steps from now.
  package func code(_ steps: Int64 = 0) throws -> String {
    try KnownFactor.code(at: time, steps: steps)
  }

  /// Returns a code that is wrong now.
  package func wrongCode() throws -> String { try KnownFactor.wrongCode(at: time) }
}

extension SignInRequest {
  /// Creates a request from texts, by default of alice at sshd.
  package init(
    user: String = "alice", service: String = "sshd", remoteHost: String? = nil,
    terminal: String? = nil, arguments: [String] = []
  ) {
    self.init(
      user: Array(user.utf8), service: Array(service.utf8),
      remoteHost: remoteHost.map { Array($0.utf8) }, terminal: terminal.map { Array($0.utf8) },
      arguments: arguments.map { Array($0.utf8) })
  }
}

/// PAM's service files in memory, in the folder `/pam`.
package struct ScriptedStacks: StackSource {
  /// The content of the files, by name.
  package var files = ["other": "account required pam_mfa.so\n"]

  /// Creates a folder that contains only `other`.
  package init() {}

  /// Returns the file with that name.
  package func file(_ name: [UInt8]) throws(StackRefusal) -> StackFile? {
    let name = String(decoding: name, as: UTF8.self)
    return files[name].map {
      StackFile(path: Array("/pam/\(name)".utf8), contents: Array($0.utf8))
    }
  }
}

/// The secret of the RFCs' examples, and its codes.
package enum KnownFactor {
  /// RFC 6238, appendix B: "12345678901234567890".
  package static let secret = Array("12345678901234567890".utf8)

  /// Returns the correct code, as typed, `steps` time steps after `time`.
  package static func code(
    at time: Int64, steps: Int64 = 0, parameters: TOTPParameters = .standard,
    secret: [UInt8] = KnownFactor.secret
  ) throws -> String {
    var hotp = try HOTP(secret: secret.span, algorithm: parameters.algorithm)
    let step = parameters.step(at: time) + steps
    let code = try hotp.code(at: UInt64(bitPattern: step), digits: parameters.codeLength)
    let digits = String(code.value)
    let padding = Int(code.length.rawValue) - digits.count
    return String(repeating: "0", count: padding) + digits
  }

  /// Returns a code of six digits that is wrong in the whole window around `time`. It is another one in
  /// each call, because the same answer again is not counted.
  package static func wrongCode(at time: Int64) throws -> String {
    let right = Set(try (-10...10).map { try code(at: time, steps: $0) })
    while true {
      let number = number.withLock { number in
        number = (number + 7919) % 1_000_000
        return number
      }
      let digits = String(number)
      let code = String(repeating: "0", count: 6 - digits.count) + digits
      if !right.contains(code) { return code }
    }
  }

  private static let number = Mutex(0)
}
