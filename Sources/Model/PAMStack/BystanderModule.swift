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
