import MFAAdminCore
import MFAAdminOutput
import MFADoctor
import MFAFactors
import MFASystem

/// The users who sign in by ssh with a key, have no password, and whom new settings of sshd would lock
/// out.
package struct UsersWithKeysAlone: Equatable {
  /// The maximum number of users for whom sshd is asked.
  private static let mostUsers = 32

  /// The users' names.
  package let names: [[UInt8]]
  /// Whether there are more users than are examined.
  package let isIncomplete: Bool

  /// Finds the users before sshd's settings change.
  ///
  /// A user is not locked out if a `Match` block lets the user in without PAM, if the user belongs to an
  /// exempt group, or if a key and a code suffice and `isAskedForCode` says that the user has a code.
  package init(
    lockedOutBy factors: SecureShellFactors, on host: any ExaminedHost,
    isAskedForCode: (UserName) -> Bool
  ) {
    let accounts: [KnownAccount]
    do throws(SystemError) { accounts = try host.accounts() } catch { accounts = [] }
    let general = SSHDView.generalSettings(on: host)
    let users = host.usersWithKeysAlone(.success(accounts), AuthorizedKeysFiles(general))
    isIncomplete = users.count > Self.mostUsers
    names = users.prefix(Self.mostUsers).filter { user in
      guard let name = UserName(user) else { return false }
      let account = accounts.first { $0.account.name == user }?.account
      let isExempt = factors.exemptGroups.contains { group in
        account.flatMap { host.isMember($0, of: Array(group.utf8)) } == true
      }
      guard !isExempt, !Self.isAdmittedByMatch(user, general, host) else { return false }
      return factors.first == .password || !isAskedForCode(name)
    }
  }

  /// Returns whether a `Match` block lets a user in without PAM.
  private static func isAdmittedByMatch(
    _ user: [UInt8], _ general: SSHDSettings?, _ host: any ExaminedHost
  ) -> Bool {
    let name = String(decoding: user, as: UTF8.self)
    guard let settings = SSHDView.settings(ofUser: name, on: host),
      let lists = settings.methodLists, lists != general?.methodLists
    else { return false }
    return !lists.allSatisfy { SSHDSettings.asksPAM($0) }
  }
}
