import MFAAdminCore
import MFAAdminOutput
import MFABytes
import MFASystem

/// Finds sshds that run, or will run, with another configuration file or other settings than
/// /etc/ssh/sshd_config has, and that let users in without a code.
enum OtherServers: Examination {
  /// The file with the options of Debian's ssh service.
  private static let defaults = "/etc/default/ssh"

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    guard let service = snapshot.sshdService else { return [] }
    var servers = snapshot.host.runningServers().map { ($0, "a running sshd") }
    switch configured(snapshot.host) {
    case .success(let found?): servers.append((found, defaults))
    case .success(nil): break
    case .failure(let error): return [.unchecked("the options of sshd", at: defaults, error.text)]
    }
    var seen: Set<RunningServer> = [RunningServer(options: [])]
    return servers.compactMap { server, source in
      guard seen.insert(server).inserted else { return nil }
      return finding(server, source, service, snapshot)
    }
  }

  /// Returns the options in Debian's file, or nil if there are none.
  private static func configured(
    _ host: any ExaminedHost
  ) -> Result<RunningServer?, SystemError> {
    do throws(SystemError) {
      let text = String(decoding: try host.text(of: defaults) ?? [], as: UTF8.self)
      let values = text.split(separator: "\n").compactMap { line in
        line.wholeMatch(of: /\s*(?:export\s+)?SSHD_OPTS=["']?([^"'#]*)["']?\s*(?:#.*)?/).map {
          String($0.1)
        }
      }
      return .success(values.last.flatMap { RunningServer(arguments: ["sshd", $0]) })
    } catch {
      return .failure(error)
    }
  }

  private static func finding(
    _ server: RunningServer, _ source: String, _ service: ServiceWithModule,
    _ snapshot: HostSnapshot
  ) -> Finding? {
    let options = VisibleText.escaping(server.options.joined(separator: " "))
    let place = file(server) ?? source
    guard let settings = SSHDView.settings(options: server.options, on: snapshot.host) else {
      return .unchecked("the sshd that runs with \(options)", at: place, "sshd -T prints nothing")
    }
    let opening: String
    if !settings.isOn("usepam") {
      opening = "UsePAM is no"
    } else if settings.methodLists != nil {
      let open = settings.waysWithoutPAM
      guard !open.isEmpty else { return nil }
      opening = "AuthenticationMethods is " + VisibleText.escaping(open.joined(separator: " "))
    } else {
      opening = "AuthenticationMethods is not set, so a key alone is enough"
    }
    return Finding(
      severity: .error, code: "other-sshd", services: [service.name], place: place,
      message: "an sshd with the options \(options) (\(source)) lets users in without a code: "
        + opening,
      hint: "give it the same settings as /etc/ssh/sshd_config.d/00-mfa.conf, or stop it")
  }

  /// Returns the configuration file that the options name.
  private static func file(_ server: RunningServer) -> String? {
    guard let index = server.options.lastIndex(of: "-f"), index + 1 < server.options.count else {
      return nil
    }
    return VisibleText.escaping(server.options[index + 1])
  }
}
