import MFAAdmin
import MFABase

/// Finds users whose accounts were renamed, and whose records are stored under the earlier name.
enum RenamedUsers: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    // The store of a host of a realm decides about no sign-in.
    guard snapshot.host.realmStatus() == .none else { return [] }
    do throws(AdminError) {
      return try snapshot.host.renamedUsers().map { renamed in
        let earlier = "\(VisibleText(renamed.earlier))"
        let name = VisibleText.escaping(renamed.account.name)
        return Finding(
          severity: .warning, code: "renamed-user", place: "\(InstalledPath.store)",
          message:
            "the user ID of \(name) has factors under the name \(earlier), which no account has now: "
            + "\(name) cannot sign in where the module decides",
          hint:
            "if it is the same user: mfa-admin rename-user \(earlier) \(name); if not: mfa-admin revoke "
            + "\(earlier) --all")
      }
    } catch {
      // Another examination reports a store that cannot be used.
      return []
    }
  }

  /// Returns the earlier names, whose records another examination does not report as left behind.
  static func earlierNames(on snapshot: HostSnapshot) -> [[UInt8]] {
    do throws(AdminError) {
      return try snapshot.host.renamedUsers().map(\.earlier.bytes)
    } catch {
      return []
    }
  }
}
