import MFAModel

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
