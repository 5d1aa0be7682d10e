import MFAAdmin
import MFABase

/// Finds users who have ssh keys, or may have them, and for whom no way into sshd is left because they
/// have no password.
enum RefusedKeys: Examination {
  /// The maximum number of users for whom sshd is asked because their settings were not read yet.
  private static let mostQuestions = 32

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    guard let service = snapshot.sshdService, needsPassword(service),
      case .known(let cases, let file, _) = snapshot.sshd, let general = cases.first?.settings
    else { return [] }
    let host = snapshot.host
    let known = host.usersWithKeysAlone(snapshot.accounts, AuthorizedKeysFiles(general))
    var questions = mostQuestions
    let refused = refused(known, by: service, snapshot, &questions)
    var findings: [Finding] = []
    if let first = refused.users.first {
      findings.append(
        Finding(
          severity: .warning, code: "keys-refused", services: [service.name],
          place: file.place(of: ["authenticationmethods"], saying: first.settings),
          message:
            "users who have keys but no password cannot sign in by ssh, because a password is "
            + "required: \(NameList.text(refused.users.map(\.user)))\(refused.note)",
          hint:
            "give them a password, require a key and a code (USERS WITH KEYS ONLY in man "
            + "mfa-operation), or exempt them deliberately"))
    }
    guard let source = cases.compactMap(\.settings.keySource).first else { return findings }
    // Their keys are in no file.
    let others = host.usersWithoutPassword(snapshot.accounts).filter { !known.contains($0) }
    let doubtful = Self.refused(others, by: service, snapshot, &questions) {
      $0.keySource != nil
    }
    if let first = doubtful.users.first {
      findings.append(
        .unchecked(
          "whether users without a password sign in by ssh",
          at: file.place(
            of: ["authorizedkeyscommand", "trustedusercakeys"], saying: first.settings),
          "\(source), and a password is required of "
            + "\(NameList.text(doubtful.users.map(\.user)))\(doubtful.note)"))
    }
    return findings
  }

  /// Returns the users for whom no way into sshd is left even with a key, of those whose settings fit.
  private static func refused(
    _ users: [[UInt8]], by service: ServiceWithModule, _ snapshot: HostSnapshot,
    _ questions: inout Int, where fits: (SSHDSettings) -> Bool = { _ in true }
  ) -> (users: [(user: String, settings: SSHDSettings)], note: String) {
    let enrolled = snapshot.enrolledUsers
    var refused: [(user: String, settings: SSHDSettings)] = []
    var unchecked = 0
    for user in users {
      let name = String(decoding: user, as: UTF8.self)
      var settings = snapshot.sshd.settings(ofUser: name)
      if settings == nil {
        guard questions > 0 else {
          unchecked += 1
          continue
        }
        questions -= 1
        settings = SSHDView.settings(ofUser: name, on: snapshot.host)
      }
      let means = AccountMeans(
        hasPassword: false, key: .present, isEnrolled: enrolled.contains(user))
      guard let settings, fits(settings), case .closed = service.access(with: means, settings)
      else { continue }
      refused.append((VisibleText.escaping(user), settings))
    }
    return (refused, unchecked > 0 ? " (\(unchecked) users were not checked)" : "")
  }

  /// Returns whether the stack cannot be passed with a key and without a password, by users who have
  /// enrolled or by others.
  private static func needsPassword(_ service: ServiceWithModule) -> Bool {
    !service.effect(for: Claimant([.code, .other, .key])).canSucceed
      || !service.effect(for: Claimant([.other, .key], .notRequired)).canSucceed
  }
}

extension ExaminedHost {
  /// Returns the users who have keys in one of `files` and whose password cannot be used.
  package func usersWithKeysAlone(
    _ accounts: Result<[KnownAccount], SystemError>, _ files: AuthorizedKeysFiles
  ) -> [[UInt8]] {
    guard case .success(let accounts) = accounts else { return [] }
    let mounts: MountTable
    do throws(TrustedPath.Refusal) {
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

  /// Returns the users whose shell accepts sign-ins and whose password cannot be used.
  package func usersWithoutPassword(_ accounts: Result<[KnownAccount], SystemError>) -> [[UInt8]] {
    guard case .success(let accounts) = accounts else { return [] }
    let candidates = accounts.filter { $0.account.uid != 0 && $0.acceptsSignIns }
    return withoutPassword(candidates.map(\.account)).map(\.name)
  }

  /// Returns whether a file that a user can have replaced by a link to anything has keys. The file is
  /// not opened, and no file system is accessed on which a lookup can hang.
  private func hasKeys(
    _ account: KnownAccount, _ file: [UInt8], _ mounts: MountTable
  ) -> Bool {
    guard account.home.first == UInt8(ascii: "/") else { return false }
    let keys = ResolvedPath(String(decoding: file, as: UTF8.self), on: self) { path in
      mounts.distantKind(of: Array(path.utf8)) == nil
    }.end
    return keys.map { $0.kind == .file && $0.size > 0 } ?? false
  }
}
