import MFATestSupport
import Testing

extension EndToEnd {
  /// Programs that use ssh as a channel, while notices are pending.
  @Suite struct CleanChannels {
    /// The notice that is pending.
    static let notice = "1 failed code since your last sign-in"

    /// Adds a user with a pending notice and a login key.
    static func prepare(
      _ machine: Machine
    ) throws -> (user: MachineUser, enrollment: Enrollment, key: String) {
      let (user, enrollment) = try machine.addEnrolledUser()
      let service = try machine.makeService(OneCode.stack)
      _ = try PAMClient.signIn(
        service: service, user: user.name, answers: [.text(try enrollment.phone.wrongCode())])
      return (user, enrollment, try machine.addLoginKey(for: user))
    }

    @Test("scp, sftp, rsync, git, Ansible and a command neither show nor use up a notice")
    func channels() throws {
      try Machine.use { machine in
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
    }

    @Test("a shell shows the notice once, after a command that did not, until the user has read it")
    func shell() throws {
      try Machine.use { machine in
        let (user, enrollment, _) = try Self.prepare(machine)
        let server = try SecureShell().server(machine, heading: "ssh: the password, then a code")
        func signIn(_ command: String?, _ offset: Int) throws -> TerminalSession {
          let session = try server.signIn(user.name, command: command)
          try session.expect("Password: ")
          try session.send(user.password)
          try session.expect("One-time code: ")
          try session.send(try enrollment.phone.code(offset: offset))
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
}
