import MFAPAMStack

/// Finds services for which policy accepts a recent code, but which may be daemons whose session is
/// not the user's.
enum SessionNotFollowed: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.compactMap { service in
      guard SessionService(service.name) == nil,
        let configuration = snapshot.configuration(of: service),
        configuration.mayAcceptRecentCode(in: service.name)
      else { return nil }
      return Finding(
        severity: .warning, code: "session-not-followed", services: [service.name],
        place: service.place,
        message:
          "a recent code (remember, fresh_for) counts here only for sign-ins from the same numeric "
          + "address; a service that does not pass the address to PAM asks for a code every time",
        hint:
          "in remember_services, or in the tenant that sets fresh_for, list only sshd, login, "
          + "sudo, sudo-i, su, su-l, doas and services that pass the address to PAM")
    }
  }
}
