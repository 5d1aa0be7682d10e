import MFATestSupport
import Testing

extension EndToEnd {
  /// `mfa-admin enable`, `confirm`, `disable` and `restore` with Debian's service files.
  @Suite struct Enable {
    init() throws { try machine.keepServices() }

    /// Adds an enrolled user who may run mfa-admin through sudo without a password.
    static func administrator(
      _ machine: Machine
    ) throws -> (user: MachineUser, enrollment: Enrollment) {
      let (user, enrollment) = try machine.addEnrolledUser()
      try machine.write(
        "\(user.name) ALL=(ALL) NOPASSWD: \(ServiceFiles.program)\n",
        to: "/etc/sudoers.d/administrator", mode: "0440")
      return (user, enrollment)
    }

    /// Starts a real sshd that reads the host's drop-ins.
    static func server(_ machine: Machine) throws -> PrivateServer {
      try PrivateServer(
        on: machine, settings: ["Include /etc/ssh/sshd_config.d/*.conf", "PidFile /run/sshd.pid"])
    }

    static let confirm = "sudo -n \(ServiceFiles.program) confirm"

    @Test("sshd: confirm works only in a new session, and disable restores all files")
    func secureShell() throws {
      let (user, enrollment) = try Self.administrator(machine)
      let key = try machine.addLoginKey(for: user)
      let files = ServiceFiles(["sshd"])
      let server = try Self.server(machine)
      let old = try server.signIn(user.name, key: key)
      try old.expect("$ ")
      let start = try machine.log.position()

      let enabled = try machine.mustAdminister("enable", "sshd")
      #expect(enabled.text.contains("sshd: /etc/pam.d/sshd:6: written"), "\(enabled.text)")
      #expect(enabled.text.contains("sudo mfa-admin confirm"), "\(enabled.text)")
      #expect(!enabled.errorText.contains("is not running"), "\(enabled.errorText)")
      #expect(ServiceFiles.waiting == ["sshd"])

      try old.send(Self.confirm)
      try old.expect("sshd: this sign-in through sshd began before the change")
      let elsewhere = try machine.administer("confirm")
      #expect(elsewhere.status == .exited(1))
      #expect(
        elsewhere.errorText.contains("this command was not started from a sign-in through sshd"),
        "\(elsewhere.errorText)")
      #expect(ServiceFiles.waiting == ["sshd"])

      // A key alone no longer signs in.
      try Self.expectConfirmation(user, enrollment, on: server, key: key)
      #expect(ServiceFiles.waiting.isEmpty && ServiceFiles.enabled == ["sshd"])
      #expect(try machine.administer("confirm").status == .exited(2))
      #expect(
        try machine.administer("services").text.contains("sshd          on: /etc/pam.d/sshd:6"))
      let again = try machine.administer("enable", "sshd")
      #expect(again.status == .exited(0))
      #expect(again.text.contains("sshd: already asks for a code: /etc/pam.d/sshd:6"))
      let otherwise = try machine.administer("enable", "sshd", "--factors", "key+code")
      #expect(otherwise.status == .exited(1))
      #expect(otherwise.errorText.contains("do not change what it asks for"))

      try machine.mustAdminister("disable", "sshd")
      #expect(files.isRestored && ServiceFiles.enabled.isEmpty)
      try Self.expectSignIn(user, on: server, key: key)
      #expect(try server.isRunning())
      #expect(try machine.administer("disable", "sshd").status == .exited(0))

      let results = try machine.log.entries(since: start)
        .filter { $0.line.contains("mfa-admin[") || $0.line.contains("mfa-admin:") }
        .compactMap { $0.fields["result"] }
      #expect(results == ["service-enabled", "service-confirmed", "service-restored"])
    }

    @Test(
      "key+code: users who have enrolled need a key and a code, all others a key and their password"
    )
    func keyAndCode() throws {
      let (user, enrollment) = try Self.administrator(machine)
      let key = try machine.addLoginKey(for: user)
      let other = try machine.addUser()
      let otherKey = try machine.addLoginKey(for: other)
      let files = ServiceFiles(["sshd"])
      let server = try Self.server(machine)
      let dropIn = "/etc/ssh/sshd_config.d/90-key.conf"
      try machine.write(
        "KbdInteractiveAuthentication yes\nAuthenticationMethods publickey,keyboard-interactive\n",
        to: dropIn)
      let unclear = try machine.administer("enable", "sshd")
      #expect(unclear.status == .exited(1) && files.isRestored)
      #expect(unclear.errorText.contains("--factors key+code"), "\(unclear.errorText)")
      try machine.remove(dropIn)
      try machine.mustAdminister("enable", "sshd", "--factors", "key+code")

      let new = try server.signIn(user.name, command: Self.confirm, key: key)
      try new.expect("Verification code: ")
      #expect(!new.transcript.contains("Password:"), "\(new.transcript)")
      try new.send(try enrollment.phone.code())
      try new.expect("sshd: confirmed")
      #expect(try new.waitForExit() == .exited(0), "\(new.transcript)")

      try Self.expectPasswordAlone(other, on: server, key: otherKey)
      let json = try machine.administer("services", "--json").text
      #expect(json.contains("\"factors\": \"key+code\""), "\(json)")
      // A key alone does not let in a user who has not enrolled.
      let wrong = try server.signIn(
        other.name, command: "id -un", key: otherKey, options: SecureShell.once)
      try wrong.answer("Password: ", with: "x" + other.password)
      #expect(try wrong.waitForExit() == .exited(255), "\(wrong.transcript)")
      try Self.expectNoFindingsAboutSSH()
      let disabled = try machine.administer("disable", "sshd")
      #expect(disabled.status == .exited(0) && files.isRestored, "\(disabled.errorText)")
    }

    /// Expects that a user signs in with a key alone.
    static func expectSignIn(_ user: MachineUser, on server: PrivateServer, key: String) throws {
      let session = try server.signIn(user.name, command: "id -un", key: key)
      try session.expect(user.name)
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
    }

    /// Expects that a user confirms the change of sshd in a new sign-in with the password and a code.
    static func expectConfirmation(
      _ user: MachineUser, _ enrollment: Enrollment, on server: PrivateServer, key: String? = nil,
      by command: String = confirm
    ) throws {
      let session = try server.signIn(user.name, command: command, key: key)
      try session.answer("Password: ", with: user.password)
      try session.answer("Verification code: ", with: try enrollment.phone.code())
      try session.expect("sshd: confirmed")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
    }

    /// Expects that a user who has not enrolled signs in with the password, and with the key before it if
    /// there is one.
    static func expectPasswordAlone(
      _ user: MachineUser, on server: PrivateServer, key: String?
    ) throws {
      let session = try server.signIn(user.name, command: "id -un", key: key)
      try session.answer("Password: ", with: user.password)
      try session.expect(user.name)
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
    }

    /// Expects that doctor finds nothing wrong with ssh.
    static func expectNoFindingsAboutSSH() throws {
      let examined = try Doctor.examine(["--json"])
      #expect(
        try Doctor.found(examined).filter { !$0.hasPrefix("note ") && $0.contains("ssh") }.isEmpty,
        "\(examined.text)")
    }

    @Test("with key-or-password+code, a key or the password is needed, and a code in any case")
    func keyOrPasswordAndCode() throws {
      let (user, enrollment) = try Self.administrator(machine)
      let key = try machine.addLoginKey(for: user)
      let other = try machine.addUser()
      let otherKey = try machine.addLoginKey(for: other)
      let files = ServiceFiles(["sshd"])
      let server = try Self.server(machine)
      let enabled = try machine.administer("enable", "sshd", "--factors", "key-or-password+code")
      #expect(enabled.status == .exited(0), "\(enabled.errorText)")

      try Self.expectConfirmation(user, enrollment, on: server)

      let withKey = try server.signIn(user.name, command: "id -un", key: key)
      try withKey.expect("Verification code: ")
      #expect(!withKey.transcript.contains("Password:"), "\(withKey.transcript)")
      try withKey.send(try enrollment.phone.code(offset: 1))
      try withKey.expect(user.name)
      #expect(try withKey.waitForExit() == .exited(0), "\(withKey.transcript)")

      // A wrong password never leads to a code.
      let wrong = try server.signIn(user.name, command: "id -un", options: SecureShell.once)
      try wrong.answer("Password: ", with: "x" + user.password)
      #expect(try wrong.waitForExit() == .exited(255), "\(wrong.transcript)")
      #expect(!wrong.transcript.contains("Verification code"), "\(wrong.transcript)")

      for key in [otherKey, nil] { try Self.expectPasswordAlone(other, on: server, key: key) }
      try Self.expectNoFindingsAboutSSH()
      let explained = try machine.administer(
        "explain", "--user", user.name, "--service", "sshd", "--json")
      #expect(explained.text.contains("\"asked\""), "\(explained.text)")
      let disabled = try machine.administer("disable", "sshd")
      #expect(disabled.status == .exited(0) && files.isRestored, "\(disabled.errorText)")
    }

    @Test("members of an exempt group sign in with a key alone, and doctor notes it")
    func exemptGroup() throws {
      let user = try machine.addUser()
      let key = try machine.addLoginKey(for: user)
      let files = ServiceFiles(["sshd"])
      let server = try Self.server(machine)
      for group in ["a,b", "a*", "!a", "", " a", "a\"b", "a\\b"] {
        let refused = try machine.administer("enable", "sshd", "--except-group", group)
        #expect(refused.status == .exited(64), "\(group): \(refused.errorText)")
      }
      #expect(try machine.administer("enable", "sudo", "--except-group", "a").status == .exited(64))
      let enabled = try machine.administer(
        "enable", "--no-confirm", "sshd", "--except-group", user.name)
      #expect(enabled.status == .exited(0), "\(enabled.errorText)")
      try Self.expectSignIn(user, on: server, key: key)
      let found = try Doctor.found(try Doctor.examine(["--json"]))
      #expect(
        found.contains("note exempt-group /etc/ssh/sshd_config.d/00-mfa.conf:7")
          && !found.contains { $0.contains("methods-without-code") }, "\(found)")
      // An edited exemption is no longer the one that was enabled.
      let dropIn = "/etc/ssh/sshd_config.d/00-mfa.conf"
      let text = try machine.existingText(of: dropIn)
      try machine.write(
        text.replacing("Match Group \(user.name)", with: "Match Group *"), to: dropIn)
      let edited = try Doctor.found(try Doctor.examine(["--json"]))
      #expect(edited.contains("error methods-without-code \(dropIn):7"), "\(edited)")
      try machine.write(text, to: dropIn)
      let disabled = try machine.administer("disable", "sshd")
      #expect(disabled.status == .exited(0) && files.isRestored, "\(disabled.errorText)")
    }

    @Test("a group of a directory is exempt too: its name is long, and has spaces and an at sign")
    func exemptGroupOfADirectory() throws {
      let user = try machine.addUser()
      let key = try machine.addLoginKey(for: user)
      let files = ServiceFiles(["sshd"])
      let server = try Self.server(machine)
      let group = "Domain Users of the example company@corp.example.org"
      try machine.keep("/etc/group")
      let groups = try machine.existingText(of: "/etc/group")
      try machine.write("\(groups)\(group):x:49999:\(user.name)\n", to: "/etc/group")
      let enabled = try machine.administer(
        "enable", "--no-confirm", "sshd", "--except-group", group)
      #expect(enabled.status == .exited(0), "\(enabled.errorText)")
      try Self.expectSignIn(user, on: server, key: key)
      let found = try Doctor.found(try Doctor.examine(["--json"]))
      #expect(
        found.contains("note exempt-group /etc/ssh/sshd_config.d/00-mfa.conf:7")
          && !found.contains { $0.contains("methods-without-code") }, "\(found)")
      let disabled = try machine.administer("disable", "sshd")
      #expect(disabled.status == .exited(0) && files.isRestored, "\(disabled.errorText)")
    }

    @Test(
      "confirm works without CAP_SYS_PTRACE, which containers often lack",
      arguments: ["sshd", "sudo"])
    func withoutPtrace(service: String) throws {
      let (user, enrollment) = try Self.administrator(machine)
      let key = try machine.addLoginKey(for: user)
      let confirm = "/usr/bin/setpriv --bounding-set=-sys_ptrace \(ServiceFiles.program)"
      try machine.write(
        "\(user.name) ALL=(ALL) \(service == "sudo" ? "" : "NOPASSWD: ")/usr/bin/setpriv\n",
        to: "/etc/sudoers.d/container", mode: "0440")
      if service == "sudo" {
        // A sign-in without a question is no new one.
        try machine.write(
          "\(user.name) ALL=(ALL) \(ServiceFiles.program)\n", to: "/etc/sudoers.d/administrator",
          mode: "0440")
      }
      let server = try Self.server(machine)
      let old = try server.signIn(user.name, key: key)
      try old.expect("$ ")
      let enabled = try Command.run(["/bin/sh", "-c", "\(confirm) enable \(service)"])
      #expect(enabled.status == .exited(0), "\(enabled.errorText)")
      if service == "sshd" {
        try old.send("sudo -n \(confirm) confirm")
        try old.expect("sshd: this sign-in through sshd began before the change")
        try Self.expectConfirmation(
          user, enrollment, on: server, key: key, by: "sudo -n \(confirm) confirm")
      } else {
        try old.send("sudo \(confirm) confirm")
        try old.answer("assword", with: user.password)
        try old.answer("Verification code: ", with: try enrollment.phone.code())
        try old.expect("sudo: confirmed")
      }
      #expect(ServiceFiles.waiting.isEmpty && ServiceFiles.enabled == [service])
    }

    @Test("root confirms from a new connection of root")
    func rootBySecureShell() throws {
      try machine.keep("/etc/shadow")
      let root = MachineUser(name: "root", password: "the password of root")
      try machine.setPassword(root.password, of: root.name)
      machine.atTheEnd("remove root's factors") { try machine.forget(root) }
      let enrollment = try machine.enroll(root)
      let server = try PrivateServer(
        on: machine,
        settings: [
          "Include /etc/ssh/sshd_config.d/*.conf", "PidFile /run/sshd.pid", "PermitRootLogin yes",
        ])
      let old = try server.signIn("root")
      try old.answer("Password: ", with: root.password)
      try old.expect("# ")
      for arguments in [["--dry-run"], []] {
        let enabled = try Command.run([ServiceFiles.program, "enable", "sshd"] + arguments)
        #expect(
          enabled.status == .exited(0)
            && enabled.errorText.contains("warning: root can no longer sign in by ssh"),
          "\(arguments): \(enabled.errorText)")
      }
      try old.send("\(ServiceFiles.program) confirm")
      try old.expect("this sign-in through sshd began before the change")
      try Self.expectConfirmation(
        root, enrollment, on: server, by: "\(ServiceFiles.program) confirm")
    }

    @Test("enable warns an administrator who would be denied")
    func warning() throws {
      // It includes the file of login, which is a warning of its own.
      try machine.remove("/etc/pam.d/i3lock")
      let (user, _) = try machine.addEnrolledUser()
      func enable() throws -> Command {
        let command = try Command.run(
          [ServiceFiles.program, "enable", "login"], environment: ["SUDO_USER": user.name])
        _ = try machine.administer("disable", "login")
        return command
      }
      #expect(try enable().errorText.isEmpty)
      try machine.write(
        "no record", to: StoreFiles(of: user.name).record, owner: "mfa", group: "mfa",
        mode: "0600")
      let warned = try enable()
      #expect(warned.status == .exited(0))
      #expect(
        warned.errorText.contains("warning: login: a sign-in of \(user.name) would fail: "),
        "\(warned.errorText)")
    }

    @Test("an invalid record of a change is reported and does not change any service file")
    func damagedRecord() throws {
      let files = ServiceFiles(["sudo", "sudo-i"])
      _ = try machine.administer("enable", "sudo")
      let written = files.present
      let path = ServiceFiles.pending + "/sudo"
      let record = try #require(machine.contents(of: path))
      for (contents, mode) in [
        (Array(record.dropLast(5)), "0600"), (record, "0666"), ([], "0600"),
      ] {
        try machine.write(contents, to: path, mode: mode)
        let put = try machine.administer("restore", "--boot")
        #expect(put.status == .exited(1))
        #expect(put.errorText.contains(path), "\(put.errorText)")
        #expect(files.present == written)
        // Unrelated commands work.
        #expect(try machine.administer("config", "check").status == .exited(0))
      }
      // The other changes are still processed.
      try machine.write([], to: path, mode: "0600")
      let both = try machine.administer("confirm")
      #expect(both.status == .exited(2))
      #expect(both.errorText.contains("warning: \(path) is not a valid"), "\(both.errorText)")
      try machine.write(record, to: path, mode: "0600")
      #expect(try machine.administer("restore", "--boot").status == .exited(0))
      #expect(files.isRestored)
    }

    @Test("without a confirmation all files are rolled back in time", arguments: ["sshd", "login"])
    func deadline(service: String) throws {
      let (user, _) = try Self.administrator(machine)
      let key = try machine.addLoginKey(for: user)
      let files = ServiceFiles([service])
      let server = try Self.server(machine)
      let start = try machine.log.position()
      try machine.mustAdminister("enable", service, "--confirm-within", "1s")
      #expect(Deadline.usual.waits { files.isRestored }, "\(files.present)")
      let isLogged = try Deadline.usual.waits {
        try machine.log.entries(since: start).contains { $0.fields["reason"] == "not-confirmed" }
      }
      #expect(isLogged)
      // sshd has reloaded its configuration.
      try Self.expectSignIn(user, on: server, key: key)
      #expect(try machine.administer("confirm").status == .exited(2))
    }

    @Test("under systemd, a systemd unit rolls back the change, and systemd reloads sshd")
    func systemd() throws {
      try Command.succeed(["/bin/mkdir", "-p", "/run/systemd/system"])
      machine.atTheEnd("stop systemd") {
        try Command.succeed(["/bin/rm", "-r", "/run/systemd/system"])
      }
      let calls = machine.folder + "/calls"
      for tool in ["systemd-run", "systemctl"] {
        // The command follows the options.
        try machine.write(
          """
          #!/bin/sh
          echo \(tool) "$@" >>\(calls)
          while case "$1" in --*) ;; *) false ;; esac; do shift; done
          [ \(tool) = systemctl ] || setsid "$@" </dev/null >/dev/null 2>&1 &

          """, to: "/usr/bin/\(tool)", mode: "0755")
      }
      let files = ServiceFiles(["sshd"])
      try machine.mustAdminister("enable", "sshd", "--confirm-within", "1s")
      #expect(Deadline.usual.waits { files.isRestored })
      let isReloaded = Deadline.usual.waits {
        let text = machine.text(of: calls)
        return text.split(separator: "\n").count == 5
      }
      let lines = machine.text(of: calls)
        .split(separator: "\n")
      #expect(isReloaded, "\(lines)")
      #expect(lines.first?.hasPrefix("systemd-run --quiet --collect ") == true)
      #expect(lines.first?.hasSuffix(" /usr/sbin/mfa-admin restore --guard") == true)
      let reloading = [
        "systemctl is-active --quiet ssh.service", "systemctl reload ssh.service",
      ]
      #expect(lines.dropFirst().map { String($0) } == reloading + reloading)

      try machine.write(
        "#!/bin/sh\necho no bus >&2\nexit 1\n", to: "/usr/bin/systemd-run", mode: "0755")
      let refused = try machine.administer("enable", "sshd")
      #expect(refused.status == .exited(1))
      #expect(
        refused.errorText.contains("watcher: systemd-run: no bus; all changes were rolled back"),
        "\(refused.errorText)")
      #expect(files.isRestored)
      #expect(try machine.administer("enable", "--no-confirm", "sshd").status == .exited(0))
    }

    @Test("sshd: a Match LocalPort is no obstacle, and another PAM service of sshd is one")
    func otherPort() throws {
      let file = "/etc/ssh/sshd_config.d/90-port.conf"
      try machine.write("Match LocalPort 2222\n  X11Forwarding no\n", to: file)
      try machine.mustAdminister("enable", "--no-confirm", "sshd")
      try machine.mustAdminister("disable", "sshd")
      try machine.write("PAMServiceName other\n", to: file)
      let refused = try machine.administer("enable", "--no-confirm", "sshd")
      #expect(refused.status == .exited(1))
      #expect(
        refused.errorText.contains("\(file):1 makes sshd use the PAM service other"),
        "\(refused.errorText)")
    }

    /// The ids of the processes that roll back changes that are not confirmed in time.
    private static func watchers() throws -> Set<String> {
      let found = try Command.run(["/usr/bin/pgrep", "-f", "mfa-admin restore --guard"])
      return Set(found.text.split(separator: "\n").map { String($0) })
    }

    @Test("after a reboot without a confirmation, the change is rolled back before any sign-in")
    func boot() throws {
      let files = ServiceFiles(["sshd", "sudo", "sudo-i"])
      for argument in [["restore", "--boot"], ["list"]] {
        let earlier = try Self.watchers()
        let enabled = try machine.administer("enable", "sshd", "sudo", "--confirm-within", "24h")
        #expect(enabled.status == .exited(0), "\(enabled.errorText)")
        #expect(ServiceFiles.waiting == ["sshd", "sudo"])
        #expect(try machine.administer("restore").status == .exited(0))
        #expect(ServiceFiles.waiting == ["sshd", "sudo"], "the deadline has not passed")
        // Simulates a change that was made before the reboot, which ended its watcher.
        var watcher: Set<String> = []
        let hasBegun = try Deadline.usual.waits {
          watcher = try Self.watchers().subtracting(earlier)
          return !watcher.isEmpty
        }
        #expect(hasBegun)
        try Command.succeed(["/bin/kill", "-KILL"] + watcher)
        #expect(try Deadline.usual.waits { try Self.watchers().isDisjoint(with: watcher) })
        try Command.succeed([
          "/bin/sed", "-i", "s/^deadline [^ ]* /deadline another-boot /",
          ServiceFiles.pending + "/sshd", ServiceFiles.pending + "/sudo",
        ])
        let put = try Command.run([ServiceFiles.program] + argument)
        #expect(put.status == .exited(0), "\(put.errorText)")
        #expect(files.isRestored, "\(argument) \(put.errorText)")
        #expect(put.errorText.contains("sshd: was not confirmed before the machine restarted"))
      }
      // At boot, all pending changes are rolled back.
      _ = try machine.administer("enable", "sudo")
      #expect(try machine.administer("restore", "--boot").status == .exited(0))
      #expect(files.isRestored)
    }

    @Test("sudo: cached credentials are cleared, so the next sudo is a new sign-in")
    func sudo() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      try machine.write(
        "\(user.name) ALL=(ALL) ALL\nDefaults !tty_tickets\nDefaults timestamp_type=global\n",
        to: "/etc/sudoers.d/mfa", mode: "0440")
      let files = ServiceFiles(["sudo", "sudo-i"])
      let before = try TerminalSession(["/usr/bin/sudo", "id", "-un"], as: user.identity)
      try before.answer("assword", with: user.password)
      try before.expect("root")
      _ = try before.waitForExit()

      try machine.mustAdminister("enable", "sudo", "sudo-i")
      let new = try TerminalSession(
        ["/usr/bin/sudo", ServiceFiles.program, "confirm"], as: user.identity)
      try new.answer("assword", with: user.password)
      try new.answer("Verification code: ", with: try enrollment.phone.code())
      try new.expect("sudo: confirmed")
      #expect(try new.waitForExit() == .exited(0), "\(new.transcript)")
      #expect(ServiceFiles.waiting.isEmpty)
      let together = try machine.administer("disable", "sudo-i")
      #expect(together.status == .exited(1), "\(together)")
      #expect(together.errorText.contains("mfa-admin disable sudo\n"), "\(together.errorText)")
      let listed = try machine.administer("services").text
      #expect(listed.contains("  on with sudo: /etc/pam.d/sudo-i:"), "\(listed)")
      let json = try machine.administer("services", "--json").text
      #expect(json.contains("\"enabledWith\": \"sudo\""), "\(json)")
      let root = try machine.administer("disable", "sudo")
      #expect(root.status == .exited(0) && files.isRestored, "\(root.errorText)")
    }

    @Test("a sudo that asks for nothing does not confirm, and neither does a key alone")
    func silentSignIns() throws {
      let (user, enrollment) = try Self.administrator(machine)
      #expect(try machine.administer("enable", "sudo").status == .exited(0))
      let silent = try Command.run(
        ["/usr/bin/sudo", "-n", ServiceFiles.program, "confirm"], as: user.identity)
      #expect(silent.status == .exited(1), "\(silent.text)")
      #expect(
        silent.errorText.contains("sudo asks \(user.name) for nothing"), "\(silent.errorText)")
      #expect(ServiceFiles.waiting == ["sudo"])
      _ = try machine.administer("disable", "sudo")

      let key = try machine.addLoginKey(for: user)
      let server = try Self.server(machine)
      try machine.write(
        "Match User \(user.name)\n  AuthenticationMethods publickey keyboard-interactive\n",
        to: "/etc/ssh/sshd_config.d/50-exempt.conf")
      #expect(try machine.administer("enable", "sshd").status == .exited(0))
      let byKey = try server.signIn(user.name, command: Self.confirm, key: key)
      try byKey.expect("sshd accepts a key of \(user.name) alone")
      _ = try byKey.waitForExit()
      #expect(ServiceFiles.waiting == ["sshd"])
      let unattended = try server.signIn(
        user.name, command: Self.confirm + " --unattended", key: key)
      try unattended.expect("sshd: confirmed")
      _ = try unattended.waitForExit()
      #expect(ServiceFiles.waiting.isEmpty && ServiceFiles.enabled == ["sshd"])
      _ = enrollment
    }

    @Test("neither sudo nor su asks root for a code, so root cannot confirm through them")
    func rootCannotConfirmBySudoOrSu() throws {
      _ = try machine.administer("enable", "sudo", "su")
      let bySudo = try Command.run(["/usr/bin/sudo", ServiceFiles.program, "confirm"])
      #expect(bySudo.status == .exited(1))
      #expect(bySudo.errorText.contains("sudo does not ask root"), "\(bySudo.errorText)")
      let bySu = try Command.run(["/bin/su", "-c", "\(ServiceFiles.program) confirm"])
      #expect(bySu.errorText.contains("su does not ask root"), "\(bySu.errorText)")
      #expect(ServiceFiles.waiting == ["su", "sudo"])
    }

    @Test("su and login are confirmed from a new sign-in through them")
    func suAndLogin() throws {
      let (user, enrollment) = try Self.administrator(machine)
      try machine.keep("/etc/shadow")
      let root = MachineUser(name: "root", password: "the password of root")
      try machine.setPassword(root.password, of: root.name)
      let files = ServiceFiles(["su", "su-l", "login"])
      try machine.mustAdminister("enable", "su", "login")
      let su = try TerminalSession(
        ["/bin/su", "-c", "\(ServiceFiles.program) confirm"], as: user.identity)
      try su.answer("Password: ", with: root.password)
      try su.expect("su: confirmed")
      try su.expect("login: still waiting for confirmation")
      _ = try su.waitForExit()
      #expect(ServiceFiles.waiting == ["login"] && ServiceFiles.enabled == ["su"])

      let login = try TerminalSession(["/bin/login"])
      try login.answer("login: ", with: user.name)
      try login.answer("Password: ", with: user.password)
      try login.answer("Verification code: ", with: try enrollment.phone.code())
      try login.answer("$ ", with: Self.confirm + "; exit")
      try login.expect("login: confirmed")
      _ = try login.waitForExit()
      #expect(ServiceFiles.enabled == ["login", "su"])
      #expect(try machine.administer("disable", "su", "login").status == .exited(0))
      #expect(files.isRestored)
    }

    @Test("disable --all undoes every change, confirmed or not, and nothing else")
    func disableAll() throws {
      _ = try Self.administrator(machine)
      let files = ServiceFiles(["su", "su-l", "login"])
      let service = try machine.makeService(OneCode.stack)
      let byHand = try #require(machine.contents(of: "/etc/pam.d/\(service)"))
      #expect(try machine.administer("enable", "--no-confirm", "su").status.isSuccess)
      #expect(try machine.administer("enable", "login").status.isSuccess)
      #expect(ServiceFiles.waiting == ["login"] && ServiceFiles.enabled == ["su"])
      #expect(try machine.administer("disable").status == .exited(64))
      #expect(try machine.administer("disable", "--all", "su").status == .exited(64))
      try machine.mustAdminister("disable", "--all")
      #expect(files.isRestored && ServiceFiles.waiting.isEmpty && ServiceFiles.enabled.isEmpty)
      #expect(machine.contents(of: "/etc/pam.d/\(service)") == byHand)
      let again = try machine.administer("disable", "--all")
      #expect(again.text == "no change of mfa-admin enable is in force\n", "\(again)")
    }

    @Test("an edited line of one service keeps no service from being disabled, and is kept")
    func disableAllWithEdits() throws {
      let files = ServiceFiles(["su", "su-l", "login", "sudo", "sudo-i"])
      for service in ["login", "su", "sudo"] {
        #expect(try machine.administer("enable", "--no-confirm", service).status.isSuccess)
      }
      let path = "/etc/pam.d/login"
      let text = try machine.existingText(of: path)
      let edited = text.replacing("pam_mfa.so after_password", with: "pam_mfa.so echo debug")
      #expect(edited != text)
      try machine.write(edited, to: path)
      // The record of another service is damaged.
      try machine.write("x", to: ServiceFiles.confirmed + "/sudo", mode: "0600")
      let dry = try machine.administer("disable", "--all", "--dry-run")
      #expect(dry.status == .exited(0) && dry.text.contains("-auth"), "\(dry)")
      let disabled = try machine.mustAdminister("disable", "--all")
      #expect(disabled.text.contains("line "), "\(disabled.text)")
      #expect(machine.contents(of: path + ".mfa-edited") == Array(edited.utf8))
      try machine.remove(path + ".mfa-edited")
      #expect(files.isRestored && ServiceFiles.enabled.isEmpty, "\(files)")
      // A service that cannot be disabled is reported, and the others are disabled.
      for service in ["login", "su"] {
        #expect(try machine.administer("enable", "--no-confirm", service).status.isSuccess)
      }
      try machine.write("x", to: ServiceFiles.confirmed + "/aaa", mode: "0600")
      let partly = try machine.administer("disable", "--all")
      #expect(partly.status == .exited(1))
      #expect(partly.errorText.contains("/aaa is not a valid"), "\(partly.errorText)")
      #expect(files.isRestored && ServiceFiles.enabled == ["aaa"], "\(files)")
      try machine.remove(ServiceFiles.confirmed + "/aaa")
    }

    /// How an administrator changes a file of an unconfirmed change.
    enum TrialEdit: CaseIterable {
      case betweenMarks, removed, marksDeleted, outsideMarks, groupWritable, otherOwner, symlink,
        hardLink, folderGroupWritable

      /// Makes the change. Returns the contents that must be found in the copy, or nil.
      func make(at path: String, _ user: MachineUser, _ machine: Machine) throws -> [UInt8]? {
        let new = try machine.existingText(of: path)
        let folder = String(path.prefix(upTo: try #require(path.lastIndex(of: "/"))))
        var edited: String?
        switch self {
        case .betweenMarks:
          edited = new.replacing("requisite pam_mfa.so", with: "optional pam_mfa.so")
            .replacing("UsePAM yes", with: "UsePAM no")
        case .marksDeleted:
          let lines = new.split(separator: "\n", omittingEmptySubsequences: false)
          edited = lines.filter { !$0.contains("mfa-admin enable") }.joined(separator: "\n")
        case .outsideMarks:
          edited =
            path.hasPrefix("/etc/pam.d")
            ? "auth requisite pam_deny.so\n" + new : "DenyUsers *\n" + new
        case .removed: try machine.remove(path)
        case .groupWritable: try Command.succeed(["/bin/chmod", "g+w", path])
        case .otherOwner: try Command.succeed(["/bin/chown", user.name, path])
        case .symlink:
          let target = machine.folder + "/target"
          try machine.write(new, to: target)
          try Command.succeed(["/bin/ln", "-sf", target, path])
          return Array(new.utf8)
        case .hardLink: try Command.succeed(["/bin/ln", path, path + ".link"])
        case .folderGroupWritable:
          try Command.succeed(["/bin/chmod", "g+w", folder])
          machine.atTheEnd("protect \(folder)") {
            try Command.succeed(["/bin/chmod", "g-w", folder])
          }
        }
        if let edited { try machine.write(edited, to: path) }
        return edited.map { Array($0.utf8) }
      }
    }

    /// How an unconfirmed change is undone.
    enum TrialEnd: CaseIterable {
      case boot, disable, deadline

      func undo(_ service: String, _ machine: Machine) throws -> Command {
        switch self {
        case .boot: return try machine.administer("restore", "--boot")
        case .disable: return try machine.administer("disable", service)
        case .deadline:
          // As if the time were over.
          try Command.succeed([
            "/bin/sed", "-i", "s/^deadline \\([^ ]*\\) [0-9]* /deadline \\1 0 /",
            ServiceFiles.pending + "/" + service,
          ])
          return try machine.administer("restore")
        }
      }
    }

    /// A file that `enable` writes for a service.
    struct TrialFile: Sendable, CustomTestStringConvertible {
      let service: String
      let path: String
      var testDescription: String { path }

      static let all = [
        TrialFile(service: "sudo", path: "/etc/pam.d/sudo"),
        TrialFile(service: "sshd", path: ServiceFiles.dropIn),
      ]

      /// Returns the type, owner, group, mode and number of names of the file, or nil if it does not
      /// exist.
      func status() throws -> String? {
        let found = try Command.run(["/usr/bin/stat", "-c", "%F %U %G %a %h", path])
        return found.status.isSuccess ? found.text : nil
      }
    }

    @Test(
      "no edit keeps an unconfirmed change from being rolled back, and what was edited is kept",
      arguments: TrialEdit.allCases, TrialFile.all)
    func editedOnTrial(edit: TrialEdit, file: TrialFile) throws {
      let (user, _) = try Self.administrator(machine)
      let key = try machine.addLoginKey(for: user)
      let files = ServiceFiles([file.service])
      let server = try Self.server(machine)
      let status = try file.status()
      let copy = file.path + ".mfa-edited"
      for end in TrialEnd.allCases {
        try machine.remove(copy)
        let start = try machine.log.position()
        try machine.mustAdminister("enable", "--untried", file.service)
        let edited = try edit.make(at: file.path, user, machine)
        let undone = try end.undo(file.service, machine)
        #expect(undone.status == .exited(0), "\(end): \(undone.errorText)")
        #expect(files.isRestored, "\(end): \(files)")
        #expect(try file.status() == status, "\(end)")
        #expect(machine.contents(of: copy) == edited, "\(end)")
        let said = undone.text + undone.errorText
        if edited != nil {
          let isLogged = try Deadline.usual.waits {
            try machine.log.entries(since: start).contains {
              $0.fields["result"] == "edit-kept" && $0.fields["copy"] == copy
            }
          }
          #expect(isLogged, "\(end)")
        }
        // The rollback watcher can be faster than the command at the deadline.
        if end != .deadline, edited != nil {
          #expect(said.contains("what was there is in \(copy)"), "\(end): \(said)")
        } else if end != .deadline, edit == .removed, status != nil {
          #expect(said.contains("\(file.path) was removed since"), "\(end): \(said)")
        }
        #expect(!(try machine.administer("services").text.contains("mfa-edited")))
        try machine.remove(file.path + ".link")
        if edit == .folderGroupWritable {
          try Command.succeed(["/bin/chmod", "g-w", "/etc/pam.d", "/etc/ssh/sshd_config.d"])
        }
        guard file.service == "sshd", end != .boot else { continue }
        // sshd has reloaded its settings.
        try Self.expectSignIn(user, on: server, key: key)
      }
    }

    @Test("a link's target is not touched by the rollback, and the link is kept")
    func linkOnTrial() throws {
      let path = "/etc/pam.d/sudo"
      let files = ServiceFiles(["sudo", "sudo-i"])
      let target = machine.folder + "/target"
      try machine.write("auth requisite pam_deny.so\n", to: target, mode: "0600")
      #expect(try machine.administer("enable", "--untried", "sudo").status == .exited(0))
      try Command.succeed(["/bin/ln", "-sf", target, path])
      #expect(try machine.administer("restore", "--boot").status == .exited(0))
      #expect(files.isRestored, "\(files)")
      #expect(machine.contents(of: target) == Array("auth requisite pam_deny.so\n".utf8))
      let kept = try Command.succeed(["/bin/readlink", path + ".mfa-edited"])
      #expect(kept == target + "\n")
    }

    @Test("a folder at the place of a file is moved away")
    func folderOnTrial() throws {
      for file in TrialFile.all {
        let files = ServiceFiles([file.service])
        try machine.mustAdminister("enable", "--untried", file.service)
        try machine.remove(file.path)
        try Command.succeed(["/bin/mkdir", file.path])
        try machine.mustAdminister("restore", "--boot")
        #expect(files.isRestored, "\(files)")
        try Command.succeed(["/bin/rmdir", file.path + ".mfa-edited"])
      }
    }

    @Test("a file that cannot be restored does not keep the others from being restored")
    func fileThatStays() throws {
      let (user, _) = try Self.administrator(machine)
      let key = try machine.addLoginKey(for: user)
      let path = "/etc/pam.d/sshd"
      let files = ServiceFiles(["sshd"])
      let server = try Self.server(machine)
      machine.atTheEnd("unmount \(path)") {
        _ = try Command.run(["/bin/umount", "--quiet", path])
      }
      for command in [["disable", "sshd"], ["restore", "--boot"]] {
        #expect(try machine.administer("enable", "--untried", "sshd").status == .exited(0))
        // No file can be renamed over a mount point.
        try Command.succeed(["/bin/mount", "--bind", "/etc/pam.d/su", path])
        let failed = try Command.run([ServiceFiles.program] + command)
        #expect(failed.status == .exited(1), "\(failed.text)")
        #expect(failed.errorText.contains(path), "\(failed.errorText)")
        #expect(machine.contents(of: ServiceFiles.dropIn) == nil)
        #expect(ServiceFiles.waiting == ["sshd"])
        let again = try Command.run([ServiceFiles.program] + command)
        #expect(again.status == .exited(1), "\(again.text)")
        try Command.succeed(["/bin/umount", path])
        if command.first == "disable" {
          // The stack still asks for a code, but sshd asks the stack for nothing after a key.
          try Self.expectSignIn(user, on: server, key: key)
        }
        let copies = try Command.succeed(["/bin/sh", "-c", "ls \(path)*.mfa-edited | wc -l"])
        #expect(copies == "1\n", "each round makes another copy")
        #expect(try machine.administer("restore", "--boot").status == .exited(0))
        #expect(files.isRestored, "\(files)")
        try machine.remove(path + ".mfa-edited")
      }
    }

    @Test("a change that another program makes while a service is enabled is not undone")
    func changedBeforeItsTurn() throws {
      let files = ServiceFiles(["sudo", "sudo-i"])
      let path = "/etc/pam.d/sudo"
      #expect(try machine.administer("enable", "--untried", "sudo").status == .exited(0))
      // As if the process had died after it wrote the record: no file has a backup copy yet.
      try machine.write(try #require(files.old.contents[0]), to: path)
      try Command.succeed(["/bin/rm", "/etc/pam.d/.sudo.mfa-old"])
      try Command.succeed([
        "/bin/sed", "-i", "s/^stage standing/stage working/", ServiceFiles.pending + "/sudo",
      ])
      let upgraded = Array("# upgraded\n".utf8) + (try #require(files.old.contents[0]))
      try machine.write(upgraded, to: path)
      #expect(try machine.administer("restore").status == .exited(0))
      #expect(machine.contents(of: path) == upgraded)
      #expect(ServiceFiles.waiting.isEmpty)
    }

    @Test("a folder among the records of changes does not keep a change from being rolled back")
    func folderAmongRecords() throws {
      let files = ServiceFiles(["sudo", "sudo-i"])
      #expect(try machine.administer("enable", "--untried", "sudo").status == .exited(0))
      try Command.succeed(["/bin/mkdir", ServiceFiles.pending + "/.saved"])
      let put = try machine.administer("restore", "--boot")
      #expect(put.status == .exited(1))
      #expect(put.errorText.contains(ServiceFiles.pending + "/.saved"), "\(put.errorText)")
      try Command.succeed(["/bin/rmdir", ServiceFiles.pending + "/.saved"])
      #expect(files.isRestored, "\(files)")
    }

    /// What happens to the file of an enabled service.
    enum Loss: String, CaseIterable {
      case replaced, removed, withoutOneLine, moved
    }

    @Test(
      "doctor and services name an enabled service that has lost its lines",
      arguments: Loss.allCases)
    func lostLines(loss: Loss) throws {
      let path = "/etc/pam.d/sudo"
      let old = try machine.existingText(of: path)
      #expect(try machine.administer("enable", "--no-confirm", "sudo").status == .exited(0))
      let new = try machine.existingText(of: path)
      #expect(!(try machine.administer("doctor").text.contains("lines-lost")))
      let line = "auth requisite pam_mfa.so after_password\n"
      switch loss {
      case .replaced: try machine.write(old, to: path)
      case .removed: try machine.remove(path)
      case .withoutOneLine: try machine.write(new.replacing(line, with: ""), to: path)
      case .moved:
        let text = new.replacing(line, with: "")
        try machine.write(
          text.replacing("@include common-auth\n", with: "@include common-auth\n" + line),
          to: path)
      }
      let doctor = try machine.administer("doctor", "--json")
      #expect(doctor.status == .exited(3))
      #expect(doctor.text.contains("\"lines-lost\""), "\(doctor.text)")
      let services = try machine.administer("services").text
      #expect(services.contains("LOST: enabled, but \(path)") == (loss != .moved), "\(services)")
      // Enabling again repairs it, and disabling is possible afterwards.
      if loss == .removed { try machine.write(old, to: path) }
      if loss != .moved {
        #expect(try machine.administer("enable", "--no-confirm", "sudo").status == .exited(0))
        #expect(!(try machine.administer("doctor", "--json").text.contains("lines-lost")))
      }
    }

    @Test("a service that was enabled again after it lost its lines is disabled completely")
    func disabledAfterLoss() throws {
      let files = ServiceFiles(["sshd"])
      let path = "/etc/pam.d/sshd"
      #expect(try machine.administer("enable", "--no-confirm", "sshd").status == .exited(0))
      try machine.write(try #require(files.old.contents[0]), to: path)
      #expect(try machine.administer("enable", "--no-confirm", "sshd").status == .exited(0))
      try machine.mustAdminister("disable", "sshd")
      #expect(files.isRestored, "\(files)")
    }

    @Test("a lost drop-in of sshd is reported, and unreadable records make a state unknown")
    func lostDropIn() throws {
      #expect(try machine.administer("enable", "--no-confirm", "sshd").status == .exited(0))
      #expect(try machine.administer("services").text.contains("sshd          on: "))
      try machine.remove(ServiceFiles.dropIn)
      let doctor = try machine.administer("doctor").text
      let lost = "error: \(ServiceFiles.dropIn): sshd: the lines of mfa-admin"
      #expect(doctor.contains(lost), "\(doctor)")
      let metrics = try machine.administer("check", "--prometheus").text
      #expect(metrics.contains("mfa_service_asks_for_code{service=\"sshd\"} 0\n"), "\(metrics)")
      let services = try machine.administer("services", "--json").text
      #expect(services.contains("\"lost\""), "\(services)")
      let session = try TerminalSession([ServiceFiles.program, "services"], columns: 80)
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      let rows = session.text.split(whereSeparator: \.isNewline)
      #expect(rows.allSatisfy { $0.count <= 80 }, "\(session.transcript)")
      #expect(
        rows.contains { $0.hasPrefix("sshd          LOST: enabled, but \(ServiceFiles.dropIn)") },
        "\(session.transcript)")
      // Without its record, the state of a service is not known.
      try machine.write("x", to: ServiceFiles.confirmed + "/sshd", mode: "0600")
      let unknown = try machine.administer("services").text
      #expect(!unknown.contains(" off\n"), "\(unknown)")
      for name in ["login", "sshd"] {
        #expect(
          unknown.contains(try Regex("(?m)^\(name) +unknown: \(ServiceFiles.confirmed)")),
          "\(unknown)")
      }
    }

    @Test("later edits are kept, and a line that was edited between the markers is kept in a copy")
    func edited() throws {
      let path = "/etc/pam.d/sudo"
      let old = try machine.existingText(of: path)
      #expect(try machine.administer("enable", "--no-confirm", "sudo").status == .exited(0))
      #expect(ServiceFiles.enabled == ["sudo"])
      let new = try machine.existingText(of: path)
      let between = new.replacing("requisite pam_mfa.so", with: "optional pam_mfa.so")
      try machine.write(between, to: path)
      let edited = try machine.mustAdminister("disable", "sudo")
      #expect(edited.text.contains("note: line 8 of \(path) was edited"), "\(edited.text)")
      #expect(machine.contents(of: path) == Array(old.utf8))
      #expect(machine.contents(of: path + ".mfa-edited") == Array(between.utf8))
      try machine.remove(path + ".mfa-edited")
      #expect(ServiceFiles.enabled.isEmpty && ServiceFiles.waiting.isEmpty)
      #expect(try machine.administer("enable", "--no-confirm", "sudo").status == .exited(0))

      try machine.write("# ours\n" + new, to: path, mode: "0640")
      let dry = try machine.administer("disable", "--dry-run", "sudo")
      #expect(dry.text.contains("-auth requisite pam_mfa.so after_password\n"), "\(dry.text)")
      let disabled = try machine.mustAdminister("disable", "sudo")
      #expect(disabled.text.contains("\(path) was edited since"), "\(disabled.text)")
      #expect(machine.contents(of: path) == Array(("# ours\n" + old).utf8))
      #expect(try Command.succeed(["/usr/bin/stat", "-c", "%a", path]) == "640\n")

      // Without a record of the change, the markers identify the lines.
      try machine.write(old, to: path)
      #expect(try machine.administer("enable", "--no-confirm", "sudo").status == .exited(0))
      try Command.succeed(["/bin/rm", ServiceFiles.confirmed + "/sudo"])
      #expect(try machine.administer("disable", "sudo").status == .exited(0))
      #expect(machine.contents(of: path) == Array(old.utf8))

      try machine.write(old.replacing("auth\n", with: "auth\nauth required pam_mfa.so\n"), to: path)
      let byHand = try machine.administer("disable", "sudo")
      #expect(byHand.status == .exited(1), "\(byHand.text)")
      #expect(byHand.errorText.contains("/etc/pam.d/sudo:7, which mfa-admin enable did not write"))
    }

    /// Returns the entries of the audit log about services, oldest first.
    private func auditLog(_ machine: Machine) throws -> [String] {
      let text = try machine.administer("audit-log", "show", "--last", "100", "--json").text
      return text.matches(of: /"event": "(service-[a-z]+)"/).map { String($0.output.1) }
    }

    @Test("every change of a service is in the audit log, or no service is enabled")
    func auditLog() throws {
      let files = ServiceFiles(["sudo", "sudo-i"])
      try machine.takeAuditLogAway()
      // The current configuration is recorded first.
      try machine.mustAdminister("list")
      let start = try machine.log.position()
      #expect(try machine.administer("enable", "sudo").status == .exited(0))
      #expect(try auditLog(machine) == ["service-enabled"])
      #expect(try machine.administer("restore", "--boot").status == .exited(0))
      #expect(try machine.administer("enable", "--no-confirm", "sudo").status == .exited(0))
      #expect(try machine.administer("disable", "sudo").status == .exited(0))
      let events = ["service-enabled", "service-restored", "service-enabled", "service-disabled"]
      #expect(try auditLog(machine) == events)
      #expect(try machine.administer("audit-log", "verify", "--begun-anew").status == .exited(0))
      #expect(files.isRestored, "\(files)")
      let marks = try machine.log.entries(since: start).compactMap { $0.fields["checkpoint"] }
      #expect(marks.map { $0.prefix(2) } == ["2:", "3:", "4:", "5:"], "\(marks)")

      // A removed audit log is not replaced automatically.
      try Command.succeed(["/bin/rm", "/var/lib/mfa/audit-log"])
      let refused = try machine.administer("enable", "sudo")
      #expect(refused.status == .exited(1))
      #expect(refused.errorText.contains("cannot record the change"), "\(refused.errorText)")
      #expect(files.isRestored, "\(files)")
    }

    @Test("a service can be disabled although the store is broken")
    func brokenStore() throws {
      let files = ServiceFiles(["sudo", "sudo-i"])
      #expect(try machine.administer("enable", "--no-confirm", "sudo").status == .exited(0))
      #expect(files.present != files.old)
      try machine.remove("/etc/mfa/key")
      let disabled = try machine.mustAdminister("disable", "sudo")
      #expect(disabled.errorText.contains("warning: cannot record the change"))
      #expect(files.isRestored, "\(files)")
    }

    struct Refusal: Sendable {
      let path: String
      var text: String?
      var mode = "0644"
      var link: String?
      let arguments: [String]
      var status: Int32 = 1
      let message: String
    }

    static let refusals = [
      Refusal(
        path: "/etc/pam.d/sudo", mode: "0666", arguments: ["sudo"],
        message: "/etc/pam.d/sudo cannot be used: wrong-permissions"),
      Refusal(
        path: "/etc/pam.d/sudo", link: "/etc/pam.d/su", arguments: ["sudo"],
        message: "/etc/pam.d/sudo cannot be used: symbolic-link"),
      Refusal(
        path: "/etc/ssh/sshd_config", text: "PasswordAuthentication yes\n",
        arguments: ["sshd"], message: "does not include /etc/ssh/sshd_config.d/*.conf"),
      Refusal(
        path: "/etc/ssh/sshd_config",
        text: "PasswordAuthentication yes\nInclude /etc/ssh/sshd_config.d/*.conf\n",
        arguments: ["sshd"], message: "/etc/ssh/sshd_config:1 sets passwordauthentication before"),
      Refusal(
        path: "/etc/ssh/sshd_config.d/00-ours.conf",
        text: "PasswordAuthentication yes\n", arguments: ["sshd"],
        message: ""),
      Refusal(
        path: "/etc/ssh/sshd_config.d/00-also.conf", text: "AuthenticationMethods any\n",
        arguments: ["sshd"],
        message: "/etc/ssh/sshd_config.d/00-also.conf:1 sets authenticationmethods before"),
      Refusal(
        path: "/etc/ssh/sshd_config.d/00-mfa.conf", text: "# by hand\n",
        arguments: ["sshd"], message: "already exists with different contents"),
      // sshd -T shows what the files alone do not.
      Refusal(
        path: "/etc/ssh/sshd_config",
        text: "Include /etc/ssh/other.conf\nInclude /etc/ssh/sshd_config.d/*.conf\n",
        arguments: ["sshd"],
        message:
          "the trial failed: sshd would not ask for a password and a code: PasswordAuthentication"
      ),
      Refusal(
        path: "/etc/pam.d/strange-service",
        text: "auth requisite pam_unix.so\naccount required pam_unix.so\n",
        arguments: ["--fields", "strange-service"], message: "so the change cannot be confirmed"),
      Refusal(
        path: "/etc/pam.d/sudo", text: "auth required pam_unix.so\n",
        arguments: ["sudo"], message: "the stack continues and asks for a code"),
    ]

    @Test("a change that would have no effect is refused", arguments: refusals)
    func refused(row: Refusal) throws {
      try machine.write("PasswordAuthentication yes\n", to: "/etc/ssh/other.conf")
      if let link = row.link {
        try Command.succeed(["/bin/ln", "-sf", link, row.path])
      } else if let text = row.text {
        try machine.write(text, to: row.path, mode: row.mode)
      } else {
        try Command.succeed(["/bin/chmod", row.mode, row.path])
      }
      let files = ServiceFiles(row.arguments)
      let enabled = try Command.run([ServiceFiles.program, "enable"] + row.arguments)
      if row.message.isEmpty {
        // The setting follows the drop-in, so it has no effect.
        #expect(enabled.status == .exited(0), "\(row): \(enabled.errorText)")
        return
      }
      #expect(enabled.status == .exited(row.status), "\(row): \(enabled.errorText)")
      #expect(enabled.errorText.contains(row.message), "\(row): \(enabled.errorText)")
      #expect(Deadline.usual.waits { files.isRestored }, "\(row)")
    }

    @Test("enable sshd names the users who sign in with a key and have no password")
    func keysAlone() throws {
      let (user, _) = try machine.addEnrolledUser()
      let other = try machine.addUser()
      let exempt = try machine.addUser()
      let withPassword = try machine.addUser()
      try machine.keep("/etc/shadow")
      for each in [user, other, exempt, withPassword] {
        _ = try machine.addLoginKey(for: each)
        if each.name != withPassword.name {
          try Command.succeed(["/usr/sbin/usermod", "-p", "*", each.name])
        }
      }
      // sshd can read the keys of its users anywhere.
      try Command.succeed(["/bin/mkdir", "-p", "/etc/ssh/keys"])
      try Command.succeed([
        "/bin/mv", "/home/\(other.name)/.ssh/authorized_keys", "/etc/ssh/keys/\(other.name)",
      ])
      try machine.write(
        "AuthorizedKeysFile %h/.ssh/authorized_keys /etc/ssh/keys/%u\n",
        to: "/etc/ssh/sshd_config.d/50-keys.conf")
      try machine.write(
        "Match User \(exempt.name)\n  AuthenticationMethods publickey\n",
        to: "/etc/ssh/sshd_config.d/60-exempt.conf")
      let rows = [
        (["--factors", "password+code"], [user.name, other.name]),
        (["--factors", "key+code"], [other.name]),
        (["--factors", "key-or-password+code"], [other.name]),
        (["--except-group", other.name], [user.name]),
      ]
      for (factors, names) in rows {
        for options in [["--dry-run"], ["--no-confirm"]] {
          let command = ["enable", "sshd", "--untried"] + options + factors
          let enabled = try Command.run([ServiceFiles.program] + command)
          #expect(enabled.status == .exited(0), "\(command): \(enabled.errorText)")
          let warning = enabled.errorText.split(separator: "\n").first {
            $0.contains("users who have keys but no password can no longer sign in by ssh: ")
          }
          let named = warning?.split(separator: ": ").last?.split(separator: ", ") ?? []
          #expect(Set(named.map { String($0) }) == Set(names), "\(command): \(named)")
          if options == ["--no-confirm"] { _ = try machine.administer("disable", "sshd") }
        }
      }
    }

    @Test("enable sshd names the users who lose their only way in, and says what it cannot know")
    func lastWays() throws {
      let typist = try machine.addUser()
      let holder = try machine.addUser()
      _ = try machine.addLoginKey(for: holder)
      let certified = try machine.addUser()
      try machine.keep("/etc/shadow")
      try Command.succeed(["/usr/sbin/usermod", "-p", "*", certified.name])
      func warnings(_ factors: String) throws -> String {
        let enabled = try Command.run(
          [
            ServiceFiles.program, "enable", "sshd", "--untried", "--dry-run", "--factors",
            factors,
          ])
        #expect(enabled.status == .exited(0), "\(enabled.errorText)")
        return enabled.errorText
      }
      let key = try warnings("key+code")
      #expect(
        key.contains(
          "users who have a password but no key can no longer sign in by ssh: \(typist.name)\n"),
        "\(key)")
      #expect(!key.contains(holder.name) && !key.contains(certified.name), "\(key)")
      for factors in ["password+code", "key-or-password+code"] {
        let text = try warnings(factors)
        #expect(![typist, holder, certified].contains { text.contains($0.name) }, "\(text)")
      }
      let sources = [
        (
          "TrustedUserCAKeys /etc/ssh/ca.pub",
          "the certificates of TrustedUserCAKeys /etc/ssh/ca.pub"
        ),
        (
          "AuthorizedKeysCommand /usr/bin/true\nAuthorizedKeysCommandUser nobody",
          "the keys of AuthorizedKeysCommand /usr/bin/true"
        ),
      ]
      for (lines, source) in sources {
        try machine.write(lines + "\n", to: "/etc/ssh/sshd_config.d/50-keys.conf")
        let doubt =
          "cannot check whether these users can still sign in by ssh, because \(source) are not "
          + "known: "
        let password = try warnings("password+code")
        let doubtful = password.split(separator: "\n").first { $0.contains(doubt) } ?? ""
        #expect(
          doubtful.hasSuffix(certified.name) && !doubtful.contains(typist.name)
            && !doubtful.contains(holder.name), "\(password)")
        let either = try warnings("key+code")
        #expect(either.contains(doubt), "\(either)")
        #expect(either.contains(typist.name) && either.contains(certified.name), "\(either)")
        try machine.mustAdminister("enable", "sshd", "--untried", "--no-confirm")
        let doctor = try machine.administer("doctor")
        #expect(
          doctor.text.contains("cannot check whether users without a password sign in by ssh")
            && doctor.text.contains(certified.name), "\(doctor.text)")
        _ = try machine.administer("disable", "sshd")
      }
    }

    @Test("a service whose file is the vendor's gets a file in /etc, which disable removes")
    func vendorFile() throws {
      let vendor = "/usr/lib/pam.d/vendor-service"
      let path = "/etc/pam.d/vendor-service"
      let text =
        "#%PAM-1.0\n@include common-auth\n@include common-account\n@include common-session\n"
      try machine.write(text, to: vendor)
      let files = ServiceFiles(["vendor-service"])
      let dry = try machine.mustAdminister("enable", "--dry-run", "--fields", "vendor-service")
      #expect(dry.text.contains("--- /dev/null"), "\(dry.text)")
      let enabled = try machine.mustAdminister(
        "enable", "--no-confirm", "--fields", "vendor-service")
      #expect(enabled.text.contains("\(path):4: written"), "\(enabled.text)")
      let new = try machine.existingText(of: path)
      #expect(new.hasPrefix("#%PAM-1.0\n@include common-auth\n# >>> mfa-admin"), "\(new)")
      #expect(machine.contents(of: vendor) == Array(text.utf8))
      #expect(try machine.administer("services").text.contains(" on: \(path):4\n"))
      #expect(try machine.administer("disable", "vendor-service").status == .exited(0))
      #expect(files.isRestored, "\(files)")

      // The change of a family is rolled back with it.
      try Command.succeed(["/bin/mv", "/etc/pam.d/sudo-i", "/usr/lib/pam.d/sudo-i"])
      machine.atTheEnd("remove the vendor's file") {
        try Command.succeed(["/bin/rm", "-f", "/usr/lib/pam.d/sudo-i"])
      }
      let family = ServiceFiles(["sudo", "sudo-i"])
      #expect(try machine.administer("enable", "sudo").status == .exited(0))
      #expect(machine.contents(of: "/etc/pam.d/sudo-i") != nil)
      #expect(try machine.administer("restore", "--boot").status == .exited(0))
      #expect(family.isRestored, "\(family)")
    }

    @Test("--dry-run prints a diff that patch accepts, and changes nothing")
    func dryRun() throws {
      let files = ServiceFiles(["sshd", "su", "sudo", "sudo-i"])
      let dry = try machine.mustAdminister("enable", "--dry-run", "sshd", "su", "sudo")
      #expect(files.isRestored)
      #expect(
        try machine.administer("enable", "--no-confirm", "sshd", "su", "sudo").status
          == .exited(0))
      let written = files.present
      let off = try machine.administer("disable", "--dry-run", "sshd", "su", "sudo")
      #expect(files.present == written)
      #expect(off.text.contains("+++ /dev/null"), "\(off.text)")
      _ = try machine.administer("disable", "sshd", "su", "sudo")
      #expect(files.isRestored)
      if try Command.run(["/usr/bin/test", "-x", "/usr/bin/patch"]).status.isSuccess {
        try Command.succeed(["/usr/bin/patch", "-p0", "-d", "/"], input: dry.output)
        #expect(files.present == written)
      }
    }

    @Test("only root may enable or disable services, and service names are validated")
    func names() throws {
      let user = try machine.addUser()
      for command in ["enable", "disable"] {
        let denied = try Command.run([ServiceFiles.program, command, "sudo"], as: user.identity)
        #expect(denied.status == .exited(77), "\(denied.errorText)")
        for name in ["../sudo", "other", "common-auth", "mfa-enroll", "", "Sudo", ".sudo"] {
          let refused = try machine.administer(command, name)
          #expect(refused.status == .exited(2), "\(command) \(name): \(refused.errorText)")
        }
      }
      for time in ["0s", "25h", "5", "5d", "-1m"] {
        let refused = try machine.administer("enable", "--confirm-within=\(time)", "sudo")
        #expect(refused.status == .exited(64), "\(time)")
      }
      for command in ["enable", "disable"] {
        let absent = try machine.administer(command, "no-such-service")
        #expect(absent.status == .exited(2), "\(command): \(absent.text)")
      }
      #expect(ServiceFiles.waiting.isEmpty)
    }
  }
}
