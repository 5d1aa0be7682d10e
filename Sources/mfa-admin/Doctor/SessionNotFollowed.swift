import SignIn

/// Services in which policy accepts a recent code, and which may be daemons: their session is not the
/// user's.
enum SessionNotFollowed: Examination {
  static func findings(on chart: Chart) -> [Finding] {
    chart.asked.compactMap { service in
      guard SessionService(service.name) == nil,
        let configuration = chart.configuration(of: service),
        configuration.mayAcceptRecentCode(in: service.name)
      else { return nil }
      return Finding(
        severity: .warning, code: "session-not-followed", services: [service.name],
        place: service.place,
        message:
          "a recent code (remember, fresh_for) counts here only for sign-ins from the same numeric "
          + "address: a service that does not tell PAM the address asks every time",
        hint:
          "list in remember_services, or in the tenant that has fresh_for, only services that tell "
          + "PAM the address, and sshd, login, sudo, sudo-i, su, su-l and doas")
    }
  }
}
