import MFAAdmin
import MFABase

// The accounts that sshd itself refuses, before it asks PAM (`allowed_user` in auth.c of OpenSSH).

extension SSHDSettings {
  /// The lists of users and groups, in the order in which sshd compares them.
  static let lists = ["denyusers", "allowusers", "denygroups", "allowgroups"]

  /// Returns the list because of which sshd refuses a user, or nil if it refuses the user because of none, or
  /// if that depends on the address, and the address is not known.
  ///
  /// `groups` returns the names of the user's groups, or nil if they are not known.
  func refusingList(
    of user: String, from address: String? = nil, groups: () -> [String]?
  ) -> String? {
    func names(_ entry: String, ifUnknown isIncluded: Bool) -> Bool {
      let parts = entry.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
      guard Self.matches(String(parts[0]), user), parts.count > 1 else {
        return parts.count == 1 && Self.matches(entry, user)
      }
      // With UseDNS, the part can be the name of a host.
      guard let address, !isOn("usedns") else { return isIncluded }
      let patterns = SSHDPatterns(String(parts[1]))
      return patterns.matches(address: address) || patterns.matches(user: address)
    }
    if entries(of: "denyusers").contains(where: { names($0, ifUnknown: false) }) {
      return "denyusers"
    }
    let allowed = entries(of: "allowusers")
    let isAllowed = allowed.contains { names($0, ifUnknown: true) }
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
    let list = settings.refusingList(of: name, from: address) { rules.groups(of: account) }
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
