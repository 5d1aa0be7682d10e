import MFAAdmin
import MFABase
import MFAAttempt
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
