import MFABase

/// Checks the system user `mfa`, which owns the store and the helper.
enum SystemUser: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    let account: Account
    switch snapshot.owner {
    case .failure(let error):
      return [.unchecked("the system user mfa", at: "/etc/passwd", error.text)]
    case .success(nil):
      return [
        Finding(
          severity: .error, code: "no-system-user", place: "/etc/passwd",
          message: "the user mfa does not exist: no factor can be used and no user can enrol",
          hint:
            "useradd --system --user-group --home-dir \(InstalledPath.store) "
            + "--no-create-home --shell /usr/sbin/nologin mfa; then run packaging/install")
      ]
    case .success(let found?): account = found
    }
    guard account.uid != 0 else {
      return [
        Finding(
          severity: .error, code: "system-user-is-root", place: "/etc/passwd",
          message: "the user mfa has uid 0: the helper would be setuid root",
          hint: "rename the account with vipw, then run packaging/install")
      ]
    }
    guard case .success(let accounts) = snapshot.accounts,
      let listed = accounts.first(where: { $0.account.name == account.name }), listed.isPersonal
    else { return [] }
    return [
      Finding(
        severity: .warning, code: "system-user-signs-in", place: "/etc/passwd",
        message:
          "the user mfa looks like a personal account: anyone who signs in as mfa can change every "
          + "factor",
        hint:
          "run usermod --lock --shell /usr/sbin/nologin mfa; if the account belongs to a person, "
          + "rename it instead")
    ]
  }
}
