import MFAAdmin
import MFABase

/// Finds several account names with one uid, which the kernel treats as one user.
enum SharedIdentity: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    // Another examination reports that the accounts cannot be listed.
    guard case .success(let accounts) = snapshot.accounts else { return [] }
    let shared = Dictionary(grouping: accounts) { $0.account.uid }
      .filter { $0.value.count > 1 && $0.value.contains { $0.isPersonal } }
    return shared.sorted { $0.key < $1.key }.map { uid, accounts in
      let names = accounts.map { VisibleText.escaping($0.account.name) }
      return Finding(
        severity: .warning, code: "shared-uid", place: "/etc/passwd",
        message:
          "\(NameList.text(names)) share uid \(uid): a name without its own factors signs in with the "
          + "codes of the first name that has factors",
        hint: "give each account its own uid, or remove the names that are not needed")
    }
  }
}
