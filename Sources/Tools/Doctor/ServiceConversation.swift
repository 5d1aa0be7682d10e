import MFAAdmin
import MFABase
import MFAModel

/// How a program passes PAM's questions on to the user.
package enum ServiceConversation: String, Equatable, Sendable {
  /// The user is asked each question.
  case fields
  /// The program has one answer of the user, and gives it to each question. Password and code are typed together.
  case oneField = "one-field"

  /// The option of `mfa-admin enable` that names it.
  package var option: String { "--\(rawValue)" }
}

/// Why the password alone signs users in through a program, whatever PAM's `auth` lines say.
package struct PasswordAlone: Equatable, Sendable {
  /// The file with the settings that let the password decide, or nil if the program always does.
  package let settings: String?
  /// Why.
  package let reason: String
  /// What to do.
  package let hint: String
}

/// A program that signs users in through PAM, as its source says.
package struct PAMProgram: Sendable {
  /// Its PAM services.
  package let services: [String]
  /// The name.
  package let name: String
  /// The version whose source was read, and the file with the conversation.
  package let source: String
  /// What it does with a question for a code.
  package let behaviour: Behaviour
  /// The systemd units whose processes sign users in, or none if each has the name of a service.
  let units: [String]
  /// The system user that Debian has it run as, or nil if it acts as root.
  let user: String?

  /// What a program does with a question for a code.
  package enum Behaviour: Equatable, Sendable {
    /// It asks. The remark is what users or administrators meet, or nil.
    case asks(ServiceConversation, remark: String? = nil)
    /// No code can be asked for, and why.
    case cannotAsk(reason: String, hint: String)
    /// It verifies passwords itself, without PAM's `auth` lines, and why no code can be asked for.
    case verifiesPasswords(reason: String, hint: String)
    /// It authenticates no user, and runs the account lines alone.
    case authenticatesNoUser
  }

  /// Returns the program that uses a service, or nil if no known program does.
  package static func with(service: [UInt8]) -> PAMProgram? {
    let name = String(decoding: service, as: UTF8.self)
    return all.first { $0.services.contains(name) }
  }

  private init(
    _ services: [String], _ name: String, _ source: String, _ behaviour: Behaviour,
    units: [String] = [], user: String? = nil
  ) {
    self.services = services
    self.name = name
    self.source = source
    self.behaviour = behaviour
    self.units = units
    self.user = user
  }

  /// Returns why the password alone signs users in at a service, or nil if PAM's `auth` lines decide.
  package static func passwordAlone(
    at service: [UInt8], on host: any ExaminedHost
  ) throws(AdminError) -> PasswordAlone? {
    try with(service: service)?.passwordAlone(on: host)
  }

  /// Returns why the password alone signs users in through the program, or nil if PAM's `auth` lines decide.
  package func passwordAlone(on host: any ExaminedHost) throws(AdminError) -> PasswordAlone? {
    if case .verifiesPasswords(let reason, let hint) = behaviour {
      return PasswordAlone(settings: nil, reason: reason, hint: hint)
    }
    return name == ProFTPD.name ? try ProFTPD.passwordAlone(on: host) : nil
  }

  /// Whether it verifies passwords itself, and runs PAM's `account` lines alone.
  package var verifiesPasswords: Bool {
    guard case .verifiesPasswords = behaviour else { return false }
    return true
  }

  /// Returns why the program does not run the `account` lines either, and what to do, or nil.
  package func obstacleToAccountLine(
    on host: any ExaminedHost
  ) throws(AdminError) -> (reason: String, hint: String)? {
    guard name == Samba.name, try !Samba.runsAccountLines(on: host) else { return nil }
    return (
      "Samba does not run PAM's account lines, because \"obey pam restrictions\" is not set",
      "set \"obey pam restrictions = yes\" under [global] in /etc/samba/smb.conf, and restart smbd"
    )
  }

  /// Returns how the program asks at a service, as its settings say, or nil if it cannot ask for a code.
  package func conversation(
    at service: [UInt8], on host: any ExaminedHost
  ) throws(AdminError) -> ServiceConversation? {
    guard case .asks(let usual, _) = behaviour else { return nil }
    guard name == OpenVPN.name else { return usual }
    return try OpenVPN.conversation(at: service, on: host) ?? usual
  }

  /// Returns the system user that the program runs as, or nil if it acts as root.
  func systemUser(on host: any ExaminedHost) throws(AdminError) -> String? {
    guard let user else { return nil }
    var users: [String] = []
    for unit in units {
      users += try UnitFiles.settings(of: unit, on: host).filter {
        $0.section == "[Service]" && $0.key == "User"
      }.map(\.value)
    }
    // A program that systemd starts as root takes the user from its own settings.
    guard let set = users.last, !set.isEmpty, set != "root" else { return user }
    return set
  }

  /// Returns the system user that the program runs as, if no section `[daemon NAME]` lets it sign in users of a
  /// service.
  package func unnamedUser(
    at service: [UInt8], under policy: Configuration, on host: any ExaminedHost
  ) throws(AdminError) -> String? {
    guard let user = try systemUser(on: host) else { return nil }
    let isNamed = policy.daemons.contains { $0.isRun(by: Array(user.utf8), at: service) }
    return isNamed ? nil : user
  }

  /// Why the program cannot sign in users while no section names this system user.
  package func reason(unnamed user: String) -> String {
    "\(name) runs as \(user), and only programs of root can sign in other users"
  }

  /// What to do about that.
  package static func hint(unnamed user: String, at service: [UInt8]) -> String {
    let name = VisibleText.escaping(service)
    return
      "add a section [daemon \(name)] to \(InstalledPath.configuration), with \"user = \(user)\", "
      + "\"services = \(name)\", and users or groups: mfa.conf(5)"
  }

  /// The programs.
  package static let all: [PAMProgram] = [
    Self(
      ["sshd"], "sshd", "OpenSSH 9.2p1, auth-pam.c", .asks(.fields),
      units: ["ssh.service", "sshd.service", "ssh@.service", "sshd@.service"]),
    Self(
      ["login", "remote"], "login", "shadow 4.13, login.c", .asks(.fields),
      units: ["getty@.service", "serial-getty@.service", "console-getty.service"]),
    Self(["su", "su-l"], "su", "util-linux 2.38.1, su-common.c", .asks(.fields)),
    Self(["sudo", "sudo-i"], "sudo", "sudo 1.9.13p3, auth/pam.c", .asks(.fields)),
    Self(["doas"], "doas", "opendoas 6.8.2, pam.c", .asks(.fields)),
    Self(["chsh", "chfn"], "chsh and chfn", "shadow 4.13, chsh.c", .asks(.fields)),
    Self(
      ["polkit-1"], "polkit", "polkit 122, polkitagenthelper-pam.c", .asks(.fields),
      units: ["polkit.service"]),
    Self(
      ["cockpit"], "cockpit", "cockpit 287.1, session.c",
      .asks(
        .fields,
        remark:
          "after a sign-in with administrative access, it answers sudo's question for a code with the "
          + "password")),
    Self(
      ["gdm-password"], "gdm", "gdm 43.0, gdm-session-worker.c", .asks(.fields),
      units: ["gdm.service", "gdm3.service"]),
    Self(["lightdm"], "lightdm", "lightdm 1.26.0, session-child.c", .asks(.fields)),
    Self(["kde"], "kscreenlocker", "kscreenlocker 5.27.5, pamauthenticator.cpp", .asks(.fields)),
    Self(
      ["cinnamon-screensaver", "mate-screensaver", "gnome-screensaver"], "the screen locker",
      "mate-screensaver 1.26.1, gs-auth-pam.c", .asks(.fields)),
    Self(
      ["vlock"], "vlock", "vlock 2.2.2, auth-pam.c",
      .asks(.fields, remark: "after a refusal it asks for the password and a code of root")),
    Self(
      ["i3lock", "swaylock"], "i3lock and swaylock", "i3lock 2.14.1, i3lock.c", .asks(.oneField)),
    Self(["vsftpd"], "vsftpd", "vsftpd 3.0.3, sysdeputil.c", .asks(.oneField)),
    Self(["proftpd"], ProFTPD.name, "ProFTPD 1.3.8, mod_auth_pam.c", .asks(.oneField)),
    Self(["sddm"], "SDDM", "SDDM 0.19.0, PamBackend.cpp", .asks(.oneField)),
    Self(
      ["xrdp-sesman"], "xrdp", "xrdp 0.9.21.1, verify_user_pam.c",
      .asks(
        .oneField, remark: "a client that stores the password is asked again at each connection")),
    Self(["screen"], "screen", "GNU screen 4.9.0, attacher.c", .asks(.oneField)),
    Self(
      ["rstudio"], "RStudio Server", "RStudio Server, Pam.cpp", .asks(.oneField),
      units: ["rstudio-server.service"]),
    Self(
      ["openvpn"], OpenVPN.name, "OpenVPN 2.6.14, auth-pam.c",
      .asks(
        .oneField,
        remark:
          "without auth-gen-token in the server's settings, each renegotiation sends the used code again, "
          + "which is refused"),
      units: ["openvpn@.service", "openvpn-server@.service"]),
    Self(
      ["dovecot"], Dovecot.name, "Dovecot 2.3.19, passdb-pam.c",
      .asks(.oneField, remark: Self.repeats)),
    Self(
      ["smtp", "imap", "pop", "sieve"], Saslauthd.name, "cyrus-sasl 2.1.28, auth_pam.c",
      .asks(
        .oneField,
        remark:
          "with its option -c, a used code is accepted again for 8 hours: take -c out of OPTIONS in "
          + "/etc/default/saslauthd, or of FLAGS in /etc/sysconfig/saslauthd"),
      units: ["saslauthd.service"]),
    Self(
      ["cups"], "CUPS", "CUPS 2.4.2, auth.c", .asks(.oneField, remark: Self.repeats)),
    Self(
      ["samba"], Samba.name, "Samba 4.17.12, pampass.c",
      .verifiesPasswords(
        reason:
          "Samba verifies encrypted passwords itself, and asks PAM only whether the account may be used",
        hint: "mfa-admin enable --no-confirm samba denies users who have enrolled"),
      units: ["smbd.service", "samba-ad-dc.service"]),
    Self(
      ["cron", "atd"], "a program that runs jobs", "cron 3.0pl1, do_command.c", .authenticatesNoUser
    ),
    Self(
      ["radiusd"], "FreeRADIUS", "FreeRADIUS 3.2.1, rlm_pam.c", .asks(.oneField),
      units: ["freeradius.service"], user: "freerad"),
    Self(
      ["postgresql"], "PostgreSQL", "PostgreSQL 15, auth.c",
      .asks(
        .oneField,
        remark:
          "with sslmode=prefer, the default of clients, a wrong code is sent and counted twice: use sslmode=require"
      ),
      units: ["postgresql@.service"], user: "postgres"),
    Self(
      ["nginx"], "nginx", "ngx_http_auth_pam_module 1.5.3",
      .cannotAsk(
        reason: "nginx sends the same answer with each request, and a code is accepted once",
        hint:
          "let users make passwords for programs: \"program_passwords = nginx\" in "
          + "\(InstalledPath.configuration), see mfa.conf(5)"),
      units: ["nginx.service"], user: "www-data"),
    Self(
      ["squid"], "squid", "squid 5.7, basic_pam_auth.cc",
      .asks(
        .oneField,
        remark:
          "until credentialsttl in squid.conf is over, 2 hours by default, a used code is accepted again; then users "
          + "are asked again"
      ),
      units: ["squid.service"], user: "proxy"),
  ]

  private static var repeats: String {
    "clients that send the same answer again are refused, because a code is accepted once; "
      + "program_passwords in \(InstalledPath.configuration) lets users make passwords for them"
  }
}
