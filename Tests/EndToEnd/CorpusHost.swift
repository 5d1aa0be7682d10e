import Foundation
import MFATestSupport
import Testing

/// A stack as distributions and administrators write it, and what is wrong with it.
struct CorpusHost: Sendable, CustomTestStringConvertible {
  /// What can be wrong with a stack.
  enum Effect: String, Sendable {
    /// A user signs in without a code.
    case withoutCode
    /// The right password and code are refused.
    case closed
    /// A user without the right password is asked for a code.
    case askedEarly
    /// A user who has not enrolled signs in with a wrong password.
    case withoutFirstFactor
  }

  let name: String
  /// The service's file. `DAMAGED` stands for the path of a module that libpam cannot load.
  let lines: String
  /// The files that it includes, by name.
  let files: [String: String]
  /// What is wrong with the stack.
  let effects: Set<Effect>
  /// Whether no right answer leads in, however long the user waits.
  let locksOut: Bool
  var testDescription: String { name }

  init(
    _ name: String, _ effects: Effect..., locksOut: Bool? = nil, files: [String: String] = [:],
    lines: String
  ) {
    self.name = name
    self.effects = Set(effects)
    self.locksOut = locksOut ?? (Set(effects) == [.closed])
    self.files = files
    self.lines = lines
  }

  /// Returns whether a line calls a module.
  func asks(_ module: String) -> Bool {
    ([lines] + files.values).contains { $0.contains(module + ".so") }
  }

  /// Writes the service and the files that it includes. Returns the name of the service.
  func install(on machine: Machine) throws -> String {
    let damaged = machine.folder + "/security/pam_mfa.so"
    try machine.write("no module\n", to: damaged)
    for (name, text) in files { try machine.write(text + "\n", to: "/etc/pam.d/\(name)") }
    let permit =
      lines.contains("account ") || !files.isEmpty ? "" : "account required pam_permit.so\n"
    let ending = lines.contains("\r\n") ? "\r\n" : "\n"
    return try machine.makeService(
      text: lines.replacing("DAMAGED", with: damaged) + ending + permit)
  }

  /// All stacks.
  static let all = inline + packaged + brokenByTheHost

  /// Stacks with all lines in one file.
  private static let inline = [
    CorpusHost(
      "sssd",
      lines: """
        auth [success=2 default=ignore] pam_unix.so nullok
        auth [success=1 default=ignore] pam_sss.so use_first_pass
        auth requisite pam_deny.so
        auth required pam_permit.so
        auth requisite pam_mfa.so
        """),
    CorpusHost(
      "sssd, the jump of pam_unix is one too long", .withoutCode,
      lines: """
        auth [success=4 default=ignore] pam_unix.so nullok
        auth [success=1 default=ignore] pam_sss.so use_first_pass
        auth requisite pam_deny.so
        auth required pam_permit.so
        auth requisite pam_mfa.so
        auth required pam_permit.so
        """),
    CorpusHost(
      "sssd, the jump of pam_sss is one too long", .withoutCode,
      lines: """
        auth [success=2 default=ignore] pam_unix.so nullok
        auth [success=3 default=ignore] pam_sss.so use_first_pass
        auth requisite pam_deny.so
        auth required pam_permit.so
        auth requisite pam_mfa.so
        auth required pam_permit.so
        """),
    CorpusHost(
      "sssd, without pam_deny", .askedEarly, .withoutFirstFactor,
      lines: """
        auth [success=1 default=ignore] pam_unix.so nullok
        auth [success=ok default=ignore] pam_sss.so use_first_pass
        auth requisite pam_mfa.so
        auth required pam_permit.so
        """),
    CorpusHost(
      "Kerberos",
      lines: """
        auth [success=3 default=ignore] pam_krb5.so minimum_uid=1000
        auth [success=2 default=ignore] pam_unix.so nullok try_first_pass
        auth requisite pam_deny.so
        auth required pam_deny.so
        auth required pam_permit.so
        auth requisite pam_mfa.so
        """),
    CorpusHost(
      "Kerberos, sufficient", .withoutCode,
      lines: """
        auth sufficient pam_krb5.so minimum_uid=1000
        auth requisite pam_unix.so nullok try_first_pass
        auth requisite pam_mfa.so
        """),
    CorpusHost(
      "winbind",
      lines: """
        auth [success=2 default=ignore] pam_unix.so nullok
        auth [success=1 default=ignore] pam_winbind.so krb5_auth krb5_ccache_type=FILE try_first_pass
        auth requisite pam_deny.so
        auth required pam_permit.so
        auth requisite pam_mfa.so
        """),
    CorpusHost(
      "winbind, a wrong password goes on", .askedEarly,
      lines: """
        auth [success=2 default=ignore] pam_unix.so nullok
        auth [success=1 default=ignore] pam_winbind.so krb5_auth try_first_pass
        auth required pam_deny.so
        auth required pam_permit.so
        auth requisite pam_mfa.so
        """),
    CorpusHost(
      "LDAP with cached passwords",
      lines: """
        auth [success=4 default=ignore] pam_unix.so nullok
        auth [success=3 authinfo_unavail=1 default=ignore] pam_ldap.so use_first_pass
        auth requisite pam_deny.so
        auth [success=1 default=ignore] pam_ccreds.so action=validate use_first_pass
        auth requisite pam_deny.so
        auth required pam_permit.so
        auth requisite pam_mfa.so
        """),
    CorpusHost(
      "LDAP with cached passwords, the cache ends the stack", .withoutCode,
      lines: """
        auth [success=3 default=ignore] pam_unix.so nullok
        auth [success=2 authinfo_unavail=ignore default=die] pam_ldap.so use_first_pass
        auth [success=done default=die] pam_ccreds.so action=validate use_first_pass
        auth requisite pam_deny.so
        auth required pam_permit.so
        auth requisite pam_mfa.so
        """),
    CorpusHost(
      "faillock",
      lines: """
        auth required pam_faillock.so preauth
        auth [success=1 default=bad] pam_unix.so nullok
        auth [default=die] pam_faillock.so authfail
        auth sufficient pam_mfa.so
        auth required pam_deny.so
        """),
    CorpusHost(
      "fingerprint",
      lines: """
        auth [success=2 default=ignore] pam_fprintd.so max-tries=1 timeout=10
        auth [success=1 default=ignore] pam_unix.so nullok try_first_pass
        auth requisite pam_deny.so
        auth required pam_permit.so
        auth requisite pam_mfa.so
        """),
    CorpusHost(
      "fingerprint instead of everything", .withoutCode,
      lines: """
        auth sufficient pam_fprintd.so
        auth requisite pam_unix.so nullok
        auth requisite pam_mfa.so
        """),
    CorpusHost(
      "gdm",
      lines: """
        auth requisite pam_nologin.so
        auth required pam_succeed_if.so user != root quiet_success
        auth [success=1 default=ignore] pam_unix.so nullok
        auth requisite pam_deny.so
        auth required pam_permit.so
        auth requisite pam_mfa.so
        auth optional pam_env.so
        """),
    CorpusHost(
      "lightdm, the module is optional", .withoutCode,
      lines: """
        auth requisite pam_nologin.so
        auth [success=1 default=ignore] pam_unix.so nullok
        auth requisite pam_deny.so
        auth required pam_permit.so
        auth optional pam_mfa.so
        """),
    CorpusHost(
      "sddm, the result is discarded", .withoutCode,
      lines: """
        auth requisite pam_unix.so nullok
        auth required pam_mfa.so
        auth [default=reset] pam_env.so
        auth required pam_permit.so
        """),
    CorpusHost(
      "the stack jumps past its end", .closed,
      lines: """
        auth [success=1 default=ignore] pam_unix.so nullok
        auth requisite pam_deny.so
        auth requisite pam_mfa.so
        auth [default=1] pam_env.so
        """),
    CorpusHost(
      "the module is asked twice", .closed, locksOut: false,
      lines: """
        auth requisite pam_unix.so nullok
        auth requisite pam_mfa.so
        auth requisite pam_mfa.so
        """),
    CorpusHost(
      "the code is asked for first", .askedEarly,
      lines: """
        auth requisite pam_mfa.so
        auth requisite pam_unix.so nullok
        """),
  ]

  // MARK: Files of Debian's packages

  /// The end of common-auth as pam-auth-update (libpam-runtime 1.5.2 of Debian 12 and 1.7.0 of Debian 13)
  /// writes it.
  private static let end = """
    auth requisite pam_deny.so
    auth required pam_permit.so
    """

  /// The start of common-account, written in the same way.
  private static let account = """
    account [success=1 new_authtok_reqd=done default=ignore] pam_unix.so
    account requisite pam_deny.so
    account required pam_permit.so
    """

  /// libpam-sss 2.8.2 of Debian 12, and 2.10.1 of Debian 13.
  private static let sssd = [
    "common-auth": """
    auth [success=2 default=ignore] pam_unix.so nullok
    auth [success=1 default=ignore] pam_sss.so use_first_pass
    \(end)
    """,
    "common-account": """
    \(account)
    account sufficient pam_localuser.so
    account [default=bad success=ok user_unknown=ignore] pam_sss.so
    """,
  ]

  /// libpam-krb5 4.11 of Debian 12 and 13.
  private static let kerberos = [
    "common-auth": """
    auth [success=2 default=ignore] pam_krb5.so minimum_uid=1000
    auth [success=1 default=ignore] pam_unix.so nullok try_first_pass
    \(end)
    """,
    "common-account": """
    \(account)
    account required pam_krb5.so minimum_uid=1000
    """,
  ]

  private static let winbindAuth = """
    auth [success=2 default=ignore] pam_unix.so nullok
    auth [success=1 default=ignore] pam_winbind.so krb5_auth krb5_ccache_type=FILE cached_login \\
      try_first_pass
    \(end)
    """

  /// libpam-winbind 4.17.12 of Debian 12.
  private static let winbind12 = [
    "common-auth": winbindAuth,
    "common-account": """
    account [success=2 new_authtok_reqd=done default=ignore] pam_unix.so
    account [success=1 new_authtok_reqd=done default=ignore] pam_winbind.so
    account requisite pam_deny.so
    account required pam_permit.so
    """,
  ]

  /// libpam-winbind 4.22.11 of Debian 13.
  private static let winbind13 = [
    "common-auth": winbindAuth,
    "common-account": """
    \(account)
    account sufficient pam_localuser.so
    account [default=bad success=ok user_unknown=ignore] pam_winbind.so
    """,
  ]

  /// libpam-ldapd 0.9.12 of Debian 12 and 0.9.13 of Debian 13, with libpam-ccreds 10.
  private static let ldap = [
    "common-auth": """
    auth [success=4 default=ignore] pam_unix.so nullok
    auth [success=3 default=ignore] pam_ldap.so minimum_uid=1000 use_first_pass
    auth [success=2 default=ignore] pam_ccreds.so minimum_uid=1000 action=validate use_first_pass
    auth [default=ignore] pam_ccreds.so minimum_uid=1000 action=update
    \(end)
    auth optional pam_ccreds.so minimum_uid=1000 action=store
    """,
    "common-account": """
    \(account)
    account [success=ok new_authtok_reqd=done ignore=ignore user_unknown=ignore \\
      authinfo_unavail=ignore default=bad] pam_ldap.so minimum_uid=1000
    """,
  ]

  /// libpam-fprintd 1.94.2 of Debian 12 and 1.94.5 of Debian 13.
  private static let fingerprint = [
    "common-auth": """
    auth [success=2 default=ignore] pam_fprintd.so max-tries=1 timeout=10
    auth [success=1 default=ignore] pam_unix.so nullok try_first_pass
    \(end)
    """,
    "common-account": account,
  ]

  /// pam_unix alone, as installed; on Debian 12, libpam-cap 2.66 adds its line.
  private static let unix12 = [
    "common-auth": """
    auth [success=1 default=ignore] pam_unix.so nullok
    \(end)
    auth optional pam_cap.so
    """,
    "common-account": account,
  ]

  private static let unix13 = [
    "common-auth": """
    auth [success=1 default=ignore] pam_unix.so nullok
    \(end)
    """,
    "common-account": account,
  ]

  /// pam_faillock.so of libpam-modules 1.5.2 and 1.7.0, added to common-auth.
  private static let faillock = [
    "common-auth": """
    auth required pam_faillock.so preauth
    auth [success=2 default=ignore] pam_unix.so nullok
    auth [default=die] pam_faillock.so authfail
    \(end)
    """,
    "common-account": "account required pam_faillock.so\n" + account,
  ]

  private static let ours = "auth requisite pam_mfa.so\naccount required pam_mfa.so"

  /// The lines of openssh-server 9.2 of Debian 12 and 10.0 of Debian 13, with ours as the guide says.
  private static let sshd = """
    @include common-auth
    \(ours)
    account required pam_nologin.so
    @include common-account
    @include common-session
    """

  /// The lines of login 4.13 of Debian 12 and 4.16 of Debian 13.
  private static let login = """
    auth optional pam_faildelay.so delay=3000000
    auth requisite pam_nologin.so
    @include common-auth
    \(ours)
    auth optional pam_group.so
    @include common-account
    @include common-session
    """

  /// The lines of sudo 1.9.13 of Debian 12 and 1.9.16 of Debian 13.
  private static let sudo = """
    @include common-auth
    \(ours)
    @include common-account
    @include common-session-noninteractive
    """

  /// The lines of gdm-password in gdm3 43 of Debian 12 and 48 of Debian 13.
  private static let gdm = """
    auth requisite pam_nologin.so
    auth required pam_succeed_if.so user != root quiet_success
    @include common-auth
    \(ours)
    auth optional pam_gnome_keyring.so
    @include common-account
    """

  /// The lines of lightdm 1.26 of Debian 12 and 1.32 of Debian 13.
  private static let lightdm = """
    auth requisite pam_nologin.so
    @include common-auth
    \(ours)
    -auth optional pam_gnome_keyring.so
    @include common-account
    """

  /// The lines of sddm 0.19 of Debian 12 and 0.21 of Debian 13.
  private static let sddm = """
    auth requisite pam_nologin.so
    auth required pam_succeed_if.so user != root quiet_success
    @include common-auth
    \(ours)
    -auth optional pam_gnome_keyring.so
    -auth optional pam_kwallet5.so
    @include common-account
    """

  /// Services as Debian's packages install them, and each broken in one way.
  private static let packaged = [
    CorpusHost("Debian 12: sshd", files: unix12, lines: sshd),
    CorpusHost("Debian 13: sshd", files: unix13, lines: sshd),
    CorpusHost("Debian 12: login", files: unix12, lines: login),
    CorpusHost("Debian 13: sudo", files: unix13, lines: sudo),
    CorpusHost("Debian 12 and 13: sshd with libpam-sss", files: sssd, lines: sshd),
    CorpusHost(
      "Debian 12 and 13: sshd with libpam-sss, our line is sufficient", .withoutCode, files: sssd,
      lines: sshd.replacing("auth requisite pam_mfa.so", with: "auth sufficient pam_mfa.so")),
    CorpusHost("Debian 12 and 13: sshd with libpam-krb5", files: kerberos, lines: sshd),
    CorpusHost(
      "Debian 12 and 13: sshd with libpam-krb5, common-account needs a module that is not installed",
      .closed, files: kerberos.replacing("common-account", "pam_krb5.so", with: "pam_krb5_old.so"),
      lines: sshd),
    CorpusHost("Debian 12: sshd with libpam-winbind", files: winbind12, lines: sshd),
    CorpusHost("Debian 13: sshd with libpam-winbind", files: winbind13, lines: sshd),
    CorpusHost(
      "Debian 13: sshd with libpam-winbind, common-auth without pam_deny", .askedEarly,
      .withoutFirstFactor,
      files: winbind13.replacing(
        "common-auth", "requisite pam_deny.so", with: "optional pam_warn.so"),
      lines: sshd),
    CorpusHost(
      "Debian 12 and 13: sshd with libpam-ldapd and libpam-ccreds", files: ldap, lines: sshd),
    CorpusHost(
      "Debian 12 and 13: sshd with libpam-ldapd and libpam-ccreds, the cache ends the stack",
      .withoutCode,
      files: ldap.replacing(
        "common-auth", "[success=2 default=ignore] pam_ccreds.so",
        with: "[success=done default=ignore] pam_ccreds.so"), lines: sshd),
    CorpusHost("Debian 12 and 13: login with libpam-fprintd", files: fingerprint, lines: login),
    CorpusHost(
      "Debian 12 and 13: login with libpam-fprintd, the finger ends the stack", .withoutCode,
      files: fingerprint.replacing("common-auth", "[success=2", with: "[success=done"),
      lines: login),
    CorpusHost(
      "faillock, pam_unix is sufficient", .withoutCode,
      lines: """
        auth required pam_faillock.so preauth
        auth sufficient pam_unix.so nullok
        auth [default=die] pam_faillock.so authfail
        auth requisite pam_mfa.so
        """),
    CorpusHost("Debian 12 and 13: sshd with faillock in common-auth", files: faillock, lines: sshd),
    // The example of pam_faillock(8) ends the stack of a service that includes it with @include.
    CorpusHost(
      "Debian 12 and 13: sshd with the example of pam_faillock(8) in common-auth", .withoutCode,
      files: faillock.replacing("common-auth", "[success=2", with: "[success=1").replacing(
        "common-auth", "authfail", with: "authfail\nauth sufficient pam_faillock.so authsucc"),
      lines: sshd),
    CorpusHost("Debian 12: gdm-password", files: unix12, lines: gdm),
    CorpusHost("Debian 13: gdm-password", files: unix13, lines: gdm),
    CorpusHost(
      "Debian 12 and 13: gdm-password, our line is above the password", .askedEarly, files: unix13,
      lines: "auth requisite pam_mfa.so\n"
        + gdm.replacing("auth requisite pam_mfa.so\n", with: "")),
    CorpusHost("Debian 12: lightdm", files: unix12, lines: lightdm),
    CorpusHost("Debian 13: lightdm", files: unix13, lines: lightdm),
    CorpusHost(
      "Debian 12 and 13: lightdm, a wrong code is ignored", .withoutCode, files: unix13,
      lines: lightdm.replacing(
        "auth requisite pam_mfa.so", with: "auth [success=ok default=ignore] pam_mfa.so")),
    CorpusHost("Debian 12: sddm", files: unix12, lines: sddm),
    CorpusHost("Debian 13: sddm", files: unix13, lines: sddm),
    CorpusHost(
      "Debian 12 and 13: sddm, the keyring is required and not installed", .closed, files: unix13,
      lines: sddm.replacing("-auth optional pam_gnome", with: "-auth required pam_gnome")),
    CorpusHost(
      "Debian 12 and 13: our line is in the service and in common-auth", .closed, locksOut: false,
      files: unix13.appending("auth requisite pam_mfa.so", to: "common-auth"), lines: sshd),
    CorpusHost(
      "our line is included twice", .closed, locksOut: false,
      files: unix13.merging(["common-mfa": "auth requisite pam_mfa.so"]) { $1 },
      lines: "@include common-auth\n@include common-mfa\nauth include common-mfa\n"
        + "@include common-account"),
  ]

  // MARK: Other causes

  private static let sound = """
    auth requisite pam_unix.so nullok
    auth requisite pam_mfa.so
    account required pam_permit.so
    """

  /// Stacks whose effect depends on more than their lines.
  private static let brokenByTheHost = [
    CorpusHost(
      "the module is damaged", .closed, lines: sound.replacing("pam_mfa.so", with: "DAMAGED")),
    CorpusHost(
      "the module is damaged, and optional", .withoutCode,
      lines: sound.replacing("requisite pam_mfa.so", with: "optional DAMAGED")),
    CorpusHost(
      "the module is damaged in the account line", .closed,
      lines: sound.replacing("account ", with: "account required DAMAGED\naccount ")),
    CorpusHost("without .so", .closed, lines: sound.replacing("pam_mfa.so", with: "pam_mfa")),
    CorpusHost(
      "without .so, and optional", .withoutCode,
      lines: sound.replacing("requisite pam_mfa.so", with: "optional pam_mfa")),
    CorpusHost("lines end as on Windows", .closed, lines: sound.replacing("\n", with: "\r\n")),
    CorpusHost("an included file does not exist", .closed, lines: sound + "\n@include nowhere"),
    CorpusHost(
      "an included file of account lines does not exist", .closed,
      lines: sound + "\naccount include nowhere"),
    CorpusHost(
      "an included file of session lines does not exist",
      lines: sound + "\nsession include nowhere"),
    CorpusHost(
      "another module is not installed", .closed, lines: sound + "\nauth required pam_absent.so"),
    CorpusHost(
      "another module is not installed, which is not logged", .closed,
      lines: sound + "\n-auth required pam_absent.so"),
    CorpusHost(
      "another module is not installed, and optional",
      lines: sound + "\nauth optional pam_absent.so"),
    CorpusHost(
      "another module is not installed, and the only one that is sufficient", .closed,
      lines: """
        auth requisite pam_unix.so nullok
        auth requisite pam_mfa.so
        auth sufficient pam_absent.so
        auth requisite pam_deny.so
        account required pam_permit.so
        """),
    CorpusHost("an account line denies", .closed, lines: sound + "\naccount required pam_deny.so"),
    CorpusHost(
      "the module of an account line is not installed", .closed,
      lines: sound + "\naccount required pam_absent.so"),
    CorpusHost(
      "the module of an account line is not installed, and optional",
      lines: sound + "\naccount optional pam_absent.so"),
  ]
}

extension [String: String] {
  /// Returns the files with another text in the place of one in a file.
  fileprivate func replacing(_ name: String, _ text: String, with other: String) -> [String: String]
  {
    merging([name: (self[name] ?? "").replacing(text, with: other)]) { $1 }
  }

  /// Returns the files with another line at the end of one.
  fileprivate func appending(_ line: String, to name: String) -> [String: String] {
    merging([name: (self[name] ?? "") + "\n" + line]) { $1 }
  }
}
