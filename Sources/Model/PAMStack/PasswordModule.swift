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
