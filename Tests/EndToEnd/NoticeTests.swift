import Glibc
import MFATestSupport
import Testing

extension EndToEnd {
  /// Notices of factor changes: when they are shown, confirmed and mailed.
  @Suite struct Notices {
    private static let question = "Type yes if you have read this: "
    private static let notice = "New device 'pixel' was added"

    /// Answers the password prompt and the code prompt.
    private func prove(
      _ session: TerminalSession, _ user: MachineUser, _ code: String
    ) throws {
      try session.answer("Password: ", with: user.password)
      try session.answer("Verification code: ", with: code)
    }

    private func leave(_ session: TerminalSession, _ user: MachineUser) throws {
      try session.answer("$ ", with: "echo uid=$(id -un); exit")
      try session.expect("uid=\(user.name)")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
    }

    @Test("an attacker's factor cannot hide notices from the owner, through ssh and scp")
    func attackersFactor() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let phone = enrollment.phone
      let server = try SecureShell().server(machine, heading: "ssh: the password, then a code")
      let pixel = try machine.enroll(
        user, named: "pixel", presentCode: try phone.code(offset: -4)
      ).phone

      // The attacker runs a command, copies a file, and opens a shell.
      let command = try server.signIn(user.name, command: SecureShell.command)
      try prove(command, user, try pixel.code(offset: -4))
      try SecureShell().expectEnd(.signedIn, command, user.name)
      #expect(!command.text.contains(Self.question), "\(command.transcript)")
      try machine.write("text\n", to: machine.folder + "/file", mode: "0644")
      let copy = try server.copy(machine.folder + "/file", to: "copied", of: user.name)
      try prove(copy, user, try pixel.code(offset: -3))
      #expect(try copy.waitForExit() == .exited(0), "\(copy.transcript)")
      #expect(machine.contents(of: user.home + "/copied") == Array("text\n".utf8))
      let shell = try server.signIn(user.name)
      try prove(shell, user, try pixel.code(offset: -2))
      try shell.expect(Self.notice)
      try leave(shell, user)

      // The owner does not answer at first.
      let first = try server.signIn(user.name, command: SecureShell.command)
      try prove(first, user, try phone.code(offset: -3))
      try first.expect(Self.notice)
      try first.answer(Self.question, with: "")
      try SecureShell().expectEnd(.signedIn, first, user.name)
      let second = try server.copy(machine.folder + "/file", to: "copied", of: user.name)
      try prove(second, user, try phone.code(offset: -2))
      try second.expect(Self.notice)
      try second.answer(Self.question, with: "yes")
      #expect(try second.waitForExit() == .exited(0), "\(second.transcript)")
      let third = try server.signIn(user.name)
      try prove(third, user, try phone.code(offset: -1))
      try leave(third, user)
      #expect(!third.text.contains(Self.notice), "\(third.transcript)")
      let last = try server.signIn(user.name)
      try prove(last, user, try pixel.code(offset: -1))
      try leave(last, user)
      #expect(!last.text.contains(Self.notice), "\(last.transcript)")
    }

    @Test("~/.hushlogin hides no unconfirmed notice")
    func hushLogin() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let server = try SecureShell().server(machine, heading: "ssh: the password, then a code")
      _ = try machine.enroll(
        user, named: "pixel", presentCode: try enrollment.phone.code(offset: -4))
      try machine.write(
        "", to: user.home + "/.hushlogin", owner: user.name, group: user.name, mode: "0644")
      let session = try server.signIn(user.name)
      try prove(session, user, try enrollment.phone.code(offset: -3))
      try session.expect(Self.notice)
      try session.answer(Self.question, with: "yes")
      try leave(session, user)
    }

    @Test("a notice is information for a program, and a refusal an error; for su, both are errors")
    func styles() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      try machine.writeService("su", OneCode.stack)
      let styles: [(String, PAMOutcome.Style)] = [(service, .information), ("su", .error)]
      for (offset, (service, style)) in styles.enumerated() {
        let refused = try user.signIn(to: service, typing: try enrollment.phone.wrongCode())
        #expect(refused.messages.last == PAMOutcome.Message(.error, "Wrong code."), "\(refused)")
        let accepted = try user.signIn(
          to: service, typing: try enrollment.phone.code(offset: offset))
        let notice = try #require(accepted.messages.last)
        #expect(notice.style == style, "\(accepted)")
        #expect(notice.text.hasPrefix("1 failed code since your last sign-in"), "\(accepted)")
      }
    }

    @Test("login shows a notice once, because it controls the terminal")
    func login() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      _ = try Patterns().open(.login, on: machine)
      _ = try machine.enroll(
        user, named: "pixel", presentCode: try enrollment.phone.code(offset: -4))
      for (offset, isShown) in [(-3, true), (-2, false)] {
        let session = try TerminalSession(["/bin/login"])
        try session.answer("login: ", with: user.name)
        try prove(session, user, try enrollment.phone.code(offset: offset))
        try leave(session, user)
        #expect(session.text.contains(Self.notice) == isShown, "\(session.transcript)")
        #expect(!session.text.contains(Self.question), "\(session.transcript)")
      }
    }

    @Test("a new factor is mailed at once, by a process that the caller does not control")
    func mailAtOnce() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let file = machine.folder + "/mailed"
      try machine.write("", to: file, mode: "0666")
      // The mailer's parent is the helper process that sends mail.
      try machine.write(
        """
        #!/bin/sh
        { cat; cat /proc/$PPID/status; } >\(file)
        logger -u /dev/log -p mail.info -t sendmail mailed=yes

        """, to: "/usr/sbin/sendmail", mode: "0755")
      let start = try machine.log.position()
      let helper = try HelperSession.begun(as: user)
      _ = try helper.prove(password: user.password, code: try enrollment.phone.code(offset: -4))
      let secret = try #require(try helper.ask(5, [1], [6], [0, 30])?.fields.first)
      let pixel = Authenticator(key: Base32.text(secret))
      let answer = try helper.ask(6, Array(try pixel.code().utf8), Array("pixel".utf8))
      #expect(answer?.kind == 0x86, "\(String(describing: answer))")
      _ = try machine.log.waitForEntry(containing: "mailed=", since: start)
      let mail = machine.text(of: file)
      #expect(mail.contains("  New device 'pixel' was added on "), "\(mail)")
      let number = try Command.succeed(["/usr/bin/id", "-u", "mfa"]).dropLast()
      #expect(mail.contains("Uid:\t\(number)\t\(number)\t\(number)\t"), "\(mail)")
      #expect(mail.contains("SigBlk:\t0000000000000000\n"), "\(mail)")
      try helper.end()
    }
  }

  /// Programs that use ssh as a channel, while notices are pending.
  @Suite struct CleanChannels {
    /// The notice that is pending.
    static let notice = "1 failed code since your last sign-in"

    /// Adds a user with a pending notice and a login key.
    static func prepare(
      _ machine: Machine
    ) throws -> (user: MachineUser, enrollment: Enrollment, key: String) {
      let (user, enrollment, service) = try machine.addSignIn()
      _ = try user.signIn(to: service, typing: try enrollment.phone.wrongCode())
      return (user, enrollment, try machine.addLoginKey(for: user))
    }

    @Test("scp, sftp, rsync, git, Ansible and a command neither show nor use up a notice")
    func channels() throws {
      let (user, _, key) = try Self.prepare(machine)
      _ = try SecureShell().server(machine, heading: "ssh: a key, then a code")
      // The key alone signs in, so that PAM has only its other two phases.
      let server = try PrivateServer(
        on: machine, settings: ["AuthenticationMethods publickey", "PermitUserRC no"])
      let folder = machine.folder
      let options = server.settings(key: key)
      let remote = "\(user.name)@127.0.0.1"
      let shell = (["/usr/bin/ssh", "-p", "\(server.port)"] + options).joined(separator: " ")
      let content = (0...255).map { UInt8($0) }
      try machine.write(content, to: folder + "/file", mode: "0644")
      try machine.write("put \(folder)/file by-sftp\n", to: folder + "/batch")
      try machine.write(
        "host ansible_host=127.0.0.1 ansible_port=\(server.port) ansible_user=\(user.name) "
          + "ansible_ssh_common_args='\(options.joined(separator: " "))'\n",
        to: folder + "/inventory")

      func run(_ command: [String]) throws -> String {
        let result = try Command.run(
          ["/usr/bin/env", "HOME=\(folder)", "LC_ALL=C.UTF-8"] + command)
        #expect(result.status == .exited(0), "\(command): \(result.errorText)")
        #expect(!result.text.contains("failed code"), "\(command): \(result.text)")
        #expect(!result.errorText.contains("failed code"), "\(command): \(result.errorText)")
        return result.text
      }

      let ssh = ["/usr/bin/ssh", "-p", "\(server.port)"] + options
      #expect(try run(ssh + [remote, "printf exact"]) == "exact")
      #expect(try run(ssh + ["-T", remote, "cat /dev/null"]) == "")
      _ = try run(
        ["/usr/bin/scp", "-q", "-P", "\(server.port)"] + options
          + [folder + "/file", "\(remote):by-scp"])
      _ = try run(
        ["/usr/bin/sftp", "-q", "-P", "\(server.port)"] + options
          + ["-b", folder + "/batch", remote])
      _ = try run(["/usr/bin/rsync", "-e", shell, folder + "/file", "\(remote):by-rsync"])
      for way in ["scp", "sftp", "rsync"] {
        #expect(machine.contents(of: user.home + "/by-" + way) == content, "\(way)")
      }
      _ = try run(ssh + [remote, "git init -q --bare repository"])
      _ = try run([
        "GIT_SSH_COMMAND=\(shell)", "/usr/bin/git", "clone", "-q",
        "ssh://\(remote)/~/repository", folder + "/clone",
      ])
      let pong = try run([
        "ANSIBLE_LOCAL_TEMP=\(folder)/ansible", "/usr/bin/ansible", "host", "-i",
        folder + "/inventory", "-m", "ping",
      ])
      #expect(pong.contains("\"ping\": \"pong\""), "\(pong)")
    }

    @Test("a shell shows the notice once, after a command that did not, until the user has read it")
    func shell() throws {
      let (user, enrollment, _) = try Self.prepare(machine)
      let server = try SecureShell().server(machine, heading: "ssh: the password, then a code")
      func signIn(_ command: String?, _ offset: Int) throws -> TerminalSession {
        let session = try server.signIn(user.name, command: command)
        try session.answer("Password: ", with: user.password)
        try session.answer("Verification code: ", with: try enrollment.phone.code(offset: offset))
        return session
      }
      let command = try signIn(SecureShell.command, -1)
      try SecureShell().expectEnd(.signedIn, command, user.name)
      #expect(!command.text.contains("failed code"), "\(command.transcript)")
      for (offset, isRead) in [(0, false), (1, true)] {
        let session = try signIn(nil, offset)
        try session.expect("$ ")
        #expect(session.text.contains(Self.notice) != isRead, "\(session.transcript)")
        #expect(
          session.text.components(separatedBy: Self.notice).count == (isRead ? 1 : 2),
          "\(session.transcript)")
        try session.send("mfa-enroll notices; exit")
        try session.expect(isRead ? "You have no notices." : Self.notice)
        #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      }
    }
  }
}
