import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// Rules of sudo with which users need no code: what `mfa-admin` says, and what sudo does.
  @Suite struct Sudo {
    static let file = "/etc/sudoers.d/zz-mfa-test"
    static let runsAll = "USER ALL = (ALL) ALL"

    /// What sudo does.
    enum Behaviour {
      /// `sudo -n` succeeds, so sudo asks for nothing.
      case asksForNothing
      /// sudo asks for the password and the code of the user.
      case asks
      /// sudo asks for the password of this account.
      case asksFor(String)
      /// sudo asks for the password alone.
      case asksForPassword
      /// After a sign-in in one terminal, sudo asks for nothing in another.
      case asksOnce
    }

    struct Row: Sendable {
      /// The lines of the file, in which USER stands for an enrolled user, GROUP for a group of
      /// theirs, and OPEN for a PAM service that asks for the password alone.
      let lines: [String]
      /// The finding as `severity code LINE`, or nil.
      var expected: String?
      let behaviour: Behaviour
      /// The command that the user runs.
      var command = ["/usr/bin/id", "-un"]
    }

    private static func open(
      _ lines: String..., severity: String = "error", line: Int = 1
    ) -> Row {
      Row(
        lines: lines, expected: "\(severity) sudo-without-code \(line)",
        behaviour: .asksForNothing)
    }

    static let rows = [
      Row(lines: [runsAll], behaviour: .asks),
      open("USER ALL = (ALL) NOPASSWD: ALL"),
      open("%GROUP ALL = NOPASSWD: ALL"),
      open("User_Alias FOLK = %GROUP, !root", "FOLK ALL = NOPASSWD: ALL", line: 2),
      open("ALL ALL = NOPASSWD: /usr/bin/", severity: "error"),
      open("USER ALL = NOPASSWD: /usr/bin/id", severity: "warning"),
      open("Cmnd_Alias C = /usr/bin/id", "USER ALL = NOPASSWD: C", severity: "warning", line: 2),
      open("# comment", "Defaults !authenticate", runsAll, line: 2),
      open("Defaults:USER !authenticate", runsAll),
      open("Defaults:%GROUP !authenticate", runsAll),
      open("Defaults>root !authenticate", runsAll),
      open("Defaults!/usr/bin/id !authenticate", runsAll, severity: "warning"),
      open("Defaults@ALL !authenticate", runsAll),
      open("Defaults exempt_group=GROUP", runsAll),
      open(
        runsAll, "USER ALL = (root) \\", "  NOPASSWD: /usr/bin/id -un", severity: "warning",
        line: 2),
      Row(lines: ["USER ALL = NOPASSWD: ALL", runsAll], behaviour: .asks),
      Row(lines: [runsAll, "USER nowhere = NOPASSWD: ALL"], behaviour: .asks),
      Row(lines: ["Defaults:USER !authenticate", "USER ALL = PASSWD: ALL"], behaviour: .asks),
      Row(
        lines: ["Defaults timestamp_timeout=-1", runsAll],
        expected: "warning sudo-long-timestamp 1", behaviour: .asks),
      Row(
        lines: [runsAll, "Defaults:USER timestamp_timeout=1440"],
        expected: "warning sudo-long-timestamp 2", behaviour: .asks),
      Row(
        lines: ["Defaults timestamp_type=global", runsAll],
        expected: "warning sudo-global-timestamp 1", behaviour: .asksOnce),
      Row(
        lines: ["Defaults !tty_tickets", runsAll],
        expected: "warning sudo-global-timestamp 1", behaviour: .asksOnce),
      // root has no factor, and need not have one.
      Row(
        lines: ["Defaults rootpw", runsAll], expected: "error sudo-other-account 1",
        behaviour: .asksFor("root")),
      Row(
        lines: ["Defaults runaspw", runsAll], expected: "error sudo-other-account 1",
        behaviour: .asksFor("root")),
      Row(
        lines: ["Defaults targetpw", runsAll], expected: "error sudo-other-account 1",
        behaviour: .asksFor("root")),
      Row(
        lines: [runsAll, "Defaults pam_service=OPEN"],
        expected: "error sudo-other-service 2", behaviour: .asksForPassword),
      Row(
        lines: ["Defaults:USER pam_service=OPEN", runsAll],
        expected: "error sudo-other-service 1", behaviour: .asksForPassword),
      Row(
        lines: ["Defaults pam_login_service=OPEN", runsAll],
        expected: "error sudo-other-service 1", behaviour: .asksForPassword,
        command: ["-i", "/usr/bin/id", "-un"]),
      Row(
        lines: ["Defaults:USER pam_service=\"cron\"", "USER ALL = NOPASSWD: ALL"],
        expected: "error sudo-without-code 2", behaviour: .asksForNothing),
    ]

    private func findings(_ command: Command, _ member: String) throws -> [String] {
      let json = try #require(
        try JSONSerialization.jsonObject(with: Data(command.output)) as? [String: Any],
        "\(command.text) \(command.errorText)")
      let findings = try #require(json[member] as? [[String: Any]])
      return findings.map {
        "\($0["severity"] ?? "") \($0["finding"] ?? "") \($0["place"] ?? "")"
      }
    }

    /// Begins `sudo`, and types the password at the prompt for an account's password.
    private func begin(
      _ command: [String], _ user: MachineUser, asking account: String? = nil
    ) throws -> TerminalSession {
      let session = try TerminalSession(["/usr/bin/sudo"] + command, as: user.identity)
      try session.expect("password for \(account ?? user.name)")
      if account == nil { try session.send(user.password) }
      return session
    }

    private func expectRoot(_ session: TerminalSession) throws {
      try session.expect("root")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
    }

    private func observe(_ row: Row, _ user: MachineUser, _ phone: Enrollment) throws {
      let silent = try Command.run(["/usr/bin/sudo", "-n"] + row.command, as: user.identity)
      switch row.behaviour {
      case .asksForNothing:
        #expect(silent.text == "root\n", "\(row): \(silent.errorText)")
        return
      case .asks, .asksFor, .asksForPassword, .asksOnce:
        #expect(silent.errorText.contains("password is required"), "\(row)")
      }
      switch row.behaviour {
      case .asksForNothing: return
      case .asksFor(let account):
        let session = try begin(row.command, user, asking: account)
        session.process.send(signal: 9)
        _ = try session.waitForExit()
      case .asksForPassword:
        let session = try begin(row.command, user)
        try expectRoot(session)
        #expect(!session.text.contains("code"), "\(row): \(session.transcript)")
      case .asks, .asksOnce:
        let session = try begin(row.command, user)
        try session.answer("Verification code: ", with: try phone.phone.code())
        try expectRoot(session)
        guard case .asksOnce = row.behaviour else { return }
        let other = try TerminalSession(["/usr/bin/sudo", "-n"] + row.command, as: user.identity)
        try expectRoot(other)
      }
    }

    @Test("each rule is found with its line, and sudo does what the finding says", arguments: rows)
    func rules(row: Row) throws {
      try Doctor.setUp(machine)
      let (user, phone) = try machine.addEnrolledUser()
      let open = try machine.makeService([
        "auth required pam_unix.so", "account required pam_permit.so",
        "session required pam_permit.so",
      ])
      // useradd gives each user a group of the same name.
      let lines = row.lines.map {
        $0.replacing("USER", with: user.name).replacing("GROUP", with: user.name)
          .replacing("OPEN", with: open)
      }
      try machine.write(lines.joined(separator: "\n") + "\n", to: Self.file, mode: "0440")
      let expected = row.expected.map { text in
        [text.replacing(#/ (\d+)$/#) { " \(Self.file):\($0.1)" }]
      }
      let doctor = try Doctor.examine(["--json"])
      #expect(try findings(doctor, "findings") == expected ?? [], "\(row): \(doctor.text)")
      let explained = try Command.run([
        "/usr/sbin/mfa-admin", "explain", "--user", user.name, "--service",
        row.command.first == "-i" ? "sudo-i" : "sudo", "--json",
      ])
      #expect(try findings(explained, "exceptions") == expected ?? [], "\(row): \(explained.text)")
      // sudo asks for root's code, and root has no factor.
      let isOpen =
        row.expected?.hasPrefix("error ") == true
        && ["without-code", "other-service", "other-account"].contains {
          row.expected?.hasPrefix("error sudo-\($0)") == true
        }
      #expect(
        explained.text.contains("\"decision\": \"\(isOpen ? "allowed" : "asked")\""),
        "\(row): \(explained.text)")
      try observe(row, user, phone)
    }

    @Test("sudo -i has a PAM service of its own, which must ask too")
    func loginShell() throws {
      try Doctor.setUp(machine)
      let (user, _) = try machine.addEnrolledUser()
      try machine.write("\(user.name) ALL = ALL\n", to: Self.file, mode: "0440")
      try machine.writeService(
        "sudo-i", ["auth required pam_unix.so", "account required pam_permit.so"])
      let doctor = try Doctor.examine(["--json"])
      #expect(
        try findings(doctor, "findings") == ["error sudo-other-service /etc/pam.d/sudo-i"],
        "\(doctor.text)")
      let session = try begin(["-i", "/usr/bin/id", "-un"], user)
      try expectRoot(session)
      #expect(!session.text.contains("code"), "\(session.transcript)")
    }

    @Test("with !pam_acct_mgmt, users who must enrol are let through, and found")
    func accountLines() throws {
      try Doctor.setUp(machine)
      let user = try machine.addUser()
      try machine.writeConfiguration(
        "[project]\n[tenant a]\nservices = sudo\nenrollment = required\n")
      try machine.write(
        "\(user.name) ALL = ALL\nDefaults !pam_acct_mgmt\n", to: Self.file, mode: "0440")
      let doctor = try Doctor.examine(["--json"])
      #expect(
        try findings(doctor, "findings") == ["error sudo-account-skipped \(Self.file):2"],
        "\(doctor.text)")
      let session = try begin(["/usr/bin/id", "-un"], user)
      try expectRoot(session)
    }

    @Test("rules that sudo cannot read are reported, and so are rules that are in no file")
    func unknown() throws {
      try Doctor.setUp(machine)
      let user = try machine.addUser()
      try machine.write("\(user.name) ALL = foo\n", to: Self.file, mode: "0440")
      let broken = try Doctor.examine(["--json"])
      #expect(
        try findings(broken, "findings") == ["warning could-not-be-checked \(Self.file):1"],
        "\(broken.text)")
      try machine.write("\(user.name) ALL = NOPASSWD: ALL\n", to: Self.file, mode: "0440")
      let path = "/etc/nsswitch.conf"
      try Doctor.appending("sudoers: files sss\n", to: path, machine)
      let place = try Doctor.place(machine, path, "sudoers: files sss")
      let elsewhere = try Doctor.examine(["--json"])
      #expect(
        try findings(elsewhere, "findings") == [
          "error sudo-without-code \(Self.file):1", "warning sudoers-elsewhere \(place)",
        ], "\(elsewhere.text)")
      // sudo itself lists the rules of the user, from all sources.
      let explained = try Command.run([
        "/usr/sbin/mfa-admin", "explain", "--user", user.name, "--service", "sudo", "--json",
      ])
      #expect(
        try findings(explained, "exceptions") == ["error sudo-without-code \(place)"],
        "\(explained.text)")
    }
  }
}
