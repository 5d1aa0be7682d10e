import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// Remembered codes through a real sshd, and recent codes for sudo.
  @Suite struct Remembering {
    static let configuration = """
      [project]
      remember = 8h
      remember_services = sshd

      """

    static let stepUp = """
      [tenant step-up]
      services = sudo
      fresh_for = 15m

      """

    func server(_ machine: Machine) throws -> PrivateServer {
      let blocks = try Guide.blocks(under: "ssh: a key, then a code")
      try machine.changeService("sshd", authentication: OneCode.lines(blocks[0], tries: 1))
      return try PrivateServer(on: machine, settings: blocks[1])
    }

    static let command = "echo uid=$(id -un)"

    /// Signs in with a key, and a code if there is a prompt. Returns whether there was a prompt.
    func signIn(
      _ user: MachineUser, to server: PrivateServer, key: String, code: String? = nil
    ) throws -> Bool {
      let session = try server.signIn(
        user.name, command: Self.command, key: key, options: ["NumberOfPasswordPrompts=1"])
      let end = "uid=\(user.name)"
      let (index, _) = try session.expectOne(of: ["Verification code: ", end])
      if index == 0 {
        guard let code else {
          try session.send("none")
          #expect(try session.waitForExit() == .exited(255), "\(session.transcript)")
          return true
        }
        try session.send(code)
        let question = "Type yes if you have read this: "
        if try session.expectOne(of: [end, question]).0 == 1 {
          try session.send("yes")
          try session.expect(end)
        }
      }
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      return index == 0
    }

    @Test("the same key and address need no further code until remembered sign-ins are cleared")
    func sameKey() throws {
      try machine.writeConfiguration(Self.configuration)
      let (user, enrollment) = try machine.addEnrolledUser()
      let key = try machine.addLoginKey(for: user)
      let server = try server(machine)
      let start = try machine.log.position()
      #expect(try signIn(user, to: server, key: key, code: try enrollment.phone.code()))
      #expect(try !signIn(user, to: server, key: key))
      #expect(try !signIn(user, to: server, key: key))
      let entries = try OneCode.logged(machine, since: start)
      #expect(entries.map { $0.fields["result"] } == ["accepted", "remembered", "remembered"])
      #expect(entries.allSatisfy { $0.fields["rhost"] == "127.0.0.1" })

      let forgotten = try user.runEnroll("forget")
      #expect(
        forgotten.text
          == "The sign-in from 1 place is no longer remembered. The next one asks for a code.\n")
      #expect(try signIn(user, to: server, key: key, code: try enrollment.phone.code(offset: 1)))
      #expect(try !signIn(user, to: server, key: key))
      let admin = try Command.run(["/usr/sbin/mfa-admin", "forget", user.name])
      #expect(admin.text == "\(user.name): cleared 1 remembered sign-in\n")
      let auditLog = try machine.mustAdminister("audit-log", "show", "--user", user.name).text
      for (line, end) in zip(
        auditLog.split(separator: "\n").suffix(2),
        ["by \(user.name) via mfa-helper", "by root via mfa-admin"])
      { #expect(line.contains("  forgotten  \(end)"), "\(auditLog)") }
      #expect(try signIn(user, to: server, key: key))
    }

    /// Runs sudo in the shell of a session. Returns whether it asked for a code.
    func sudo(
      _ user: MachineUser, in session: TerminalSession, code: String? = nil
    ) throws -> Bool {
      try session.send("sudo -k; sudo echo uid=$(printf roo)t; echo end=$?")
      try session.answer("password for", with: user.password)
      let (index, _) = try session.expectOne(of: ["Verification code: ", "uid=root"])
      guard index == 0 else {
        try session.expect("end=0")
        return false
      }
      if let code {
        try session.send(code)
        try session.expect("uid=root")
        try session.expect("end=0")
      } else {
        // Sends end of file, which sudo reads later; a signal sent before sudo reads would be lost.
        try session.sendKeys([4])
        try session.expect("end=1")
      }
      return true
    }

    @Test("sudo accepts a recent code of the sign-in or of sudo, but not of a different session")
    func stepUp() throws {
      try machine.writeConfiguration(Self.configuration + Self.stepUp)
      let (user, enrollment) = try machine.addEnrolledUser()
      let key = try machine.addLoginKey(for: user)
      try machine.changeService("sudo", authentication: try Services.lines())
      try machine.write("\(user.name) ALL=(ALL) ALL\n", to: "/etc/sudoers.d/mfa", mode: "0440")
      let server = try server(machine)

      let session = try server.signIn(user.name, key: key)
      try session.answer("Verification code: ", with: try enrollment.phone.code())
      try session.expect("$ ")
      #expect(try !sudo(user, in: session))

      // A sign-in with a remembered code counts as equally recent.
      let second = try server.signIn(user.name, key: key)
      #expect(try second.expectOne(of: ["Verification code: ", "$ "]).index == 1)
      #expect(try !sudo(user, in: second))
      try second.send("exit")
      #expect(try second.waitForExit() == .exited(0))

      // A session that began without the module has no recent code.
      let stranger = try TerminalSession(["/bin/bash", "--norc"], as: user.identity)
      try stranger.expect("$ ")
      #expect(try sudo(user, in: stranger, code: try enrollment.phone.code(offset: 1)))
      #expect(try !sudo(user, in: stranger))
      try stranger.send("exit")
      _ = try stranger.waitForExit()

      try machine.writeConfiguration(
        Self.configuration + Self.stepUp.replacingOccurrences(of: "15m", with: "1s"))
      let typed = Date()
      while Date().timeIntervalSince(typed) < 2 { _ = usleep(100_000) }
      #expect(try sudo(user, in: session))
      try session.send("exit")
      _ = try session.waitForExit()
    }

    @Test(
      "a service without a client address asks every client for a code",
      arguments: ["vsftpd", "login", "sudo"])
    func daemon(service: String) throws {
      try machine.writeConfiguration("[project]\nfresh_for = 1h\n")
      let (user, enrollment) = try machine.addEnrolledUser()
      try machine.writeService(service, ["auth requisite pam_unix.so", "auth required pam_mfa.so"])
      // Two clients of a daemon that is a session leader; the second client has only the
      // password.
      var options = PAMClient.Options()
      options.times = 2
      let outcome = try PAMClient.signIn(
        service: service, user: user.name,
        answers: [
          .text(user.password), .text(try enrollment.phone.code()), .text(user.password),
        ], options: options, through: ["/usr/bin/setsid", "--wait"])
      #expect(outcome.results.first?.code == "PAM_SUCCESS")
      #expect(outcome.code != "PAM_SUCCESS")
      let each = ["Password: ", "Verification code: "]
      #expect(outcome.prompts == each + each)
    }
  }
}
