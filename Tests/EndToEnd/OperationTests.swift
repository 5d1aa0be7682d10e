import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// The commands and lines of mfa-operation(7), with a real sshd and sudo.
  @Suite struct Operation {
    /// The examples under a heading of mfa-operation(7).
    static func examples(_ heading: String) throws -> [[String]] {
      try ManualPage("mfa-operation.7").examples(under: heading)
    }

    static func text(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

    @Test("a group is exempt at sshd from one address, and doctor and explain show it")
    func exception() throws {
      try machine.keepServices()
      let blocks = try Self.examples("An exception for a group")
      let (job, person) = (try machine.addUser(), try machine.addUser())
      let jobsKey = try machine.addLoginKey(for: job)
      let key = try machine.addLoginKey(for: person)
      try machine.writeConfiguration("[project]\nenrollment = required\n")
      let server = try Enable.server(machine)
      try machine.write(
        "\(job.name) ALL=(root) NOPASSWD: /usr/bin/id\n", to: "/etc/sudoers.d/job", mode: "0440")
      #expect(try machine.administer("enable", "--no-confirm", "sshd", "sudo").status.isSuccess)

      func isIn(_ user: MachineUser, _ key: String) throws -> Bool {
        let session = try server.signIn(
          user.name, command: SecureShell.command, key: key, options: ["BatchMode=yes"])
        return try session.waitForExit() == .exited(0)
      }
      func runsAsRoot() throws -> Bool {
        try Command.run(["/usr/bin/sudo", "-n", "id", "-un"], as: job.identity).text == "root\n"
      }
      #expect(try !isIn(job, jobsKey))
      #expect(try !runsAsRoot())

      machine.atTheEnd("remove the group") { _ = try Migration.shell("groupdel automation") }
      try Migration.run(blocks[0].map { $0.replacing("backup-job", with: job.name) })
      let path = "/etc/ssh/sshd_config.d/50-automation.conf"
      try machine.write(Self.text(blocks[1]).replacing("192.0.2.10", with: "127.0.0.1"), to: path)
      let reloading = try #require(blocks[2].first)
      #expect(reloading == "sshd -t && systemctl reload ssh")
      try Migration.run(["sshd -t && kill -HUP $(cat /run/sshd.pid)"])
      // sshd accepts the key, but the account line requires a factor.
      #expect(try !isIn(job, jobsKey))
      try machine.write(Self.text(blocks[3]), to: "/etc/mfa/mfa.conf.d/50-automation.conf")
      // On a busy machine, sshd may still be reading its settings.
      #expect(try Deadline.usual.waits { try isIn(job, jobsKey) })
      #expect(try runsAsRoot())
      #expect(try !isIn(person, key))
      // From another address, the key alone is not accepted.
      let elsewhere = try server.signIn(
        job.name, command: SecureShell.command, key: jobsKey,
        options: ["BatchMode=yes", "BindAddress=127.0.0.2"])
      #expect(try elsewhere.waitForExit() == .exited(255), "\(elsewhere.transcript)")

      #expect(try machine.administer("disable", "sshd", "sudo").status.isSuccess)
      let enabled = try machine.administer("enable", "--no-confirm", "sshd", "sudo")
      #expect(
        enabled.errorText.contains(
          "warning: \(path):2: authenticationmethods has a different value for some sign-ins"))
      #expect(try isIn(job, jobsKey))
      #expect(try !isIn(person, key))
      let doctor = try machine.administer("doctor").text
      #expect(doctor.contains("error: \(path):2: sshd: users who sign in by ssh with publickey"))
      let check = try machine.administer("check")
      #expect(check.status == .exited(3) && check.text.contains("\(path):2"), "\(check.text)")
      let explained = try machine.administer(
        "explain", "--user", job.name, "--service", "sshd", "--rhost", "127.0.0.1"
      ).text
      #expect(explained.contains("50-automation.conf:"), "\(explained)")
    }

    @Test("sudo without a password asks for no code")
    func programs() throws {
      try machine.keepServices()
      let (user, _) = try machine.addEnrolledUser()
      try machine.write(
        "\(user.name) ALL=(root) NOPASSWD: /usr/bin/id\n", to: "/etc/sudoers.d/job", mode: "0440")
      #expect(try machine.administer("enable", "--no-confirm", "sudo").status.isSuccess)
      #expect(
        try Command.run(["/usr/bin/sudo", "-n", "id", "-un"], as: user.identity).text == "root\n")
    }

    @Test("sudo asks users without a password for a code alone")
    func keyOnly() throws {
      try machine.keepServices()
      let (user, enrollment) = try machine.addEnrolledUser()
      let stranger = try machine.addUser()
      for user in [user, stranger] {
        try Command.succeed(["/usr/sbin/usermod", "--lock", user.name])
      }
      try machine.write(
        "\(user.name),\(stranger.name) ALL=(ALL) ALL\n", to: "/etc/sudoers.d/keys", mode: "0440")
      try machine.changeService("sudo", authentication: try Self.examples("sudo")[0])
      let session = try TerminalSession(["/usr/bin/sudo", "id", "-un"], as: user.identity)
      try session.answer("Verification code: ", with: try enrollment.phone.code())
      try session.expect("root")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      let other = try TerminalSession(["/usr/bin/sudo", "id", "-un"], as: stranger.identity)
      #expect(try other.waitForExit() != .exited(0), "\(other.transcript)")
    }

    @Test("the metrics are written for node_exporter")
    func metrics() throws {
      try machine.keepServices()
      #expect(try machine.administer("enable", "--no-confirm", "login").status.isSuccess)
      let folder = "/var/lib/node-metrics"
      try machine.remove(folder)
      let commands = try Self.examples("Prometheus")[0]
      let first = try Migration.shell(commands.joined(separator: " && "))
      #expect(first.text == "" && [.exited(0), .exited(3)].contains(first.status), "\(first)")
      let text = try machine.existingText(of: folder + "/mfa.prom")
      #expect(text.contains("\nmfa_service_asks_for_code{service=\"login\"} 1\n"), "\(text)")
      let rules = Self.text(try #require(try Self.examples("Prometheus").last))
      for metric in rules.matches(of: /mfa_[a-z_]+/).map({ String($0.output) }) {
        #expect(text.contains("\n\(metric)"), "\(metric)")
      }
    }
  }
}
