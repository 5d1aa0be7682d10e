/// The user and groups that a program runs as.
package enum Identity: Equatable, Sendable {
  /// The user who runs the tests.
  case current

  /// A user of this machine, with all the groups of a login.
  case user(String)

  /// Returns the command line that runs `arguments` with this identity.
  package func commandLine(_ arguments: [String]) -> [String] {
    switch self {
    case .current: arguments
    case .user(let name):
      ["/usr/bin/setpriv", "--reuid=\(name)", "--regid=\(name)", "--init-groups", "--"] + arguments
    }
  }

  /// The environment of a login with this identity.
  var environment: [String: String] {
    switch self {
    case .current:
      ["PATH": Self.path, "LANG": "C.UTF-8", "HOME": "/root", "USER": "root", "LOGNAME": "root"]
    case .user(let name):
      [
        "PATH": Self.path, "LANG": "C.UTF-8", "HOME": "/home/\(name)", "USER": name,
        "LOGNAME": name,
      ]
    }
  }

  private static let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
}
