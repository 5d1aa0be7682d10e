import MFAAdminTestSupport
import MFABase
import MFAModel
import MFAAttempt
import MFAStore
import Foundation
import MFAPAMStack
import MFATestSupport
import Testing

@testable import MFAAdmin
@testable import MFADoctor
import MFARealm
import MFAWire

/// Hosts that are sound except for one change, and the findings for each.
@Suite("Doctor findings")
struct ExaminationTests {
  struct Row: CustomTestStringConvertible {
    let number: Int
    /// The findings as `severity code place`, most severe first.
    let expected: [String]
    /// Changes a sound host.
    let change: @Sendable (inout MemoryHost) throws -> Void
    var testDescription: String { "\(number)" }

    init(
      _ number: Int, _ expected: String...,
      change: @escaping @Sendable (inout MemoryHost) throws -> Void
    ) {
      self.number = number
      self.expected = expected
      self.change = change
    }
  }

  private func findings(_ row: Row, users: [String] = []) throws -> [Finding] {
    var host = MemoryHost()
    try row.change(&host)
    return Doctor.findings(
      on: try HostSnapshot(of: host, users: try users.map { try userName($0) }))
  }

  private func expectFindings(_ row: Row) throws {
    let findings = try findings(row)
    #expect(
      findings.map { "\($0.severity.rawValue) \($0.code) \($0.place)" } == row.expected,
      "row \(row.number)")
    for finding in findings {
      #expect(!finding.message.isEmpty && !finding.hint.isEmpty && isHarmless(finding.text))
      Self.expectCommands(finding)
    }
  }

  /// Expects that each command in a hint stands alone, from a colon to a semicolon, so that it can be copied, and
  /// that Tests/Packages/hints.py runs the commands of this finding.
  private static func expectCommands(_ finding: Finding) {
    let programs: Set = [
      "apt-get", "chmod", "chown", "cp", "findmnt", "fsfreeze", "dnf", "journalctl", "mfa-admin",
      "mfa-enroll", "restorecon", "runuser", "setcap",
      "ss", "systemctl", "timedatectl", "useradd", "usermod", "vipw", "packaging/install",
    ]
    for part in finding.hint.split(separator: ";") {
      let words = (part.split(separator: ": ").last ?? part).split(separator: " ")
      let start = words.first == "sudo" ? 1 : 0
      let place = words.firstIndex { programs.contains(String($0)) }
      #expect(place == nil || place == start, "\(finding.hint)")
      if place != nil {
        let isTried = Self.triedHints.contains("    \"\(finding.code)\":")
        #expect(isTried, "\(finding.code): \(finding.hint)")
      }
    }
  }

  /// The test that carries out hints.
  private static let triedHints: String = {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return (try? String(contentsOf: tests.appending(path: "Packages/hints.py"), encoding: .utf8))
      ?? ""
  }()

  static let pamError = SystemError(.open, number: 5)
  static let accountsError = AdminError(at: "/etc/passwd", "EIO")

  static let requiringCode =
    "@include common-auth\naccount required pam_mfa.so require_code\n@include common-account\n"
  static let testparm = "/usr/bin/testparm -s --parameter-name=obey pam restrictions"
  static let doveconf = "/usr/bin/doveconf -n"
  static let openVPN = "/etc/openvpn/server.conf"
  static let proFTPD = "/etc/proftpd/proftpd.conf"

  /// The lines of a service whose program has one field.
  static let programPassword =
    "auth [success=done new_authtok_reqd=done ignore=ignore default=die] pam_mfa.so program_password\n"
  static let oneField =
    "auth required pam_mfa.so forward_pass\n@include common-auth\naccount required pam_mfa.so\naccount required pam_permit.so\n"

  /// A host with these settings of Dovecot, and whether they let a used code in.
  private static func dovecot(_ number: Int, _ settings: String..., isFound: Bool) -> Row {
    let change: @Sendable (inout MemoryHost) throws -> Void = {
      $0.stacks.files["dovecot"] = oneField
      let output = settings.joined(separator: "\n") + "\n"
      $0.outputs[doveconf] = ProgramOutput(status: 0, output: Array(output.utf8))
    }
    return isFound
      ? Row(number, "error used-code-accepted /etc/dovecot/dovecot.conf", change: change)
      : Row(number, change: change)
  }

  // MARK: Stacks

  static let stackRows = [
    Row(1) { _ in },
    // An earlier line ends the stack, or jumps over the module.
    // After a wrong password, a code alone is enough.
    Row(
      2, "error auth-skippable /pam/login:1", "error first-factor-missing /pam/login:2",
      "warning required-before /pam/login:1"
    ) {
      $0.stacks.files["login"] = "auth sufficient pam_unix.so\nauth required pam_mfa.so\n"
    },
    Row(3, "error auth-skippable /pam/login:1") {
      $0.stacks.files["login"] =
        "auth [success=2 default=ignore] pam_unix.so\nauth requisite pam_deny.so\n"
        + "auth required pam_mfa.so\nauth required pam_permit.so\n"
    },
    Row(4) {
      $0.stacks.files["login"] =
        "auth [success=1 default=ignore] pam_unix.so\nauth requisite pam_deny.so\n"
        + "auth required pam_mfa.so\nauth required pam_permit.so\n"
    },
    Row(5, "error auth-skippable /pam/login:1") {
      $0.stacks.files["login"] =
        "auth [success=done default=die] pam_fprintd.so\n@include common-auth\n"
        + "auth required pam_mfa.so\n"
    },
    // The end of a substack does not end the stack.
    Row(6) {
      $0.stacks.files["sub"] = "auth sufficient pam_permit.so\n"
      $0.stacks.files["login"] = "auth substack sub\n" + MemoryHost.Stacks.sound
    },
    // A condition is the administrator's decision.
    Row(7, "warning auth-skippable /pam/login:1") {
      $0.stacks.files["login"] =
        "auth sufficient pam_succeed_if.so user ingroup staff\n" + MemoryHost.Stacks.sound
    },
    Row(8) {
      $0.stacks.files["login"] =
        "@include common-auth\nauth [success=1 default=ignore] pam_succeed_if.so quiet service = "
        + "mfa-enroll\nauth required pam_mfa.so\n"
    },
    Row(9, "warning auth-skippable /pam/login:5") {
      $0.stacks.files["login"] =
        "@include common-auth\n\n\n\nauth [success=1 default=ignore] pam_succeed_if.so quiet service = "
        + "login\nauth required pam_mfa.so\n"
    },
    Row(10, "error nobody-signs-in /pam/login:2") {
      $0.stacks.files["login"] = "auth [default=1] pam_rootok.so\nauth required pam_mfa.so\n"
    },
    // The control of the module's own line lets a wrong code pass.
    Row(11, "error auth-denial-ignored /pam/sudo:2") {
      $0.stacks.files["sudo"] = "@include common-auth\nauth optional pam_mfa.so\n"
    },
    Row(12, "error auth-denial-ignored /pam/sudo:2") {
      $0.stacks.files["sudo"] = "@include common-auth\nauth sufficient pam_mfa.so\n"
    },
    // Users who have not enrolled have no way in, because pam_mfa.so returns PAM_IGNORE for them.
    Row(13, "error unenrolled-locked-out /pam/sudo:2") {
      $0.stacks.files["sudo"] =
        "@include common-auth\nauth [success=1 default=ignore] pam_mfa.so\nauth requisite pam_deny.so\n"
        + "auth required pam_permit.so\n"
    },
    Row(14, "error auth-result-reset /pam/sudo:3") {
      $0.stacks.files["sudo"] =
        "@include common-auth\nauth required pam_mfa.so\nauth [default=reset] pam_env.so\n"
        + "auth required pam_permit.so\n"
    },
    Row(209, "error nobody-signs-in /pam/sudo:2") {
      $0.stacks.files["sudo"] =
        "@include common-auth\nauth required pam_mfa.so\nauth [default=reset] pam_env.so\n"
    },
    // The program of login is root's.
    Row(
      210, "error auth-skippable /pam/login:1", "error first-factor-missing /pam/login:3"
    ) {
      $0.stacks.files["login"] = "auth sufficient pam_rootok.so\n" + MemoryHost.Stacks.sound
    },
    // The user is not in the directory that this module asks.
    Row(211, "error auth-skippable /pam/login:1") {
      $0.stacks.files["login"] =
        "auth [success=ok user_unknown=1 default=die] pam_sss.so\nauth required pam_mfa.so\n"
        + "auth requisite pam_unix.so\n"
    },
    // A module that asks for nothing accepts every user.
    Row(212, "error auth-skippable /pam/login:1") {
      $0.stacks.files["login"] = "auth sufficient pam_env.so\n" + MemoryHost.Stacks.sound
    },
    Row(213, "error asked-twice /pam/login:2") {
      $0.stacks.files["login"] = MemoryHost.Stacks.sound + "auth required pam_mfa.so\n"
    },
    // A key replaces the password, and a second line asks for the code after a password.
    Row(401) {
      $0.stacks.files["login"] =
        "auth [success=done ignore=ignore default=die] pam_mfa.so after_key\n"
        + MemoryHost.Stacks.sound
    },
    Row(402, "error auth-skippable /pam/login:1") {
      $0.stacks.files["login"] =
        "auth [success=done ignore=ignore default=die] pam_mfa.so after_key\n"
        + MemoryHost.Stacks.sound.replacing("auth required pam_mfa.so\n", with: "")
    },
    // After a wrong code, the password and a code are asked for.
    Row(403) {
      $0.stacks.files["login"] = "auth sufficient pam_mfa.so after_key\n" + MemoryHost.Stacks.sound
    },
    // No line verifies a password.
    Row(407, "error first-factor-missing /pam/login:1") {
      $0.stacks.files["login"] =
        "auth required pam_mfa.so\nauth required pam_permit.so\naccount required pam_mfa.so\naccount required pam_permit.so\n"
    },
    Row(408, "error first-factor-missing /pam/su:2") {
      $0.stacks.files["su"] =
        "auth sufficient pam_rootok.so\nauth required pam_mfa.so\nauth required pam_permit.so\n"
    },
    Row(409, "error first-factor-missing /pam/sudo:1") {
      $0.stacks.files["sudo"] = "auth required pam_mfa.so\nauth required pam_permit.so\n"
    },
    Row(410) { $0.stacks.files["sudo"] = "auth required pam_mfa.so\n" },
    Row(411, "warning could-not-be-checked /pam/login:1") {
      $0.stacks.files["login"] =
        "auth required pam_foo.so\nauth required pam_mfa.so\nauth required pam_permit.so\n"
    },
    Row(412, "warning first-factor-missing /pam/login:1") {
      $0.stacks.files["login"] =
        "auth [success=3 default=ignore] pam_succeed_if.so user ingroup x\n"
        + MemoryHost.Stacks.sound
    },
    // The module also runs after a wrong password.
    Row(15, "warning required-before /pam/sudo:1") {
      $0.stacks.files["sudo"] = "auth required pam_unix.so\nauth required pam_mfa.so\n"
    },
    Row(16) {
      $0.stacks.files["sudo"] = "auth requisite pam_unix.so\nauth required pam_mfa.so\n"
    },
    Row(17, "warning required-before /pam/sudo:1") {
      $0.stacks.files["sudo"] =
        "auth [success=ok default=bad] pam_sss.so\nauth required pam_mfa.so\n"
    },
    Row(18) {
      $0.stacks.files["sudo"] =
        "auth [success=2 default=ignore] pam_unix.so\nauth [success=1 default=ignore] pam_sss.so\n"
        + "auth requisite pam_deny.so\nauth required pam_permit.so\nauth required pam_mfa.so\n"
    },
    // After a substack ends, the stack continues.
    Row(19, "warning required-before /pam/system-auth:1") {
      $0.stacks.files["system-auth"] = "auth sufficient pam_unix.so\nauth requisite pam_deny.so\n"
      $0.stacks.files["sudo"] = "auth substack system-auth\nauth required pam_mfa.so\n"
    },
    Row(20, "error unenrolled-locked-out /pam/sudo:3") {
      $0.stacks.files["sudo"] =
        "auth sufficient pam_rootok.so\nauth [success=ok default=1] pam_unix.so\n"
        + "auth [success=1 default=die] pam_mfa.so\nauth requisite pam_deny.so\n"
        + "auth required pam_permit.so\n"
    },
    Row(21, "error unenrolled-locked-out /pam/sudo:3") {
      $0.stacks.files["sudo"] =
        "auth [success=1 default=ignore] pam_unix.so\nauth [default=die] pam_faillock.so authfail\n"
        + "auth required pam_mfa.so\n"
    },
    Row(22, "warning code-before-password /pam/sudo:1") {
      $0.stacks.files["sudo"] = "auth requisite pam_mfa.so\n@include common-auth\n"
    },
    Row(23, "warning requisite-forward-pass /pam/sudo:1") {
      $0.stacks.files["sudo"] = "auth requisite pam_mfa.so forward_pass\n@include common-auth\n"
    },
    Row(206) {
      $0.stacks.files["sudo"] = "auth required pam_mfa.so forward_pass\n@include common-auth\n"
    },
    // Unknown arguments, and stacks that cannot be evaluated.
    Row(24, "error arguments /pam/sudo:2") {
      $0.stacks.files["sudo"] = "@include common-auth\nauth required pam_mfa.so nullok\n"
    },
    Row(25, "warning not-understood /pam/sudo:1") {
      $0.stacks.files["sudo"] = "auth reqired x.so\n"
    },
    // libpam looks for a module named "pam_mfa.so\r".
    Row(216, "error carriage-return /pam/sudo:1") {
      $0.stacks.files["sudo"] =
        "auth requisite pam_unix.so\r\nauth required pam_mfa.so\r\n"
    },
    Row(217, "warning carriage-return /pam/cron:2") {
      $0.stacks.files["cron"] = "# x\r\nauth requisite pam_unix.so\r\n"
    },
    // libpam loads no module of this name.
    Row(218, "error module-misnamed /pam/sudo:2") {
      $0.stacks.files["sudo"] = "@include common-auth\nauth required pam_mfa\n"
    },
    Row(219, "error module-misnamed /pam/sudo:2") {
      $0.stacks.files["sudo"] = "@include common-auth\nauth optional /opt/lib/pam_mfa.so\n"
    },
    Row(220, "error no-auth-line /pam/cron:2") {
      $0.stacks.files["cron"] =
        "@include common-auth\naccount required pam_mfa.so\n@include common-account\n"
    },
    Row(221, "error no-auth-line /pam/cron:2") {
      $0.stacks.files["cron"] = "@include common-auth\nsession optional pam_mfa.so\n"
    },
    Row(222, "error module-not-loaded /pam/sudo:2") {
      $0.stacks.files["sudo"] =
        "@include common-auth\nauth required security/pam_mfa.so\naccount required pam_mfa.so\naccount required pam_permit.so\n"
      $0.unloadable["security/pam_mfa.so"] = "file too short"
    },
    // Settings that need another key.
    Row(207, "note unused-setting /etc/mfa/mfa.conf:2") {
      $0.configurationText = "[project]\nremember = 8h\n"
    },
    Row(208) { $0.configurationText = "[project]\nremember = 8h\nremember_services = sshd\n" },
    // A remembered code allows sign-ins in services that may be daemons.
    Row(201, "warning session-not-followed /pam/xdm:2") {
      $0.stacks.files["xdm"] = MemoryHost.Stacks.sound
      $0.configurationText = "[project]\nfresh_for = 15m\n"
    },
    Row(202, "warning session-not-followed /pam/xdm:2") {
      $0.stacks.files["xdm"] = MemoryHost.Stacks.sound
      $0.configurationText =
        "[project]\n[tenant a]\nusers = alice\nremember = 1h\nremember_services = xdm\n"
    },
    Row(203) {
      $0.stacks.files["xdm"] = MemoryHost.Stacks.sound
      $0.configurationText =
        "[project]\nremember = 1h\nremember_services = sshd\n"
        + "[tenant a]\nservices = sudo\nfresh_for = 15m\n"
    },
    // Two user names have the same uid; system accounts without a login may share one.
    Row(204, "warning shared-uid /etc/passwd") {
      $0.known = $0.known.map { $0 + [MemoryHost.account("toor", 0, home: "/root")] }
    },
    Row(205) {
      $0.known = $0.known.map {
        $0 + [MemoryHost.account("daemon", 2), MemoryHost.account("other", 2)]
      }
    },
    // The helper's service lets a user through who has no password.
    Row(405, "warning enrollment-blocked /pam/mfa-enroll:2") {
      $0.stacks.files["mfa-enroll"] =
        "@include common-auth\nauth [user_unknown=ignore success=ok default=bad] pam_oath.so\n"
    },
    Row(406) {
      $0.stacks.files["mfa-enroll"] = "@include common-auth\nauth optional pam_oath.so\n"
    },
    Row(214, "error enrollment-not-proven /pam/mfa-enroll:1") {
      $0.stacks.files["mfa-enroll"] = "auth sufficient pam_env.so\nauth required pam_unix.so\n"
    },
    Row(215, "error enrollment-not-proven /etc/pam.d/mfa-enroll") {
      $0.stacks.files["mfa-enroll"] = "auth required pam_permit.so\n"
    },
    // No service uses the module.
    Row(26, "note not-in-use /etc/pam.d") {
      $0.stacks.files = [
        "sudo": "@include common-auth\n", "common-auth": "auth required x.so\n",
        "mfa-enroll": "auth required pam_unix.so\n",
      ]
    },
    // The line is in a file that only other services include, or in the helper's own service.
    Row(27) {
      $0.stacks.files["system-auth"] = "auth optional pam_mfa.so\n"
      $0.stacks.files["mfa-enroll"] = "auth optional pam_mfa.so\nauth required pam_unix.so\n"
    },
    Row(28, "note not-enforced /etc/mfa/mfa.conf:2") {
      $0.configurationText = "[project]\nstate = observe\n"
    },
    Row(29, "note not-enforced /etc/mfa/mfa.conf:2") {
      $0.configurationText = "[project]\nstate = disabled\n"
    },
    Row(30, "error configuration /etc/mfa/mfa.conf") {
      $0.configurationText = "[project]\nstate = of\n"
    },
    Row(32, "note no-session-line /pam/sshd:2") {
      $0.stacks.files["sshd"] = MemoryHost.Stacks.sound
    },
    Row(33) {
      $0.stacks.files["sudo"] = MemoryHost.Stacks.sound.replacing(
        "auth required pam_mfa.so", with: "auth required pam_mfa.so after_password")
    },
    Row(34, "warning code-before-password /pam/sudo:1", "warning password-not-proven /pam/sudo:1") {
      $0.stacks.files["sudo"] = "auth requisite pam_mfa.so after_password\n@include common-auth\n"
    },
    // Programs with one field, programs that cannot ask, and ProFTPD, which asks others after PAM.
    Row(500, "error one-field /pam/vsftpd:2") {
      $0.stacks.files["vsftpd"] = MemoryHost.Stacks.sound
    },
    Row(505, "error one-field /pam/dovecot:2") {
      $0.stacks.files["dovecot"] = MemoryHost.Stacks.sound
    },
    Row(501) {
      $0.stacks.files["vsftpd"] =
        "auth required pam_mfa.so forward_pass\n@include common-auth\naccount required pam_mfa.so\naccount required pam_permit.so\n"
    },
    // The line jumps over the substack below it, which therefore asks for nothing.
    Row(535) {
      $0.stacks.files["cockpit"] =
        "@include common-auth\nauth requisite pam_mfa.so after_password\n"
        + "auth [success=1 default=ignore] pam_permit.so\nauth substack common-auth\n"
        + "account required pam_mfa.so\naccount required pam_permit.so\n"
    },
    // Passwords for programs: accepted by policy alone, by both, in a service with a shell, and by a line alone.
    Row(530, "warning program-passwords-unused /pam/vsftpd:1") {
      $0.configurationText = "[project]\nprogram_passwords = vsftpd, dovecot\n"
      $0.stacks.files["vsftpd"] = oneField
    },
    Row(531) {
      $0.configurationText = "[project]\nprogram_passwords = vsftpd, dovecot\n"
      $0.stacks.files["vsftpd"] = programPassword + oneField
    },
    Row(532, "warning program-password-shell /pam/sddm:2") {
      $0.configurationText = "[tenant x]\nusers = alice\nprogram_passwords = sddm\n"
      $0.stacks.files["sddm"] = programPassword + oneField
    },
    Row(533) { $0.stacks.files["vsftpd"] = programPassword + oneField },
    Row(534) {
      $0.configurationText =
        "[project]\nprogram_passwords = nginx\n[daemon nginx]\nuser = www-data\nservices = nginx\ngroups = staff\n"
      $0.stacks.files["nginx"] = programPassword + oneField
    },
    Row(502, "error program-cannot-ask /pam/samba:2") {
      $0.stacks.files["samba"] = MemoryHost.Stacks.sound
    },
    Row(503, "error password-decides \(proFTPD)") {
      $0.stacks.files["proftpd"] = oneField
      $0.texts[proFTPD] = "# AuthOrder mod_auth_pam.c*\n"
    },
    Row(504) {
      $0.stacks.files["proftpd"] = oneField
      $0.texts[proFTPD] = "AuthOrder  mod_auth_pam.c* mod_auth_unix.c\n"
    },
    // In files that others include: of a folder, or with a wildcard.
    Row(551) {
      $0.stacks.files["proftpd"] = oneField
      $0.statuses["/etc/proftpd/conf.d"] = PathStatus(kind: .folder, owner: 0, permissions: 0o755)
      $0.texts[proFTPD] = "Include /etc/proftpd/modules.conf\nInclude /etc/proftpd/conf.d/\n"
      $0.texts["/etc/proftpd/conf.d/mfa.conf"] = "authorder mod_auth_pam.c* mod_auth_unix.c\n"
    },
    Row(552, "error password-decides \(proFTPD)") {
      $0.stacks.files["proftpd"] = oneField
      $0.texts[proFTPD] = "AuthOrder mod_auth_pam.c*\nInclude /srv/*/ftp.conf\n"
      $0.texts["/srv/a/ftp.conf"] = "<VirtualHost 127.0.0.2>\n AuthOrder mod_auth_unix.c\n"
    },
    // Virtual hosts do not have the order of the main server, but that of the section for all.
    Row(553, "error password-decides \(proFTPD)") {
      $0.stacks.files["proftpd"] = oneField
      $0.texts[proFTPD] = "<VirtualHost a>\n Port 2121\n</VirtualHost>\nAuthOrder mod_auth_pam.c*\n"
    },
    Row(554) {
      $0.stacks.files["proftpd"] = oneField
      $0.texts[proFTPD] =
        "<VirtualHost a>\n Port 2121\n</VirtualHost>\n<Global>\n AuthOrder mod_auth_pam.c*\n</Global>\n"
    },
    Row(555) {
      $0.stacks.files["proftpd"] = oneField
      $0.texts[proFTPD] =
        "<VirtualHost a>\n AuthOrder mod_auth_pam.c*\n</VirtualHost>\nAuthOrder mod_auth_pam.c*\n"
    },
    Row(556, "error password-decides /etc/proftpd.conf") {
      $0.stacks.files["proftpd"] = oneField
      $0.statuses["/etc/proftpd.conf"] = PathStatus(kind: .file, owner: 0, permissions: 0o644)
      $0.texts["/etc/proftpd.conf"] = "AuthOrder mod_auth_unix.c\n"
    },
    Row(557, "warning could-not-be-checked \(proFTPD)") {
      $0.stacks.files["proftpd"] = oneField
      $0.texts[proFTPD] = "Include \(proFTPD)\n"
    },
    // Without account lines, libpam uses those of the service "other".
    Row(519, "error account-alone /pam/mate-screensaver:3") {
      $0.stacks.files["mate-screensaver"] =
        "@include common-auth\nauth required pam_mfa.so\naccount required pam_mfa.so\n"
    },
    Row(520) {
      $0.stacks.files["other"] = "@include common-auth\n@include common-account\n"
      $0.stacks.files["mate-screensaver"] =
        "@include common-auth\nauth required pam_mfa.so\naccount required pam_mfa.so\naccount include other\n"
    },
    Row(516, "error daemon-unnamed /pam/radiusd:1") {
      $0.stacks.files["radiusd"] = oneField
    },
    Row(517) {
      $0.configurationText =
        "[daemon radiusd]\nuser = freerad\nservices = radiusd\ngroups = vpn\n"
      $0.stacks.files["radiusd"] = oneField
    },
    Row(518, "error daemon-unnamed /pam/radiusd:1") {
      $0.configurationText =
        "[daemon radiusd]\nuser = freerad\nservices = radiusd\ngroups = vpn\n"
      write("[Service]\nUser=radius\n", to: "/etc/systemd/system/freeradius.service", &$0)
      $0.stacks.files["radiusd"] = oneField
    },
    // Samba, which verifies passwords itself, and whether it runs the line that denies users who have enrolled.
    Row(540) {
      $0.stacks.files["samba"] = requiringCode
      $0.outputs[testparm] = ProgramOutput(status: 0, output: Array("Yes\n".utf8))
    },
    Row(541, "error account-line-not-run /pam/samba:2") {
      $0.stacks.files["samba"] = requiringCode
      $0.outputs[testparm] = ProgramOutput(status: 0, output: Array("No\n".utf8))
    },
    Row(542, "warning could-not-be-checked /usr/bin/testparm") {
      $0.stacks.files["samba"] = requiringCode
    },
    Row(543, "error no-auth-line /pam/samba:2") {
      $0.stacks.files["samba"] = requiringCode.replacing(" require_code", with: "")
    },
    Row(544, "error no-auth-line /pam/samba:2") {
      $0.stacks.files["samba"] = requiringCode.replacing(
        "required pam_mfa", with: "optional pam_mfa")
    },
    // Servers of OpenVPN, whose plug-in answers each question that its settings name.
    Row(521, "error one-field /pam/openvpn:2") {
      $0.stacks.files["openvpn"] = MemoryHost.Stacks.sound
    },
    Row(522, "error one-field /pam/openvpn:2", "warning openvpn-token \(openVPN)") {
      $0.stacks.files["openvpn"] = MemoryHost.Stacks.sound
      $0.texts[openVPN] = "plugin /usr/lib/openvpn/openvpn-plugin-auth-pam.so openvpn\n"
    },
    Row(523) {
      $0.stacks.files["openvpn"] = MemoryHost.Stacks.sound
      $0.texts[openVPN] =
        "# plugin x\nauth-gen-token 0\nplugin /usr/lib/openvpn/openvpn-plugin-auth-pam.so "
        + "\"openvpn login USERNAME password PASSWORD verification OTP\"\n"
    },
    // Words without quotation marks, after a block, in the other folder.
    Row(524) {
      $0.stacks.files["openvpn"] = MemoryHost.Stacks.sound
      $0.texts["/etc/openvpn/server/a.conf"] =
        "<ca>\nplugin x openvpn-plugin-auth-pam.so openvpn\n</ca>\n--auth-gen-token\n"
        + "plugin openvpn-plugin-auth-pam.so openvpn 'pass' PASSWORD \"VERIFICATION Code\" OTP # x\n"
    },
    // The first prompt counts, an answer with a password is none with a code, and what is a comment is none.
    Row(525, "error one-field /pam/openvpn:2") {
      $0.stacks.files["openvpn"] = MemoryHost.Stacks.sound
      $0.texts[openVPN] =
        "auth-gen-token\nplugin openvpn-plugin-auth-pam.so \"openvpn verification PASSWORDOTP\"\n"
    },
    Row(526, "error openvpn-prompts \(openVPN):2") {
      $0.stacks.files["openvpn"] = MemoryHost.Stacks.sound
      $0.texts[openVPN] =
        "auth-gen-token\nplugin openvpn-plugin-auth-pam.so \"openvpn ver PASSWORD verification OTP\"\n"
    },
    Row(527, "error openvpn-prompts \(openVPN):1", "warning openvpn-token \(openVPN)") {
      $0.configurationText = "[project]\n[tenant vpn]\nservices = openvpn\nprompt = [Token]:\n"
      $0.stacks.files["openvpn"] = MemoryHost.Stacks.sound
      $0.texts[openVPN] =
        "plugin openvpn-plugin-auth-pam.so \"openvpn verification OTP\"\n;auth-gen-token\n"
    },
    Row(528) {
      $0.configurationText = "[project]\n[tenant vpn]\nservices = openvpn\nprompt = [Token]:\n"
      $0.stacks.files["openvpn"] = MemoryHost.Stacks.sound
      $0.texts[openVPN] =
        "auth-gen-token\nplugin openvpn-plugin-auth-pam.so \"openvpn token OTP\"\n"
    },
    // One server of two without a list.
    Row(529, "error one-field /pam/openvpn:2") {
      $0.stacks.files["openvpn"] = MemoryHost.Stacks.sound
      $0.texts[openVPN] =
        "auth-gen-token\nplugin openvpn-plugin-auth-pam.so \"openvpn verification OTP\"\n"
      $0.texts["/etc/openvpn/server/a.conf"] =
        "auth-gen-token\nplugin openvpn-plugin-auth-pam.so openvpn\n"
    },
    // Other services, other plug-ins, and one field.
    Row(530, "warning openvpn-token \(openVPN)") {
      $0.stacks.files["openvpn"] = oneField
      $0.texts[openVPN] = "plugin openvpn-plugin-auth-pam.so \"openvpn\"\n"
      $0.texts["/etc/openvpn/server/a.conf"] =
        "plugin openvpn-plugin-auth-pam.so login\nplugin openvpn-plugin-down-root.so openvpn\n"
    },
    // Files that others include, beside them and elsewhere, are read as a part of these.
    Row(549, "warning openvpn-token \(openVPN)") {
      $0.stacks.files["openvpn"] = MemoryHost.Stacks.sound
      $0.texts[openVPN] = "port 1194\nconfig pam.conf\n"
      $0.texts["/etc/openvpn/b.conf"] = "--config /srv/vpn/token\nconfig pam.conf\n"
      $0.texts["/etc/openvpn/pam.conf"] =
        "plugin openvpn-plugin-auth-pam.so \"openvpn verification OTP\"\n"
      $0.texts["/srv/vpn/token"] = "<ca>\nconfig pam.conf\n</ca>\nauth-gen-token 3600\n"
    },
    Row(550, "error openvpn-prompts /etc/openvpn/pam:2") {
      $0.stacks.files["openvpn"] = MemoryHost.Stacks.sound
      $0.texts[openVPN] = "config pam\nauth-gen-token\n"
      $0.texts["/etc/openvpn/b.conf"] = "auth-gen-token\nconfig pam\nconfig missing\n"
      $0.texts["/etc/openvpn/pam"] =
        "config pam\nplugin openvpn-plugin-auth-pam.so \"openvpn code OTP\"\n"
    },
    Row(531, "warning could-not-be-checked \(openVPN)", "warning could-not-be-checked \(openVPN)") {
      $0.stacks.files["openvpn"] = MemoryHost.Stacks.sound
      $0.texts[openVPN] = ""
      $0.unseen[openVPN] = pamError
    },
    // saslauthd with a cache of accepted answers.
    Row(505, "error used-code-accepted /etc/default/saslauthd") {
      $0.stacks.files["smtp"] = oneField
      $0.texts["/etc/default/saslauthd"] =
        "MECHANISMS=\"pam\"\nOPTIONS=\"-c -m /var/run/saslauthd\"\n"
    },
    Row(506) {
      $0.stacks.files["smtp"] = oneField
      $0.texts["/etc/default/saslauthd"] =
        "#OPTIONS=\"-c\"\nMECHANISMS=\"pam\"\nOPTIONS=\"-m /var/run/saslauthd\"\n"
    },
    Row(507, "error used-code-accepted /etc/default/saslauthd-postfix") {
      $0.stacks.files["imap"] = oneField
      $0.texts["/etc/default/saslauthd"] = "OPTIONS='-r -m /c -n 5 -mc -t c'\n"
      $0.texts["/etc/default/saslauthd-postfix"] = "MECHANISMS=pam\n  OPTIONS=\"-s 1 -rcm /x\" # \n"
      $0.texts["/etc/default/saslauthd.dpkg-old"] = "OPTIONS=\"-c\"\n"
    },
    // Another mechanism asks no PAM service.
    Row(508) {
      $0.stacks.files["smtp"] = oneField
      $0.texts["/etc/default/saslauthd"] = "MECHANISMS=\"ldap\"\nOPTIONS=\"-c -m /run\"\n"
    },
    // Debian's script adds the option to an empty list.
    Row(509, "error used-code-accepted /etc/default/saslauthd") {
      $0.stacks.files["smtp"] = oneField
      $0.texts["/etc/default/saslauthd"] = "MECHANISMS=\"pam\"\nOPTIONS=\"\"\n"
    },
    Row(512, "error used-code-accepted /etc/default/saslauthd") {
      $0.stacks.files["smtp"] = oneField
      $0.texts["/etc/default/saslauthd"] = "OPTIONS=\"-m /run\\\n -c\"\nMECHANISMS=pam\n"
    },
    // Fedora's unit adds nothing to an empty list.
    Row(545) {
      $0.stacks.files["smtp"] = oneField
      $0.texts["/etc/sysconfig/saslauthd"] = "SOCKETDIR=/run/saslauthd\nMECH=pam\nFLAGS=\n"
    },
    Row(546, "error used-code-accepted /etc/sysconfig/saslauthd") {
      $0.stacks.files["smtp"] = oneField
      $0.texts["/etc/sysconfig/saslauthd"] = "MECH=pam\nFLAGS=\"-n 3 -c\"\n"
    },
    // systemd does not end a value at a space.
    Row(547, "error used-code-accepted /etc/sysconfig/saslauthd") {
      $0.stacks.files["smtp"] = oneField
      $0.texts["/etc/sysconfig/saslauthd"] = "MECH=pam\nFLAGS=-n 3 -c\n"
    },
    Row(548) {
      $0.stacks.files["smtp"] = oneField
      $0.texts["/etc/sysconfig/saslauthd"] = "MECH=shadow\nFLAGS=-c\n"
    },
    // Dovecot 2.3 caches answers of PAM only with a key for them.
    dovecot(
      560, "auth_cache_size = 10 M", "passdb {", "  args = cache_key=%u dovecot", "  driver = pam",
      "}", isFound: true),
    dovecot(
      561, "auth_cache_size = 10 M", "passdb {", "  args = dovecot", "  driver = pam", "}",
      isFound: false),
    dovecot(
      562, "passdb {", "  args = cache_key=%u dovecot", "  driver = pam", "}", isFound: false),
    dovecot(
      563, "auth_cache_size = 10 M", "passdb {", "  args = cache_key=%u /etc/users",
      "  driver = passwd-file", "}",
      "passdb {", "  driver = pam", "}", isFound: false),
    // Dovecot 2.4 caches them unless a setting turns that off.
    dovecot(564, "auth_cache_size = 10M", "passdb pam {", "}", isFound: true),
    dovecot(565, "passdb pam {", "}", isFound: false),
    dovecot(566, "auth_cache_size = 0", "passdb pam {", "}", isFound: false),
    dovecot(
      567, "auth_cache_size = 10M", "passdb_use_cache = no", "passdb pam {", "}", isFound: false),
    dovecot(568, "auth_cache_size = 10M", "passdb pam {", "  use_cache = no", "}", isFound: false),
    dovecot(
      569, "auth_cache_size = 10M", "passdb_use_cache = no", "passdb main {", "  fields {",
      "    driver = x", "  }",
      "  driver = pam", "  use_cache = yes", "}", isFound: true),
    dovecot(
      570, "auth_cache_size = 10M", "passdb passwd-file {", "}", "userdb pam {",
      "  use_cache = yes", "}",
      isFound: false),
    Row(571, "warning could-not-be-checked /usr/bin/doveconf") {
      $0.stacks.files["dovecot"] = oneField
      $0.outputs[doveconf] = ProgramOutput(status: 89, output: [], errors: Array("no".utf8))
    },
    // No service of saslauthd asks for a code.
    Row(510) { $0.texts["/etc/default/saslauthd"] = "OPTIONS=\"-c\"\n" },
    Row(511, "warning could-not-be-checked /etc/default/saslauthd") {
      $0.stacks.files["smtp"] = oneField
      $0.texts["/etc/default/saslauthd"] = ""
      $0.unseen["/etc/default/saslauthd"] = pamError
    },
    Row(31, "error missing /pam/sudo:2") {
      $0.configurationText = "[project]\n[tenant a]\nservices = sudo\nenrollment = required\n"
      $0.stacks.files["sudo"] = "@include common-auth\nauth required pam_mfa.so\n"
    },
  ]

  private static func recorded(_ service: String, _ path: String, _ state: RecordedService.State)
    -> Result<[RecordedService], AdminError>
  {
    .success([
      RecordedService(
        name: Array(service.utf8), files: [RecordedService.File(path: path, state: state)])
    ])
  }

  static let recordRows = [
    Row(1) { $0.recorded = recorded("sudo", "/pam/sudo", .complete) },
    Row(2, "error lines-lost /pam/cron") {
      $0.recorded = recorded("cron", "/pam/cron", .withoutLines)
    },
    Row(3, "error lines-lost /pam/xdm") { $0.recorded = recorded("xdm", "/pam/xdm", .gone) },
    // Other lines than those of mfa-admin ask for a code.
    Row(4, "warning lines-lost /pam/sudo") {
      $0.recorded = recorded("sudo", "/pam/sudo", .withoutLines)
    },
    Row(5, "warning lines-lost /pam/sudo:3") {
      $0.recorded = recorded("sudo", "/pam/sudo", .edited(line: 3))
    },
    Row(6, "error lines-lost /pam/sudo:3", "error auth-denial-ignored /pam/sudo:2") {
      $0.recorded = recorded("sudo", "/pam/sudo", .edited(line: 3))
      $0.stacks.files["sudo"] = "@include common-auth\nauth optional pam_mfa.so\n"
    },
    Row(7, "warning could-not-be-checked /pam/sudo") {
      $0.recorded = recorded("sudo", "/pam/sudo", .unreadable("no"))
    },
    // The drop-in of sshd: what sshd then accepts decides, whatever the PAM stack asks for.
    Row(
      9, "error lines-lost /etc/ssh/sshd_config.d/00-mfa.conf",
      "error methods-without-code /etc/ssh/sshd_config"
    ) {
      $0.recorded = recorded("sshd", "/etc/ssh/sshd_config.d/00-mfa.conf", .gone)
      $0.texts[dropIn] = nil
      $0.sshdOfOthers = settings("authenticationmethods any")
    },
    Row(10, "warning lines-lost /etc/ssh/sshd_config.d/00-mfa.conf") {
      $0.recorded = recorded("sshd", "/etc/ssh/sshd_config.d/00-mfa.conf", .gone)
    },
    Row(
      11, "error lines-lost /etc/ssh/sshd_config.d/00-mfa.conf", "error use-pam-off \(dropIn):1"
    ) {
      $0.recorded = recorded("sshd", "/etc/ssh/sshd_config.d/00-mfa.conf", .withoutLines)
      $0.sshdOfOthers = settings("usepam no")
    },
    Row(8, "warning could-not-be-checked /etc/mfa/enabled") {
      $0.recorded = .failure(AdminError(at: "/etc/mfa/enabled", "no"))
    },
  ]

  @Test("reports count a used code that is accepted again among the sign-ins without a code")
  func usedCodeIsBypass() throws {
    var host = MemoryHost()
    host.stacks.files["smtp"] = Self.oneField
    host.texts["/etc/default/saslauthd"] = "OPTIONS=\"-c -m /run\"\n"
    let findings = Doctor.bypassFindings(on: try HostSnapshot(of: host, users: []))
    #expect(findings.map(\.code) == ["used-code-accepted"])
  }

  @Test("in the records of enabled services", arguments: recordRows)
  func records(row: Row) throws { try expectFindings(row) }

  @Test("in service stacks", arguments: stackRows)
  func stacks(row: Row) throws { try expectFindings(row) }

  // MARK: sshd

  static func settings(_ changes: String...) -> String {
    // sshd uses the first line of each keyword.
    changes.joined(separator: "\n") + "\n" + MemoryHost.sshdSettings
  }

  static let requiredForSSHD =
    "[project]\n[tenant a]\nservices = sshd\nenrollment = required\n"

  static let sessionLine = "session optional pam_mfa.so\n"

  static let codeOnly =
    "auth required pam_mfa.so\nauth required pam_permit.so\naccount required pam_mfa.so\naccount required pam_permit.so\n"
    + "@include common-account\n" + sessionLine

  static let dropIn = "/etc/ssh/sshd_config.d/00-mfa.conf"

  static let directorySwitch = "passwd: files sss\ngroup: files sss\n"

  static let keyAlone = "AuthenticationMethods publickey\n"

  /// Answers for sshd: accounts for services sign in with a key alone.
  static let serviceAccounts: @Sendable ([String]) -> String? = { arguments in
    arguments.last?.hasPrefix("user=svc-") == true
      ? settings("authenticationmethods publickey") : nil
  }

  static let sshdRows = [
    Row(1, "error keyboard-interactive-off \(dropIn):2") {
      $0.sshdOfOthers = settings("kbdinteractiveauthentication no")
    },
    Row(2, "error keyboard-interactive-off /etc/ssh/sshd_config:3") {
      $0.texts[dropIn] = nil
      $0.texts["/etc/ssh/sshd_config"] = "# none\n\n\tChallengeResponseAuthentication=\"no\" # no\n"
      $0.sshdOfOthers = settings("kbdinteractiveauthentication no")
    },
    Row(20, "warning short-grace-time /etc/ssh/sshd_config") {
      $0.configurationText = requiredForSSHD
      $0.sshdOfOthers = settings("logingracetime 120")
    },
    Row(21) {
      $0.configurationText = requiredForSSHD
      $0.sshdOfOthers = settings("logingracetime 600")
    },
    Row(22) { $0.sshdOfOthers = settings("logingracetime 120") },
    Row(3, "error use-pam-off \(dropIn):1") { $0.sshdOfOthers = settings("usepam no") },
    // With forward_pass, one answer is enough.
    Row(4) {
      $0.stacks.files["sshd"] =
        "auth required pam_mfa.so forward_pass\n@include common-auth\n" + sessionLine
      $0.sshdOfOthers = settings(
        "kbdinteractiveauthentication no", "passwordauthentication yes",
        "authenticationmethods password")
    },
    Row(5, "warning password-as-code \(dropIn):3") {
      $0.sshdOfOthers = settings(
        "passwordauthentication yes", "authenticationmethods keyboard-interactive password")
    },
    Row(
      6, "error keyboard-interactive-off \(dropIn):2", "error password-as-code \(dropIn):3"
    ) {
      $0.sshdOfOthers = settings(
        "kbdinteractiveauthentication no", "passwordauthentication yes",
        "authenticationmethods password")
    },
    // The authentication methods do not include the password.
    Row(7) { $0.sshdOfOthers = settings("passwordauthentication yes") },
    Row(8, "error methods-without-code \(dropIn):4") {
      $0.sshdOfOthers = settings("authenticationmethods any")
    },
    Row(9) {
      $0.sshdOfOthers = settings("authenticationmethods any", "pubkeyauthentication no")
    },
    Row(10, "error methods-without-code \(dropIn):4") {
      $0.sshdOfOthers = settings(
        "authenticationmethods publickey publickey,keyboard-interactive:pam")
    },
    Row(11) {
      $0.sshdOfOthers = settings("authenticationmethods publickey,keyboard-interactive:pam")
    },
    // No file sets the methods.
    Row(12, "error methods-without-code /etc/ssh/sshd_config") {
      $0.texts[dropIn] = nil
      $0.sshdOfOthers = settings("authenticationmethods any")
    },
    // In a Match block.
    Row(13, "error methods-without-code /etc/ssh/sshd_config:4") {
      $0.texts["/etc/ssh/sshd_config"] =
        "Include sshd_config.d/*.conf\nMatch User bob,alice\n\nAuthenticationMethods publickey\n"
      let key = settings("authenticationmethods publickey")
      $0.sshd = .success(["alice": key, "bob": key])
    },
    Row(14, "error methods-without-code \(dropIn):7") {
      $0.texts[dropIn] =
        MemoryHost.sshdDropIn + "\nMatch group ops\nAuthenticationMethods publickey\n"
      $0.groups = ["ops": ["alice"]]
      $0.sshd = .success(["alice": settings("authenticationmethods publickey")])
    },
    Row(15, "note could-not-be-checked \(dropIn):6") {
      $0.texts[dropIn] =
        MemoryHost.sshdDropIn + "\nMatch group ops\nAuthenticationMethods publickey\n"
    },
    Row(16, "warning could-not-be-checked \(dropIn):6") {
      $0.texts[dropIn] =
        MemoryHost.sshdDropIn + "\nMatch planet mars\nAuthenticationMethods publickey\n"
    },
    Row(17) { $0.texts[dropIn] = MemoryHost.sshdDropIn + "\nMatch all\nX11Forwarding no\n" },
    // sshd or its files cannot be read.
    Row(18, "note could-not-be-checked /usr/sbin/sshd") { $0.sshd = .success(nil) },
    Row(19, "warning could-not-be-checked /usr/sbin/sshd") {
      $0.sshd = .failure(AdminError(at: "/usr/sbin/sshd", "late"))
    },
    Row(20, "error sshd-refuses /etc/ssh/sshd_config:1") {
      $0.sshdOfOthers = "!/etc/ssh/sshd_config: line 1: Bad configuration option: Foo\r\n"
    },
    Row(21, "warning could-not-be-checked /usr/sbin/sshd") { $0.sshdOfOthers = "port 22\n" },
    // sshd names no line.
    Row(30, "error sshd-refuses /etc/ssh/sshd_config") {
      $0.sshdOfOthers =
        "!AuthenticationMethods cannot be satisfied by enabled authentication methods\r\n"
    },
    // The service is stopped.
    Row(31, "warning could-not-be-checked /usr/sbin/sshd") {
      $0.sshdOfOthers = "!Missing privilege separation directory: /run/sshd\r\n"
    },
    // With the lines for a key and then a code, nothing else requires a first factor.
    Row(32, "error first-factor-missing \(dropIn):4") { $0.stacks.files["sshd"] = codeOnly },
    Row(33) {
      $0.stacks.files["sshd"] = codeOnly
      $0.sshdOfOthers = settings("authenticationmethods publickey,keyboard-interactive")
    },
    Row(34, "error first-factor-missing \(dropIn):4", "error methods-without-code \(dropIn):4") {
      $0.stacks.files["sshd"] = codeOnly
      $0.sshdOfOthers = settings("authenticationmethods any")
    },
    // A wrong password is enough under the Match line.
    Row(35, "error first-factor-missing \(dropIn):6") {
      $0.stacks.files["sshd"] = codeOnly
      $0.texts[dropIn] =
        MemoryHost.sshdDropIn + "Match User alice\nAuthenticationMethods password\n"
      $0.sshd = .success([
        "alice": settings("authenticationmethods password", "passwordauthentication yes")
      ])
      $0.sshdOfOthers = settings("authenticationmethods publickey,keyboard-interactive")
    },
    // sshd verifies the password of Kerberos, and does not call PAM then.
    Row(36, "error methods-without-code \(dropIn):4") {
      $0.sshdOfOthers = settings(
        "authenticationmethods password", "passwordauthentication yes",
        "kerberosauthentication yes")
      $0.stacks.files["sshd"] =
        "auth required pam_mfa.so forward_pass\n@include common-auth\n" + sessionLine
    },
    Row(22, "warning could-not-be-checked /etc/ssh/sshd_config.d/00-mfa.conf") {
      $0.unseen[dropIn] = pamError
    },
    // A wildcard in a folder's name.
    Row(23, "error methods-without-code \(dropIn):4") {
      $0.texts["/etc/ssh/sshd_config"] = "Include /etc/ssh/*/00-mfa.conf\n"
      $0.sshdOfOthers = settings("authenticationmethods any")
    },
    // Neither method is enabled.
    Row(25, "error keyboard-interactive-off \(dropIn):2") {
      $0.stacks.files["sshd"] =
        "auth required pam_mfa.so forward_pass\n@include common-auth\n" + sessionLine
      $0.sshdOfOthers = settings("kbdinteractiveauthentication no")
    },
    // The old name of KbdInteractiveAuthentication.
    Row(26) {
      $0.sshdOfOthers =
        MemoryHost.sshdSettings.replacing("kbdinter", with: "other")
        + "challengeresponseauthentication yes\n"
    },
    // The Match block is identified by its value.
    Row(27, "error methods-without-code \(dropIn):8") {
      $0.texts[dropIn] =
        MemoryHost.sshdDropIn + "\n\nMatch user *,!x\n\tAuthenticationMethods PublicKey\n"
      $0.sshdOfOthers = settings("authenticationmethods publickey")
    },
    // Root cannot sign in.
    Row(28) {
      $0.sshd = .success(["root": settings("authenticationmethods publickey", "permitrootlogin no")]
      )
    },
    Row(29, "error methods-without-code \(dropIn):4") {
      $0.sshd = .success(["root": settings("authenticationmethods publickey")])
    },
    // A group whose members a directory has, and patterns that no listed account matches.
    Row(40, "error methods-without-code \(dropIn):7") {
      $0.texts["/etc/nsswitch.conf"] = directorySwitch
      $0.texts[dropIn] = MemoryHost.sshdDropIn + "\nMatch Group ops\n\(keyAlone)"
      $0.groups = ["ops": ["dora"]]
      $0.directory = [MemoryHost.account("dora", 70_000)]
      $0.sshd = .success(["dora": settings("authenticationmethods publickey")])
    },
    Row(41, "error methods-without-code \(dropIn):7") {
      $0.texts["/etc/nsswitch.conf"] = directorySwitch
      $0.texts[dropIn] = MemoryHost.sshdDropIn + "\nMatch User root2,svc-*,!svc-\n\(keyAlone)"
      $0.sshdForArguments = serviceAccounts
    },
    // No account has such a name, and there is no directory.
    Row(42, "warning methods-without-code \(dropIn):7") {
      $0.texts[dropIn] = MemoryHost.sshdDropIn + "\nMatch User svc-*\n\(keyAlone)"
      $0.sshdForArguments = serviceAccounts
    },
    Row(43) {
      $0.texts["/etc/nsswitch.conf"] = directorySwitch
      $0.texts[dropIn] =
        MemoryHost.sshdDropIn + "\nMatch User svc-*\nAuthenticationMethods keyboard-interactive\n"
    },
    Row(44, "warning could-not-be-checked \(dropIn):6") {
      $0.texts["/etc/nsswitch.conf"] = directorySwitch
      $0.texts[dropIn] = MemoryHost.sshdDropIn + "\nMatch Group ops\n\(keyAlone)"
    },
    // More accounts than are compared.
    Row(45, "warning could-not-be-checked /etc/ssh/sshd_config") {
      $0.texts[dropIn] = MemoryHost.sshdDropIn + "\nMatch User a*\n\(keyAlone)"
      $0.known = .success(
        [MemoryHost.account("root", 0, home: "/root")]
          + (1...2001).map { MemoryHost.account("z\($0)", UInt32(1000 + $0)) }
          + [MemoryHost.account("mfa", 999, home: "/var/lib/mfa")])
      $0.sshdForArguments = { _ in MemoryHost.sshdSettings }
    },
    // Only both lines together let users in with a key alone.
    Row(46, "error methods-without-code \(dropIn):7") {
      $0.texts[dropIn] =
        MemoryHost.sshdDropIn + "\nMatch Address 10.0.0.0/8\nAuthenticationMethods any\n"
        + "Match LocalPort 2222\nPubkeyAuthentication yes\n"
      $0.sshdForArguments = { arguments in
        let connection = arguments.last ?? ""
        let methods = connection.contains("addr=10.") ? "any" : "keyboard-interactive"
        let keys = connection.contains("lport=2222") ? "yes" : "no"
        return settings("authenticationmethods \(methods)", "pubkeyauthentication \(keys)")
      }
    },
    // Criteria of newer versions of sshd. A user who does not exist cannot sign in.
    Row(47) {
      $0.texts[dropIn] =
        MemoryHost.sshdDropIn + "\nMatch Invalid-User Address 10.0.0.0/8\n\(keyAlone)"
    },
    Row(48, "error methods-without-code \(dropIn):7") {
      $0.texts[dropIn] =
        MemoryHost.sshdDropIn + "\nMatch Version OpenSSH_1* User=alice\n\(keyAlone)"
      $0.sshd = .success(["alice": settings("authenticationmethods publickey")])
    },
    Row(49, "error methods-without-code \(dropIn):7") {
      $0.texts[dropIn] = MemoryHost.sshdDropIn + "\nMatch RDomain vrf1\n\(keyAlone)"
      $0.sshdForArguments = { arguments in
        arguments.last?.contains(",rdomain=vrf1") == true
          ? settings("authenticationmethods publickey") : nil
      }
    },
    // The lowest address of the network is excluded.
    Row(50, "error methods-without-code \(dropIn):7") {
      $0.texts[dropIn] =
        MemoryHost.sshdDropIn + "\nMatch Address 10.0.0.0/8,!10.0.0.0/16\n\(keyAlone)"
      $0.sshdForArguments = { arguments in
        arguments.last?.contains("addr=10.255.") == true
          ? settings("authenticationmethods publickey") : nil
      }
    },
    // Two lines with the same settings are two findings.
    Row(
      52, "error methods-without-code \(dropIn):7", "error methods-without-code \(dropIn):9"
    ) {
      $0.texts[dropIn] =
        MemoryHost.sshdDropIn + "\nMatch User alice\n\(keyAlone)Match LocalPort 2222\n\(keyAlone)"
      $0.sshdForArguments = { arguments in
        let connection = arguments.last ?? ""
        return connection.contains("user=alice") || connection.contains("lport=2222")
          ? settings("authenticationmethods publickey") : nil
      }
    },
    // sshd uses another PAM service, which asks for no code, or for one.
    Row(53, "error other-pam-service \(dropIn):5") {
      $0.texts[dropIn] = MemoryHost.sshdDropIn + "PAMServiceName other\n"
      $0.sshdOfOthers = settings(
        "authenticationmethods keyboard-interactive", "pamservicename other")
    },
    Row(54, "error other-pam-service \(dropIn):7") {
      $0.texts[dropIn] = MemoryHost.sshdDropIn + "\nMatch User alice\nPAMServiceName other\n"
      $0.sshd = .success(["alice": settings("pamservicename other")])
    },
    Row(55) {
      $0.stacks.files["sshd-2"] = $0.stacks.files["sshd"]
      $0.texts[dropIn] = MemoryHost.sshdDropIn + "PAMServiceName sshd-2\n"
      $0.sshdOfOthers = settings("pamservicename sshd-2")
    },
    // libpam uses the last part of a path, and the service that sshd uses is the one to examine.
    Row(60) {
      $0.stacks.files["sshd-2"] = $0.stacks.files["sshd"]
      $0.texts[dropIn] = MemoryHost.sshdDropIn + "PAMServiceName /etc/pam.d/SSHD-2\n"
      $0.sshdOfOthers = settings("pamservicename /etc/pam.d/SSHD-2")
    },
    Row(61, "error methods-without-code \(dropIn):4") {
      $0.stacks.files["sshd-2"] = $0.stacks.files["sshd"]
      $0.stacks.files["sshd"] = "@include common-auth\n"
      $0.texts[dropIn] = MemoryHost.sshdDropIn + "PAMServiceName sshd-2\n"
      $0.sshdOfOthers = settings("pamservicename sshd-2", "authenticationmethods publickey")
    },
    Row(62, "error other-pam-service \(dropIn):7") {
      $0.stacks.files["sshd-2"] = $0.stacks.files["sshd"]
      $0.stacks.files["sshd"] = "@include common-auth\n"
      $0.texts[dropIn] =
        MemoryHost.sshdDropIn + "PAMServiceName sshd-2\nMatch User alice\nPAMServiceName sshd\n"
      $0.sshdOfOthers = settings("pamservicename sshd-2")
      $0.sshd = .success(["alice": settings("pamservicename sshd")])
    },
    // Without UseDNS, sshd compares Host with the address.
    Row(63, "note could-not-be-checked \(dropIn):6") {
      $0.texts[dropIn] = MemoryHost.sshdDropIn + "\nMatch Host localhost\n\(keyAlone)"
      $0.sshdOfOthers = settings("usedns no")
    },
    Row(64, "error methods-without-code \(dropIn):7") {
      $0.texts[dropIn] = MemoryHost.sshdDropIn + "\nMatch Host 10.*\n\(keyAlone)"
      $0.sshdForArguments = { arguments in
        arguments.last?.contains("host=10.") == true && arguments.last?.contains("addr=10.") == true
          ? settings("usedns no", "authenticationmethods publickey") : settings("usedns no")
      }
    },
    Row(65, "error methods-without-code \(dropIn):7") {
      $0.texts[dropIn] = MemoryHost.sshdDropIn + "\nMatch Host *.example.org\n\(keyAlone)"
      $0.sshdForArguments = { arguments in
        arguments.last?.contains("example.org") == true
          ? settings("usedns yes", "authenticationmethods publickey") : settings("usedns yes")
      }
    },
    Row(66, "error methods-without-code \(dropIn):7") {
      $0.texts[dropIn] = MemoryHost.sshdDropIn + "\nMatch Address 10.*\n\(keyAlone)"
      $0.sshdForArguments = { arguments in
        arguments.last?.contains("addr=10.") == true
          ? settings("authenticationmethods publickey") : settings()
      }
    },
    // Root alone cannot sign in.
    Row(67) {
      $0.texts[dropIn] = MemoryHost.sshdDropIn + "\nMatch User root\n\(keyAlone)"
      $0.sshd = .success(["root": settings("authenticationmethods publickey", "permitrootlogin no")]
      )
    },
    // The list leaves no client another method.
    Row(68, "error password-as-code \(dropIn):3") {
      $0.sshdOfOthers = settings("passwordauthentication yes", "authenticationmethods password")
    },
    Row(56, "note source-penalties /etc/ssh/sshd_config") {
      $0.sshdOfOthers = settings("persourcepenalties crash:90 authfail:5 noauth:1 max:600 min:15")
    },
    Row(57) { $0.sshdOfOthers = settings("persourcepenalties no") },
    // The server listens on another port than the one that a Match line protects.
    Row(51, "error methods-without-code /etc/ssh/sshd_config") {
      $0.texts[dropIn] = "Match LocalPort 22\nAuthenticationMethods keyboard-interactive\n"
      $0.sshdForArguments = { arguments in
        let isAt22 = arguments.last?.hasSuffix(",lport=22") == true
        let changes = isAt22 ? "port 2222" : "port 2222\nauthenticationmethods any"
        return settings(changes).replacing("port 22\n", with: "")
      }
    },
    // Root cannot sign in, and another user is in the same group.
    Row(52, "error methods-without-code \(dropIn):7") {
      $0.texts[dropIn] = MemoryHost.sshdDropIn + "\nMatch Group ops\n\(keyAlone)"
      $0.groups = ["ops": ["root", "alice"]]
      let key = settings("authenticationmethods publickey", "permitrootlogin no")
      $0.sshd = .success(["root": key, "alice": key])
      $0.sshdOfOthers = settings("permitrootlogin no")
    },
    // Both lines apply to one user, and only the second one is about an address.
    Row(53, "error methods-without-code \(dropIn):9") {
      $0.texts[dropIn] =
        MemoryHost.sshdDropIn + "\nMatch User bob\nPubkeyAuthentication yes\n"
        + "Match Address 10.0.0.0/8\nAuthenticationMethods any\n"
      $0.sshdForArguments = { arguments in
        let connection = arguments.last ?? ""
        let methods = connection.contains("addr=10.") ? "any" : "keyboard-interactive"
        let keys = connection.hasPrefix("user=bob,") ? "yes" : "no"
        return settings("authenticationmethods \(methods)", "pubkeyauthentication \(keys)")
      }
    },
    // The stack of sshd does not contain the module.
    Row(24) {
      $0.stacks.files["sshd"] = "@include common-auth\n"
      $0.sshdOfOthers = settings("usepam no", "authenticationmethods any")
    },
  ]

  @Test("in the output of sshd -T", arguments: sshdRows)
  func sshd(row: Row) throws { try expectFindings(row) }

  /// A host with 40 `Match` blocks about users, groups and addresses, and 100 users who have keys.
  static func manyMatches() -> MemoryHost {
    var host = MemoryHost()
    let names = (0..<100).map { "user\($0)" }
    host.known = .success(
      [MemoryHost.account("root", 0, home: "/root")]
        + names.enumerated().map { MemoryHost.account($1, UInt32(1000 + $0)) }
        + [MemoryHost.account("mfa", 999, home: "/var/lib/mfa")])
    host.withoutPassword = names
    for name in names.prefix(50) {
      host.statuses["/home/\(name)/.ssh/authorized_keys"] = MemoryHost.file(1000, 0o600)
    }
    var text = MemoryHost.sshdDropIn
    for index in 0..<40 {
      switch index % 3 {
      case 0: text += "Match User user\(index)\n"
      case 1:
        text += "Match Group group\(index)\n"
        host.groups["group\(index)"] = ["user\(index)", "user\(index + 40)"]
      case _: text += "Match Address 10.\(index).0.0/16\n"
      }
      text += "AuthenticationMethods publickey,keyboard-interactive\n"
    }
    host.texts[dropIn] = text
    host.sshdOfOthers = settings("authenticationmethods publickey,keyboard-interactive")
    return host
  }

  @Test("the number of programs that are started does not grow with users and combinations")
  func programsStarted() throws {
    let host = Self.manyMatches()
    let findings = Doctor.findings(on: try HostSnapshot(of: host))
    #expect(findings.map(\.code) == ["keys-refused"], "\(findings)")
    // The general settings, root, and one connection for each line.
    let servers = host.questions.programs.count { $0.hasSuffix("/sshd") }
    #expect(servers <= 42, "sshd was started \(servers) times")
    #expect(host.questions.programs.count <= servers + 2, "\(host.questions.programs)")
    #expect(host.questions.passwords <= 50, "\(host.questions.passwords) passwords")
  }

  @Test("for the requested user")
  func user() throws {
    let row = Row(1) {
      $0.sshd = .success(["carol": Self.settings("authenticationmethods publickey")])
    }
    #expect(try findings(row).isEmpty)
    let finding = try #require(try findings(row, users: ["carol"]).first)
    #expect(finding.code == "methods-without-code")
    #expect(finding.message.contains("with publickey (user carol) are never asked"))
  }

  // MARK: Root

  static let required = "[project]\nenrollment = required\n"

  static let rootRows = [
    // Root can enrol during the sign-in.
    Row(
      1, "warning root-not-enrolled /pam/login:3", "warning root-not-enrolled /pam/su:3",
      "warning root-not-enrolled /pam/sudo:2"
    ) {
      $0.configurationText = required
    },
    Row(
      2, "error missing /pam/login:2", "error root-locked-out /pam/login:2",
      "warning root-not-enrolled /pam/su:3", "warning root-not-enrolled /pam/sudo:2"
    ) {
      $0.configurationText = required
      $0.stacks.files["login"] = "@include common-auth\nauth required pam_mfa.so\n"
    },
    Row(3, "note root-console /pam/login:3") {
      $0.configurationText = required
      $0.reports = .success([try report("root", [try factor(try id(1), "phone")])])
    },
    Row(
      4, "warning root-not-enrolled /pam/login:3", "warning root-not-enrolled /pam/sshd:2",
      "warning root-not-enrolled /pam/su:3", "warning root-not-enrolled /pam/sudo:2"
    ) {
      $0.configurationText = required
      $0.sshdOfOthers = settings("permitrootlogin yes")
    },
    // sudo runs the account lines for root, and asks root for nothing.
    Row(
      13, "error missing /pam/sudo:2", "warning root-not-enrolled /pam/login:3",
      "warning root-not-enrolled /pam/su:3"
    ) {
      $0.configurationText = required
      $0.stacks.files["sudo"] = "@include common-auth\nauth required pam_mfa.so\n"
    },
    Row(5) {
      $0.configurationText = required + "[tenant root]\nusers = root\nenrollment = self-service\n"
    },
    Row(
      6, "warning root-not-enrolled /pam/login:3", "warning root-not-enrolled /pam/su:3",
      "warning root-not-enrolled /pam/sudo:2"
    ) {
      $0.configurationText = "[project]\nenrollment = offered\noffer_until = 2023-11-01\n"
    },
    Row(7) { $0.configurationText = "[project]\nenrollment = offered\noffer_until = 2027-11-01\n" },
    Row(8, "warning root-keys-refused /etc/ssh/sshd_config") {
      $0.statuses["/root/.ssh/authorized_keys"] = MemoryHost.file(0, 0o600)
    },
    Row(9) {
      $0.statuses["/root/.ssh/authorized_keys"] = MemoryHost.file(0, 0o600)
      $0.sshdOfOthers = settings("permitrootlogin no")
    },
    Row(10, "warning could-not-be-checked /root/.ssh/authorized_keys") {
      $0.unseen["/root/.ssh/authorized_keys"] = pamError
    },
    Row(11, "note not-enforced /etc/mfa/mfa.conf:3") {
      $0.configurationText = required + "state = observe\n"
      $0.stacks.files["login"] =
        "@include common-auth\nauth required pam_mfa.so\n"
        + MemoryHost.Stacks.account + "account required pam_permit.so\n"
    },
  ]

  static let onlyPhones = "[project]\nfactors = phone\n"

  /// Root's ways in where only phones are allowed.
  static let phoneRootRows = [
    // Root can enrol nothing.
    Row(
      1, "error root-locked-out /pam/login:3", "error root-locked-out /pam/su:3",
      "error phone-without-gateway /etc/mfa/mfa.conf:2", "warning root-not-enrolled /pam/sudo:2"
    ) {
      $0.configurationText = onlyPhones + "enrollment = required\n"
    },
    Row(
      2, "warning root-not-enrolled /pam/login:3", "warning root-not-enrolled /pam/su:3",
      "warning root-not-enrolled /pam/sudo:2"
    ) {
      $0.configurationText = onlyPhones + "enrollment = required\ngateway = /g\nregions = +1\n"
    },
    // Root's factor is of the other type.
    Row(
      3, "error root-locked-out /pam/login:3", "error root-locked-out /pam/su:3"
    ) {
      $0.configurationText = onlyPhones + "gateway = /g\nregions = +1\n"
      $0.reports = .success([try report("root", [try factor(try id(1), "app")])])
    },
    // The tenant of root allows it.
    Row(4, "note root-console /pam/login:3") {
      $0.configurationText =
        onlyPhones + "gateway = /g\nregions = +1\n[tenant root]\nusers = root\nfactors = totp\n"
      $0.reports = .success([try report("root", [try factor(try id(1), "app")])])
    },
  ]

  @Test("about root where only phones are allowed", arguments: phoneRootRows)
  func phonesOfRoot(row: Row) throws { try expectFindings(row) }

  /// The lines of `mfa-admin enable sshd --factors key+code`.
  static let keyLines =
    "auth [success=done new_authtok_reqd=done ignore=ignore default=die] pam_mfa.so\n"
    + "account required pam_mfa.so\naccount required pam_permit.so\n" + sessionLine
    + "@include common-auth\n@include common-account\n"

  static let reachRows = [
    // After a key, users who have not enrolled need a password.
    Row(20, "warning keys-refused \(dropIn):4") {
      $0.withoutPassword = ["alice"]
      $0.statuses["/home/alice/.ssh/authorized_keys"] = MemoryHost.file(1000, 0o600)
      $0.stacks.files["sshd"] = keyLines
      $0.sshdOfOthers = settings("authenticationmethods publickey,keyboard-interactive")
    },
    Row(21) {
      $0.withoutPassword = ["alice"]
      $0.statuses["/home/alice/.ssh/authorized_keys"] = MemoryHost.file(1000, 0o600)
      $0.stacks.files["sshd"] = keyLines
      $0.sshdOfOthers = settings("authenticationmethods publickey,keyboard-interactive")
      $0.reports = .success([try report("alice", [try factor(try id(1), "phone")])])
    },
    // Keys that are in no file.
    Row(
      22, "warning could-not-be-checked /etc/ssh/sshd_config",
      "warning could-not-be-checked /etc/ssh/sshd_config"
    ) {
      $0.withoutPassword = ["alice"]
      $0.sshdOfOthers = settings("trustedusercakeys /etc/ssh/ca.pub")
    },
    Row(
      23, "warning could-not-be-checked /etc/ssh/sshd_config",
      "warning could-not-be-checked \(dropIn):5"
    ) {
      $0.withoutPassword = ["alice"]
      $0.texts[dropIn] = MemoryHost.sshdDropIn + "AuthorizedKeysCommand /x\n"
      $0.sshdOfOthers = settings("authorizedkeyscommand /x")
    },
    Row(24) {
      $0.withoutPassword = ["alice"]
      $0.sshdOfOthers = settings("authorizedkeyscommand none", "trustedusercakeys none")
    },
    // Root may have a certificate, and cannot answer a prompt.
    Row(25, "warning could-not-be-checked /etc/ssh/sshd_config") {
      $0.sshdOfOthers = settings("trustedusercakeys /etc/ssh/ca.pub")
    },
    Row(1, "warning root-without-code /pam/sshd:2") {
      $0.sshdOfOthers = settings("permitrootlogin yes")
    },
    Row(2) {
      $0.sshdOfOthers = settings("permitrootlogin yes")
      $0.reports = .success([try report("root", [try factor(try id(1), "phone")])])
      $0.stacks.files["login"] = nil
    },
    // Users whose keys no longer suffice.
    Row(3, "warning keys-refused /etc/ssh/sshd_config.d/00-mfa.conf:4") {
      $0.withoutPassword = ["alice", "root"]
      $0.statuses["/home/alice/.ssh/authorized_keys"] = MemoryHost.file(1000, 0o600)
    },
    Row(4) {
      $0.withoutPassword = ["alice"]
      $0.statuses["/home/alice/.ssh/authorized_keys"] = MemoryHost.file(1000, 0o600, size: 0)
      $0.statuses["/home/bob/.ssh/authorized_keys"] = MemoryHost.file(1001, 0o600)
    },
    Row(5, "note homes-not-looked-at /etc/passwd") {
      $0.withoutPassword = ["alice"]
      $0.statuses["/home/alice/.ssh/authorized_keys"] = MemoryHost.file(1000, 0o600)
      $0.texts["/proc/self/mountinfo"] =
        "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n23 22 0:9 / /home rw - nfs server:/home rw\n"
    },
    Row(6) {
      // A key, then a code: no line asks for a password.
      $0.withoutPassword = ["alice"]
      $0.statuses["/home/alice/.ssh/authorized_keys"] = MemoryHost.file(1000, 0o600)
      $0.stacks.files["sshd"] =
        "auth required pam_mfa.so\nauth required pam_permit.so\naccount required pam_mfa.so\naccount required pam_permit.so\n"
        + "session optional pam_mfa.so\n"
      $0.sshdOfOthers = settings("authenticationmethods publickey,keyboard-interactive")
    },
    // Tenants.
    Row(7, "warning tenant-without-users /etc/mfa/mfa.conf:3") {
      $0.configurationText = "[project]\n[tenant a]\nusers = alcie, bbo\nstate = enabled\n"
    },
    Row(8) {
      $0.configurationText = "[project]\n[tenant a]\nusers = alcie, bob\nstate = enabled\n"
    },
    Row(9, "warning tenant-without-users /etc/mfa/mfa.conf:3") {
      $0.configurationText = "[project]\n[tenant a]\ngroups = staff\nstate = enabled\n"
    },
    Row(10) {
      $0.configurationText = "[project]\n[tenant a]\ngroups = staff\nstate = enabled\n"
      $0.groups = ["staff": []]
    },
    Row(11, "warning tenant-without-users /etc/mfa/mfa.conf:3") {
      $0.configurationText = "[project]\n[tenant a]\nservices = ssh\nstate = enabled\n"
    },
    Row(12, "warning service-switched-off /etc/mfa/mfa.conf:4") {
      $0.configurationText = "[project]\n[tenant a]\nservices = sudo\nstate = disabled\n"
    },
    Row(13) {
      $0.configurationText =
        "[project]\n[tenant a]\nservices = sudo\nusers = alice\nstate = disabled\n"
    },
    Row(14) {
      $0.configurationText =
        "[project]\n[tenant a]\nservices = sudo\nstate = disabled\n"
        + "[tenant b]\nservices = sudo\nstate = enabled\n"
    },
    Row(15, "warning service-switched-off /etc/mfa/mfa.conf:4") {
      $0.configurationText = "[project]\n[tenant a]\nservices = sudo\nstate = observe\n"
    },
    // Files.
    Row(16, "error store-volatile /var/lib/mfa") {
      $0.texts["/proc/self/mountinfo"] =
        "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n23 22 0:9 / /var/lib/mfa rw - tmpfs tmpfs rw\n"
    },
    Row(17, "error store-volatile /var/lib/mfa", "error store-volatile /etc/mfa") {
      $0.texts["/proc/self/mountinfo"] = "22 1 0:2 / / rw - tmpfs tmpfs rw\n"
    },
    Row(404, "warning rekey-unfinished /etc/mfa/key.next") {
      $0.statuses["/etc/mfa/key.next"] = MemoryHost.file(999, 0o400, size: 32)
    },
    Row(
      18, "warning drop-in-ignored /etc/mfa/mfa.conf.d/.hidden.conf",
      "warning drop-in-ignored /etc/mfa/mfa.conf.d/50-state",
      "warning drop-in-ignored /etc/mfa/mfa.conf.d/60-x.conf.old"
    ) {
      $0.statuses["/etc/mfa/mfa.conf.d/50-good.conf.old"] = MemoryHost.file(0, 0o644)
      $0.statuses["/etc/mfa/mfa.conf.d/60-x.conf.old"] = MemoryHost.file(0, 0o644)
      $0.statuses["/etc/mfa/mfa.conf.d/50-state"] = MemoryHost.file(0, 0o644)
      $0.statuses["/etc/mfa/mfa.conf.d/.hidden.conf"] = MemoryHost.file(0, 0o644)
      $0.statuses["/etc/mfa/mfa.conf.d/50-good.conf"] = MemoryHost.file(0, 0o644)
    },
    Row(19, "error file-replaced /usr/lib/mfa/mfad", "error file-replaced /usr/sbin/mfa-admin") {
      $0.checksums = ProgramOutput(
        status: 1,
        output: Array(
          "/usr/lib/mfa/mfad: FAILED\n/usr/sbin/mfa-admin: FAILED open or read\n".utf8))
    },
    Row(20, "warning could-not-be-checked /usr/lib/mfa/sha256sums") {
      $0.checksums = ProgramOutput(
        status: 1, output: [], errors: Array("sha256sum: sha256sums: No such file\n".utf8))
    },
    Row(21, "warning could-not-be-checked /usr/bin/sha256sum") { $0.checksums = nil },
    Row(22, "error ownership /usr/bin/mfa-enroll") {
      $0.statuses["/usr/bin/mfa-enroll"] = MemoryHost.file(0, 0o4755)
    },
    Row(23, "error ownership /usr/sbin/mfa-admin") {
      $0.statuses["/usr/sbin/mfa-admin"] = MemoryHost.file(0, 0o777)
    },
  ]

  static let siblingRows = [
    Row(101, "error jump-past-end /pam/su:5") {
      $0.stacks.files["su"] =
        MemoryHost.Stacks.sound
        + "auth [success=1 default=ignore] pam_succeed_if.so quiet user ingroup staff\n"
    },
    Row(102) {
      $0.stacks.files["su"] =
        MemoryHost.Stacks.sound
        + "auth [success=1 default=ignore] pam_succeed_if.so quiet user ingroup staff\n"
        + "auth optional pam_env.so\n"
    },
    Row(103, "error other-module-missing /pam/su:1") {
      $0.stacks.files["su"] = "auth required pam_gone.so\n" + MemoryHost.Stacks.sound
      $0.missingModules = ["pam_gone.so"]
    },
    Row(104) {
      $0.stacks.files["su"] = "auth optional pam_gone.so\n" + MemoryHost.Stacks.sound
      $0.missingModules = ["pam_gone.so"]
    },
    // The hyphen only prevents libpam from logging that the module is missing.
    Row(105, "error other-module-missing /pam/su:1") {
      $0.stacks.files["su"] = "-auth required pam_gone.so\n" + MemoryHost.Stacks.sound
      $0.missingModules = ["pam_gone.so"]
    },
    Row(106, "error other-module-missing /pam/su:1") {
      $0.stacks.files["su"] = "account required pam_gone.so\n" + MemoryHost.Stacks.sound
      $0.missingModules = ["pam_gone.so"]
    },
    // Not fatal alone, but no other line lets a user in.
    Row(
      107, "error other-module-missing /pam/su:2", "warning code-before-password /pam/su:1"
    ) {
      $0.stacks.files["su"] =
        "auth requisite pam_mfa.so\nauth sufficient pam_ldap.so\nauth required pam_deny.so\n"
        + "account required pam_mfa.so\n@include common-account\n"
      $0.missingModules = ["pam_ldap.so"]
    },
    Row(108, "error nobody-signs-in /pam/su:1") {
      $0.stacks.files["su"] = "account required pam_deny.so\n" + MemoryHost.Stacks.sound
    },
    Row(109, "error nobody-signs-in /pam/su:5") {
      $0.stacks.files["su"] = MemoryHost.Stacks.sound + "account include nowhere\n"
    },
    Row(110, "error module-not-loaded /pam/su:5") {
      $0.stacks.files["su"] = MemoryHost.Stacks.sound + "account required security/pam_mfa.so\n"
      $0.unloadable["security/pam_mfa.so"] = "file too short"
    },
    Row(1, "warning sibling-without-code /pam/sudo-i") {
      $0.stacks.files["sudo-i"] = "auth required pam_unix.so\n"
    },
    Row(2) { $0.stacks.files["sudo-i"] = MemoryHost.Stacks.sound },
    Row(3) {
      $0.stacks.files["sudo-i"] = "auth required pam_unix.so\n"
      $0.stacks.files["sudo"] = nil
    },
    Row(
      4, "warning sibling-without-code /pam/su-l",
      "note sibling-without-code /pam/polkit-1",
      "note sibling-without-code /pam/lightdm"
    ) {
      for name in ["su-l", "polkit-1", "lightdm", "cron"] {
        $0.stacks.files[name] = "auth required pam_unix.so\n"
      }
    },
    Row(
      5, "error other-sshd /etc/ssh/backup", "note could-not-be-checked /run/sshd.pid"
    ) {
      $0.servers = [RunningServer(options: ["-f", "/etc/ssh/backup"]), RunningServer(options: [])]
      $0.sshdWithOptions["/etc/ssh/backup"] = settings("authenticationmethods publickey")
    },
    Row(6) {
      $0.servers = [RunningServer(options: ["-f", "/etc/ssh/backup"])]
      $0.sshdWithOptions["/etc/ssh/backup"] = MemoryHost.sshdSettings
    },
    Row(7, "error other-sshd /etc/default/ssh") {
      $0.texts["/etc/default/ssh"] = "# options\nSSHD_OPTS=\"-oUsePAM=no\"\n"
      $0.sshdWithOptions["UsePAM=no"] = settings("usepam no")
    },
    Row(8) { $0.texts["/etc/default/ssh"] = "SSHD_OPTS=\n" },
    Row(9, "error other-sshd /etc/default/ssh") {
      $0.texts["/etc/default/ssh"] = "SSHD_OPTS='-D -o UsePAM=yes' # on\n"
      $0.sshdWithOptions["UsePAM=yes"] = MemoryHost.sshdSettings.replacing(
        "authenticationmethods keyboard-interactive\n", with: "")
    },
  ]

  private static func write(_ text: String, to path: String, _ host: inout MemoryHost) {
    host.texts[path] = text
    host.statuses[path] = MemoryHost.file(0, 0o644)
  }

  static let serverRows = [
    Row(1, "error other-sshd /etc/ssh/backup") {
      write(
        "[Service]\nExecStartPre=/usr/sbin/sshd -t\nExecStart=-/usr/sbin/sshd -D \\\n -f /etc/ssh/backup\n",
        to: "/etc/systemd/system/sshd-backup.service", &$0)
      $0.sshdWithOptions["/etc/ssh/backup"] = settings("authenticationmethods publickey")
    },
    // The options come from the environment of the unit, and a drop-in replaces the command.
    Row(2, "error other-sshd /etc/ssh/backup") {
      write(
        "[Service]\nEnvironment=\"OTHER=x\" OPTIONS='-f /etc/ssh/backup'\n"
          + "ExecStart=/usr/sbin/sshd -D $OPTIONS\n", to: unit, &$0)
      $0.sshdWithOptions["/etc/ssh/backup"] = settings("authenticationmethods publickey")
    },
    Row(3, "error other-sshd /etc/ssh/backup") {
      write(
        "[Service]\nEnvironmentFile=-/etc/sysconfig/sshd\nExecStart=/usr/sbin/sshd -D $OPTIONS\n",
        to: unit, &$0)
      $0.texts["/etc/sysconfig/sshd"] = "# none\nOPTIONS=\"-f /etc/ssh/backup\"\n"
      $0.sshdWithOptions["/etc/ssh/backup"] = settings("authenticationmethods publickey")
    },
    Row(4, "error other-sshd /etc/ssh/backup") {
      write("[Service]\nExecStart=/usr/sbin/sshd -D\n", to: unit, &$0)
      write(
        "[Service]\nExecStart=\nExecStart=/usr/sbin/sshd -D -f /etc/ssh/backup\n", to: override,
        &$0)
      $0.sshdWithOptions["/etc/ssh/backup"] = settings("authenticationmethods publickey")
    },
    Row(5) {
      write("[Service]\nExecStart=/usr/sbin/sshd -D -f /etc/ssh/backup\n", to: unit, &$0)
      write("[Service]\nExecStart=\nExecStart=/usr/sbin/sshd -D\n", to: override, &$0)
      $0.sshdWithOptions["/etc/ssh/backup"] = settings("authenticationmethods publickey")
    },
    // A command whose effect is not known.
    Row(6, "warning could-not-be-checked /etc/systemd/system/ssh-wrapped.service:2") {
      write(
        "[Service]\nExecStart=/bin/sh -c 'exec /usr/sbin/sshd -D -f /etc/ssh/backup'\n",
        to: "/etc/systemd/system/ssh-wrapped.service", &$0)
    },
    // A Match line of the other file.
    Row(7, "error other-sshd /etc/ssh/backup:3") {
      $0.servers = [RunningServer(options: ["-f", "/etc/ssh/backup"])]
      $0.texts["/etc/ssh/backup"] =
        "AuthenticationMethods keyboard-interactive\nMatch User alice\n\(keyAlone)"
      $0.sshdForArguments = { arguments in
        arguments.contains("/etc/ssh/backup") && arguments.last?.hasPrefix("user=alice,") == true
          ? settings("authenticationmethods publickey") : nil
      }
    },
    // The ports of a socket unit and of running servers.
    Row(8, "error methods-without-code /etc/ssh/sshd_config") {
      write("[Socket]\nListenStream=0.0.0.0:2222\n", to: "/etc/systemd/system/ssh.socket", &$0)
      $0.texts[dropIn] = "Match LocalPort 22\nAuthenticationMethods keyboard-interactive\n"
      $0.sshdForArguments = openAt2222
    },
    Row(
      9, "error methods-without-code /etc/ssh/sshd_config",
      "note could-not-be-checked /run/sshd.pid"
    ) {
      $0.servers = [RunningServer(options: ["-p", "2222"])]
      $0.texts[dropIn] = "Match LocalPort 22\nAuthenticationMethods keyboard-interactive\n"
      $0.sshdForArguments = openAt2222
    },
    // The program's name is that of the PAM service before OpenSSH 9.8.
    Row(11, "error other-sshd /usr/sbin/sshd") {
      $0.servers = [RunningServer(options: [], name: "sshd-b")]
    },
    Row(12) {
      $0.servers = [RunningServer(options: [], name: "sshd-b")]
      write(to: "/usr/lib/openssh/sshd-session", &$0)
    },
    Row(13, "warning sshd-not-reloaded /etc/ssh/sshd_config.d/10.conf") {
      run(&$0, since: 20)
      write(to: "/etc/ssh/sshd_config.d/10.conf", at: 30, &$0)
    },
    // A file was removed.
    Row(14, "warning sshd-not-reloaded /etc/ssh/sshd_config.d") {
      run(&$0, since: 20)
      $0.statuses["/etc/ssh/sshd_config.d"]?.changedAt = 30
    },
    Row(15) { run(&$0, since: 40) },
    Row(16, "error other-sshd /etc/systemd/system/backup.service:2") {
      write(
        "[Service]\nExecStart=/usr/sbin/sshd -D -o UsePAM=no\n",
        to: "/etc/systemd/system/backup.service", &$0)
      $0.sshdWithOptions["UsePAM=no"] = settings("usepam no", "authenticationmethods any")
    },
    // A server that no key opens.
    Row(10) {
      $0.servers = [RunningServer(options: ["-f", "/etc/ssh/backup"])]
      $0.sshdWithOptions["/etc/ssh/backup"] = settings(
        "authenticationmethods any", "pubkeyauthentication no")
    },
  ]

  /// Adds a file that last changed at a time, with its folders.
  static func write(to path: String, at time: Int64 = 0, _ host: inout MemoryHost) {
    var folder = ""
    host.statuses["/"] = MemoryHost.folder(0, 0o755)
    for name in path.split(separator: "/").dropLast() {
      folder += "/\(name)"
      if host.statuses[folder] == nil { host.statuses[folder] = MemoryHost.folder(0, 0o755) }
    }
    host.statuses[path] = MemoryHost.file(0, 0o644)
    host.statuses[path]?.changedAt = time
    if host.texts[path] == nil { host.texts[path] = "" }
  }

  /// Has the main sshd run since a time, with files that are older.
  static func run(_ host: inout MemoryHost, since time: Int64) {
    host.servers = [RunningServer(options: [])]
    host.texts["/run/sshd.pid"] = "100\n"
    write(to: "/run/sshd.pid", at: time, &host)
    host.texts["/etc/ssh/sshd_config"] = "Include /etc/ssh/sshd_config.d/*.conf\n"
    write(to: "/etc/ssh/sshd_config", at: 10, &host)
    write(to: "/etc/ssh/sshd_config.d/10.conf", at: 10, &host)
  }

  /// Answers for sshd: at port 2222, a key is enough.
  static let openAt2222: @Sendable ([String]) -> String? = { arguments in
    arguments.last?.contains("lport=2222") == true ? settings("authenticationmethods any") : nil
  }

  @Test("in other servers of ssh and their units", arguments: serverRows)
  func servers(row: Row) throws { try expectFindings(row) }

  @Test("in services and servers beside the examined ones", arguments: siblingRows)
  func siblings(row: Row) throws { try expectFindings(row) }

  @Test("the options of an sshd are read from its title and its arguments")
  func serverOptions() {
    let rows: [([String], [String]?)] = [
      (["sshd:", "/usr/sbin/sshd", "-D", "[listener]", "0", "of"], []),
      (["sshd: /usr/sbin/sshd -D -f /etc/x [listener] 0 of 10"], ["-f", "/etc/x"]),
      (
        ["/usr/sbin/sshd", "-f/etc/x", "-p", "22", "-oUsePAM=no"],
        ["-f", "/etc/x", "-p", "22", "-o", "UsePAM=no"]
      ),
      (["/usr/sbin/sshd", "-C", "user=x", "-b", "1", "-p2222"], ["-p", "2222"]),
      (["/usr/sbin/sshd", "-De", "-Df", "/etc/x"], ["-f", "/etc/x"]),
      (["sshd", "-f"], []), (["/usr/bin/ssh", "-f", "x"], nil), ([], nil),
    ]
    for (arguments, expected) in rows {
      #expect(RunningServer(arguments: arguments)?.options == expected, "\(arguments)")
    }
  }

  @Test("in the reach of policy and in installed files", arguments: reachRows)
  func reach(row: Row) throws { try expectFindings(row) }

  @Test("for root", arguments: rootRows)
  func root(row: Row) throws { try expectFindings(row) }

  @Test("a faulty line that several services use is reported once")
  func sharedLineIsReportedOnce() throws {
    var host = MemoryHost()
    host.stacks.files["common-auth"] = "auth required pam_unix.so\n"
    host.stacks.files["other"] = nil
    let findings = Doctor.findings(on: try HostSnapshot(of: host))
    #expect(findings.map(\.code) == ["required-before"])
    #expect(
      try #require(findings.first).text.hasPrefix(
        "warning: /pam/common-auth:1: login, sshd, su, sudo: "))
    host.stacks.files["common-auth"] = "auth required pam_unix.so\nauth required pam_mfa.so\n"
    for name in ["login", "sshd", "su", "sudo"] {
      host.stacks.files[name] =
        "@include common-auth\naccount required pam_mfa.so\naccount required pam_permit.so\n"
    }
    let finding = try #require(Doctor.findings(on: try HostSnapshot(of: host)).first)
    #expect(
      finding.text.hasPrefix("warning: /pam/common-auth:1: cron, login, sshd, su, sudo: an "))
  }

  // MARK: Files

  static let module = "/usr/lib/x86_64-linux-gnu/security/pam_mfa.so"

  static func ownership(_ number: Int, _ path: String, _ status: PathStatus?) -> Row {
    Row(number, "error ownership \(path)") { $0.statuses[path] = status }
  }

  static let fileRows = [
    ownership(1, "/etc/mfa", MemoryHost.folder(0, 0o775)),
    ownership(2, "/etc/mfa", MemoryHost.folder(1000, 0o755)),
    ownership(3, "/etc/mfa", MemoryHost.folder(0, 0o700)),
    ownership(4, "/etc/mfa", PathStatus(kind: .link, owner: 0, permissions: 0o777)),
    ownership(5, "/etc/mfa/key", nil),
    ownership(6, "/etc/mfa/key", MemoryHost.file(0, 0o400, size: 32)),
    ownership(7, "/etc/mfa/key", MemoryHost.file(999, 0o440, size: 32)),
    ownership(8, "/etc/mfa/key", MemoryHost.file(999, 0o400, size: 31)),
    ownership(
      9, "/etc/mfa/key",
      PathStatus(kind: .file, owner: 999, permissions: 0o400, links: 2, size: 32)),
    ownership(10, "/etc/mfa/mfa.conf", MemoryHost.file(0, 0o640)),
    Row(11) { $0.statuses["/etc/mfa/mfa.conf"] = nil },
    ownership(12, "/etc/mfa/mfa.conf.d/10-ours.conf", MemoryHost.file(1000, 0o644)),
    ownership(13, "/var/lib/mfa/attempts", MemoryHost.folder(999, 0o755)),
    ownership(14, "/var/lib/mfa", MemoryHost.folder(0, 0o700)),
    ownership(15, "/usr/lib/mfa/mfa-helper", MemoryHost.file(999, 0o755)),
    ownership(16, "/usr/lib/mfa/mfa-helper", MemoryHost.file(0, 0o4755)),
    ownership(17, "/etc/pam.d/mfa-enroll", nil),
    ownership(18, module, MemoryHost.file(0, 0o664)),
    Row(19, "error no-module /usr/lib/x86_64-linux-gnu/security") { $0.statuses[module] = nil },
    ownership(20, "/var/lib/mfa/factors/alice", MemoryHost.file(0, 0o600)),
    Row(21, "error ownership /var/lib/mfa/attempts/a") {
      for name in ["a", "b", "c", "d", "e", "f", "g"] {
        $0.statuses["/var/lib/mfa/attempts/\(name)"] = MemoryHost.file(999, 0o644)
      }
    },
    Row(22) { $0.statuses["/var/lib/mfa/factors/alice"] = MemoryHost.file(999, 0o600) },
    Row(23, "error helper-nosuid /usr/lib/mfa") {
      $0.rooms["/usr/lib/mfa"] = FileSystemSpace(bytes: 1, files: 1, ignoresSetuid: true)
    },
    Row(24, "error no-system-user /etc/passwd") { $0.owner = .success(nil) },
    Row(25, "warning system-user-signs-in /etc/passwd") { host in
      host.owner = .success(1002)
      host.known = .success([MemoryHost.account("mfa", 1002)])
      for (path, status) in host.statuses where status.owner == 999 {
        host.statuses[path]?.owner = 1002
      }
    },
    Row(26, "warning could-not-be-checked /etc/passwd") { $0.owner = .failure(accountsError) },
    Row(27, "warning could-not-be-checked /etc/mfa/key") { $0.unseen["/etc/mfa/key"] = pamError },
    Row(28, "warning could-not-be-checked /var/lib/mfa/factors") {
      $0.unseen["/var/lib/mfa/factors"] = pamError
      // The folder is checked twice: itself, and its content.
    },
    Row(29) { $0.helperMayWriteAudit = .success(false) },
    Row(30, "note helper-not-audited /usr/lib/mfa/mfa-helper") {
      $0.statuses["/usr/sbin/auditd"] = MemoryHost.file(0, 0o755)
      $0.helperMayWriteAudit = .success(false)
    },
    Row(31) { $0.statuses["/usr/sbin/auditd"] = MemoryHost.file(0, 0o755) },
    Row(32, "warning could-not-be-checked /usr/lib/mfa/mfa-helper") {
      $0.statuses["/usr/sbin/auditd"] = MemoryHost.file(0, 0o755)
      $0.helperMayWriteAudit = .failure(AdminError(at: "/usr/lib/mfa/mfa-helper", "EIO"))
    },
    ownership(33, "/var/lib/mfa/audit-log", MemoryHost.file(999, 0o644)),
    ownership(34, "/var/lib/mfa/audit-log.head", MemoryHost.file(0, 0o600)),
    Row(35) { host in
      for name in ["audit-log", "audit-log.head"] {
        host.statuses["/var/lib/mfa/\(name)"] = MemoryHost.file(999, 0o600)
      }
    },
    ownership(36, "/usr/lib/mfa/mfad", MemoryHost.file(0, 0o775)),
    ownership(37, "/usr/lib/mfa/mfad", nil),
    ownership(38, "/var/lib/mfa/mail", MemoryHost.folder(0, 0o700)),
    ownership(39, "/var/lib/mfa/phone", MemoryHost.folder(0, 0o700)),
    ownership(40, "/var/lib/mfa/realm-mail", MemoryHost.folder(0, 0o700)),
  ]

  @Test("in owners and permissions", arguments: fileRows)
  func files(row: Row) throws {
    guard row.number != 28 else {
      return #expect(try Set(findings(row).map(\.place)) == ["/var/lib/mfa/factors"])
    }
    try expectFindings(row)
  }

  @Test("the hint for a wrong owner of the helper restores its capability, which chown removes")
  func wrongHelperOwnerHintRestoresCapability() throws {
    var host = MemoryHost()
    let helper = "/usr/lib/mfa/mfa-helper"
    host.statuses[helper] = MemoryHost.file(0, 0o4755)
    let finding = try #require(Ownership.findings(on: try HostSnapshot(of: host)).first)
    #expect(
      finding.hint == "chown mfa:mfa \(helper) && chmod 6755 \(helper)"
        + " && setcap cap_audit_write=p \(helper)")
  }

  @Test("some of many files are named, and the rest are counted")
  func manyFiles() throws {
    let finding = try #require(try findings(Self.fileRows[20]).first)
    #expect(finding.message.contains("files in /var/lib/mfa/attempts: b, c, d, e, f and 1 more"))
  }

  // MARK: The store

  static let path = "/var/lib/mfa"

  static let breakGlass = "/etc/mfa/break-glass"
  static let breakGlassText =
    "users = root\ncost = 14\nsalt = \(String(repeating: "0", count: 32))\n"
    + "hash = \(String(repeating: "0", count: 64))\n"

  static let storeRows = [
    Row(1, "error store-read-only \(path)") {
      $0.rooms[path] = FileSystemSpace(bytes: 1 << 30, files: 1000, isReadOnly: true)
    },
    Row(2, "error store-full \(path)") {
      $0.rooms[path] = FileSystemSpace(bytes: 4096, files: 1000)
    },
    Row(3, "error store-full \(path)") {
      $0.rooms[path] = FileSystemSpace(bytes: 1 << 30, files: 3)
    },
    Row(4, "warning store-nearly-full \(path)") {
      $0.rooms[path] = FileSystemSpace(bytes: 8 << 20, files: 1000)
    },
    Row(5, "warning store-nearly-full \(path)") {
      $0.rooms[path] = FileSystemSpace(bytes: 1 << 30, files: 100)
    },
    Row(21, "note break-glass-prepared \(breakGlass)") {
      $0.statuses[breakGlass] = PathStatus(kind: .file, owner: 0, permissions: 0o640)
      $0.texts[breakGlass] = breakGlassText
    },
    Row(22, "error break-glass-exposed \(breakGlass)") {
      $0.statuses[breakGlass] = PathStatus(kind: .file, owner: 0, permissions: 0o644)
      $0.texts[breakGlass] = breakGlassText
    },
    Row(23, "error break-glass-exposed \(breakGlass)") {
      $0.statuses[breakGlass] = PathStatus(kind: .file, owner: 1000, permissions: 0o640)
      $0.texts[breakGlass] = breakGlassText
    },
    Row(24, "error break-glass-unusable \(breakGlass)") {
      $0.statuses[breakGlass] = PathStatus(kind: .file, owner: 0, permissions: 0o640)
      $0.texts[breakGlass] = "users = root\n"
    },
    // btrfs has no file count.
    Row(6) { $0.rooms[path] = FileSystemSpace(bytes: 1 << 30, files: nil) },
    Row(7, "error store-not-writable \(path)") {
      $0.writing = SystemError(.write, number: 28)
    },
    Row(10, "error store-frozen \(path)") { $0.isFrozen = true },
    Row(8, "error store-not-writable \(path)") { $0.writing = .untrusted(.wrongPermissions) },
    Row(9, "warning could-not-be-checked \(path)") { $0.unseen["room " + path] = pamError },
    Row(10, "error unusable-records \(path)") {
      $0.reports = .success([report("alice", .store(.damaged(.record)))])
    },
    Row(11, "warning could-not-be-checked \(path)") {
      $0.reports = .failure(.store(.untrusted(.directory, .wrongOwner)))
    },
    Row(12, "warning weak-secrets \(path)/factors") {
      $0.reports = .success([
        try SampleUser.report("frank", secretLength: 10, .imported),
        try SampleUser.report("grace", secretLength: 16, .imported),
      ])
    },
    Row(13) {
      $0.reports = .success([
        try SampleUser.report("grace", secretLength: 16, .imported),
        try SampleUser.report("alice", secretLength: 10),
      ])
    },
    Row(14, "warning clock-not-synchronized adjtimex(2)") { $0.clock = .success(false) },
    Row(22, "note could-not-be-checked adjtimex(2)") { $0.clock = .success(nil) },
    // A code was accepted while the clock was a day ahead.
    Row(23, "warning codes-used-ahead \(path)/attempts") {
      $0.reports = .success([try SampleUser.report("alice", used: -1)])
    },
    Row(15, "warning could-not-be-checked adjtimex(2)") {
      $0.clock = .failure(AdminError(at: "adjtimex(2)", "EIO"))
    },
  ]

  @Test("in the store and the clock", arguments: storeRows)
  func store(row: Row) throws { try expectFindings(row) }

  // MARK: Left-over files

  static let leftover = "/home/alice/.google_authenticator"

  static let leftoverRows = [
    Row(1, "warning left-over-files \(leftover)") {
      $0.statuses[leftover] = MemoryHost.file(1000, 0o400)
    },
    // A symbolic link is reported too, and is not followed.
    Row(2, "warning left-over-files \(leftover)") {
      $0.statuses[leftover] = PathStatus(kind: .link, owner: 1000, permissions: 0o777)
    },
    Row(3, "note homes-not-looked-at /etc/passwd") {
      $0.statuses[leftover] = MemoryHost.file(1000, 0o400)
      $0.texts["/proc/self/mountinfo"] =
        "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n30 22 0:40 / /home rw shared:1 - nfs4 server:/home rw\n"
    },
    Row(4, "warning left-over-files \(leftover)") {
      $0.statuses[leftover] = MemoryHost.file(1000, 0o400)
      $0.texts["/proc/self/mountinfo"] =
        "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n31 22 0:40 / /homes rw - nfs4 server:/home rw\n"
        + "32 22 0:40 / /home\\040old rw - nfs4 server:/home rw\n"
        + "33 22 0:40 / /home/al rw - nfs4 server:/al rw\n"
    },
    // The last of several mounts at one path is visible; a mount below a path takes precedence.
    Row(5, "warning left-over-files \(leftover)") {
      $0.statuses[leftover] = MemoryHost.file(1000, 0o400)
      $0.texts["/proc/self/mountinfo"] =
        "30 1 0:40 / /home rw - autofs map rw\n31 30 0:41 / /home rw - ext4 /dev/sdb1 rw\n"
    },
    Row(6, "note homes-not-looked-at /etc/passwd") {
      $0.statuses["/home"] = PathStatus(kind: .link, owner: 0, permissions: 0o777)
      $0.statuses[leftover] = MemoryHost.file(1000, 0o400)
    },
    // Not a personal account.
    Row(7) {
      $0.known = .success([MemoryHost.account("daemon", 1, home: "/home/alice")])
      $0.statuses[leftover] = MemoryHost.file(1000, 0o400)
    },
    Row(8, "warning could-not-be-checked /etc/passwd") { $0.known = .failure(accountsError) },
    Row(9, "warning could-not-be-checked /proc/self/mountinfo") {
      $0.texts["/proc/self/mountinfo"] = nil
    },
    Row(10, "note homes-not-looked-at /etc/passwd") { $0.unseen["/home/bob"] = pamError },
  ]

  @Test("in home folders", arguments: leftoverRows)
  func leftovers(row: Row) throws { try expectFindings(row) }

  // MARK: Units

  static let unit = "/usr/lib/systemd/system/ssh.service"
  static let override = "/etc/systemd/system/ssh.service.d/override.conf"

  static func unit(
    _ number: Int, _ expected: String?, _ text: String, dropIn: String? = nil
  ) -> Row {
    var row = Row(number) { (host: inout MemoryHost) in
      for (path, text) in [(unit, text), (override, dropIn)] {
        guard let text else { continue }
        host.texts[path] = text
        host.statuses[path] = MemoryHost.file(0, 0o644)
      }
    }
    if let expected { row = Row(number, expected, change: row.change) }
    return row
  }

  static let unitRows = [
    unit(1, nil, "[Service]\nProtectSystem=full\nProtectHome=yes\n"),
    unit(2, "error service-sandboxed \(unit):3", "[Service]\n#\nProtectSystem = strict\n"),
    unit(3, nil, "[Service]\nProtectSystem=strict\nReadWritePaths=/run -/var/lib\n"),
    unit(4, "error service-sandboxed \(unit):2", "[Service]\nReadOnlyPaths=/etc \\\n  /var\n"),
    unit(5, "error service-sandboxed \(unit):2", "[Service]\nInaccessiblePaths=-/var/lib/mfa\n"),
    unit(6, "error service-sandboxed \(unit):2", "[Service]\nTemporaryFileSystem=/var:ro\n"),
    unit(7, nil, "[Service]\nReadOnlyPaths=/var/lib/mfaa /va\n"),
    unit(8, "error service-sandboxed \(unit):2", "[Service]\nInaccessiblePaths=/etc/mfa\n"),
    unit(
      9, "error service-sandboxed \(override):2", "[Service]\n",
      dropIn: "[Service]\nProtectSystem=strict\n"),
    unit(
      10, nil, "[Service]\nReadOnlyPaths=/var\n", dropIn: "[Service]\nReadOnlyPaths=\n"),
    unit(11, nil, "[Unit]\nProtectSystem=strict\n"),
    unit(12, "warning could-not-be-checked \(unit):2", "[Service]\nRootDirectory=/srv/jail\n"),
    unit(13, nil, "[Service]\nProtectSystem=strict\nStateDirectory=mfa\n"),
    unit(14, "error service-sandboxed \(unit):2", "[Service]\nDynamicUser=yes\n"),
    // If systemd is running, what it has loaded is used.
    Row(15, "error service-sandboxed /run/x.service:2") {
      $0.statuses["/run/systemd/system"] = MemoryHost.folder(0, 0o755)
      $0.systemctl["ssh.service"] =
        "LoadState=loaded\nFragmentPath=/run/x.service\nDropInPaths=\n"
      $0.texts["/run/x.service"] = "[Service]\nProtectSystem=strict\n"
    },
    Row(16) {
      $0.statuses["/run/systemd/system"] = MemoryHost.folder(0, 0o755)
      $0.systemctl["ssh.service"] = "LoadState=not-found\nFragmentPath=\nDropInPaths=\n"
      $0.statuses[unit] = MemoryHost.file(0, 0o644)
      $0.texts[unit] = "[Service]\nProtectSystem=strict\n"
    },
    // Neither what the sandbox hides nor the options of sshd are known.
    Row(17, "warning could-not-be-checked \(unit)", "warning could-not-be-checked \(unit)") {
      $0.statuses[unit] = MemoryHost.file(0, 0o644)
      $0.unseen[unit] = nil
      $0.texts[unit] = nil
    },
    // A display manager's service.
    Row(18, "error service-sandboxed /usr/lib/systemd/system/gdm.service:2") {
      $0.stacks.files["gdm-password"] = MemoryHost.Stacks.sound
      $0.statuses["/usr/lib/systemd/system/gdm.service"] = MemoryHost.file(0, 0o644)
      $0.texts["/usr/lib/systemd/system/gdm.service"] = "[Service]\nReadOnlyPaths=/\n"
    },
    // A program whose unit has another name than its service.
    Row(
      19, "error daemon-unnamed /pam/radiusd:1",
      "error service-sandboxed /usr/lib/systemd/system/freeradius.service:2"
    ) {
      $0.stacks.files["radiusd"] = oneField
      write(
        "[Service]\nReadOnlyPaths=/\n", to: "/usr/lib/systemd/system/freeradius.service", &$0)
    },
    Row(20, "error service-sandboxed /usr/lib/systemd/system/saslauthd.service:2") {
      $0.stacks.files["smtp"] = oneField
      write("[Service]\nReadOnlyPaths=/\n", to: "/usr/lib/systemd/system/saslauthd.service", &$0)
    },
  ]

  @Test("in systemd units", arguments: unitRows)
  func units(row: Row) throws { try expectFindings(row) }

  // MARK: The resident service

  static let residentSocket = "/run/mfa/root"

  static func installResident(on host: inout MemoryHost) {
    host.statuses["/usr/lib/systemd/system/mfad.socket"] = MemoryHost.file(0, 0o644)
  }

  /// The answer of a verifier to a host whose certificate ends after this many days.
  static func answer(certificateDays days: Int64, findings: [String] = []) -> RealmStatus {
    .answers(
      VerifierInspection(
        version: [], isAdministering: true, findings: findings.map { Array($0.utf8) },
        certificateEnd: 1_800_000_000 + days * 86_400), time: 1_800_000_000)
  }

  static let serviceDropIn = "/etc/systemd/system/mfad.service.d/10.conf"

  /// Adds a drop-in to the unit of the service.
  static func limit(_ host: inout MemoryHost, _ line: String) {
    let service = "/usr/lib/systemd/system/mfad.service"
    host.statuses[service] = MemoryHost.file(0, 0o644)
    host.texts[service] = "[Service]\nUser=mfa\nProtectSystem=strict\nReadWritePaths=/var/lib/mfa\n"
    host.texts[serviceDropIn] = "[Service]\n\(line)\n"
  }

  static let residentRows = [
    // A host without systemd, and one where the service was not installed as a unit.
    Row(1) {
      installResident(on: &$0)
      $0.resident = .stopped
    },
    Row(2) {
      $0.statuses["/run/systemd/system"] = MemoryHost.folder(0, 0o755)
      $0.resident = .stopped
    },
    Row(3, "note resident-service-stopped \(residentSocket)") {
      installResident(on: &$0)
      $0.statuses["/run/systemd/system"] = MemoryHost.folder(0, 0o755)
      $0.resident = .stopped
    },
    Row(4, "warning resident-service-silent \(residentSocket)") { $0.resident = .silent },
    Row(5, "warning resident-service-untrusted \(residentSocket)") {
      $0.resident = .untrusted(owner: 1000)
    },
    Row(6, "warning could-not-be-checked \(residentSocket)") { $0.resident = .unknown("EIO") },
    // With the service, a sandbox blocks nothing that the application needs.
    Row(7) {
      $0.resident = .answers(ProbeReply())
      $0.statuses[unit] = MemoryHost.file(0, 0o644)
      $0.texts[unit] = "[Service]\nProtectSystem=strict\n"
    },
    Row(19, "error service-sandboxed \(unit):2") {
      $0.resident = .answers(ProbeReply())
      $0.statuses[unit] = MemoryHost.file(0, 0o644)
      $0.texts[unit] = "[Service]\nInaccessiblePaths=/run/mfa\nNoNewPrivileges=yes\n"
    },
    Row(20, "error service-sandboxed \(unit):2") {
      $0.resident = .answers(ProbeReply())
      $0.statuses[unit] = MemoryHost.file(0, 0o644)
      $0.texts[unit] =
        "[Service]\nReadOnlyPaths=/\nRestrictAddressFamilies=AF_INET AF_INET6\n"
    },
    // mfa-helper decides, and has what it needs.
    Row(21) {
      $0.resident = .answers(ProbeReply())
      $0.statuses[unit] = MemoryHost.file(0, 0o644)
      $0.texts[unit] = "[Service]\nRestrictAddressFamilies=~AF_UNIX\n"
    },
    Row(22) {
      $0.resident = .answers(ProbeReply())
      $0.statuses[unit] = MemoryHost.file(0, 0o644)
      $0.texts[unit] =
        "[Service]\nReadOnlyPaths=/\nRestrictAddressFamilies=AF_INET AF_UNIX\nNoNewPrivileges=yes\n"
    },
    Row(23, "error decider-without-access \(serviceDropIn):2") {
      var probe = ProbeReply()
      probe.storeProblem = Array("part=store call=write errno=EROFS".utf8)
      $0.resident = .answers(probe)
      limit(&$0, "ReadOnlyPaths=/var/lib/mfa")
    },
    Row(27, "error decider-without-access \(serviceDropIn):2") {
      var probe = ProbeReply()
      probe.storeProblem = Array("part=factors call=open errno=EACCES".utf8)
      $0.resident = .answers(probe)
      limit(&$0, "InaccessiblePaths=/var/lib/mfa/factors")
    },
    Row(24, "error decider-without-access \(serviceDropIn):2") {
      var probe = ProbeReply()
      probe.user = 0
      probe.configurationProblem = Array("part=configuration".utf8)
      $0.resident = .answers(probe)
      limit(&$0, "User=nobody")
    },
    Row(25, "error decider-elsewhere mfad.service") {
      var probe = ProbeReply()
      probe.key = [1]
      $0.resident = .answers(probe)
    },
    // Root cannot use it either, which another examination reports.
    Row(26) {
      var probe = ProbeReply()
      probe.storeProblem = Array("part=key errno=ENOENT".utf8)
      $0.resident = .answers(probe)
      $0.own.storeProblem = probe.storeProblem
    },
  ]

  @Test(
    "in who can sign in during an outage",
    arguments: [
      ("state = offline\npermits = 1\nqueue = sound\n", "except what the realm permits 1 user"),
      ("state = offline\npermits = 3\nqueue = sound\n", "except what the realm permits 3 users"),
      ("state = offline\npermits = 3\nqueue = damaged\n", "every sign-in that needs a code"),
      ("state = offline\noffline_folder = none\n", "every sign-in that needs a code"),
      ("state = uncertain\npermits = 3\nqueue = sound\n", "every sign-in that needs a code"),
    ])
  func outage(relay: String, sentence: String) throws {
    let row = Row(1) {
      $0.realm = .fails(.refused(.noVerifier, ""))
      $0.relay(relay)
    }
    let messages = try findings(row).filter { $0.code == "no-verifier" }.map(\.message)
    #expect(messages.count == 1 && messages[0].contains(sentence))
  }

  @Test("in the resident service", arguments: residentRows)
  func resident(row: Row) throws { try expectFindings(row) }

  // MARK: A host of a realm

  static let realmDecides = "note realm-decides /etc/mfa/realm"

  static func joinRealm(_ host: inout MemoryHost) { host.realm = answer(certificateDays: 30) }

  static let realmRows = [
    // The relay listens at the socket of the resident service.
    Row(10, "error relay-stopped \(residentSocket)", realmDecides) {
      installResident(on: &$0)
      $0.statuses["/run/systemd/system"] = MemoryHost.folder(0, 0o755)
      $0.resident = .stopped
      $0.realm = .fails(.noRelay(.notFound(.open)))
    },
    Row(11, "error host-refused \(residentSocket)", realmDecides) {
      $0.realm = .fails(.refused(.hostRefused, ""))
    },
    Row(12, "error no-verifier \(residentSocket)", realmDecides) {
      $0.realm = .fails(.refused(.noVerifier, ""))
    },
    Row(13, realmDecides) { $0.realm = answer(certificateDays: 6) },
    Row(14, "warning certificate-ends /etc/mfa/fleet.conf", realmDecides) {
      $0.realm = answer(certificateDays: 4)
    },
    Row(15, "warning realm-database the database of the realm", realmDecides) {
      $0.realm = answer(certificateDays: 30, findings: ["fsync is off"])
    },
    Row(16, realmDecides) {
      $0.realm = answer(certificateDays: 30)
      $0.relay("state = online\npermits = 2\npermits_file = sound\nqueued = 0\nqueue = sound\n")
    },
    Row(17, "error offline-queue-damaged /etc/mfa/fleet.conf", realmDecides) {
      $0.realm = answer(certificateDays: 30)
      $0.relay("state = online\npermits = 2\npermits_file = sound\nqueued = 0\nqueue = damaged\n")
    },
    Row(18, "error offline-permits-damaged /etc/mfa/fleet.conf", realmDecides) {
      $0.realm = answer(certificateDays: 30)
      $0.relay("state = online\npermits = 0\npermits_file = damaged\nqueued = 0\nqueue = sound\n")
    },
    Row(30, "error realm-refuses-configuration /pam/su:3", realmDecides) {
      joinRealm(&$0)
      $0.stacks.files["su"] =
        "auth sufficient pam_rootok.so\n@include common-auth\n"
        + "auth required pam_mfa.so config=/etc/su.conf\naccount sufficient pam_rootok.so\n"
        + "account required pam_mfa.so config=/etc/su.conf\n@include common-account\n"
    },
    Row(31, "warning open-without-relay /etc/mfa/mfa.conf:2", realmDecides) {
      joinRealm(&$0)
      $0.configurationText = "[project]\nstate = disabled\n"
    },
    Row(32, "warning open-without-relay /etc/mfa/mfa.conf:4", realmDecides) {
      joinRealm(&$0)
      $0.configurationText = "[project]\n[tenant a]\nservices = su\nstate = observe\n"
    },
    Row(33, realmDecides) {
      joinRealm(&$0)
      $0.configurationText =
        "[project]\nstate = enabled\nenrollment = required\n[tenant a]\nservices = su\n"
    },
    Row(34, "warning configuration /etc/mfa/mfa.conf", realmDecides) {
      joinRealm(&$0)
      $0.configurationText = "[project]\nstate = off\n"
    },
    Row(35, "error ownership /etc/mfa/key", realmDecides) {
      joinRealm(&$0)
      $0.statuses["/etc/mfa/key"] = nil
    },
    Row(36, "error ownership /var/lib/mfa/factors/alice", realmDecides) {
      joinRealm(&$0)
      $0.statuses["/var/lib/mfa/factors/alice"] = MemoryHost.file(0, 0o600)
    },
    // The policy of the realm can require that users enrol.
    Row(37, "error missing /pam/sudo:2", realmDecides) {
      joinRealm(&$0)
      $0.stacks.files["sudo"] = "@include common-auth\nauth required pam_mfa.so\n"
    },
    Row(38, "error store-foreign /var/lib/mfa", realmDecides) {
      joinRealm(&$0)
      $0.comparison.difference = .otherMachine
    },
    Row(39, "error audit-log-damaged /var/lib/mfa/audit-log", realmDecides) {
      joinRealm(&$0)
      $0.auditLog = .success(.fault(.headMissing, last: nil))
    },
    Row(41, "warning break-glass-unusable \(breakGlass)", realmDecides) {
      joinRealm(&$0)
      $0.statuses[breakGlass] = PathStatus(kind: .file, owner: 0, permissions: 0o640)
      $0.texts[breakGlass] = breakGlassText
    },
    // Users with keys can have factors in the realm.
    Row(40, realmDecides) {
      joinRealm(&$0)
      $0.withoutPassword = ["alice"]
      $0.statuses["/home/alice/.ssh/authorized_keys"] = MemoryHost.file(1000, 0o600)
      $0.stacks.files["sshd"] = keyLines
      $0.sshdOfOthers = settings("authenticationmethods publickey,keyboard-interactive")
    },
  ]

  @Test("on a host of a realm", arguments: realmRows)
  func realm(row: Row) throws { try expectFindings(row) }

  /// What only a host that decides itself can be told.
  private static let ofDeciders: Set = [
    "clock-not-synchronized", "codes-used-ahead", "decider-elsewhere", "decider-without-access",
    "gateway-unusable", "not-enforced", "phone-test-numbers", "phone-without-gateway",
    "rekey-unfinished", "resident-service-silent", "resident-service-untrusted", "root-console",
    "root-locked-out", "root-not-enrolled", "root-without-code", "service-switched-off",
    "store-frozen", "store-full", "store-nearly-full", "store-not-writable", "store-read-only",
    "store-volatile", "tenant-without-users", "unusable-records", "weak-secrets",
  ]

  @Test(
    "on a host of a realm, no finding is about sign-ins that its own store, clock or policy decide")
  func ownDecisions() throws {
    let rows =
      Self.rootRows + Self.phoneRootRows + Self.reachRows + Self.storeRows + Self.residentRows
      + Self.phoneRows
    var outside: Set<String> = []
    for row in rows {
      outside.formUnion(try findings(row).map(\.code))
      let joined = Row(row.number) {
        try row.change(&$0)
        Self.joinRealm(&$0)
      }
      let findings = try findings(joined)
      let codes = Set(findings.map(\.code))
      #expect(codes.isDisjoint(with: Self.ofDeciders), "\(row.expected): \(codes)")
      #expect(codes.contains("realm-decides"))
      for finding in findings {
        #expect(!["mfa-admin rekey", "mfa-admin prune"].contains { finding.hint.contains($0) })
      }
    }
    #expect(Self.ofDeciders.isSubset(of: outside), "\(Self.ofDeciders.subtracting(outside))")
  }

  // MARK: Codes for phones

  private static let sending = "[project]\ngateway = /g\nregions = +1\n"

  static let phoneRows = [
    Row(1) { $0.configurationText = sending },
    Row(2, "error gateway-unusable /g") {
      $0.configurationText = sending
      $0.gateway = GatewayState(refusal: .writableByOthers, service: .listens)
    },
    Row(3, "error gateway-service-stopped /run/mfa/gateway") {
      $0.configurationText = sending
      $0.gateway = GatewayState(refusal: nil, service: .stopped)
    },
    Row(4, "error gateway-service-untrusted /run/mfa/gateway") {
      $0.configurationText = sending
      $0.gateway = GatewayState(refusal: nil, service: .untrusted(owner: 1000))
    },
    Row(5, "warning could-not-be-checked /run/mfa/gateway") {
      $0.configurationText = sending
      $0.gateway = GatewayState(refusal: nil, service: .unknown("EIO"))
    },
    // No user is allowed to have codes sent.
    Row(6) {
      $0.configurationText = sending + "factors = totp\n"
      $0.gateway = GatewayState(refusal: .notFound, service: .stopped)
    },
    Row(7, "error gateway-unusable /g") {
      $0.configurationText =
        sending + "factors = totp\n[tenant a]\nservices = sshd\nfactors = phone, totp\n"
      $0.gateway = GatewayState(refusal: .notExecutable, service: .listens)
    },
    Row(8, "error phone-without-gateway /etc/mfa/mfa.conf:2") {
      $0.configurationText = "[project]\nfactors = phone\n"
    },
    Row(9, "error phone-without-gateway /etc/mfa/mfa.conf:3") {
      $0.configurationText = "[tenant a]\nservices = sshd\nfactors = phone\n"
    },
    Row(10, "warning phone-test-numbers /etc/mfa/mfa.conf:2") {
      $0.configurationText = "[project]\nphone_test_numbers = +15105551234=123456\n"
    },
    Row(
      12, "error phone-test-number-enrolled /etc/mfa/mfa.conf:2",
      "warning phone-test-numbers /etc/mfa/mfa.conf:2"
    ) {
      $0.configurationText = "[project]\nphone_test_numbers = +15105551234=123456\n"
      $0.testNumberUsers = .success(["alice"])
    },
    // Phones that are allowed besides authenticator apps.
    Row(13, "warning phone-without-gateway /etc/mfa/mfa.conf:2") {
      $0.configurationText = "[project]\nfactors = totp, phone\n"
    },
    Row(
      14, "error phone-without-regions /etc/mfa/mfa.conf:3",
      "note unused-setting /etc/mfa/mfa.conf:2"
    ) {
      $0.configurationText = "[project]\ngateway = /g\nfactors = phone\n"
    },
    Row(
      15, "warning phone-without-regions /etc/mfa/mfa.conf:4",
      "note unused-setting /etc/mfa/mfa.conf:2"
    ) {
      $0.configurationText =
        "[project]\ngateway = /g\n[tenant a]\nfactors = totp, phone\nusers = alice\n"
    },
    Row(16, "note not-enforced /etc/mfa/mfa.conf:2") {
      $0.configurationText = "[project]\nstate = disabled\nfactors = phone\n"
    },
    // Without a gateway, nothing is checked.
    Row(11) { $0.gateway = GatewayState(refusal: .notFound, service: .stopped) },
  ]

  @Test("in the gateway for phones", arguments: phoneRows)
  func phones(row: Row) throws { try expectFindings(row) }

  // MARK: Unreadable files

  @Test("everything that cannot be read is reported")
  func unreadable() throws {
    var host = MemoryHost()
    host.unseen = [
      "/etc/mfa": Self.pamError, "/etc/mfa/key": Self.pamError,
      "/var/lib/mfa/factors": Self.pamError,
      "/proc/self/mountinfo": Self.pamError, "/root/.ssh/authorized_keys": Self.pamError,
      "/usr/lib/mfa": Self.pamError,
    ]
    host.known = .failure(Self.accountsError)
    host.owner = .failure(Self.accountsError)
    host.reports = .failure(.clock(Self.pamError))
    host.clock = .failure(AdminError(at: "adjtimex(2)", "EIO"))
    host.sshd = .failure(AdminError(at: "/usr/sbin/sshd", "not trusted"))
    host.configurationFailure = ConfigurationError(in: [47], .system(Self.pamError))
    let findings = Doctor.findings(on: try HostSnapshot(of: host))
    #expect(findings.filter { $0.code == "could-not-be-checked" }.count >= 8)
    #expect(findings.contains { $0.code == "configuration" && $0.severity == .error })
    for examination in [
      SystemUser.self, Ownership.self, UnwritableStore.self, UnusableRecords.self,
      UnsynchronizedClock.self, LeftoverFiles.self, DisabledPrompts.self,
    ] as [any Examination.Type] where examination != UnwritableStore.self {
      #expect(!examination.findings(on: try HostSnapshot(of: host)).isEmpty, "\(examination)")
    }
  }

  @Test("a damaged or unreadable audit log is reported")
  func auditLog() throws {
    var host = MemoryHost()
    #expect(DamagedAuditLog.findings(on: try HostSnapshot(of: host)).isEmpty)
    for (row, log, code) in [
      (1, .success(.fault(.badIndex, last: nil)), "audit-log-damaged"),
      (2, .success(.fault(.headMissing, last: nil)), "audit-log-damaged"),
      (3, .failure(.untrusted(.auditLogHead, .wrongSize)), "audit-log-damaged"),
      (4, .failure(.damaged(.auditLogIndex)), "audit-log-damaged"),
      (5, .failure(.cryptography), "could-not-be-checked"),
      (6, .success(.recordsWithoutEntries([[0x61]])), "audit-log-replaced"),
      (7, .success(.records([])), "audit-log-replaced"),
    ] as [(Int, Result<AuditLogProblem?, FactorStoreError>, String)] {
      host.auditLog = log
      #expect(
        DamagedAuditLog.findings(on: try HostSnapshot(of: host)).map(\.code) == [code], "row \(row)"
      )
    }
    host.auditLog = .failure(.system(.directory, .notFound(.open)))
    #expect(DamagedAuditLog.findings(on: try HostSnapshot(of: host)).isEmpty)
  }

  @Test("a store that is not the host's own, a shared key and an old identity are reported")
  func foreignStore() throws {
    let here = [UInt8](repeating: UInt8(ascii: "a"), count: 32)
    func comparison(_ difference: ForeignStore?, keyMachine: [UInt8]?, behind: UInt32 = 0)
      -> StoreComparison
    {
      var own = StoreIdentity(machine: here, keyMachine: keyMachine)
      own.log = 7
      own.entries = 5
      var comparison = StoreComparison()
      comparison.difference = difference
      comparison.own = own
      comparison.entries = 5 + behind
      comparison.machine = here
      return comparison
    }
    var host = MemoryHost()
    #expect(ForeignStoreOfHost.findings(on: try HostSnapshot(of: host)).isEmpty)
    for (row, comparison, codes) in [
      (1, comparison(nil, keyMachine: here), []),
      (2, comparison(nil, keyMachine: nil), ["shared-key"]),
      (3, comparison(nil, keyMachine: Array("b".utf8)), ["shared-key"]),
      (4, comparison(nil, keyMachine: here, behind: 1), ["store-identity-old"]),
      (5, comparison(.older, keyMachine: nil), ["store-foreign"]),
    ] as [(Int, StoreComparison, [String])] {
      host.comparison = comparison
      #expect(
        ForeignStoreOfHost.findings(on: try HostSnapshot(of: host)).map(\.code) == codes,
        "row \(row)")
    }
    for difference in ForeignStore.allCases {
      host.comparison = comparison(difference, keyMachine: here)
      let finding = try #require(ForeignStoreOfHost.findings(on: try HostSnapshot(of: host)).first)
      #expect(finding.severity == .error && finding.hint.contains("mfa-admin adopt-store"))
    }
  }

  @Test("a record of an earlier name is reported with both commands, and not as one left behind")
  func renamedUser() throws {
    var host = MemoryHost()
    let report = UserReport(name: Array("old".utf8), content: .unusable(.noSuchAccount))
    let earlier = try #require(report.userName)
    host.reports = .success([report])
    #expect(
      UnusableRecords.findings(on: try HostSnapshot(of: host)).map(\.code)
        == ["records-without-account"])
    host.renamed = [
      Administration.RenamedAccount(
        earlier: earlier, account: Account(name: Array("alice".utf8), uid: 1000))
    ]
    #expect(UnusableRecords.findings(on: try HostSnapshot(of: host)).isEmpty)
    let findings = RenamedUsers.findings(on: try HostSnapshot(of: host))
    #expect(findings.map(\.code) == ["renamed-user"])
    let hint = try #require(findings.first?.hint)
    #expect(hint.contains("mfa-admin rename-user old alice"))
    #expect(hint.contains("mfa-admin revoke old --all"))
  }

  @Test("the manual documents every finding")
  func manual() throws {
    let path = Checkout.folder + "/packaging/man/mfa-admin.8"
    let manual = String(
      decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self
    )
    .replacing("\\-", with: "-")
    let rows =
      Self.stackRows + Self.sshdRows + Self.rootRows + Self.fileRows + Self.storeRows
      + Self.leftoverRows + Self.unitRows + Self.residentRows + Self.reachRows + Self.phoneRows
      + Self.siblingRows + Self.realmRows
    var codes: Set<String> = []
    // An expected finding begins with its severity and its code.
    for finding in rows.flatMap(\.expected) {
      codes.insert(String(try #require(finding.split(separator: " ").dropFirst().first)))
    }
    // The manual has one entry for all reasons why a stack cannot be evaluated.
    codes.remove("not-understood")
    #expect(codes.count >= 30)
    for code in codes { #expect(manual.contains(code), "\(code)") }
  }

  @Test("the JSON of a finding always has the same members")
  func json() throws {
    let finding = Finding(
      severity: .note, code: "a", place: "/b", message: "c", hint: "d")
    #expect(
      finding.json
        == .object([
          ("severity", .string("note")), ("finding", .string("a")), ("services", .array([])),
          ("place", .string("/b")), ("message", .string("c")), ("hint", .string("d")),
        ]))
    #expect(finding.text == "note: /b: c [a]\n  d\n")
  }
}
