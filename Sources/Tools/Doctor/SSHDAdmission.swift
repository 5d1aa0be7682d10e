import MFAAdmin
import MFABase

// The accounts that sshd itself refuses, before it asks PAM (`allowed_user` in auth.c of OpenSSH).

extension SSHDSettings {
  /// The lists of users and groups, in the order in which sshd compares them.
  static let lists = ["denyusers", "allowusers", "denygroups", "allowgroups"]

  /// Returns the list because of which sshd refuses a user, or nil if it refuses the user because of none, or
  /// if that depends on the address.
  ///
  /// `groups` returns the names of the user's groups, or nil if they are not known.
  func refusingList(of user: String, groups: () -> [String]?) -> String? {
    if entries(of: "denyusers").contains(where: { !$0.contains("@") && Self.matches($0, user) }) {
      return "denyusers"
    }
    let allowed = entries(of: "allowusers")
    let isAllowed = allowed.contains { entry in
      Self.matches(String(entry.prefix { $0 != "@" }), user)
    }
    guard allowed.isEmpty || isAllowed else { return "allowusers" }
    let (denied, required) = (entries(of: "denygroups"), entries(of: "allowgroups"))
    guard !denied.isEmpty || !required.isEmpty, let groups = groups() else { return nil }
    func isMember(_ entries: [String]) -> Bool {
      entries.contains { entry in groups.contains { Self.matches(entry, $0) } }
    }
    if isMember(denied) { return "denygroups" }
    return required.isEmpty || isMember(required) ? nil : "allowgroups"
  }

  private static func matches(_ pattern: String, _ name: String) -> Bool {
    NamePattern(inSSHD: pattern).matches(name)
  }

  /// Whether users prove who they are with a password or a key alone, as far as sshd verifies it.
  var provesByPasswordOrKeyOnly: Bool {
    !verifiesKerberosPassword && keySource == nil
      && openLists().joined().allSatisfy { !$0.hasPrefix("gssapi") && $0 != "hostbased" }
  }

  /// Whether sshd serves files itself, for which it starts no shell.
  var offersFilesWithoutShell: Bool {
    value(of: "forcecommand").map { $0.hasPrefix("internal-sftp") } ?? false
      || value(of: "subsystem").map { $0.hasPrefix("sftp internal-sftp") } ?? false
  }

  /// Whether sshd requires that the user's shell is a program.
  fileprivate var requiresShell: Bool {
    value(of: "chrootdirectory").map { $0.lowercased() == "none" } ?? true
  }
}

extension SecureShellRules {
  /// Returns why sshd refuses an account, whatever it proves, or nil.
  func refusal(of account: KnownAccount, _ rules: HostRules) -> String? {
    guard let settings else { return nil }
    if settings.requiresShell, let problem = rules.missingShell(of: account) {
      return "sshd refuses the account: \(problem)"
    }
    let name = String(decoding: account.account.name, as: UTF8.self)
    let list = settings.refusingList(of: name) { rules.host.groups(of: account.account) }
    guard let list else { return nil }
    let word = Self.spelling[list] ?? list
    return list.hasPrefix("deny")
      ? "sshd refuses the account by \(word): \(place([list]))"
      : "sshd refuses the account, which is not in \(word): \(place([list]))"
  }

  private static let spelling = [
    "denyusers": "DenyUsers", "allowusers": "AllowUsers", "denygroups": "DenyGroups",
    "allowgroups": "AllowGroups",
  ]
}

extension HostRules {
  /// Returns that the shell of an account is no program that can be started, or nil.
  func missingShell(of account: KnownAccount) -> String? {
    let shell = account.shell.isEmpty ? Array("/bin/sh".utf8) : account.shell
    return problem(ofShell: shell).map { "its shell \(VisibleText.escaping(shell)) \($0)" }
  }

  /// Returns why no session starts for an account, or nil.
  func shellProblem(of account: KnownAccount) -> String? {
    guard account.acceptsSignIns else {
      return "its shell \(VisibleText.escaping(account.shell)) ends each session at once"
    }
    return missingShell(of: account)
  }
}
