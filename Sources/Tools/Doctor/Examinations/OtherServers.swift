import MFAAdmin

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
        let isUnproven = service.ways(settings).contains { $0.firstFactor == .missing }
        guard
          let way = settings.wayWithoutPAM ?? (isUnproven ? "a code alone is enough" : nil)
        else { return [] }
        let keyword = settings.isOn("usepam") ? "authenticationmethods" : "usepam"
        // An option takes precedence over a line of the main file.
        let line = other.server.file == nil ? other.place : place([keyword])
        return [
          Finding(
            severity: .error, code: "other-sshd", services: [service.name],
            place: line,
            message:
              "an sshd with the options \(options) (\(other.source)) lets users in without "
              + "\(settings.wayWithoutPAM == nil ? "a first factor" : "a code")\(description): \(way)",
            hint: (SecureShellRemedy.hint(for: settings, service, changing: pam(settings))
              ?? "give it the settings of the main sshd") + "; or stop it")
        ]
      }
  }

  /// The setting without which sshd calls PAM for nothing.
  private static func pam(_ settings: SSHDSettings) -> [(key: String, value: String)] {
    settings.isOn("usepam") ? [] : [("UsePAM", "yes")]
  }
}
