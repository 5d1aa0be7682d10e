import MFAAdmin
import MFADoctor
import MFABase

/// Finds out whether an application lets a user in without asking PAM to authenticate, so that a sign-in
/// through it says nothing about its stack. What cannot be found out counts as such a sign-in for sudo.
enum SilentSignIn {
  private static let asUser = "/usr/bin/setpriv"
  private static let sudo = "/usr/bin/sudo"

  /// Returns the reason why a new sign-in through a service did not run its `auth` lines, or nil if it
  /// did.
  static func reason(_ service: [UInt8], user: UInt32) -> String? {
    guard let account = account(user) else { return nil }
    let name = VisibleText.escaping(account.name)
    switch String(decoding: service, as: UTF8.self) {
    case "sudo", "sudo-i":
      switch runsWithoutAsking(account) {
      case .success(false): return nil
      case .success(true):
        return
          "sudo asks \(name) for nothing (NOPASSWD?), so this sign-in did not use the new lines"
      case .failure(let failure):
        return "cannot find out whether sudo asks \(name) for anything: \(failure.text)"
      }
    case "sshd":
      guard acceptsKeyAlone(account) else { return nil }
      return "sshd accepts a key of \(name) alone, so this sign-in may not have used the new lines"
    case _: return nil
    }
  }

  private static func account(_ user: UInt32) -> Account? {
    do throws(SystemError) { return try Account.with(uid: user) } catch { return nil }
  }

  /// Returns whether sudo runs this program for a user without asking, apart from cached credentials.
  private static func runsWithoutAsking(
    _ account: Account
  ) -> Result<Bool, ProgramOutput.Failure> {
    let group: UInt32?
    do throws(SystemError) { group = try Account.primaryGroup(ofAccount: account.name) } catch {
      return .failure(.system(error))
    }
    guard let group else { return .success(false) }
    let program = ChildProgram(arguments: [
      asUser, "--reuid=\(account.uid)", "--regid=\(group)", "--init-groups", "--", sudo, "-k", "-n",
      RollbackWatcher.program, "--version",
    ])
    do throws(ProgramOutput.Failure) { return .success(try program.run().isSuccess) } catch {
      return .failure(error)
    }
  }

  private static func acceptsKeyAlone(_ account: Account) -> Bool {
    let name = String(decoding: account.name, as: UTF8.self)
    guard let settings = SSHDView.settings(ofUser: name, on: LocalExaminedHost()) else {
      return false
    }
    return settings.openLists().contains { !SSHDSettings.asksPAM($0) }
  }
}
