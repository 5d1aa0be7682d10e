import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// `mfa-admin doctor` on Debian's stacks with the guide's lines, and with one mistake each.
  @Suite struct Doctor {
    /// Runs the doctor, or the check. The simulated kernel clock is synchronised or not.
    static func examine(
      _ arguments: [String] = [], command: String = "doctor", isInTime: Bool = true
    ) throws -> Command {
      try Command.run(
        [
          // With the filter, only these calls stop the program.
          "/usr/bin/strace", "-f", "--seccomp-bpf", "-o", "/dev/null", "-e",
          "trace=adjtimex,clock_adjtime", "-e",
          "inject=adjtimex,clock_adjtime:retval=\(isInTime ? 0 : 5)", "/usr/sbin/mfa-admin",
          command,
        ] + arguments)
    }

    static let sshdFile = "/etc/ssh/sshd_config"
    static let dropIn = "/etc/ssh/sshd_config.d/00-mfa.conf"

    /// Removes the services of programs that do not ask each question, and get the lines of the files that they include.
    static func removeProgramsThatDoNotAsk(from machine: Machine) throws {
      for name in ["i3lock", "vsftpd", "radiusd", "samba"] {
        try machine.keep("/etc/pam.d/\(name)")
        try machine.remove("/etc/pam.d/\(name)")
      }
    }

    /// Configures a machine as the guide describes.
    static func setUp(_ machine: Machine) throws {
      try removeProgramsThatDoNotAsk(from: machine)
      let ssh = try Guide.blocks(under: "ssh: the password, then a code")
      try machine.changeService("sshd", authentication: ssh[0])
      try machine.write(ssh[1].joined(separator: "\n") + "\n", to: dropIn)
      let others = try Guide.blocks(under: "login, sudo, su")
      try machine.changeService("login", authentication: others[0])
      try machine.changeService("sudo", authentication: others[0])
      try machine.changeService("sudo-i", authentication: others[0])
      try machine.changeService("su", authentication: others[1])
      // Leftovers of other tests and packages are not examined here.
      try machine.keepConfiguration()
      try machine.remove("/usr/lib/pam.d/polkit-1")
    }

    /// Returns the findings as `severity code place`, most severe first.
    static func found(_ command: Command) throws -> [String] {
      let json = try #require(
        try JSONSerialization.jsonObject(with: Data(command.output)) as? [String: Any],
        "\(command.text) \(command.errorText)")
      let findings = try #require(json["findings"] as? [[String: Any]])
      return findings.map {
        "\($0["severity"] ?? "") \($0["finding"] ?? "") \($0["place"] ?? "")"
      }
    }

    /// Returns the source location of the first occurrence of a line in a file.
    static func place(_ machine: Machine, _ path: String, _ line: String) throws -> String {
      let lines = machine.text(of: path)
        .components(separatedBy: "\n")
      let index = try #require(lines.firstIndex(of: line), "\(path): \(line)")
      return "\(path):\(index + 1)"
    }

    struct Row: Sendable, CustomTestStringConvertible {
      let number: Int
      /// Makes a mistake, and returns the expected findings as `severity code place`.
      let change: @Sendable (Machine) throws -> [String]
      var testDescription: String { "\(number)" }

      init(_ number: Int, _ change: @escaping @Sendable (Machine) throws -> [String]) {
        self.number = number
        self.change = change
      }
    }

    static func appending(_ text: String, to path: String, _ machine: Machine) throws {
      let before = machine.text(of: path)
      try machine.write(before + text, to: path)
    }

    static func shell(_ script: String) throws {
      try Command.succeed(["/bin/sh", "-ec", script])
    }

    static let rows = [
      Row(1) { _ in [] },
      Row(2) { machine in
        try machine.writeService(
          "login",
          [
            "auth sufficient pam_unix.so", "auth requisite pam_deny.so", "auth required pam_mfa.so",
            "account required pam_permit.so",
          ])
        return ["error auth-skippable /etc/pam.d/login:1"]
      },
      Row(4) { machine in
        try machine.write(
          "UsePAM yes\n# no questions\nKbdInteractiveAuthentication no\nPasswordAuthentication no\n"
            + "AuthenticationMethods publickey,keyboard-interactive publickey\n", to: dropIn)
        return [
          "error keyboard-interactive-off \(dropIn):3", "error methods-without-code \(dropIn):5",
        ]
      },
      Row(8) { machine in
        try machine.write("Foo bar\n", to: dropIn)
        return ["error sshd-refuses \(dropIn):1"]
      },
      Row(9) { machine in
        try machine.writeConfiguration("[project]\nenrollment = required\n")
        try machine.changeService("sshd", authentication: [])
        try machine.writeService(
          "login", ["auth required pam_mfa.so", "account required pam_permit.so"])
        try machine.writeService("su", ["auth required pam_permit.so"])
        try machine.writeService("sudo", ["auth required pam_permit.so"])
        try machine.writeService("sudo-i", ["auth required pam_permit.so"])
        return [
          "error first-factor-missing /etc/pam.d/login:1", "error first-factor-missing \(dropIn):4",
          "error missing /etc/pam.d/login:1", "error root-locked-out /etc/pam.d/login:1",
          "warning password-not-proven /etc/pam.d/sshd:4",
          "warning short-grace-time \(sshdFile)",
        ]
      },
      Row(10) { machine in
        try machine.writeConfiguration("[project]\nenrollment = required\n[tenant a]\n")
        return ["error configuration /etc/mfa/mfa.conf"]
      },
      Row(11) { _ in
        try shell("chown root /etc/mfa/key; chmod 0666 /etc/mfa/mfa.conf")
        return [
          "error configuration /etc/mfa/mfa.conf", "error ownership /etc/mfa/mfa.conf",
          "error ownership /etc/mfa/key",
        ]
      },
      Row(12) { machine in
        try machine.keep("/usr/lib/mfa/mfa-helper")
        try shell("chmod 0755 /usr/lib/mfa/mfa-helper")
        return ["error ownership /usr/lib/mfa/mfa-helper"]
      },
      Row(13) { machine in
        try machine.remove("/etc/pam.d/mfa-enroll")
        return ["error ownership /etc/pam.d/mfa-enroll"]
      },
      Row(14) { machine in
        let user = try machine.addUser()
        let file = "/var/lib/mfa/attempts/\(user.name)"
        try machine.write("", to: file, owner: "mfa", group: "mfa", mode: "0644")
        return ["error ownership \(file)"]
      },
      Row(15) { machine in
        let modules = try Command.succeed(["/bin/sh", "-c", "echo /usr/lib/*/security/pam_mfa.so"])
        let module = modules.split(separator: "\n").first.map(String.init) ?? ""
        try machine.keep(module)
        try shell("chmod 0666 \(module)")
        return ["error ownership \(module)"]
      },
      Row(16) { machine in
        let text = machine.text(of: "/etc/passwd")
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("mfa:") }
        try machine.write(lines.joined(separator: "\n") + "\n", to: "/etc/passwd")
        return ["error no-system-user /etc/passwd"]
      },
      // A store that is full, read-only, or cannot be written for another reason.
      Row(17) { machine in
        // A host knows its store from the first entry in the audit log.
        _ = try machine.addEnrolledUser()
        try shell(
          "mount -t tmpfs -o size=64k,mode=0700,uid=mfa,gid=mfa full /var/lib/mfa; "
            + "install -d -o mfa -g mfa -m 2700 /var/lib/mfa/factors /var/lib/mfa/attempts "
            + "/var/lib/mfa/uids")
        machine.atTheEnd("unmount") { try shell("umount /var/lib/mfa") }
        return [
          "error store-full /var/lib/mfa", "error store-volatile /var/lib/mfa",
          "error store-foreign /var/lib/mfa",
        ]
      },
      Row(18) { machine in
        try shell("mount --bind /var/lib/mfa /var/lib/mfa; mount -o remount,bind,ro /var/lib/mfa")
        machine.atTheEnd("unmount") { try shell("umount /var/lib/mfa") }
        return ["error store-read-only /var/lib/mfa"]
      },
      Row(19) { machine in
        try shell("mkdir /var/lib/mfa/.doctor")
        machine.atTheEnd("remove") { try shell("rmdir /var/lib/mfa/.doctor") }
        return ["error store-not-writable /var/lib/mfa"]
      },
      Row(20) { machine in
        let file = "/etc/systemd/system/ssh.service.d/hardening.conf"
        try machine.keep("/etc/systemd/system/ssh.service.d")
        try machine.write("[Service]\nPrivateTmp=yes\nProtectSystem=strict\n", to: file)
        // The resident service opens the store in the place of a service in a sandbox.
        return PrivateMachine.hasResidentService ? [] : ["error service-sandboxed \(file):3"]
      },
      Row(21) { machine in
        let (user, _) = try machine.addEnrolledUser()
        try machine.write(
          "none", to: "/var/lib/mfa/factors/\(user.name)", owner: "mfa", group: "mfa", mode: "0600")
        return ["error unusable-records /var/lib/mfa"]
      },
      // Opening a named pipe would block.
      Row(22) { machine in
        let user = try machine.addUser()
        try shell("mkfifo \(user.home)/.google_authenticator")
        return ["warning left-over-files \(user.home)/.google_authenticator"]
      },
      Row(23) { machine in
        let user = try machine.addUser()
        let folder = "/srv/import-weak"
        // 80 bits.
        try machine.write(
          "JBSWY3DPEHPK3PXP\n\" TOTP_AUTH\n", to: "\(folder)/\(user.name)", owner: user.name,
          mode: "0400")
        try machine.keep(folder)
        try machine.mustAdminister("import", "--google-authenticator", folder)
        return ["warning weak-secrets /var/lib/mfa/factors"]
      },
      Row(24) { machine in
        try machine.write("", to: "/usr/sbin/auditd", mode: "0755")
        try machine.keep("/usr/lib/mfa/mfa-helper")
        try shell("setcap -r /usr/lib/mfa/mfa-helper")
        return ["note helper-not-audited /usr/lib/mfa/mfa-helper"]
      },
      Row(25) { machine in
        try machine.write("", to: "/usr/sbin/auditd", mode: "0755")
        return []
      },
      Row(27) { machine in
        try machine.writeService("some-service", ["auth include there-is-none"])
        return ["warning included-file-not-found /etc/pam.d/some-service:1"]
      },
      Row(28) { machine in
        let key = "/etc/mfa/key"
        try shell("ln \(key) /etc/mfa/another-name")
        machine.atTheEnd("remove") { try shell("rm /etc/mfa/another-name") }
        return ["error ownership \(key)"]
      },
      Row(29) { machine in
        try shell("chmod 0644 /var/lib/mfa/audit-log")
        machine.atTheEnd("chmod") { try shell("chmod 0600 /var/lib/mfa/audit-log") }
        return ["error ownership /var/lib/mfa/audit-log"]
      },
      // A copy of the module that ends too early, and a library that is no PAM module.
      Row(30) { machine in
        try machine.writeService(
          "login", ["auth requisite pam_unix.so", "auth required /opt/security/pam_mfa.so"])
        let module = try #require(machine.contents(of: modulePath))
        try machine.write(Array(module.prefix(4096)), to: "/opt/security/pam_mfa.so")
        return ["error module-not-loaded /etc/pam.d/login:2"]
      },
      Row(31) { machine in
        try machine.writeService(
          "login", ["auth requisite pam_unix.so", "auth required /opt/security/pam_mfa.so"])
        let path = try Command.succeed([
          "/bin/sh", "-c", "ls /lib/*/libpam.so.0 /lib64/libpam.so.0 2>/dev/null | head -n 1",
        ])
        let library = try #require(machine.contents(of: String(path.dropLast())))
        try machine.write(library, to: "/opt/security/pam_mfa.so")
        return ["error module-not-loaded /etc/pam.d/login:2"]
      },
      // The audit log is deleted, with its head or without it, or replaced by an earlier copy.
      Row(34) { machine in
        _ = try machine.addEnrolledUser()
        try shell("rm /var/lib/mfa/audit-log")
        return ["error audit-log-damaged /var/lib/mfa/audit-log"]
      },
      Row(35) { machine in
        _ = try machine.addEnrolledUser()
        try shell("rm /var/lib/mfa/audit-log /var/lib/mfa/audit-log.head")
        return ["error store-foreign /var/lib/mfa"]
      },
      Row(36) { machine in
        let earlier = "/run/mfa-earlier"
        try shell("mkdir \(earlier); cp -p /var/lib/mfa/audit-log* \(earlier)")
        machine.atTheEnd("remove") { try shell("rm -r \(earlier)") }
        _ = try machine.addEnrolledUser()
        try shell("cp -p \(earlier)/* /var/lib/mfa")
        return ["error store-foreign /var/lib/mfa"]
      },
      // Files that differ from those that packaging/install listed.
      Row(37) { machine in
        try machine.keep(modulePath)
        try shell("printf x >>\(modulePath)")
        return ["error file-replaced \(modulePath)"]
      },
      Row(38) { machine in
        let helper = "/usr/lib/mfa/mfa-helper"
        try machine.keep(helper)
        try shell("printf x >>\(helper); chown mfa \(helper); chmod 4755 \(helper)")
        return ["error file-replaced \(helper)"]
      },
    ]

    /// The path of the installed module.
    static var modulePath: String {
      "/usr/lib/\(Self.architecture)-linux-gnu/security/pam_mfa.so"
    }

    private static var architecture: String {
      #if arch(x86_64)
      "x86_64"
      #else
      "aarch64"
      #endif
    }

    @Test("only the mistake is reported, with its file and line", arguments: rows)
    func finds(row: Row) throws {
      try Self.setUp(machine)
      let expected = try row.change(machine)
      let command = try Self.examine(["--json"])
      #expect(try Self.found(command) == expected, "row \(row.number): \(command.text)")
      let isWrong = expected.contains { !$0.hasPrefix("note ") }
      #expect(command.status == .exited(isWrong ? 3 : 0), "row \(row.number)")
      let text = try Self.examine()
      #expect(text.status == command.status)
      for line in expected {
        let words = line.split(separator: " ")
        #expect(text.text.contains("\(words[0]): \(words[2]): "), "row \(row.number): \(text.text)")
      }
      #expect(
        text.text.split(separator: "\n").last?.wholeMatch(of: /checked: .*\b(login|sudo)\b.*/)
          != nil,
        "row \(row.number): \(text.text)")
      // The file of the write test was removed.
      let left = try Command.run(["/usr/bin/test", "-f", "/var/lib/mfa/.doctor"])
      #expect(!left.status.isSuccess)
    }

    @Test("the alternative configurations in the guide have no findings", arguments: [1, 2])
    func otherSetUps(number: Int) throws {
      let heading = number == 1 ? "ssh: a key, then a code" : "ssh: clients with one prompt"
      let blocks = try Guide.blocks(under: heading)
      try machine.changeService("sshd", authentication: blocks[0])
      try machine.write(blocks[1].joined(separator: "\n") + "\n", to: Self.dropIn)
      let command = try Self.examine(["--json"])
      #expect(try Self.found(command).isEmpty, "\(command.text)")
      #expect(command.status == .exited(0))
    }

    @Test("the line of pam-auth-update and the helper's own service have no findings")
    func profile() throws {
      try Self.removeProgramsThatDoNotAsk(from: machine)
      for name in ["auth", "account", "password", "session", "session-noninteractive"] {
        try machine.keep("/etc/pam.d/common-\(name)")
      }
      try machine.keep("/var/lib/pam")
      try machine.write(
        machine.text(of: Self.dropIn)
          + (try Guide.blocks(under: "ssh: the password, then a code"))[1]
          .joined(separator: "\n") + "\n", to: Self.dropIn)
      try Command.succeed(
        ["/usr/sbin/pam-auth-update", "--enable", "mfa"],
        environment: [
          "DEBIAN_FRONTEND": "noninteractive", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
        ])
      let command = try Self.examine(["--json"])
      #expect(try Self.found(command).isEmpty, "\(command.text)")
      #expect(command.text.contains("\"sshd\""), "\(command.text)")
    }

    @Test("if no stack uses the module, the doctor prints a note and succeeds")
    func notInUse() throws {
      let command = try Self.examine()
      #expect(command.status == .exited(0), "\(command.errorText)")
      #expect(
        command.text.hasPrefix("note: /etc/pam.d: no service has an auth line for pam_mfa.so"),
        "\(command.text)")
      #expect(command.errors.isEmpty)
      let late = try Self.examine(isInTime: false)
      #expect(late.status == .exited(3))
      #expect(late.text.hasPrefix("warning: adjtimex(2): "), "\(late.text)")
      #expect(late.errorText.hasPrefix("mfa-admin: found 1 warning\n"), "\(late.errorText)")
    }

    @Test("sshd's settings are examined for a given user, and only root may run the doctor")
    func users() throws {
      try Self.setUp(machine)
      let user = try machine.addUser()
      try Self.appending(
        "Match User \(user.name)\n  AuthenticationMethods publickey\n", to: Self.sshdFile,
        machine)
      let command = try Self.examine(["--json", "--user", user.name])
      #expect(
        try Self.found(command).contains { $0.hasPrefix("error methods-without-code") },
        "\(command.text)")
      #expect(command.text.contains("(user \(user.name))"), "\(command.text)")
      #expect(try Self.examine(["--user", ""]).status == .exited(2))
      #expect(
        try Self.examine(["--user", "a,b"]).text.contains(
          "sshd -C does not accept this name"))
      let refused = try Command.run(["/usr/sbin/mfa-admin", "doctor"], as: user.identity)
      #expect(refused.status == .exited(77) && refused.output.isEmpty)
    }

    @Test("the check is silent on a sound host, and says what is wrong in each format")
    func check() throws {
      try Self.setUp(machine)
      let file = "/var/lib/mfa-check.prom"
      try machine.keep(file)
      let sound = try Self.examine(command: "check")
      #expect(sound.status == .exited(0) && sound.text + sound.errorText == "", "\(sound)")
      let metrics = try Self.examine(["--prometheus", "--output", file], command: "check")
      #expect(metrics.status == .exited(0) && metrics.text == "", "\(metrics)")
      let text = try machine.existingText(of: file)
      #expect(text.contains("mfa_service_asks_for_code{service=\"sshd\"} 1\n"), "\(text)")
      try machine.writeService("sudo", ["auth required pam_unix.so", "auth optional pam_mfa.so"])
      let broken = try Self.examine(command: "check")
      #expect(broken.status == .exited(3) && broken.errorText == "", "\(broken)")
      let lines = broken.text.split(separator: "\n")
      #expect(
        lines.first?.hasPrefix("error: /etc/pam.d/sudo:2: sudo: a wrong code does not deny")
          == true
          && lines.count == 2, "\(broken.text)")
      let json = try Self.examine(["--json"], command: "check")
      #expect(json.status == .exited(3) && json.text.contains("\"errors\": 1"), "\(json.text)")
      #expect(try Self.examine(["--output", "x"], command: "check").status == .exited(64))
      let device = try Self.examine(["--output", "/dev/full"], command: "check")
      #expect(device.status == .exited(1), "\(device)")
      #expect(device.errorText.contains("/dev/full: not-a-regular-file"), "\(device.errorText)")
      #expect(try Command.run(["/usr/bin/test", "-c", "/dev/full"]).status.isSuccess)
      let lost = try Self.examine(["--output", "/nowhere/x"], command: "check")
      #expect(lost.status == .exited(1) && lost.errorText.contains(" /nowhere: "), "\(lost)")
    }

    @Test("a report is written into a folder of another user with this user's rights")
    func reportOfAnotherUser() throws {
      try Self.setUp(machine)
      let user = try machine.addUser()
      let folder = "/var/lib/mfa-collector"
      try machine.keep(folder)
      try Command.succeed([
        "/usr/bin/install", "-d", "-o", user.name, "-m", "0755", folder, folder + "/node",
      ])
      let file = folder + "/node/mfa.prom"
      for _ in 1...2 {
        let written = try Self.examine(["--prometheus", "--output", file], command: "check")
        #expect(written.status == .exited(0), "\(written)")
      }
      let status = try Command.succeed(["/usr/bin/stat", "-c", "%U %a", file])
      #expect(status == "\(user.name) 644\n", "\(status)")
      // A file that the user cannot replace, a link, a folder for all, and a link in the path.
      let victim = folder + "/victim"
      try machine.write("kept\n", to: victim)
      try Command.succeed(["/usr/bin/ln", "-sf", victim, file])
      let link = try Self.examine(["--output", file], command: "check")
      #expect(link.status == .exited(1), "\(link)")
      try Command.succeed(["/usr/bin/ln", "-sfn", "/etc", folder + "/etc"])
      let through = try Self.examine(["--output", folder + "/etc/mfa.prom"], command: "check")
      #expect(
        through.status == .exited(1) && through.errorText.contains("\(folder)/etc: "),
        "\(through)")
      #expect(machine.contents(of: "/etc/mfa.prom") == nil)
      #expect(machine.contents(of: victim) == Array("kept\n".utf8))
      let open = try Self.examine(["--output", "/tmp/mfa.prom"], command: "check")
      #expect(open.status == .exited(1) && open.errorText.contains(" /tmp/: "), "\(open)")
    }

    @Test(
      "an accepted finding is silent until it is withdrawn or its effect changes, and is in the log"
    )
    func accepted() throws {
      try Self.setUp(machine)
      try Self.shell("useradd -r -s /bin/sh backups; useradd -r -s /bin/sh backups2")
      defer { try? Self.shell("userdel backups; userdel backups2") }
      try Self.appending(
        "Match User backups\n  AuthenticationMethods publickey\n", to: Self.sshdFile, machine)
      let line = "  AuthenticationMethods publickey"
      let place = try Self.place(machine, Self.sshdFile, line)
      #expect(try Self.found(Self.examine(["--json"])) == ["error methods-without-code \(place)"])

      let missing = try Self.examine(
        ["accept", "--reason", "nightly", "methods-without-code", Self.sshdFile + ":1"])
      #expect(missing.status == .exited(2), "\(missing.errorText)")
      for days in ["0", "367"] {
        let refused = try Self.examine(
          ["accept", "--reason", "x", "--days", days, "methods-without-code", place])
        #expect(refused.status == .exited(64), "\(refused.errorText)")
      }
      let accept = ["accept", "--reason", "nightly", "methods-without-code", place]
      let done = try Self.examine(accept)
      #expect(done.status == .exited(0), "\(done.errorText)")
      let silent = try Self.examine()
      #expect(silent.status == .exited(0), "\(silent.text)")
      #expect(silent.text.hasPrefix("accepted: 1 (mfa-admin doctor accepted"), "\(silent.text)")
      let check = try Self.examine(command: "check")
      #expect(check.status == .exited(0) && check.text.isEmpty, "\(check.text)")
      let auditLog = try machine.mustAdminister("audit-log", "show").text
      #expect(
        auditLog.contains(
          "finding-accepted  \"\(Self.sshdFile): nightly\"  (methods-without-code)"),
        "\(auditLog)")

      // The line moves: it is still accepted. The exemption grows: it is a new finding.
      let text = machine.text(of: Self.sshdFile)
      try machine.write("# moved\n" + text, to: Self.sshdFile)
      #expect(try Self.examine().status == .exited(0))
      try machine.write(
        text.replacing("Match User backups\n", with: "Match User backups*\n"), to: Self.sshdFile)
      let grown = try Self.examine(["--json"])
      #expect(try Self.found(grown) == ["error methods-without-code \(place)"])

      try machine.write(text, to: Self.sshdFile)
      let list = try Self.examine(["accepted"])
      #expect(list.text.contains("by root: nightly"), "\(list.text)")
      let withdrawn = try Self.examine(["withdraw", "methods-without-code", place])
      #expect(withdrawn.status == .exited(0), "\(withdrawn.errorText)")
      #expect(try Self.examine().status == .exited(3))
      #expect(try Self.examine(["withdraw", "methods-without-code", place]).status == .exited(2))
      try machine.write("{}", to: "/etc/mfa/accepted-findings")
      let damaged = try Self.examine(["--json"])
      #expect(
        try Self.found(damaged) == [
          "error methods-without-code \(place)",
          "warning could-not-be-checked /etc/mfa/accepted-findings",
        ], "\(damaged.text)")
    }

    @Test(
      "an accepted exemption hides no other one with the same settings",
      arguments: [
        "Match User USER", "Match LocalAddress 127.0.0.0/8", "Match Address 127.0.0.0/8",
      ])
    func otherExemption(match: String) throws {
      try Self.setUp(machine)
      let accepted = try machine.addUser()
      let (user, _) = try machine.addEnrolledUser()
      let key = try machine.addLoginKey(for: user)
      let file = "/etc/ssh/sshd_config.d/00-exemptions.conf"
      let line = "  AuthenticationMethods publickey"
      try machine.write("Match User \(accepted.name)\n\(line)\n", to: file)
      let accept = try Self.examine(
        ["accept", "--reason", "nightly", "methods-without-code", file + ":2"])
      #expect(accept.status == .exited(0), "\(accept.errorText)")
      #expect(try Self.examine().status == .exited(0))

      let other = match.replacing("USER", with: user.name)
      try machine.write(
        "Match User \(accepted.name)\n\(line)\n\(other)\n\(line)\n", to: file)
      #expect(
        try Self.found(Self.examine(["--json"])) == ["error methods-without-code \(file):4"])
      let metrics = try Self.examine(["--prometheus"], command: "check").text
      #expect(metrics.contains("mfa_service_asks_for_code{service=\"sshd\"} 0\n"), "\(metrics)")
      let exemptions = try Self.examine(["exemptions"]).text
      #expect(
        exemptions.contains("by root: nightly\n") && exemptions.contains("\n  not accepted\n"),
        "\(exemptions)")

      let server = try PrivateServer(
        on: machine, settings: ["Include /etc/ssh/sshd_config.d/*.conf"])
      let session = try server.signIn(
        user.name, command: "true", key: key, options: ["BatchMode=yes"])
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript) \(server.log)")
    }

    @Test("a stack that denies all users who have not enrolled is found")
    func unenrolledLockedOut() throws {
      try Self.setUp(machine)
      let (user, enrollment) = try machine.addEnrolledUser()
      let other = try machine.addUser()
      let lines = [
        "auth [success=1 default=ignore] pam_unix.so", "auth requisite pam_deny.so",
        "auth required pam_mfa.so", "account required pam_permit.so", "account required pam_mfa.so",
      ]
      let permit = "auth required pam_permit.so"
      for (stack, isOpen) in [(lines, false), (lines.prefix(3) + [permit] + lines.suffix(2), true)]
      {
        try machine.writeService("some-service", Array(stack))
        let right = try PAMClient.signIn(
          service: "some-service", user: user.name,
          answers: [.text(user.password), .text(try enrollment.phone.code(offset: isOpen ? 1 : 0))])
        #expect(right.code == "PAM_SUCCESS", "\(right)")
        let unenrolled = try PAMClient.signIn(
          service: "some-service", user: other.name, answers: [.text(other.password)])
        #expect((unenrolled.code == "PAM_SUCCESS") == isOpen, "\(unenrolled)")
        #expect(
          try Self.found(Self.examine(["--json"])).contains(
            "error unenrolled-locked-out /etc/pam.d/some-service:3") == !isOpen)
      }
    }

    @Test("check is silent in a container, which may not ask for the state of the clock")
    func container() throws {
      try Self.setUp(machine)
      let clock = "adjtimex,clock_adjtime"
      let check = try Command.run([
        "/usr/bin/strace", "-o", "/dev/null", "-e", "trace=" + clock, "-e",
        "inject=\(clock):error=EPERM", "/usr/sbin/mfa-admin", "check",
      ])
      #expect(check.status == .exited(0) && check.text.isEmpty, "\(check.text)")
    }

    @Test("readiness and explain say the same of a user whom a stack denies")
    func readiness() throws {
      try Self.setUp(machine)
      let (user, _) = try machine.addEnrolledUser()
      try machine.write("[project]\nstate = observe\n", to: "/etc/mfa/mfa.conf")
      func text() throws -> String { try machine.administer("readiness").text }
      let before = try text()
      #expect(!before.contains(user.name), "\(before)")
      // A misspelt argument, a stack that fails for every user, and a tenant in a drop-in.
      try machine.writeService(
        "some-service", ["auth requisite pam_unix.so", "auth required pam_mfa.so ecko"])
      try machine.writeService(
        "sudo",
        [
          "auth [success=9 default=die] pam_unix.so", "auth required pam_mfa.so",
          "account required pam_mfa.so",
        ])
      let found = try text()
      #expect(
        found.contains(
          "  \(user.name) at some-service, sudo: denied: pam_mfa.so has no argument"), "\(found)")
      for service in ["some-service", "sudo"] {
        let explained = try machine.administer("explain", "--user", user.name, "--service", service)
        #expect(explained.text.contains("decision     denied: "), "\(explained.text)")
      }
      try machine.write(
        "[tenant x]\nusers = \(user.name)\nenrollment = required\n",
        to: "/etc/mfa/mfa.conf.d/x.conf")
      let after = try text()
      #expect(after.contains("tenant x: "), "\(after)")
    }

    struct MatchRow: Sendable {
      /// Lines for sshd, in which USER and GROUP stand for a user and the user's group.
      let lines: [String]
      /// The numbers of the lines that let a user sign in with a key alone, counted from 1.
      var open: [Int] = []
    }

    private static let key = "AuthenticationMethods publickey"

    static let matchRows = [
      MatchRow(lines: ["Match User USER", key], open: [2]),
      MatchRow(lines: ["Match User a?b,per*", key], open: [2]),
      MatchRow(lines: ["Match User *,!USER", key], open: [2]),
      MatchRow(lines: ["Match User !USER", key]),
      MatchRow(lines: ["Match User nobody-has-this-name", key]),
      MatchRow(lines: ["Match Group GROUP", key], open: [2]),
      MatchRow(lines: ["Match Group *,!GROUP User USER", key]),
      MatchRow(lines: ["Match Group x,GR*,GROUP User USER", key], open: [2]),
      MatchRow(lines: ["Match Address !10.0.0.0/8,10.1.0.0/16,192.168.0.0/16", key], open: [2]),
      MatchRow(lines: ["Match User USER Address 192.168.0.0/16", key], open: [2]),
      MatchRow(lines: ["Match User USER", "X11Forwarding no"]),
      MatchRow(
        lines: [
          "Match User USER", "AuthenticationMethods keyboard-interactive", "Match User *", key,
        ], open: [4]),
      MatchRow(
        lines: [
          "Match User *", "AuthenticationMethods keyboard-interactive", "Match User USER", key,
        ]),
      MatchRow(
        lines: ["Match User USER", key, "Match Group GROUP", "AuthenticationMethods hostbased"],
        open: [2]),
      MatchRow(
        lines: [
          "Match User root", key, "Match User USER",
          "AuthenticationMethods publickey,keyboard-interactive",
          "Match User nobody", "HostbasedAuthentication yes", "AuthenticationMethods hostbased",
        ], open: [2, 7]),
      MatchRow(lines: ["Match LocalPort 2222", key], open: [2]),
    ]

    @Test(
      "a Match line that lets a user sign in without a code is found, and no other",
      arguments: matchRows)
    func matchLines(row: MatchRow) throws {
      try Self.setUp(machine)
      let user = try machine.addUser()
      let path = "/etc/ssh/sshd_config.d/zz-match.conf"
      let lines = row.lines.map {
        $0.replacing("USER", with: user.name).replacing("GROUP", with: user.name)
      }
      try machine.write(lines.joined(separator: "\n") + "\n", to: path)
      let command = try Self.examine(["--json"])
      let found = try Self.found(command).filter { $0.contains("methods-without-code") }
      #expect(
        Set(found) == Set(row.open.map { "error methods-without-code \(path):\($0)" }),
        "\(row): \(command.text)")
      #expect(command.status == .exited(row.open.isEmpty ? 0 : 3), "\(row): \(command.text)")
    }

    @Test("another sshd is a finding if a user signs in there without a code, by a Match line too")
    func otherServer() throws {
      try Self.setUp(machine)
      let (user, _) = try machine.addEnrolledUser()
      let (other, _) = try machine.addEnrolledUser()
      let keys = [try machine.addLoginKey(for: user), try machine.addLoginKey(for: other)]
      try machine.write(
        "Match User \(user.name)\nAuthenticationMethods publickey\n",
        to: machine.folder + "/one-user")
      // No user without a code, one user, and all users.
      let lists: [(settings: [String], signedIn: Int)] = [
        (["AuthenticationMethods publickey,keyboard-interactive"], 0),
        (
          [
            "AuthenticationMethods publickey,keyboard-interactive",
            "Include \(machine.folder)/one-user",
          ], 1
        ),
        ([], 2),
      ]
      for (settings, expected) in lists {
        let server = try PrivateServer(on: machine, settings: settings)
        let sessions = try zip([user, other], keys).map { user, key in
          try server.signIn(
            user.name, command: "echo uid=$(id -un)", key: key,
            options: ["BatchMode=yes", "PreferredAuthentications=publickey"])
        }
        var signedIn = 0
        for session in sessions where try session.waitForExit() == .exited(0) { signedIn += 1 }
        let command = try Self.examine(["--json"])
        let found = try Self.found(command).filter { $0.contains(" other-sshd ") }
        #expect(signedIn == expected, "\(settings) \(sessions.map(\.transcript))")
        #expect(found.count == (expected == 0 ? 0 : 1), "\(settings): \(command.text)")
        if expected == 1 {
          #expect(command.text.contains("(user \(user.name))"), "\(command.text)")
        }
        try server.stop()
      }
    }

    @Test("the title of a user's process decides nothing that root's programs read or say")
    func falseServer() throws {
      try Self.setUp(machine)
      let user = try machine.addUser()
      let fifo = user.home + "/fifo"
      let socket = user.home + "/socket"
      let script = """
        cp /bin/sleep ~/sshd
        mkfifo ~/fifo
        python3 -c 'import socket, time
        server = socket.socket(socket.AF_UNIX)
        server.bind("\(socket)")
        server.listen()
        server.settimeout(60)
        server.accept()
        open("\(user.home)/connected", "w")' &
        """
      try Command.succeed(["/bin/sh", "-ec", script], as: user.identity)
      var processes: [ChildProcess] = []
      defer { for process in processes { process.send(signal: 9) } }
      let shadow = machine.text(of: "/etc/shadow")
      let hash = try #require(
        shadow.split(separator: "\n").first { $0.hasPrefix("\(user.name):") }?
          .split(separator: ":").dropFirst().first)
      let start = try machine.log.position()
      for options in [
        "-f /etc/shadow", "-f \(fifo)", "-o HostKeyAgent=\(socket)", "-f \(socket)",
      ] {
        let title = "sshd: /usr/sbin/sshd \(options) [listener] 0 of 10-100 startups"
        processes.append(
          try ChildProcess(
            ["/bin/bash", "-c", "exec -a '\(title)' ~/sshd 600"], as: user.identity,
            directory: user.home))
      }
      // The process has the title when it has become the other program.
      for process in processes {
        let path = "/proc/\(process.number)/cmdline"
        #expect(
          Deadline.usual.waits {
            (machine.contents(of: path) ?? []).starts(with: "sshd:".utf8)
          })
      }
      let doctor = try Self.examine(["--json"])
      #expect(try Self.found(doctor).isEmpty, "\(doctor.text)")
      let check = try Self.examine(command: "check")
      #expect(check.status == .exited(0) && check.output.isEmpty, "\(check.text)")
      let report = try Self.examine(command: "report")
      for command in [doctor, check, report] {
        for word in [String(hash), "/etc/shadow", user.home] {
          #expect(!(command.text + command.errorText).contains(word), "\(command.text)")
        }
      }
      let lines = try machine.log.entries(since: start).map(\.line)
      #expect(!lines.contains { $0.contains(hash) }, "\(lines)")
      #expect(machine.contents(of: user.home + "/connected") == nil)
    }

    @Test("the text of a file of sshd that not every user can read is never shown")
    func privateFile() throws {
      try Self.setUp(machine)
      try machine.keepServices()
      let path = "/etc/ssh/sshd_config.d/50-private.conf"
      try machine.write("A-secret-word yes\n", to: path, mode: "0600")
      let doctor = try Self.examine(["--json"])
      #expect(try Self.found(doctor).contains("error sshd-refuses \(path):1"), "\(doctor.text)")
      let enabled = try machine.administer("enable", "--no-confirm", "sshd")
      let check = try Self.examine(command: "check")
      for command in [doctor, enabled, check] {
        #expect(!(command.text + command.errorText).contains("A-secret-word"), "\(command)")
      }
      // Every user may read this one.
      try machine.write("A-secret-word yes\n", to: path)
      #expect(try Self.examine().text.contains("A-secret-word"))
    }

    @Test("the number of programs that doctor starts does not grow with users")
    func programsStarted() throws {
      try Self.setUp(machine)
      try Self.addManyMatches(machine)
      let trace = machine.folder + "/trace"
      let command = try Command.run([
        "/usr/bin/strace", "-f", "-qq", "-e", "trace=execve", "-o", trace, ServiceFiles.program,
        "check",
      ])
      let started = machine.text(of: trace)
        .components(separatedBy: "\n")
      func count(_ program: String) -> Int {
        started.count { $0.contains("execve(\"\(program)\"") && $0.hasSuffix(" = 0") }
      }
      // The general settings, root, and one connection for each line.
      #expect((40...42).contains(count("/usr/sbin/sshd")), "\(started)")
      // The members of all groups, and the passwords of all users.
      #expect(count("/usr/bin/getent") <= 2, "\(started)")
      #expect(!command.text.contains("kinds of connections"), "\(command.text)")
    }

    /// Adds 40 `Match` lines about users, groups and addresses to sshd's configuration, and 100 users who
    /// have keys and no password.
    static func addManyMatches(_ machine: Machine) throws {
      var accounts = machine.text(of: "/etc/passwd")
      var groups = machine.text(of: "/etc/group")
      try machine.keep("/home/many")
      for number in 0..<100 {
        let home = "/home/many/user\(number)"
        accounts += "user\(number):*:\(20_000 + number):20000::\(home):/bin/sh\n"
        try machine.write("key\n", to: "\(home)/.ssh/authorized_keys")
      }
      var lines = ""
      for number in 0..<40 {
        switch number % 3 {
        case 0: lines += "Match User user\(number)\n"
        case 1:
          groups += "group\(number):x:\(21_000 + number):user\(number),user\(number + 40)\n"
          lines += "Match Group group\(number)\n"
        case _: lines += "Match Address 10.\(number).0.0/16\n"
        }
        lines += "AuthenticationMethods publickey,keyboard-interactive\n"
      }
      try machine.write(accounts, to: "/etc/passwd")
      try machine.write(groups, to: "/etc/group")
      try machine.write(lines, to: "/etc/ssh/sshd_config.d/zz-many.conf")
    }

    @Test("prune removes the records of deleted accounts only, and says so in the audit log")
    func prune() throws {
      try machine.emptyStore()
      let (user, _) = try machine.addEnrolledUser()
      let (gone, _) = try machine.addEnrolledUser()
      let record = "/var/lib/mfa/factors/\(gone.name)"
      let none = try machine.administer("prune", "--yes")
      #expect(none.status == .exited(0) && machine.contents(of: record) != nil, "\(none.text)")
      let accounts = machine.text(of: "/etc/passwd")
      let others = accounts.split(separator: "\n").filter { !$0.hasPrefix("\(gone.name):") }
      try machine.write(others.joined(separator: "\n") + "\n", to: "/etc/passwd")
      let found = try machine.administer("doctor").text
      #expect(found.contains("mfa-admin prune"), "\(found)")
      let dry = try machine.administer("prune", "--dry-run")
      #expect(dry.status == .exited(0) && dry.text.contains(gone.name), "\(dry.text)")
      let unasked = try machine.administer("prune")
      #expect(unasked.status != .exited(0), "\(unasked.text)")
      #expect(machine.contents(of: record) != nil)
      let pruned = try machine.mustAdminister("prune", "--yes")
      #expect(pruned.text.contains(gone.name) && !pruned.text.contains(user.name), "\(pruned.text)")
      #expect(machine.contents(of: record) == nil)
      #expect(machine.contents(of: "/var/lib/mfa/factors/\(user.name)") != nil)
      let entries = try machine.administer("audit-log", "show", "--last", "5").text
      #expect(entries.contains(gone.name), "\(entries)")
      try machine.mustAdminister("audit-log", "verify", "--begun-anew")
    }

    /// Compares the doctor's findings about a stack with what PAM then does.
    @Test("findings about stacks that ask for no code, or ask too early, are correct")
    func findingsMatchPAM() throws {
      let (user, _) = try machine.addEnrolledUser()
      let passed = try machine.makeService([
        "auth sufficient pam_unix.so", "auth required pam_mfa.so",
        "account required pam_permit.so",
      ])
      let early = try machine.makeService([
        "auth required pam_unix.so", "auth required pam_mfa.so tries=1",
        "account required pam_permit.so",
      ])
      let findings = try Self.found(try Self.examine(["--json"]))
      #expect(findings.contains("error auth-skippable /etc/pam.d/\(passed):1"), "\(findings)")
      #expect(findings.contains("warning required-before /etc/pam.d/\(early):1"), "\(findings)")
      let first = try user.signIn(to: passed, typing: user.password)
      #expect(first.code == "PAM_SUCCESS" && first.prompts.count == 1, "\(first)")
      let second = try user.signIn(to: early, typing: "wrong", "000000")
      #expect(second.code != "PAM_SUCCESS" && second.prompts.count == 2, "\(second)")
    }
  }
}
