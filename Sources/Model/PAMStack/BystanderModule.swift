import MFABase

/// The PAM modules that authenticate no user. Their results say nothing about the identity of the user.
///
/// pam_exec.so is not in the list: its program may authenticate the user.
package enum BystanderModule {
  /// The file names of the modules that check a condition that an administrator set.
  package static var conditions: [StaticString] {
    [
      "pam_succeed_if.so", "pam_access.so", "pam_listfile.so", "pam_localuser.so", "pam_time.so",
      "pam_wheel.so", "pam_group.so", "pam_securetty.so", "pam_shells.so", "pam_usertype.so",
      "pam_nologin.so",
    ]
  }

  /// The file names of the modules that prepare the session or log.
  package static var preparations: [StaticString] {
    [
      "pam_env.so", "pam_cap.so", "pam_warn.so", "pam_faildelay.so", "pam_issue.so",
      "pam_gnome_keyring.so", "pam_kwallet.so", "pam_kwallet5.so", "pam_mount.so",
      "pam_ecryptfs.so", "pam_loginuid.so", "pam_keyinit.so", "pam_systemd.so", "pam_motd.so",
      "pam_mail.so", "pam_limits.so", "pam_lastlog.so", "pam_selinux.so", "pam_umask.so",
      "pam_mkhomedir.so", "pam_setquota.so", "pam_xauth.so", "pam_tty_audit.so", "pam_echo.so",
      "pam_ccreds.so", "pam_faillock.so", "pam_tally2.so", "pam_afs_session.so", "pam_fscrypt.so",
      "pam_zfs_key.so", "pam_stress.so", "pam_namespace.so", "pam_abl.so",
    ]
  }
}

extension StackEntry {
  /// Returns whether the condition of a pam_succeed_if.so line about the service holds. Returns nil for
  /// a line of another module, and for a condition that depends on more than the service.
  package func holds(for service: [UInt8]) -> Bool? {
    guard asks(module: "pam_succeed_if.so"), case .module(_, let arguments, _) = kind else {
      return nil
    }
    let options: [StaticString] = ["quiet", "quiet_success", "quiet_fail", "use_uid", "debug"]
    var words: [[UInt8]] = []
    for argument in arguments where !options.contains(where: { Word.bytes($0) == argument }) {
      words.append(argument)
    }
    var rest = words.makeIterator()
    guard rest.next() == Word.bytes("service"), let comparison = rest.next(),
      let value = rest.next(), rest.next() == nil
    else { return nil }
    if comparison == Word.bytes("=") { return value == service }
    if comparison == Word.bytes("!=") { return value != service }
    let isListed = value.split(separator: UInt8(ascii: ":")).contains { $0.elementsEqual(service) }
    if comparison == Word.bytes("in") { return isListed }
    if comparison == Word.bytes("notin") { return !isListed }
    return nil
  }
}

/// The PAM modules that ask for the account's password or use the password entered before.
///
/// A module that verifies something else first, such as a key or a fingerprint, is not one of them:
/// a stack with only that module does not ask for a password before the code.
package enum PasswordModule {
  /// The file names of the modules.
  package static var fileNames: [StaticString] {
    [
      "pam_unix.so", "pam_sss.so", "pam_ldap.so", "pam_krb5.so", "pam_winbind.so",
      "pam_systemd_home.so", "pam_himmelblau.so", "pam_authd.so", "pam_lsass.so",
    ]
  }
}

extension StackEntry {
  /// Whether the entry calls a module that asks for the account's password.
  package var asksForPassword: Bool { PasswordModule.fileNames.contains { asks(module: $0) } }
}

/// The services that are tied to one session of one user.
package enum SessionService: Equatable, Sendable {
  /// Starts a session for each connection.
  case sshd
  /// Starts a session at a terminal.
  case login
  /// A program that a user runs within a session.
  case command

  private static var commands: [StaticString] { ["sudo", "sudo-i", "su", "su-l", "doas"] }

  /// Returns the service with this PAM name, or nil for any other service, which may be a daemon.
  package init?(_ name: [UInt8]) {
    let sshd: StaticString = "sshd"
    let login: StaticString = "login"
    if name == sshd.bytes {
      self = .sshd
    } else if name == login.bytes {
      self = .login
    } else if Self.commands.contains(where: { name == $0.bytes }) {
      self = .command
    } else {
      return nil
    }
  }
}
