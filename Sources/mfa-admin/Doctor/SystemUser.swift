import System

/// The system user `mfa`, to whom the store and the helper belong.
enum SystemUser: Examination {
  static func findings(on chart: Chart) -> [Finding] {
    let account: Account
    switch chart.owner {
    case .failure(let error):
      return [.unchecked("the system user mfa", at: "/etc/passwd", error.text)]
    case .success(nil):
      return [
        Finding(
          severity: .error, code: "no-system-user", place: "/etc/passwd",
          message: "there is no user mfa: no factor can be used, and nobody can enrol",
          hint: "useradd --system --user-group --home-dir /var/lib/mfa --no-create-home --shell "
            + "/usr/sbin/nologin mfa, then packaging/install")
      ]
    case .success(let found?): account = found
    }
    guard account.uid != 0 else {
      return [
        Finding(
          severity: .error, code: "system-user-is-root", place: "/etc/passwd",
          message: "the user mfa is root by another name: the helper would be setuid to root",
          hint: "vipw: rename it, then packaging/install")
      ]
    }
    guard case .success(let accounts) = chart.accounts,
      let listed = accounts.first(where: { $0.account.name == account.name }), listed.isPersonal
    else { return [] }
    return [
      Finding(
        severity: .warning, code: "system-user-signs-in", place: "/etc/passwd",
        message:
          "the user mfa looks like a person's: whoever signs in as mfa can change every factor",
        hint: "usermod --lock --shell /usr/sbin/nologin mfa, unless the name is a person's: then "
          + "rename that account")
    ]
  }
}
