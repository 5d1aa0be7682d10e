import System

/// Accounts with several names for one uid: to the kernel they are one user.
enum SharedIdentity: Examination {
  static func findings(on chart: Chart) -> [Finding] {
    // Another examination reports that the accounts cannot be listed.
    guard case .success(let accounts) = chart.accounts else { return [] }
    let shared = Dictionary(grouping: accounts) { $0.account.uid }
      .filter { $0.value.count > 1 && $0.value.contains { $0.isPersonal } }
    return shared.sorted { $0.key < $1.key }.map { uid, accounts in
      let names = accounts.map { VisibleText.escaping($0.account.name) }
      return Finding(
        severity: .warning, code: "shared-uid", place: "/etc/passwd",
        message:
          "\(Chart.list(names)) share the uid \(uid): a name without factors of its own signs in "
          + "with the codes of the first name that has any",
        hint: "give each account a uid of its own, or remove the names that are not needed")
    }
  }
}
