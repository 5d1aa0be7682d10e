import MFAAdmin
import MFAAttempt
import MFABase
import MFAModel
import MFAPAMStack

/// The state of a host that the examinations check, read once for all of them.
package struct HostSnapshot {
  /// The host.
  package let host: any ExaminedHost
  /// The services that have a file, except `mfa-enroll` and files that only other services include.
  package let services: [[UInt8]]
  /// The services that use the module.
  package let servicesWithModule: [ServiceWithModule]
  /// The services whose stack cannot be read, each with the reason.
  package let unreadable: [(service: [UInt8], refusal: StackRefusal)]
  /// The stored records of all users, or the reason why they cannot be read.
  package let stored: Result<[UserReport], AdminError>
  /// The accounts that the system lists, or the reason why they cannot be listed.
  package let accounts: Result<[KnownAccount], SystemError>
  /// The system user that owns the store, or nil if that user does not exist.
  package let owner: Result<Account?, SystemError>
  /// sshd's settings.
  package let sshd: SSHDView
  /// The sshds of the host, or nil if the stack of sshd does not use the module.
  let sshdServers: SSHDServers?

  /// The modules that libpam can load.
  let modules: LoadableModules

  private let configurations: [(path: [UInt8]?, read: Result<Configuration, Refusal>)]

  private typealias Refusal = ConfigurationFile.Failure

  /// Reads everything that the examinations need from a host.
  ///
  /// `users` are the users for whom sshd's settings are read individually.
  package init(of host: any ExaminedHost, users: [UserName] = []) throws(StackRefusal) {
    self.host = host
    modules = LoadableModules(on: host)
    let services = try ExaminedServices(of: host)
    self.services = services.all
    servicesWithModule = services.withModule
    unreadable = services.unreadable
    configurations = Self.configurations(of: servicesWithModule, host)
    stored = Self.stored(host)
    accounts = Self.accounts(host)
    owner = Self.owner(host)
    let servers = servicesWithModule.contains { $0.isNamed("sshd") } ? SSHDServers(of: host) : nil
    sshdServers = servers
    sshd = Self.sshd(servers, users, accounts, host)
  }

  private static func sshd(
    _ servers: SSHDServers?, _ users: [UserName], _ accounts: Result<[KnownAccount], SystemError>,
    _ host: any ExaminedHost
  ) -> SSHDView {
    guard let servers else { return .notConcerned }
    return SSHDView(of: host, users: users, accounts: accounts, server: servers.main)
  }

  private static func configurations(
    of services: [ServiceWithModule], _ host: any ExaminedHost
  ) -> [(path: [UInt8]?, read: Result<Configuration, Refusal>)] {
    var paths: [[UInt8]?] = [nil]
    for service in services where !paths.contains(service.configuration) {
      paths.append(service.configuration)
    }
    return paths.map { path in
      do throws(Refusal) {
        return (path, .success(try host.configuration(at: path)))
      } catch {
        return (path, .failure(error))
      }
    }
  }

  private static func stored(_ host: any ExaminedHost) -> Result<[UserReport], AdminError> {
    do throws(AdminError) { return .success(try host.stored()) } catch { return .failure(error) }
  }

  private static func accounts(
    _ host: any ExaminedHost
  ) -> Result<[KnownAccount], SystemError> {
    do throws(SystemError) { return .success(try host.accounts()) } catch {
      return .failure(error)
    }
  }

  private static func owner(_ host: any ExaminedHost) -> Result<Account?, SystemError> {
    do throws(SystemError) {
      return .success(try host.account(named: Array("mfa".utf8)))
    } catch {
      return .failure(error)
    }
  }

  // MARK: Queries

  /// The names of the users who have a factor.
  var enrolledUsers: Set<[UInt8]> {
    guard case .success(let users) = stored else { return [] }
    return Set(
      users.compactMap { user in
        switch user.content {
        case .usable(let stored): stored.isEnrolled ? user.name : nil
        case .notEnrolled, .unusable: nil
        }
      })
  }

  /// The sshd service, or nil if it does not use the module.
  var sshdService: ServiceWithModule? { servicesWithModule.first { $0.isNamed("sshd") } }

  /// Returns the configuration that a service reads, or nil if the configuration is invalid.
  package func configuration(of service: ServiceWithModule) -> Configuration? {
    configuration(at: service.configuration)
  }

  /// Returns the configuration at a path (the host's configuration if `path` is nil), or nil if the
  /// configuration is invalid.
  package func configuration(at path: [UInt8]?) -> Configuration? {
    for configuration in configurations where configuration.path == path {
      switch configuration.read {
      case .success(let configuration): return configuration
      case .failure: return nil
      }
    }
    return nil
  }

  /// The configurations that sign-ins read, without the invalid ones.
  var validConfigurations: [Configuration] {
    configurations.compactMap { configuration in
      switch configuration.read {
      case .success(let configuration): configuration
      case .failure: nil
      }
    }
  }

  /// The errors in the configurations that sign-ins read.
  var configurationFailures: [ConfigurationFile.Failure] {
    configurations.compactMap { configuration in
      switch configuration.read {
      case .success: nil
      case .failure(let failure): failure
      }
    }
  }

  /// Returns the stacks of a service as libpam carries them out.
  func stacks(of service: [UInt8]) -> ServiceStacks {
    Self.stacks(of: service, host.stacks, modules)
  }

  private static func stacks(
    of service: [UInt8], _ source: some StackSource, _ modules: LoadableModules
  ) -> ServiceStacks {
    ServiceStacks(of: service, from: source, with: modules)
  }

  /// Returns the state of a service's `account` line for the module.
  package func accountLine(of service: ServiceWithModule) -> AccountLine {
    Self.accountLine(of: service, host.stacks)
  }

  private static func accountLine(
    of service: ServiceWithModule, _ source: some StackSource
  ) -> AccountLine {
    AccountLine(
      of: "pam_mfa.so", service: service.name, authArguments: service.arguments,
      isCalledByRoot: PAMCaller.isRoot(at: service.name), from: source)
  }
}

/// What has been asked of a host before, for predictions of many sign-ins at about the same time.
final class HostMemory {
  private struct Membership: Hashable {
    let user: [UInt8]
    let group: [UInt8]
  }

  private var memberships: [Membership: Bool?] = [:]
  private var configurations: [[UInt8]?: Result<Configuration, ConfigurationFile.Failure>] = [:]

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
    at path: [UInt8]?, _ read: () throws(ConfigurationFile.Failure) -> Configuration
  ) throws(ConfigurationFile.Failure) -> Configuration {
    if let known = configurations[path] { return try known.get() }
    let configuration = Result { () throws(ConfigurationFile.Failure) in try read() }
    configurations[path] = configuration
    return try configuration.get()
  }
}

/// The rules of a host that decide about sign-ins together with the module: which modules libpam can
/// load, and what sshd's settings say. Each question is asked once.
package final class HostRules {
  /// The host.
  package let host: any ExaminedHost
  /// The modules that libpam can load.
  package let modules: LoadableModules
  /// Whether the settings of sshd count.
  private let countsSecureShell: Bool

  /// A group of users to whom the same settings of sshd apply.
  private struct SecureShellUsers: Hashable {
    let isRoot: Bool
    /// The indices of the `Match` lines that apply.
    let matches: Set<Int>
    let address: String?
  }

  private lazy var file = SSHDFile(of: host)
  private lazy var facts = AccountsForSignIn(of: host)
  private var views: [SecureShellUsers: SSHDView] = [:]

  /// Creates the value. Nothing is read yet.
  package init(of host: any ExaminedHost, countsSecureShell: Bool = true) {
    self.host = host
    self.countsSecureShell = countsSecureShell
    modules = LoadableModules(on: host)
  }

  /// Returns what sshd's settings mean for the sign-in of a user, who connects from an address if it is
  /// known. Nil if the service is not sshd's.
  package func secureShell(
    for user: UserName, from address: String?, at service: ServiceWithModule
  ) -> SecureShellRules? {
    guard countsSecureShell, service.isNamed("sshd") else { return nil }
    let name = String(decoding: user.bytes, as: UTF8.self)
    let isRoot = name == "root"
    var connection = SSHDConnection(user: name)
    if let address { connection[.address] = address }
    let matches = matches(for: user, name)
    let users = SecureShellUsers(
      isRoot: isRoot, matches: matches, address: file.matches.isEmpty ? nil : address)
    let view =
      views[users] ?? SSHDView(connection, under: matches, of: file, on: host)
    views[users] = view
    return SecureShellRules(view, isRoot: isRoot, service, on: host)
  }

  /// Returns whether a user's account can reach a shell through sshd, or nil if its settings or the account
  /// are not known.
  package func access(
    of user: UserName, isEnrolled: Bool, through service: ServiceWithModule,
    _ rules: SecureShellRules
  ) -> AccountAccess? {
    guard let settings = rules.settings,
      let means = facts.means(of: user.bytes, settings, isEnrolled: isEnrolled)
    else { return nil }
    return service.access(with: means, settings, isRoot: user.bytes == Array("root".utf8))
  }

  /// Returns the `Match` lines that can apply to a user.
  private func matches(for user: UserName, _ name: String) -> Set<Int> {
    guard !file.matches.isEmpty else { return [] }
    let connections = SSHDConnections(
      SSHDConnections.Server(file: file), users: [user], accounts: .success([]), on: host)
    return connections.choices.first { $0.connection.user == name }?.matches ?? []
  }
}
