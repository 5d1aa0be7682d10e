/// A command as sudoers names it: `ALL`, or a path or pattern with or without arguments.
package struct SudoersCommand: Hashable {
  /// The words as in sudoers.
  package let text: String

  package init(_ text: String) { self.text = text }

  /// The word `ALL`.
  package static let any = SudoersCommand("ALL")

  /// The path or pattern, without the arguments.
  private var path: String { String(text.prefix { $0 != " " }) }

  /// The arguments, or nil if the command may have any.
  private var arguments: String? {
    let rest = text.drop { $0 != " " }.dropFirst()
    return rest.isEmpty ? nil : String(rest)
  }

  /// Whether users who may run the command as root can become root: it is `ALL`, or starts other
  /// programs. A `noexec` rule keeps editors and pagers from starting programs.
  package func startsAnything(isNoExec: Bool) -> Bool {
    guard self != .any else { return true }
    // A regular expression is not evaluated here.
    guard !path.hasPrefix("^") else { return true }
    guard path != "sudoedit" else { return hasFreeArguments }
    return Self.folders.contains { folder in
      let programs =
        (arguments == "\"\"" || hasFreeArguments ? Self.shells : [])
        + (hasFreeArguments ? Self.starters : []) + (isNoExec ? [] : Self.viewers)
      return programs.contains { names("\(folder)/\($0)", in: folder) }
    }
  }

  /// Whether a user chooses at least one argument.
  private var hasFreeArguments: Bool {
    guard let arguments else { return true }
    return arguments.contains { "*?[".contains($0) } || arguments.hasPrefix("^")
  }

  /// Returns whether the path or pattern names the program at `program` in `folder`.
  private func names(_ program: String, in folder: String) -> Bool {
    if path.hasSuffix("/") { return path.dropLast() == folder }
    let pattern = SudoersPattern(path)
    if pattern.hasWildcards { return pattern.matches(program) }
    guard path.hasPrefix(folder + "/") else { return false }
    // python3.11 is python.
    let version = path.reversed().prefix { $0 == "." || $0.isNumber }
    return path == program || path.dropLast(version.count) == program
  }

  private static let folders = [
    "/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin",
  ]
  /// Programs that start a shell without arguments.
  private static let shells = [
    "sh", "bash", "dash", "zsh", "ksh", "mksh", "csh", "tcsh", "fish", "busybox", "su", "screen",
    "tmux", "script", "python", "irb", "lua", "node",
  ]
  /// Programs that start any program, or write any file, that their arguments name.
  private static let starters = [
    "env", "nice", "nohup", "timeout", "setsid", "stdbuf", "time", "xargs", "find", "awk", "gawk",
    "mawk", "perl", "ruby", "php", "expect", "gdb", "strace", "sudo", "runuser", "setpriv",
    "unshare", "chroot", "nsenter", "systemd-run", "doas", "pkexec", "ssh", "dd", "cp", "mv", "tee",
    "install", "rsync", "tar", "sed", "chmod", "chown", "docker", "podman", "apt", "apt-get",
    "dpkg",
    "rpm", "dnf", "yum", "pip", "make", "git", "crontab", "at", "mount", "usermod", "passwd",
    "chpasswd", "mfa-admin",
  ]
  /// Programs that start a shell on request, whatever their arguments.
  private static let viewers = [
    "vi", "vim", "nvim", "view", "vimdiff", "nano", "emacs", "ed", "ex", "less", "more", "man",
    "visudo", "vipw",
  ]
}

extension SudoersCommand {
  /// Returns whether an element of a list of commands names all that this command stands for.
  func match(_ member: SudoersMember) -> SudoersMatch {
    switch member.kind {
    case .all: .yes
    case .command(let command): SudoersMatch(command == self)
    case .name, .userID, .group, .groupID, .netgroup, .pluginGroup, .network, .invokingUser: .no
    }
  }
}
