import MFAAdminCore
import MFAAdminOutput
import MFAStackEffect
import MFASystem

/// Finds users who have ssh keys but no password, and whom sshd requires to type a password.
enum RefusedKeys: Examination {
  /// The maximum number of users for whom sshd is asked because their settings were not read yet.
  private static let mostQuestions = 32

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    guard let service = snapshot.sshdService, needsPassword(service),
      case .known(let cases, let file, _) = snapshot.sshd
    else { return [] }
    let users = snapshot.host.usersWithKeysAlone(
      snapshot.accounts, AuthorizedKeysFiles(cases.first?.settings))
    var refused: [(user: String, settings: SSHDSettings)] = []
    var questions = 0
    var unchecked = 0
    for user in users {
      let name = String(decoding: user, as: UTF8.self)
      var settings = snapshot.sshd.settings(ofUser: name)
      if settings == nil {
        questions += 1
        guard questions <= mostQuestions else {
          unchecked += 1
          continue
        }
        settings = SSHDView.settings(ofUser: name, on: snapshot.host)
      }
      guard let settings, settings.methodLists?.allSatisfy({ SSHDSettings.asksPAM($0) }) == true
      else {
        continue
      }
      refused.append((VisibleText.escaping(user), settings))
    }
    guard let first = refused.first else { return [] }
    let more = unchecked > 0 ? " (\(unchecked) users were not checked)" : ""
    return [
      Finding(
        severity: .warning, code: "keys-refused", services: [service.name],
        place: file.place(of: ["authenticationmethods"], saying: first.settings),
        message: "users who have keys but no password cannot sign in by ssh, because a password is "
          + "required: \(NameList.text(refused.map(\.user)))\(more)",
        hint:
          "give them a password, require a key and a code (USERS WITH KEYS ONLY in man "
          + "mfa-operation), or exempt them deliberately")
    ]
  }

  /// Returns whether the stack cannot be passed without a password.
  private static func needsPassword(_ service: ServiceWithModule) -> Bool {
    !service.effect(for: Claimant([.code, .other, .key])).canSucceed
  }
}

extension ExaminedHost {
  /// Returns the users who have keys in one of `files` and whose password cannot be used.
  package func usersWithKeysAlone(
    _ accounts: Result<[KnownAccount], SystemError>, _ files: AuthorizedKeysFiles
  ) -> [[UInt8]] {
    guard case .success(let accounts) = accounts else { return [] }
    let mounts: MountTable
    do throws(SystemError) {
      guard let text = try text(of: "/proc/self/mountinfo") else { return [] }
      mounts = MountTable(text)
    } catch {
      return []
    }
    let candidates = accounts.filter { account in
      // `RootWithoutFactor` reports root's keys.
      account.account.uid != 0 && account.acceptsSignIns
        && files.paths(of: account).contains { hasKeys(account, $0, mounts) }
    }
    return withoutPassword(candidates.map(\.account)).map(\.name)
  }

  private func hasKeys(
    _ account: KnownAccount, _ file: [UInt8], _ mounts: MountTable
  ) -> Bool {
    guard account.home.first == UInt8(ascii: "/"), mounts.distantKind(of: file) == nil else {
      return false
    }
    do throws(SystemError) {
      return try status(of: String(decoding: file, as: UTF8.self)).map { $0.size > 0 } ?? false
    } catch {
      return false
    }
  }
}
