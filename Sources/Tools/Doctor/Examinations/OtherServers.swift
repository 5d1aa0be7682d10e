import MFAAdminOutput

/// Finds sshds that run, or will run, with another configuration file or other settings than
/// /etc/ssh/sshd_config has, and that let users in without a code.
enum OtherServers: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    guard let service = snapshot.sshdService, let servers = snapshot.sshdServers else { return [] }
    return servers.findings + servers.others.flatMap { findings($0, service, snapshot) }
  }

  private static func findings(
    _ other: SSHDServers.Other, _ service: ServiceWithModule, _ snapshot: HostSnapshot
  ) -> [Finding] {
    let options = VisibleText.escaping(other.server.options.joined(separator: " "))
    let view = SSHDView(
      of: snapshot.host, users: [], accounts: snapshot.accounts, server: other.server)
    guard case .known(_, _, let unchecked) = view else {
      return view.unchecked.filter { $0.severity != .note }.map { finding in
        .unchecked(
          "the sshd with the options \(options) (\(other.source))",
          at: other.server.file.map { VisibleText.escaping($0) } ?? other.place, finding.message)
      }
    }
    return unchecked
      + view.findings { settings, description, place in
        guard let way = settings.wayWithoutPAM else { return [] }
        let keyword = settings.isOn("usepam") ? "authenticationmethods" : "usepam"
        // An option takes precedence over a line of the main file.
        let line = other.server.file == nil ? other.place : place([keyword])
        return [
          Finding(
            severity: .error, code: "other-sshd", services: [service.name],
            place: line,
            message:
              "an sshd with the options \(options) (\(other.source)) lets users in without a "
              + "code\(description): \(way)",
            hint: "give it the same settings as /etc/ssh/sshd_config.d/00-mfa.conf, or stop it")
        ]
      }
  }
}
