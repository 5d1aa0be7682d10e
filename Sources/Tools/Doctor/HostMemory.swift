import MFAAdmin
import MFAAttempt
import MFABase
import MFAModel
import MFAPAMStack
import MFASignIn
import MFAStore

/// What has been asked of a host before, for predictions of many sign-ins at about the same time.
final class HostMemory<Machine: Host> {
  private struct Membership: Hashable {
    let user: [UInt8]
    let group: [UInt8]
  }

  private let named: [[UInt8]: Account]
  private let withUID: [UInt32: [Account]]
  private var memberships: [Membership: Bool?] = [:]
  private var configurations: [[UInt8]?: Result<Configuration, ConfigurationError>]
  private var services: [[UInt8]: ServiceFacts] = [:]
  private var openStore: Result<RememberedStore<Machine.Store>, FactorStoreError>?
  private var stacks: RememberedStacks<Machine.Stacks>?
  private var secureShell: SecureShellConfiguration?

  /// Creates a memory of a host that lists these accounts, and whose configuration at some paths is known.
  init(
    listed: [Account] = [],
    configurations: [[UInt8]?: Result<Configuration, ConfigurationError>] = [:]
  ) {
    self.configurations = configurations
    named = Dictionary(listed.map { ($0.name, $0) }) { first, _ in first }
    withUID = Dictionary(grouping: listed, by: \.uid)
  }

  /// Returns the account with a name. `lookUp` is called only if the host does not list it.
  func account(
    named name: [UInt8], _ lookUp: () throws(SystemError) -> Account?
  ) throws(SystemError) -> Account? {
    if let known = named[name] { return known }
    return try lookUp()
  }

  /// Returns an account that shares the user ID of `account`. `lookUp` is not called if the host lists one
  /// account with the ID.
  func account(
    sharingUIDOf account: Account, at index: Int32, _ lookUp: () throws(SystemError) -> Account?
  ) throws(SystemError) -> Account? {
    guard let listed = withUID[account.uid], listed.count == 1 else { return try lookUp() }
    return index == 0 ? listed[0] : nil
  }

  /// Returns the store, which is opened once.
  func store(
    _ open: () throws(FactorStoreError) -> Machine.Store
  ) throws(FactorStoreError) -> RememberedStore<Machine.Store> {
    if let openStore { return try openStore.get() }
    let opened = Result { () throws(FactorStoreError) in RememberedStore(try open()) }
    openStore = opened
    return try opened.get()
  }

  /// Returns the service files, each of which is read once.
  func stacks(_ base: () -> Machine.Stacks) -> RememberedStacks<Machine.Stacks> {
    if let stacks { return stacks }
    let remembered = RememberedStacks(base())
    stacks = remembered
    return remembered
  }

  /// Returns what is known about a service for every user.
  func facts(
    of service: [UInt8], from source: some StackSource, with rules: HostRules
  ) -> ServiceFacts {
    if let known = services[service] { return known }
    let facts = ServiceFacts(of: service, from: source, with: rules)
    services[service] = facts
    return facts
  }

  /// Returns the settings of sshd as the module sees them, which are read once.
  func secureShell(_ read: () -> SecureShellConfiguration) -> SecureShellConfiguration {
    if let secureShell { return secureShell }
    let settings = read()
    secureShell = settings
    return settings
  }

  /// Returns whether an account belongs to a group. `lookUp` is called at most once for both.
  func isMember(_ account: Account, of group: [UInt8], _ lookUp: () -> Bool?) -> Bool? {
    let membership = Membership(user: account.name, group: group)
    if let known = memberships[membership] { return known }
    let answer = lookUp()
    memberships.updateValue(answer, forKey: membership)
    return answer
  }

  /// Returns the configuration at a path. `read` is called at most once for each path.
  func configuration(
    at path: [UInt8]?, _ read: () throws(ConfigurationError) -> Configuration
  ) throws(ConfigurationError) -> Configuration {
    if let known = configurations[path] { return try known.get() }
    let configuration = Result { () throws(ConfigurationError) in try read() }
    configurations[path] = configuration
    return try configuration.get()
  }
}
