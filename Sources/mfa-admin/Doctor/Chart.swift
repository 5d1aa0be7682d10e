import Factors
import PAMStack
import Policy
import SignIn
import System

/// What the doctor has been told of a host, read once for all that looks at it.
struct Chart {
  /// The host.
  let host: any ExaminedHost
  /// The services that have a file, but for those that only others include.
  let services: [[UInt8]]
  /// Those that ask the module.
  let asked: [AskedService]
  /// Those of which it cannot be told, and why.
  let unreadable: [(service: [UInt8], refusal: StackRefusal)]
  /// What is stored for everybody, or why it cannot be used.
  let stored: Result<[UserReport], AdminError>
  /// The accounts that the system lists, or why it lists none.
  let accounts: Result<[KnownAccount], SystemError>
  /// The system user that owns the store; nil where there is none.
  let owner: Result<Account?, SystemError>
  /// sshd's settings.
  let sshd: SSHDView

  private let configurations: [(path: [UInt8]?, read: Result<Configuration, Refusal>)]

  private typealias Refusal = ConfigurationFile.Failure

  /// Files that others include, and that no program asks for: Debian's, Fedora's, SUSE's and Arch's.
  private static let fragments = [
    "system-auth", "password-auth", "smartcard-auth", "fingerprint-auth", "postlogin",
    "config-util",
    "system-login", "system-local-login", "system-remote-login",
  ]

  /// The helper's own service, which needs no code: it asks for one by itself.
  private static let helperService = Array("mfa-enroll".utf8)

  /// Reads what all need of a host. `users` are those whose sign-ins by ssh are looked at one by one.
  init(of host: any ExaminedHost, users: [UserName] = []) throws(StackRefusal) {
    self.host = host
    services = try host.services().filter { name in
      let text = String(decoding: name, as: UTF8.self)
      return !text.hasPrefix("common-") && !Self.fragments.contains(text)
        && name != Self.helperService
    }
    var asked: [AskedService] = []
    var unreadable: [(service: [UInt8], refusal: StackRefusal)] = []
    for service in services {
      do throws(StackRefusal) {
        let stack = try Self.stack(of: service, host.stacks)
        if let service = AskedService(name: service, stack: stack) { asked.append(service) }
      } catch {
        unreadable.append((service, error))
      }
    }
    self.asked = asked
    self.unreadable = unreadable
    configurations = Self.configurations(of: asked, host)
    stored = Self.stored(host)
    accounts = Self.accounts(host)
    owner = Self.owner(host)
    sshd =
      asked.contains { $0.isNamed("sshd") }
      ? SSHDView(of: host, users: users, accounts: accounts) : .notConcerned
  }

  private static func stack(
    of service: [UInt8], _ source: some StackSource
  ) throws(StackRefusal) -> ServiceStack {
    try ServiceStack(.auth, of: service, from: source)
  }

  private static func configurations(
    of services: [AskedService], _ host: any ExaminedHost
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

  // MARK: Asking

  /// sshd, where it asks the module.
  var sshdService: AskedService? { asked.first { $0.isNamed("sshd") } }

  /// The configuration that a service reads; nil where it cannot be used.
  func configuration(of service: AskedService) -> Configuration? {
    configuration(at: service.configuration)
  }

  /// The configuration at a path, the host's where that is nil; nil where it cannot be used.
  func configuration(at path: [UInt8]?) -> Configuration? {
    for configuration in configurations where configuration.path == path {
      switch configuration.read {
      case .success(let configuration): return configuration
      case .failure: return nil
      }
    }
    return nil
  }

  /// What is wrong with the configurations that sign-ins read.
  var configurationFailures: [ConfigurationFile.Failure] {
    configurations.compactMap { configuration in
      switch configuration.read {
      case .success: nil
      case .failure(let failure): failure
      }
    }
  }

  /// The stack of a service whose facility is `account`, for somebody who is asked by root or not.
  func accountLine(of service: AskedService) -> AccountLine {
    Self.accountLine(of: service, host.stacks)
  }

  private static func accountLine(
    of service: AskedService, _ source: some StackSource
  ) -> AccountLine {
    AccountLine(
      of: "pam_mfa.so", service: service.name, authArguments: service.arguments,
      isCalledByRoot: CallingUser.isRoot(at: service.name), from: source)
  }

  /// Names, the first few of them and how many more there are.
  static func list(_ names: [String], most: Int = 5) -> String {
    let rest = names.count - most
    let shown = names.prefix(most).joined(separator: ", ")
    return rest > 0 ? "\(shown) and \(rest) more" : shown
  }
}
